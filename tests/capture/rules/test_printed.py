"""Which files a command prints."""

from __future__ import annotations

import pytest

from backstory.capture.rules.printed import printed


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a.py", ["/r/a.py"]),
        ("cat -n src/a.py", ["/r/src/a.py"]),
        ("cat a.py b.py", ["/r/a.py", "/r/b.py"]),
        ("cat 'with space.py'", ["/r/with space.py"]),
        ("cat /other/数据.py", ["/other/数据.py"]),
        ("cd src && cat a.py", ["/r/src/a.py"]),
        ("cat a.py | head", ["/r/a.py"]),
        ("head -n 400 a.py", ["/r/a.py"]),
        ("head --lines=400 a.py", ["/r/a.py"]),
        ("head -n 20 a.py", []),
        ("head a.py", []),
        ("sed -n 1,400p a.py", ["/r/a.py"]),
        ("sed -n '10,$p' a.py", ["/r/a.py"]),
        ("sed -n 10,40p a.py", []),
        ("sed -n 10p a.py", []),
        ("sed 's/a/b/' a.py", []),
        ("sed -n", []),
        ("ls | cat", []),
        ("grep x a.py", []),
        ("cat", []),
        ("cat 'open", ["/r/open"]),
        ("", []),
        ("cat " + " ".join(f"{n}.py" for n in range(50)), [f"/r/{n}.py" for n in range(5)]),
    ],
)
def test_what_is_printed_whole_or_in_large_part(command: str, files: list[str]) -> None:
    """Parts of up to 120 lines are no large part."""
    assert printed(command, "/r") == files
