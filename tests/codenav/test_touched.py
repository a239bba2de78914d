"""Which symbols an edit touched."""

from __future__ import annotations

import pytest

from backstory.codenav.touched import Touched, touched

PYTHON = '''\
import os

LIMIT = 10


class Cart:
    """A cart."""

    currency = "EUR"

    @property
    def total(self):
        return 1

    def save(self):
        def inner():
            return 1

        return inner()


def helper():
    return 2
'''


def edit(old: str, new: str, source: str = PYTHON, path: str = "shop/cart.py") -> Touched:
    assert old in source
    return touched(path, source, source.replace(old, new, 1), deadline_s=30)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("        return 1\n", "        return 2\n", ("Cart.total",)),
        ("    @property\n", "    @cached_property\n", ("Cart.total",)),
        ('currency = "EUR"', 'currency = "USD"', ("Cart",)),
        ('"""A cart."""', '"""A basket."""', ("Cart",)),
        ("class Cart:", "class Cart(Base):", ("Cart",)),
        ("            return 1\n", "            return 3\n", ("Cart.save.inner",)),
        ("return inner()", "return None", ("Cart.save",)),
        ("LIMIT = 10", "LIMIT = 20", ("LIMIT",)),
        ("return 2", "return 3", ("helper",)),
        ("import os\n", "import sys\n", ()),
        ("import os\n", "", ()),
        ("import os\n", "import os\n\n# a note\n", ()),
        ("return 2\n", "return 2\n\n\n", ()),
        ("return 2\n", "return 2   \n", ()),
    ],
)
def test_the_innermost_symbol_of_the_changed_lines_is_named(
    old: str, new: str, changed: tuple[str, ...]
) -> None:
    assert edit(old, new) == Touched(changed=changed)


def test_a_new_method_is_added_and_its_class_has_not_changed() -> None:
    """The new lines look like those above them, so a diff of lines may cut them anywhere."""
    new = "    def save(self):\n        return 1\n\n    def clear(self):\n        return 1\n\n"
    source = (
        "class Cart:\n    def save(self):\n        return 1\n\n"
        "    def last(self):\n        return 1\n"
    )
    after = source.replace("    def save(self):\n        return 1\n\n", new)
    assert touched("a.py", source, after) == Touched(added=("Cart.clear",))
    assert touched("a.py", after, source) == Touched(removed=("Cart.clear",))


def test_a_new_class_is_named_once() -> None:
    after = PYTHON + "\n\nclass Item:\n    def a(self): ...\n\n    def b(self): ...\n"
    assert touched("a.py", PYTHON, after) == Touched(added=("Item",))


def test_a_rename_is_one_removed_and_one_added() -> None:
    assert edit("def helper", "def assist") == Touched(added=("assist",), removed=("helper",))


def test_what_moves_within_a_file_is_not_touched() -> None:
    first, second = "def a():\n    return 1\n", "def b():\n    return 2\n"
    assert touched("a.py", first + "\n\n" + second, second + "\n\n" + first) == Touched()


def test_a_new_file_adds_its_top_level() -> None:
    assert touched("a.py", "", PYTHON) == Touched(added=("LIMIT", "Cart", "helper"))


def test_an_edit_halfway_through_takes_nothing_away_that_is_still_there() -> None:
    found = edit("        return 1\n", "        return (1,\n")
    assert found.removed == ()
    assert found.added == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PYTHON, PYTHON.replace("\n", "\r\n")),
        (PYTHON, "\ufeff" + PYTHON),
        (PYTHON, PYTHON),
        ("", ""),
    ],
)
def test_the_same_text_written_otherwise_is_no_change(before: str, after: str) -> None:
    assert touched("a.py", before, after) == Touched()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("notes.txt", "a", "b"),
        ("a.py", "x = 1\n", "x = 2\n" + "#" * 1_000_001),
        ("a.py", "\0", "\0\0"),
    ],
)
def test_nothing_is_said_where_nothing_is_known(path: str, before: str, after: str) -> None:
    assert touched(path, before, after) == Touched()


def test_no_time_is_no_answer() -> None:
    assert touched("a.py", PYTHON, PYTHON + "\nx = 1\n", deadline_s=-1) == Touched()


TYPESCRIPT = """\
import { Http } from "./http";

export interface Shape {
  area(): number;
}

@Component({ selector: "cart" })
export class Cart implements Shape {
  private items: string[] = [];

  constructor(private readonly http: Http) {}

  area(): number {
    return this.items.map((item) => item.length).length;
  }
}

export const load = async (id: string) => {
  return id;
};

describe("cart", () => {
  it("adds", () => {
    expect(1).toBe(1);
  });
});
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("item.length)", "item.size)", Touched(changed=("Cart.area",))),
        ('"cart" })', '"basket" })', Touched(changed=("Cart",))),
        ("string[] = []", "number[] = []", Touched(changed=("Cart",))),
        ("  return id;", "  return fetch(id);", Touched(changed=("load",))),
        ("expect(1)", "expect(2)", Touched(changed=("cart > adds",))),
        ("  area(): number;\n", "  area(): bigint;\n", Touched(changed=("Shape.area",))),
        ('"./http"', '"./net"', Touched()),
        ("  area(): number {", "  size(): number {", Touched((), ("Cart.size",), ("Cart.area",))),
    ],
)
def test_typescript_edits(old: str, new: str, expected: Touched) -> None:
    assert edit(old, new, TYPESCRIPT, "src/cart.ts") == expected


GO = """\
package server

import "net/http"

const Limit = 10

type Server struct {
	addr string
}

// Start listens.
func (s *Server) Start() error {
	return nil
}

func New() *Server {
	return &Server{}
}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("	return nil", "	return http.ErrServerClosed", Touched(changed=("Server.Start",))),
        ("	addr string", "	addr, name string", Touched(changed=("Server",))),
        ("&Server{}", '&Server{addr: ":80"}', Touched(changed=("New",))),
        ("Limit = 10", "Limit = 20", Touched(changed=("Limit",))),
        ('"net/http"', '"net"', Touched()),
        (
            "func New()",
            "func (s *Server) Stop() {\n}\n\nfunc New()",
            Touched(added=("Server.Stop",)),
        ),
    ],
)
def test_go_edits(old: str, new: str, expected: Touched) -> None:
    assert edit(old, new, GO, "server.go") == expected


RUST = """\
use std::fmt;

#[derive(Debug)]
pub struct Server {
    addr: String,
}

impl Server {
    #[inline]
    pub fn start(&self) -> u8 {
        1
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn starts() {
        assert!(true);
    }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("        1\n", "        2\n", Touched(changed=("Server.start",))),
        ("#[inline]", "#[inline(always)]", Touched(changed=("Server.start",))),
        ("#[derive(Debug)]", "#[derive(Debug, Clone)]", Touched(changed=("Server",))),
        ("Ok(())", 'write!(f, "x")', Touched(changed=("Server.fmt",))),
        ("assert!(true)", "assert!(1 == 1)", Touched(changed=("tests.starts",))),
        ("use std::fmt;", "use std::{fmt, io};", Touched()),
    ],
)
def test_rust_edits(old: str, new: str, expected: Touched) -> None:
    assert edit(old, new, RUST, "src/lib.rs") == expected
