"""Which answers come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory.codenav.ranking import is_test
from tests.codenav.searching import workspace


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/cart.py", True),
        ("src/jvmTest/kotlin/A.kt", True),
        ("client-node-tests/src/a.ts", True),
        ("Newtonsoft.Json.Tests/A.cs", True),
        ("testdata/a.go", True),
        ("pkg/cart_test.go", True),
        ("src/CartTest.java", True),
        ("src/latest/a.py", False),
        ("src/contest.py", False),
        ("src/attestation/a.py", False),
    ],
)
def test_files_about_testing_are_known_by_their_paths(path: str, expected: bool) -> None:
    """Their symbols come after those that they test."""
    assert is_test(path) == expected


def test_a_question_is_answered_by_code_before_its_tests(tmp_path: Path) -> None:
    """However well the names of these fit; a question about tests has them first."""
    place = workspace(
        tmp_path,
        {
            **{f"noise{n}.py": f"def other{n}(x):\n    return x + {n}\n" for n in range(30)},
            "tests/test_cart.py": "def test_cart_lines_merged():\n    assert merge(cart).lines\n",
            "src/a.py": "def both(one, other):\n    # merges the lines of carts\n"
            "    cart = one.lines\n" + "    x = 1\n" * 6 + "    return cart\n",
        },
    )
    assert place.names("how are the lines of a cart merged")[0] == "both"
    asked = "which test covers that the lines of a cart are merged"
    assert place.names(asked)[0] == "test_cart_lines_merged"


def test_all_that_was_asked_for_comes_before_a_part_of_it_repeated(tmp_path: Path) -> None:
    """One word said often is not the answer to a question of four."""
    noise = {f"noise{n}.py": f"def other{n}(x):\n    return cookie_of(x, {n})\n" for n in range(30)}
    place = workspace(
        tmp_path,
        {
            **noise,
            "session.py": "def prepare(request, jar):\n    # request, session\n"
            "    found = dict(jar)\n    for name, value in request.items():\n"
            "        if name not in found:\n            found[name] = value\n"
            "    cookies = merged(found, session=True)\n    return send(cookies)\n",
            "merging.py": "def merge_merge(merge):\n    merge.merge(merge)\n    return merge\n",
        },
    )
    assert place.names("where are request cookies merged with the session")[0] == "prepare"


APP = {
    "core/api.ts": "export function createAppAPI(render) {\n"
    "  return function createApp(root) {\n    render(root)\n    return root\n  }\n}\n",
    "dom/index.ts": "export const createApp = ((...args) => {\n  return api(args)\n}) as Create\n",
    "extract/__init__.py": "from extract.lxml import LxmlLinks as Links\n",
    "extract/lxml.py": "class LxmlLinks:\n    pass\n",
    "bench.py": "from extract import Links\n\nclass Spider:\n    links = Links()\n",
    "docs/worker.c": "static queue_t queue[3];\n",
    "src/list.c": "struct my_queue { int a; };\nvoid run(void) {\n  int queue = 1;\n}\n",
    "lib.rs": "pub use crate::inner::Deep as Shallow;\n\nmod inner {\n    pub struct Deep;\n}\n",
    "other.rs": "use crate::inner::Deep as Shallow;\n\nfn f(shallow: Shallow) {}\n",
    "tests/data/links.html": "<p>links</p>\n",
}


@pytest.mark.parametrize("indexed", [False, True])
def test_what_anybody_can_name_comes_before_what_a_function_holds(
    tmp_path: Path, indexed: bool
) -> None:
    """An exported function that is written as a value, too (16)."""
    place = workspace(tmp_path, APP, indexed=indexed)
    assert place.names("createApp")[:2] == ["createApp", "createAppAPI.createApp"]


@pytest.mark.parametrize("indexed", [False, True])
def test_a_name_that_stands_for_another_is_shown_where_it_is_given(
    tmp_path: Path, indexed: bool
) -> None:
    """Before values that are merely spelled so in small letters, and what uses it (16)."""
    place = workspace(tmp_path, APP, indexed=indexed)
    hits = place.search("Links").hits
    assert (hits[0].what, hits[0].file) == ("line", "extract/__init__.py")
    named = [hit.name for hit in hits if hit.what == "symbol"]
    assert "LxmlLinks" in named[: 1 if indexed else 2]
    hits = place.search("Shallow").hits
    assert [(hit.what, hit.file) for hit in hits[:2]] == [("line", "lib.rs"), ("line", "other.rs")]
    assert [hit.file for hit in hits].count("lib.rs") == 1
    answer = place.search("LxmlLinks")
    assert (answer.hits[0].what, answer.hits[0].name) == ("symbol", "LxmlLinks")


def test_a_name_in_large_letters_is_no_value_in_small_ones(tmp_path: Path) -> None:
    """What has it as a part comes first; the local one is still told (16)."""
    place = workspace(tmp_path, APP)
    assert place.names("QUEUE")[0] == "my_queue"
    assert "queue" in place.names("QUEUE")
    assert place.names("queue")[0] == "queue"


def test_of_very_many_symbols_with_a_name_the_outer_ones_are_looked_at(tmp_path: Path) -> None:
    """However late their files were read."""
    inner = "".join(f"class A{at}:\n    render = 1\n" for at in range(600))
    place = workspace(tmp_path, {"a.py": inner, "z/z.py": "def render():\n    return 1\n"})
    assert place.symbols("render")[0].file == "z/z.py"
