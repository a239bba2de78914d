"""A workspace on disk for the tests of what may be read."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from backstory.codenav.source import MAX_BYTES

CODE = "def total():\n    return 1\n"


def build(base: Path) -> Path:
    """A project with one of every kind of file, a folder beside it, and a home; the project."""
    top = base / "project"
    for folder in ("src/shop", "empty", ".aws", "docs", "node_modules/x", ".claude"):
        (top / folder).mkdir(parents=True)
    for name in ("src/shop/cart.py", "src/shop/checkout.py", "src/main.ts", "docs/guide.md"):
        (top / name).write_text(CODE)
    (top / "多语言.py").write_text(CODE)
    (top / "line\nbreak.py").write_text(CODE)
    (top / "a b.py").write_text(CODE)
    (top / "ends with blank ").write_text(CODE)
    Path(os.fsdecode(os.fsencode(top) + b"/bad\xff.py")).write_text(CODE)
    _secrets(top)
    _odd(top)
    _links(base, top)
    return top


def forbid(top: Path, name: str = "settings.json", **rules: list[str]) -> None:
    """Writes a settings file of the project with deny= and ask= rules."""
    (top / ".claude" / name).write_text(json.dumps({"permissions": rules}))


def _secrets(top: Path) -> None:
    for name in (".env", ".env.local", "server.pem", "id_rsa", "credentials.json", "secrets.yaml"):
        (top / name).write_text("password: hunter2\n")
    (top / ".aws/config").write_text("[default]\n")
    (top / ".npmrc").write_text("//registry.example/:_authToken=abc\n")
    (top / "deploy").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n")
    (top / ".env.example").write_text("KEY=\n")


def _odd(top: Path) -> None:
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(top, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{here}/sock" if os.path.exists("/proc/self/fd") else "s")
        finally:
            os.close(here)
    (top / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (top / "program").write_bytes(b"\x7fELF" + bytes(range(256)))
    (top / "noise.dat").write_bytes(bytes(range(256)) * 40)
    (top / "zeros.bin").write_bytes(bytes(5000))
    (top / "archive.zip").write_bytes(b"PK\x03\x04 and the rest of it\n")
    with open(top / "huge.log", "wb") as file:
        file.truncate(MAX_BYTES + 1)


def _links(base: Path, top: Path) -> None:
    outside = base / "outside"
    outside.mkdir()
    (outside / "other.py").write_text(CODE)
    (base / "project-two").mkdir()
    (base / "project-two/x.py").write_text(CODE)
    (top / "escape.py").symlink_to(outside / "other.py")
    (top / "escape").symlink_to(outside)
    (top / "dangling.py").symlink_to(top / "gone.py")
    (top / "dangling-out.py").symlink_to(outside / "gone.py")
    (top / "circle").symlink_to(top / "circle")
    (top / "harmless.txt").symlink_to(top / ".env")
    (top / "alias.py").symlink_to(top / "src/shop/cart.py")
