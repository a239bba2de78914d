"""The code tools as a session calls them: inside its workspace, with no memory at all."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.codenav.looking import Outlines
from backstory.estimate import estimate_tokens
from backstory.storage.database import Database
from backstory.tools import code, serve
from backstory.tools.caller import Caller

CART = '''\
"""A cart."""
import os


class Cart:
    """Holds things."""

    LIMIT = 10

    def add(self, thing: str) -> None:
        """Adds it."""
        self.things.append(thing)


class Order:
    def add(self, line: int) -> None: ...
'''


class Session:
    """Somebody who works in a folder, with a data directory in which nothing is."""

    def __init__(self, folder: Path, data: Path, *roots: Path, cwd: Path | None = None) -> None:
        self.caller = Caller(
            Database(data / "backstory.db"),
            config.load(data),
            project_dir=str(folder),
            cwd=str(cwd or folder),
            roots=tuple(map(str, roots)),
        )

    def __call__(self, name: str, /, **arguments: Any) -> str:
        """The text of an answer that must not be an error."""
        found = serve.answer(name, arguments, self.caller)
        assert not found.is_error, found.text
        return found.text

    def error(self, name: str, /, **arguments: Any) -> str:
        """The text of an answer that must be one."""
        found = serve.answer(name, arguments, self.caller)
        assert found.is_error, found.text
        return found.text


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside a home folder without any settings."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src/cart.py").write_text(CART, encoding="utf-8")
    (folder / "notes.md").write_text("# Notes\n\n## Later\n\nWords.\n", encoding="utf-8")
    return folder


@pytest.fixture
def session(shop: Path, tmp_path: Path) -> Session:
    """A session in it."""
    return Session(shop, tmp_path / "data")


def test_an_outline_shows_a_files_shape(session: Session, shop: Path) -> None:
    """By a path relative to the folder, or an absolute one."""
    text = session("smart_outline", file_path="src/cart.py")
    assert text.startswith("src/cart.py · python · 16 lines · ")
    assert "imports 2: os" in text
    assert "5-12 class Cart — Holds things." in text
    assert "  10-12 def add(self, thing: str) -> None — Adds it." in text
    assert session("smart_outline", file_path=str(shop / "src/cart.py")) == text
    assert not (shop.parent / "data").exists(), "code tools need no memory"


def test_several_files_and_their_faults_come_in_one_answer(session: Session) -> None:
    """A list as a text is understood, too."""
    text = session("smart_outline", file_paths='["src/cart.py", "notes.md", "src/cat.py"]')
    assert "class Cart" in text
    assert "## Later" in text or "Later" in text
    assert "src/cat.py: Error: " in text
    assert "cart.py" in text.rpartition("Error: ")[2], "the nearest name is offered"


def test_the_bounds_of_a_call_are_kept(session: Session, shop: Path) -> None:
    """A budget, a depth, a part."""
    rows = "".join(f"def function_{n}(a, b):\n    pass\n\n\n" for n in range(500))
    (shop / "long.py").write_text(rows, encoding="utf-8")
    for tokens in (200, 600, 3_000):
        text = session("smart_outline", file_path="long.py", max_tokens=tokens)
        assert estimate_tokens(text) <= tokens
    assert "add" not in session("smart_outline", file_path="src/cart.py", depth=1)
    inside = session("smart_outline", file_path="src/cart.py", symbol="Order")
    assert "Order" in inside
    assert "Cart" not in inside
    assert "from 200 to 12000" in session.error("smart_outline", file_path="x", max_tokens=10)


def test_a_source_is_unfolded_by_name_and_by_line(session: Session) -> None:
    """With its numbers, exactly."""
    expected = '10\t    def add(self, thing: str) -> None:\n11\t        """Adds it."""\n'
    for name in ("Cart.add", "Cart::add", "L11", 11):
        text = session("smart_unfold", file_path="src/cart.py", symbol_name=name)
        assert expected + "12\t        self.things.append(thing)" in text
    text = session(
        "smart_unfold",
        file_path="src/cart.py",
        symbol_names=["Cart.LIMIT", "Order.add"],
        context=True,
    )
    assert "8\t    LIMIT = 10" in text
    assert "in 15-16 class Order" in text


def test_a_name_that_is_not_clear_is_an_error_with_candidates(session: Session) -> None:
    """And one that is not there, with what is near."""
    text = session.error("smart_unfold", file_path="src/cart.py", symbol_name="add")
    assert "Error: add could be any of 2 symbols in src/cart.py" in text
    assert "Order.add 16 def add(self, line: int) -> None" in text
    text = session.error("smart_unfold", file_path="src/cart.py", symbol_name="Cartt")
    assert "the nearest:\n  Cart 5-12 class Cart" in text
    text = session.error("smart_outline", file_path="src/cart.py", symbol="Cartt")
    assert "the nearest:\n  Cart 5-12 class Cart" in text


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("smart_unfold", {"file_path": "crowd.py", "symbol_name": "add"}),
        ("smart_unfold", {"file_path": "crowd.py", "symbol_name": "商品" * 2_000}),
        ("smart_unfold", {"file_path": "crowd.py/" + "文件夹/" * 400}),
        ("smart_outline", {"file_path": "crowd.py", "symbol": "add"}),
        ("smart_outline", {"file_path": "crowd.py", "symbol": "x" * 9_000}),
        ("smart_outline", {"file_path": "文件夹/" * 400}),
        ("smart_search", {"query": "add", "kind": "商品" * 2_000}),
        ("smart_search", {"query": "add", "language": "商品" * 2_000}),
        ("smart_search", {"query": "add", "path": "文件夹/" * 400}),
        ("smart_search", {"query": "商品" * 200}),
    ],
)
def test_an_error_costs_no_more_than_the_answer_might(
    session: Session, shop: Path, tool: str, given: dict[str, Any]
) -> None:
    """Candidates, near names, paths, kinds: all of it within max_tokens (17)."""
    crowd = "".join(f"class Shelf{at}:\n    def add(self, x: int): ...\n" for at in range(30))
    (shop / "crowd.py").write_text(crowd, encoding="utf-8")
    for most in (200, 300, 2_000):
        answer = serve.answer(tool, {**given, "max_tokens": most}, session.caller)
        assert estimate_tokens(answer.text) <= most, answer.text
        assert answer.is_error or tool == "smart_search"


def test_a_call_that_names_nothing_says_what_it_wants(session: Session) -> None:
    """F13: a model can mend it; a name of another tool's argument is told the right one."""
    assert "file_path: got nothing" in session.error("smart_outline")
    assert "symbol_name: got nothing" in session.error("smart_unfold", file_path="src/cart.py")
    assert "did you mean file_path?" in session.error("smart_outline", path="src/cart.py")
    wrong = session.error("smart_unfold", file_path="src/cart.py", name="Cart")
    assert "did you mean symbol_name?" in wrong


def test_a_search_finds_definitions_before_uses(session: Session, shop: Path) -> None:
    """Its own data directory holds the index; what is found is as the files are now."""
    (shop / "src/use.py").write_text("from cart import Cart\n\nmine = Cart()\n", encoding="utf-8")
    text = session("smart_search", query="Cart")
    assert text.index("class Cart") < text.index("src/use.py")
    text = session("smart_search", query="Cart", references="true", path="src")
    assert "mine = Cart()" in text
    assert "class Cart" not in text
    (shop / "src/cart.py").unlink()
    assert "class Cart" not in session("smart_search", query="Cart")


def test_a_search_is_narrowed_and_bounded(session: Session) -> None:
    """By path, kind, language, pattern; what is none of these is told."""
    assert "class Cart" not in session("smart_search", query="Cart", kind="method")
    assert "class Cart" not in session("smart_search", query="Cart", language="markdown")
    assert "class Cart" not in session("smart_search", query="Cart", file_pattern="*.md")
    assert "class Cart" in session("smart_search", query="Cart", path="src", max_results=1)
    assert "class" in session.error("smart_search", query="Cart", kind="clas")
    assert "python" in session.error("smart_search", query="Cart", language="pyton")
    assert "outside" in session.error("smart_search", query="Cart", path="/etc")
    assert "query: got nothing" in session.error("smart_search")
    text = session("smart_search", query="nothing_like_this_at_all")
    assert "nothing found" in text


def test_only_the_sessions_workspace_is_read(shop: Path, tmp_path: Path) -> None:
    """What the host reports as its roots, or the folder it works in."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "lamp.py").write_text("class Lamp: ...\n", encoding="utf-8")
    alone = Session(shop, tmp_path / "data")
    assert "outside" in alone.error("smart_outline", file_path=str(other / "lamp.py"))
    both = Session(shop, tmp_path / "data", shop, other)
    assert "class Lamp" in both("smart_outline", file_path=str(other / "lamp.py"))
    below = Session(shop, tmp_path / "data", shop, cwd=shop / "src")
    assert "class Cart" in below("smart_outline", file_path="cart.py")
    os.symlink(other / "lamp.py", shop / "link.py")
    assert "outside" in alone.error("smart_outline", file_path="link.py")
    nowhere = Session(tmp_path / "home", tmp_path / "data")
    assert "no workspace" in nowhere.error("smart_outline", file_path="x.py")


def test_secrets_and_what_the_user_denied_stay_closed(session: Session, shop: Path) -> None:
    """The tools run unasked, so they refuse what the user would be asked about."""
    (shop / ".env").write_text("KEY=1\n", encoding="utf-8")
    assert "secrets" in session.error("smart_unfold", file_path=".env", symbol_name="KEY")
    (shop / ".claude").mkdir()
    rules = '{"permissions": {"deny": ["Read(./src/**)"]}}'
    (shop / ".claude/settings.json").write_text(rules, encoding="utf-8")
    refused = session.error("smart_outline", file_path="src/cart.py")
    assert "Read(./src/**)" in refused


def test_the_rules_of_the_sessions_own_settings_folder_hold(shop: Path, tmp_path: Path) -> None:
    """The worker may have been started by another session, which has another one."""
    own = tmp_path / "own"
    own.mkdir()
    rules = '{"permissions": {"deny": ["Read(**/src/**)"]}}'
    (own / "settings.json").write_text(rules, encoding="utf-8")
    others, session = Session(shop, tmp_path / "data"), Session(shop, tmp_path / "data")
    session.caller = replace(session.caller, config_dir=str(own))
    assert "Cart" in others("smart_outline", file_path="src/cart.py")
    for name, given in (
        ("smart_outline", {"file_path": "src/cart.py"}),
        ("smart_unfold", {"file_path": "src/cart.py", "symbol_name": "Cart"}),
    ):
        assert "Read(**/src/**)" in session.error(name, **given)
    assert "cart.py" in others("smart_search", query="Cart")
    assert "src/cart.py:" not in session("smart_search", query="Cart")
    assert "Cart" in others("smart_outline", file_path="src/cart.py")


def test_a_file_that_changed_is_read_anew(session: Session, shop: Path) -> None:
    """What is kept goes by content, not by time."""
    path = shop / "src/cart.py"
    before = path.stat()
    assert "class Cart" in session("smart_outline", file_path="src/cart.py")
    path.write_text(CART.replace("Cart", "Bags"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    text = session("smart_outline", file_path="src/cart.py")
    assert "class Bags" in text
    assert "class Cart" not in text
    assert "Bags.add" in session("smart_unfold", file_path="src/cart.py", symbol_name="Bags.add")


def test_what_is_kept_is_bounded(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many files, or few with many symbols: the ones that were not asked for longest go."""
    monkeypatch.setattr("backstory.codenav.looking._MOST_SYMBOLS", 60)
    monkeypatch.setattr(code, "outlines", Outlines())
    session = Session(shop, tmp_path / "data")
    for number in range(12):
        text = "".join(f"def f{n}(): ...\n" for n in range(10)) + f"# {number}\n"
        (shop / f"m{number}.py").write_text(text, encoding="utf-8")
        session("smart_outline", file_path=f"m{number}.py")
    assert code.outlines._symbols <= 60
    assert 1 <= len(code.outlines._kept) <= 6


def test_an_outline_that_is_late_is_no_empty_success(
    session: Session, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K12: what there is comes, and it is said that it is not all."""
    (shop / "late.py").write_text("def f(): ...\n" * 50_000, encoding="utf-8")
    object.__setattr__(session.caller, "deadline", time.monotonic() - 1)
    monkeypatch.setattr("backstory.codenav.looking._LEAST_S", 0.0)
    text = session("smart_outline", file_path="late.py")
    assert "incomplete: too large, too deep or too slow" in text
