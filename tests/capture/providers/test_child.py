"""Programs are fed, read and timed, and never outlive what asked for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backstory.capture.providers.child import Children, Finished
from tests.support.fake_claude import is_running

LIMIT = 1_000_000


def run(
    folder: Path, code: str, *, sent: bytes = b"", seconds: float = 30, limit: int = LIMIT
) -> Finished:
    """Runs Python code as a program."""
    command = [sys.executable, "-I", "-S", "-c", code]
    return Children().run(command, env={}, cwd=folder, sent=sent, seconds=seconds, limit=limit)


def test_a_program_gets_its_input_and_gives_its_output(tmp_path: Path) -> None:
    """With its exit code and its errors."""
    code = "import sys; d = sys.stdin.read(); print(len(d)); sys.stderr.write('e'); sys.exit(3)"
    found = run(tmp_path, code, sent=b"x" * 300_000)
    assert found == Finished(3, b"300000\n", b"e", "itself")


def test_a_program_that_reads_nothing_is_no_deadlock(tmp_path: Path) -> None:
    """A batch is larger than a pipe."""
    assert run(tmp_path, "print('bye')", sent=b"x" * 500_000) == Finished(0, b"bye\n", b"")


def test_a_program_without_input_sees_its_end(tmp_path: Path) -> None:
    """An open standard input costs the client three seconds."""
    assert run(tmp_path, "import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_errors_are_read_and_kept_up_to_a_limit(tmp_path: Path) -> None:
    """A flood of them blocks nothing."""
    found = run(tmp_path, "import sys; sys.stderr.write('e' * 900_000); print('done')")
    assert found.stdout == b"done\n"
    assert len(found.stderr) == 20_000


def test_too_much_output_ends_the_program(tmp_path: Path) -> None:
    """It would never end by itself."""
    found = run(tmp_path, "while True: print('x' * 1000)", limit=5_000)
    assert (found.end, len(found.stdout)) == ("too_large", 5_000)


STUBBORN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
print(os.getpid(), flush=True)
while True: signal.pause()
"""


def test_time_up_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    """SIGTERM is ignored by both here."""
    found = run(tmp_path, STUBBORN, seconds=0.5)
    assert found.end == "late"
    pids = [int(line) for line in found.stdout.split()]
    assert len(pids) == 2
    assert not any(is_running(pid) for pid in pids)


def test_time_up_counts_for_a_program_with_its_output_closed(tmp_path: Path) -> None:
    """Nothing more comes, and it does not end."""
    code = "import os, signal; [os.close(n) for n in (0, 1, 2)]; signal.pause()"
    assert run(tmp_path, code, seconds=0.5).end == "late"


def test_what_a_program_leaves_behind_is_ended(tmp_path: Path) -> None:
    """Its output stays open until then."""
    code = "import os, signal; c = os.fork()\nif c: print(c)\nelse: signal.pause()"
    found = run(tmp_path, code)
    assert found.end == "itself"
    assert not is_running(int(found.stdout))


def test_what_left_its_group_delays_nothing(tmp_path: Path) -> None:
    """It holds the output open, and is no business of ours."""
    code = (
        "import os, time\nr, w = os.pipe()\nc = os.fork()\n"
        "if c: os.read(r, 1); print(c)\nelse: os.setsid(); os.write(w, b'x'); time.sleep(20)"
    )
    found = run(tmp_path, code)
    assert found.end == "itself"
    os.kill(int(found.stdout), signal.SIGKILL)


def test_a_program_killed_by_a_signal_tells_it(tmp_path: Path) -> None:
    """As a shell does."""
    assert run(tmp_path, "import os; os.kill(os.getpid(), 9)").code == 137


def test_a_program_that_cannot_be_started_tells_why(tmp_path: Path) -> None:
    """Its interpreter is missing, for one."""
    path = tmp_path / "program"
    path.write_text("#!/nowhere/python\n")
    path.chmod(0o755)
    found = Children().run([str(path)], env={}, cwd=tmp_path, seconds=9, limit=LIMIT)
    assert found.code == 127
    assert b"No such file" in found.stderr


def test_a_folder_that_is_gone_is_an_error_of_the_system(tmp_path: Path) -> None:
    """Whoever asked says what it means."""
    with pytest.raises(OSError, match="No such file"):
        run(tmp_path / "gone", "")
    assert os.listdir(tmp_path) == []


def test_closing_ends_what_runs(tmp_path: Path) -> None:
    """And nothing is started afterwards."""
    children = Children()
    started = tmp_path / "started"
    os.mkfifo(started)
    code = f"import signal\nwith open({str(started)!r}, 'w') as f: f.write('x')\nsignal.pause()"
    command = [sys.executable, "-I", "-S", "-c", code]
    ends: list[Finished] = []

    def ask() -> None:
        ends.append(children.run(command, env={}, cwd=tmp_path, seconds=60, limit=LIMIT))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
        started.read_text()
    children.close()
    for thread in threads:
        thread.join(10)
    assert [found.end for found in ends] == ["closed", "closed"]
    ask()
    assert ends[-1] == Finished(0, b"", b"", "closed")


def test_a_killed_worker_takes_its_programs_along(tmp_path: Path) -> None:
    """Even with -9: nobody is left who would read the answer."""
    held = tmp_path / "held"
    os.mkfifo(held)
    program = (
        f"import signal\nsignal.signal(15, signal.SIG_IGN)\nf = open({str(held)!r}, 'w')\n"
        "f.write('x'); f.flush()\nwhile True: signal.pause()"
    )
    worker = (
        "import sys; sys.path[:0] = sys.argv[1:2]; from pathlib import Path\n"
        "from backstory.capture.providers.child import Children\n"
        f"Children().run([sys.executable, '-ISc', {program!r}], env={{}}, cwd=Path('/'),"
        " seconds=99, limit=9)"
    )
    source = Path(__file__).resolve().parents[3] / "src"
    process = subprocess.Popen([sys.executable, "-I", "-c", worker, str(source)])
    with process, held.open() as reading:
        assert reading.read(1) == "x"
        process.kill()
        assert reading.read() == "", "read to its end, which comes when the program has ended"


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Each call has four of them."""
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        run(tmp_path, "print(1)", sent=b"x")
    assert len(os.listdir("/dev/fd")) == before
