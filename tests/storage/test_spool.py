"""The spool: whole files or none, in the order of events, never without bounds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backstory.storage import spool
from tests.support.home import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A spool that nobody wrote to yet."""
    return str(tmp_path / "spool")


def contents(folder: str) -> list[bytes]:
    """The payloads that wait."""
    return [spool.parse((Path(folder) / name).read_bytes())[1] for name in spool.pending(folder)]


def test_an_event_comes_back_as_it_went_in(folder: str) -> None:
    """With its time and the host's project folder; files and folder are the user's alone."""
    payload = b'{"a":"\xd0\xbf\xff\x00\n\n"}'
    before = time.time_ns()
    spool.write(folder, [payload[:5], payload[5:]], "/home/Ünï\n\udcff")
    (name,) = spool.pending(folder)
    header, body = spool.parse((Path(folder) / name).read_bytes())
    assert body == payload
    assert header["project_dir"] == "/home/Ünï \udcff"
    assert before <= int(header["at"]) <= time.time_ns()
    assert "cut" not in header
    assert (Path(folder) / name).stat().st_mode & 0o777 == 0o600
    assert Path(folder).stat().st_mode & 0o777 == 0o700
    assert [path.name for path in Path(folder).iterdir()] == [name]


def test_events_keep_their_order(folder: str) -> None:
    """Names sort as times do."""
    for number in range(20):
        spool.write(folder, [b"%d" % number])
    assert contents(folder) == [b"%d" % number for number in range(20)]
    assert 0 < time.time_ns() - spool.oldest(folder) < 60_000_000_000


@pytest.mark.parametrize("size", [spool.EVENT_LIMIT, spool.EVENT_LIMIT + 1, 20_000_000])
@pytest.mark.parametrize("piece", [65_536, 1_000_000, 1 << 30])
def test_what_is_too_large_keeps_both_ends(folder: str, size: int, piece: int) -> None:
    """D8: eight megabytes an event, in whatever pieces it came."""
    payload = b"".join(b"%08d" % number for number in range(size // 8 + 1))[:size]
    spool.write(folder, [payload[at : at + piece] for at in range(0, size, piece)])
    (name,) = spool.pending(folder)
    header, body = spool.parse((Path(folder) / name).read_bytes())
    if size <= spool.EVENT_LIMIT:
        assert body == payload
        return
    assert int(header["cut"]) == size - spool.EVENT_LIMIT
    half = spool.EVENT_LIMIT // 2
    assert body[:half] == payload[:half]
    assert body[half:] == payload[-half:]


def test_many_small_pieces_are_written_whole(folder: str) -> None:
    """More than one system call takes."""
    pieces = [b"%d," % number for number in range(5_000)]
    spool.write(folder, pieces)
    assert contents(folder) == [b"".join(pieces)]


def test_the_bound_is_marked_and_taken_back(folder: str) -> None:
    """Bad and temporary files count too, the room set aside does not."""
    assert spool.usage(folder) == (0, 0)
    assert not spool.mark_full(folder)
    spool.write(folder, [b"x"])
    bad = Path(folder) / spool.BAD
    bad.mkdir()
    with (bad / "big").open("wb") as file:
        file.truncate(spool.SPOOL_LIMIT)
    count, size = spool.usage(folder)
    assert count == 1
    assert size > spool.SPOOL_LIMIT
    assert spool.mark_full(folder)
    assert spool.is_full(folder)
    (bad / "big").rename(Path(folder) / spool.BALLAST)
    assert not spool.mark_full(folder)
    assert not spool.is_full(folder)


def test_a_name_that_is_no_time_is_no_time(folder: str) -> None:
    """Somebody's copy in the spool."""
    assert spool.oldest(folder) == 0
    Path(folder).mkdir()
    (Path(folder) / "copy of.evt").touch()
    assert spool.oldest(folder) == 0
    (Path(folder) / "00000000000000000077-1.evt").touch()
    assert spool.oldest(folder) == 77


def test_a_spool_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    """And leaves no temporary file."""
    blocked = tmp_path / "spool"
    blocked.touch()
    with pytest.raises(OSError, match="directory"):
        spool.write(str(blocked), [b"x"])
    assert [path.name for path in tmp_path.iterdir()] == ["spool"]


FULL_DISK = f"""
set -e
mount -t tmpfs -o size=17m tmpfs disk
{sys.executable} -I - <<'END'
import sys, os
sys.path.insert(0, {str(ROOT / "src")!r})
from pathlib import Path
from backstory.capture import ingest
from backstory.storage import spool
folder = "disk/spool"
os.mkdir(folder)
ingest.PLENTY = 1
ingest.ensure_ballast(Path(folder))
assert os.path.exists(folder + "/ballast")
with open("disk/filler", "wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)) == 4096:
            pass
    except OSError:
        pass
spool.write(folder, [b"x" * 100_000])
assert not os.path.exists(folder + "/ballast"), "it was given up"
assert len(spool.pending(folder)) == 1
try:
    for _ in range(400):
        spool.write(folder, [b"y" * 100_000])
except OSError as error:
    assert error.errno == 28, error
else:
    raise AssertionError("the disk never filled")
assert not [name for name in os.listdir(folder) if name.endswith(".part")]
print("kept", len(spool.pending(folder)))
END
"""


def test_a_full_disk_costs_the_ballast_first(tmp_path: Path) -> None:
    """A real one, small: the event is kept; when nothing is left, the error says so."""
    (tmp_path / "disk").mkdir()
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", FULL_DISK],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("kept "), done.stderr
    assert int(done.stdout.split()[1]) > 100


def test_two_hooks_that_find_the_disk_full_both_keep_their_event(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second finds the ballast gone already."""
    spool.write(folder, [b"first"])
    writev, calls = os.writev, []

    def full_once(descriptor: int, pieces: list[bytes]) -> int:
        calls.append(pieces)
        if len(calls) == 1:
            raise OSError(28, "No space left on device")
        return writev(descriptor, pieces)

    monkeypatch.setattr(os, "writev", full_once)
    spool.write(folder, [b"second"])
    assert contents(folder) == [b"first", b"second"]
