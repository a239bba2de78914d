"""What a search of a workspace finds, and in which order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory.codenav.permissions import NO_RULES
from backstory.codenav.render_search import search_text
from backstory.codenav.workspace import Request, search
from backstory.errors import BadInput, Forbidden, NotFound
from backstory.estimate import estimate_tokens
from tests.codenav.searching import Workspace, workspace
from tests.codenav.signatures import SIGNATURES

CART = '''"""Shopping carts."""
from shop.money import Money

LIMIT = 50


class Cart:
    """What a customer is about to buy."""

    items: list[str]

    def total(self, currency: str) -> Money:
        """Sum of all lines, rounded once."""
        return Money(sum(self.items))

    def remove_item(self, item: str) -> None:
        """Takes an item out of the cart."""
        self.items.remove(item)  # total again


def getUserById(id):
    return load_user(id)
'''
MONEY = '''class Money:
    """An amount with a currency."""

    def total(self):
        return self.amount


def convert(amount, rate):
    """Converts an amount of money into another currency."""
    return amount * rate
'''
FILES = {
    "shop/cart.py": CART,
    "shop/money.py": MONEY,
    "shop/__init__.py": "",
    "web/cart.ts": "export interface Cart { total: number }\nexport function renderCart() {}\n",
    "tests/test_cart.py": "def test_all():\n    assert Cart().total('EUR')\n\n\ndef total(): 0\n",
    "vendor/lib/cart.py": "class Cart:\n    def total(self): pass\n",
    "docs/guide.md": "# Guide\n\n## How carts work\n\nA cart has a total.\n",
    "stubs/cart.pyi": "class Cart:\n    def total(self) -> int: ...\n",
    "中文.py": "def 读取文件(path):\n    '''读取配置文件的内容'''\n",
    "schema.json": '{"total": 1}\n',
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace(tmp_path_factory.mktemp("shop"), FILES)


def first(project: Workspace, query: str, **request: Any) -> tuple[str, str]:
    hit = project.search(query, **request).hits[0]
    return hit.file, hit.qualified_name


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Cart", ("shop/cart.py", "Cart")),
        ("Cart.total", ("shop/cart.py", "Cart.total")),
        ("Cart::total", ("shop/cart.py", "Cart.total")),
        ("Cart#total", ("shop/cart.py", "Cart.total")),
        ("Money.total", ("shop/money.py", "Money.total")),
        ("money.Money.total", ("shop/money.py", "Money.total")),
        ("shop.cart.Cart.total", ("shop/cart.py", "Cart.total")),
        ("remove_item", ("shop/cart.py", "Cart.remove_item")),
        ("removeItem", ("shop/cart.py", "Cart.remove_item")),
        ("remove item", ("shop/cart.py", "Cart.remove_item")),
        ("REMOVE_ITEM", ("shop/cart.py", "Cart.remove_item")),
        ("remove_item()", ("shop/cart.py", "Cart.remove_item")),
        ("def remove_item", ("shop/cart.py", "Cart.remove_item")),
        ("get_user_by_id", ("shop/cart.py", "getUserById")),
        ("getUser", ("shop/cart.py", "getUserById")),
        ("UserById", ("shop/cart.py", "getUserById")),
        ("user id", ("shop/cart.py", "getUserById")),
        ("remve_item", ("shop/cart.py", "Cart.remove_item")),
        ("getUsrById", ("shop/cart.py", "getUserById")),
        ("LIMIT", ("shop/cart.py", "LIMIT")),
        ("renderCart", ("web/cart.ts", "renderCart")),
        ("读取文件", ("中文.py", "读取文件")),
        ("配置", ("中文.py", "读取文件")),
        ("how to convert money to another currency", ("shop/money.py", "convert")),
        ("take an item out of the cart", ("shop/cart.py", "Cart.remove_item")),
        ("delete item", ("shop/cart.py", "Cart.remove_item")),
        ("How carts work", ("docs/guide.md", "Guide > How carts work")),
    ],
)
def test_the_definition_comes_first(shop: Workspace, query: str, expected: tuple[str, str]) -> None:
    """By name in any spelling, by its parts, nearly, and by what it does."""
    assert first(shop, query) == expected


def test_own_code_comes_before_tests_stubs_and_code_of_others(shop: Workspace) -> None:
    """All of them define a Cart."""
    files = [hit.file for hit in shop.symbols("Cart") if hit.name == "Cart"]
    assert files == ["shop/cart.py", "web/cart.ts", "stubs/cart.pyi", "vendor/lib/cart.py"]


def test_uses_come_after_the_definition(shop: Workspace) -> None:
    """As lines, and the line of the definition is not told twice."""
    hits = shop.search("getUserById").hits
    assert [hit.what for hit in hits] == ["symbol"]
    hits = shop.search("Money").hits
    assert hits[0].what == "symbol"
    assert ("line", "shop/cart.py", 2) in [(h.what, h.file, h.start_line) for h in hits]
    assert ("line", "shop/money.py", 1) not in [(h.what, h.file, h.start_line) for h in hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"Sum of all lines"', [("shop/cart.py", 13)]),
        ('"sum OF all"', [("shop/cart.py", 13)]),
        ('"shop.money im"', [("shop/cart.py", 2)]),
        ("'def total(self'", [("shop/cart.py", 12), ("shop/money.py", 4)]),
        ("rounded once.", [("shop/cart.py", 13)]),
        ("self.items.remove(item)", [("shop/cart.py", 18)]),
        ('"%"', []),
    ],
)
def test_literal_text_is_found_in_lines(
    shop: Workspace, query: str, expected: list[tuple[str, int]]
) -> None:
    """In quotes always; a piece of a line also without."""
    lines = [(h.file, h.start_line) for h in shop.search(query).hits if h.what == "line"]
    assert [one for one in lines if one in expected] == expected
    assert bool(lines) == bool(expected)


@pytest.mark.parametrize("query", ["shop/money.py", "money.py", "shop/money", "SHOP/MONEY.PY"])
def test_a_path_finds_its_file(shop: Workspace, query: str) -> None:
    """Before all else."""
    hit = shop.search(query).hits[0]
    assert (hit.what, hit.file) == ("file", "shop/money.py")


def test_filters_narrow_the_answer(shop: Workspace) -> None:
    """Kind, language, pattern and path, alone and together."""
    assert {hit.kind for hit in shop.search("total", kind="method").hits} == {"method"}
    assert set(shop.files("Cart", language="typescript")) == {"web/cart.ts"}
    assert set(shop.files("Cart", file_pattern="*.pyi")) == {"stubs/cart.pyi"}
    assert set(shop.files("Cart", path="vendor")) == {"vendor/lib/cart.py"}
    assert set(shop.files("Cart", path="shop/cart.py")) == {"shop/cart.py"}
    assert set(shop.files("total", path="shop", file_pattern="!cart.py")) == {"shop/money.py"}


def test_no_more_than_asked_for(shop: Workspace) -> None:
    """And how many there are is told."""
    answer = shop.search("total", max_results=2)
    assert len(answer.hits) == 2
    assert answer.total > 2


def test_what_is_looked_at_is_counted(shop: Workspace) -> None:
    """Files that the answer rests on."""
    counts = shop.search("Cart").counts
    assert counts.scanned == len(FILES)
    assert counts.failed == 0


def test_uses_by_syntax(shop: Workspace) -> None:
    """Neither the definition nor comments and strings."""
    uses = shop.search("total", references=True).hits
    assert [(hit.file, hit.start_line, hit.why) for hit in uses] == [
        ("tests/test_cart.py", 2, "call"),
    ]
    uses = shop.search("Money", references=True).hits
    assert [(hit.file, hit.start_line, hit.why) for hit in uses] == [
        ("shop/cart.py", 2, "import"),
        ("shop/cart.py", 12, "type"),
        ("shop/cart.py", 14, "call"),
    ]


def test_a_call_finds_the_calls_too(shop: Workspace) -> None:
    """`foo(` is text as well."""
    hits = shop.search("load_user(").hits
    assert (hits[0].what, hits[0].file, hits[0].start_line) == ("line", "shop/cart.py", 22)


def test_a_parent_is_told(shop: Workspace) -> None:
    """By its qualified name."""
    assert shop.symbols("Cart.total")[0].parent == "Cart"
    assert shop.symbols("LIMIT")[0].parent == ""


def test_a_name_that_nothing_has_is_told(shop: Workspace) -> None:
    """What shares words with it is no answer to it; the first line but one says so."""
    answer = shop.search("findUserByMagic")
    assert answer.hits
    assert answer.notes == (
        "no symbol is called findUserByMagic, or nearly so: these share words with it",
    )
    assert not shop.search("getUserById").notes


def test_of_what_shares_words_with_an_absent_name_a_few_are_shown(tmp_path: Path) -> None:
    """No page of it; a line that holds the very name is another thing."""
    many = "".join(f"def load_{word}(user): pass\n" for word in "abcdefghijklmnop")
    project = workspace(
        tmp_path, {"a.py": many, "user/load.py": "x = 1\n", "b.py": "# loadUserX\n"}
    )
    answer = project.search("fetch_user_load")
    assert 0 < len(answer.hits) <= 5
    assert answer.total == len(answer.hits)
    assert answer.notes[0].startswith("no symbol is called fetch_user_load")
    answer = project.search("loadUserX")
    assert (answer.hits[0].what, answer.hits[0].file) == ("line", "b.py")
    assert answer.notes[0].startswith("no symbol is called loadUserX")


@pytest.fixture(scope="module")
def signatures(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace(tmp_path_factory.mktemp("signatures"), SIGNATURES)


@pytest.mark.parametrize(
    ("query", "file", "line"),
    [
        ("func (c *Context) Next()", "gin/context.go", 6),
        ("func (e *Engine) Next() {", "gin/context.go", 9),
        ("func New(n int", "gin/context.go", 12),
        ("type Context struct {", "gin/context.go", 2),
        ("def parse(self, text: str)", "py/parser.py", 8),
        ("def parse(self,", "py/parser.py", 8),
        ("def read(self, text: str) -> str:", "py/parser.py", 4),
        ("class Reader:", "py/parser.py", 1),
        ("fn new(path: &Path) -> Self {", "rs/new.rs", 3),
        ("impl fmt::Display for Pack {", "rs/new.rs", 7),
        ("impl Pack {", "rs/new.rs", 2),
        ("pub struct Pack {", "rs/new.rs", 1),
        ("public static <T> List<T> of(T... xs)", "java/Lists.java", 5),
        ("public static <T> List<T> of(T x) {", "java/Lists.java", 2),
        ("class Foo extends Bar {", "java/Lists.java", 9),
        ("export class Loader<T> extends Base<T> {", "ts/load.ts", 1),
        ("async load<K>(id: K): Promise<T> {", "ts/load.ts", 3),
        ("export const fetchAll = async (ids: string[]) => {", "ts/load.ts", 7),
        ("static inline uint32_t hash_of(const char *s)", "c/hash.c", 1),
        ("struct node *node_new(int a) {", "c/hash.c", 5),
        ("std::string Widget::name() const {", "cpp/foo.cpp", 1),
        ("def self.create(attrs)", "rb/cart.rb", 2),
        ("public function find(?string $id): array", "php/Repo.php", 3),
        ("override suspend fun pull(id: Int): Result<Int> {", "kt/Repo.kt", 2),
        ("where is walk defined?", "py/walk_it.py", 1),
        ("definition of walk", "py/walk_it.py", 1),
        ("who calls walk", "py/walk_it.py", 1),
        ("who calls Context.Next()?", "gin/context.go", 6),
    ],
)
@pytest.mark.parametrize("has_index", [True, False])
def test_a_pasted_signature_finds_its_symbol(
    signatures: Workspace, tmp_path: Path, query: str, file: str, line: int, has_index: bool
) -> None:
    """Also cut open at its end, and where nothing is indexed yet."""
    home = signatures.home if has_index else tmp_path / "home"
    roots = (str(signatures.root),)
    hit = search(Request(query), roots=roots, home=home, rules=NO_RULES).hits[0]
    assert (hit.what, hit.file, hit.start_line) == ("symbol", file, line)


def test_nothing_is_an_answer(shop: Workspace) -> None:
    """No error, and no guess."""
    answer = shop.search("zzqqxxyy")
    assert (answer.hits, answer.total) == ((), 0)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (Request(""), BadInput),
        (Request("  \n"), BadInput),
        (Request("a", kind="klass"), BadInput),
        (Request("a", language="pyton"), BadInput),
        (Request("a", path="nowhere"), NotFound),
        (Request("a", path="/etc"), Forbidden),
        (Request("a", path="../.."), Forbidden),
    ],
)
def test_what_cannot_be_asked_is_told(
    shop: Workspace, request_: Request, error: type[Exception]
) -> None:
    """G5: each with a hint what to do."""
    with pytest.raises(error):
        search(request_, roots=(str(shop.root),), home=shop.home, rules=NO_RULES)


def test_a_folder_that_git_ignores_is_searched_when_it_is_named(tmp_path: Path) -> None:
    """And only then."""
    project = workspace(
        tmp_path, {".gitignore": "out/\n", "out/a.py": "def built(): pass\n"}, indexed=False
    )
    project.git("init", "-q")
    project.index()
    assert project.files("built") == []
    answer = project.search("built", path="out")
    assert answer.hits[0].file == "out/a.py"
    assert "ignored by git" in answer.notes[0]


def test_two_workspaces_are_one_answer(tmp_path: Path) -> None:
    """The best of both first; a root inside another one counts once."""
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    one = workspace(tmp_path / "1", {"a/a.py": "def shared_name(): pass\n"})
    two = workspace(tmp_path / "2", {"b.py": "def shared_name_too(): pass\n"})
    roots = (str(one.root), str(two.root), str(one.root / "a"))
    answer = search(Request("shared_name"), roots=roots, home=one.home, rules=NO_RULES)
    assert [(hit.root, hit.file) for hit in answer.hits if hit.what == "symbol"] == [
        (str(one.root), "a/a.py"),
        (str(two.root), "b.py"),
    ]


def test_meaning_lifts_what_shares_few_words(shop: Workspace) -> None:
    """Where someone can tell how near texts are."""

    def near(question: str, texts: list[str]) -> list[float]:
        return [float("removeItem" in text or "remove item" in text) for text in texts]

    plain = shop.names("cart money")
    assert plain.index("Cart.remove_item") > 1
    hits = search(
        Request("cart money"),
        roots=(str(shop.root),),
        home=shop.home,
        rules=NO_RULES,
        nearness=lambda question, texts: [5.0 * one for one in near(question, list(texts))],
    ).hits
    places = [hit.qualified_name for hit in hits if hit.what == "symbol"]
    assert places.index("Cart.remove_item") < plain.index("Cart.remove_item")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(min_size=1, max_size=80), references=st.booleans())
def test_any_query_is_answered(shop: Workspace, query: str, references: bool) -> None:
    """Nothing in it is syntax, to us or to the database."""
    if query.strip():
        shop.search(query, references=references)


@pytest.mark.parametrize(
    "query", ['"', '""', "a AND", "NEAR(", "*", "name:", "-", "a OR b", "%", "' OR 1=1 --", "\0a"]
)
def test_what_looks_like_syntax_is_none(shop: Workspace, query: str) -> None:
    """It is answered like any text."""
    shop.search(query)


def test_a_body_comes_before_a_declaration(tmp_path: Path) -> None:
    """In a header, in an interface, and before keys of the same name."""
    project = workspace(
        tmp_path,
        {
            "include/pay.h": "int pay_now(int amount);\n",
            "src/pay.c": '#include "pay.h"\nint pay_now(int amount) {\n  return amount;\n}\n',
            "a.go": "package a\ntype Payer interface {\n\tRefund() int\n}\n",
            "b.go": "package a\ntype card struct{}\nfunc (c *card) Refund() int {\n\tx()\n}\n",
            "package.json": '{"payNow": 1, "Refund": 2}\n',
        },
    )
    assert first(project, "pay_now")[0] == "src/pay.c"
    assert first(project, "Refund")[0] == "b.go"


def test_a_style_is_found_by_its_selector(tmp_path: Path) -> None:
    """With its dot; without it the code of that name comes first."""
    project = workspace(
        tmp_path,
        {"a.css": ".menu-bar { color: red }\n", "a.ts": "export function menuBar() {}\n"},
    )
    assert first(project, ".menu-bar")[0] == "a.css"
    assert first(project, "menuBar")[0] == "a.ts"


@pytest.mark.parametrize("indexed", [True, False])
def test_what_shows_a_secret_is_in_no_answer_and_in_no_index(tmp_path: Path, indexed: bool) -> None:
    """G5: known by its text alone, by line, by use and by symbol; nothing of it is kept."""
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaKESTREL\n"
    token = "//registry.example/:_authToken=npm_KESTRELTOKEN\n"
    files = {"deploy_key": key, ".npmrc": token, "account.json": f'{{"kestrel": "{key[:-1]}"}}'}
    project = workspace(tmp_path, {**files, "a.py": "def other(): pass\n"}, indexed=indexed)
    for asked in ("authToken", '"b3Blb"', "KESTRELTOKEN", "OPENSSH", "kestrel", '"npm_KES"'):
        for uses in (False, True):
            for hit in project.search(asked, references=uses).hits:
                assert hit.what == "file", (asked, hit)
    kept = b"".join(path.read_bytes() for path in project.home.rglob("*") if path.is_file())
    assert b"KESTREL" not in kept
    assert b"kestreltoken" not in kept.lower()


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ("shutil", "shutil.py"),
        ("http.client", "http/client.py"),
        ("concurrent.futures.thread", "concurrent/futures/thread.py"),
        ("json", "json/__init__.py"),
        ("widgets", "src/widgets/index.ts"),
    ],
)
def test_a_module_is_found_by_its_name(tmp_path: Path, asked: str, file: str) -> None:
    """Before the lines that import it, and before what is merely called alike."""
    project = workspace(
        tmp_path,
        {
            "shutil.py": "def rmtree(): pass\n",
            "http/client.py": "class HTTPConnection: pass\n",
            "concurrent/futures/thread.py": "class Pool: pass\n",
            "json/__init__.py": "def loads(): pass\n",
            "json/decoder.py": "class Decoder: pass\n",
            "src/widgets/index.ts": "export function make() {}\n",
            "wm.py": "class Wm:\n    def client(self): pass\n\nclass _ThreadWakeup: pass\n",
            "user.py": "import shutil\nimport json\nimport http.client\nimport widgets\n" * 3,
        },
    )
    hit = project.search(asked).hits[0]
    assert (hit.what, hit.file) == ("file", file)


def test_a_symbol_of_a_module_s_name_comes_before_it(tmp_path: Path) -> None:
    """A definition is what most look for."""
    files = {"queue.py": "class Queue: pass\n", "cart/total.py": "x = 1\n", "a.py": CART}
    project = workspace(tmp_path, files)
    assert project.search("Queue").hits[0].what == "symbol"
    assert project.search("Cart.total").hits[0].qualified_name == "Cart.total"


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [
        ({"language": "Python"}, True),
        ({"language": "py"}, True),
        ({"language": "js"}, False),
        ({"language": "golang"}, False),
        ({"kind": "Method"}, True),
        ({"file_pattern": "./shop/*.py"}, True),
    ],
)
def test_words_are_taken_as_people_write_them(
    tmp_path: Path, given: dict[str, Any], is_taken: bool
) -> None:
    """None of these costs a second call."""
    project = workspace(tmp_path, {"shop/cart.py": CART})
    assert ("Cart.total" in project.names("total", **given)) is is_taken


def test_an_ignored_file_is_searched_where_it_is_named(tmp_path: Path) -> None:
    """As an ignored folder is."""
    project = workspace(tmp_path, {".gitignore": "build/\n", "build/g.py": "def qfind(): pass\n"})
    project.git("init", "-q")
    assert project.names("qfind") == []
    assert project.names("qfind", path="build/g.py") == ["qfind"]
    assert project.names("qfind", path="build") == ["qfind"]


def test_no_more_is_promised_than_there_is(tmp_path: Path) -> None:
    """The line of a definition is no hit beside it."""
    project = workspace(tmp_path, {"a.py": "def helper_one(): pass\n"})
    answer = project.search("helper_one")
    assert answer.total == len(answer.hits) == 1


def test_an_edit_whose_time_is_set_back_is_seen(tmp_path: Path) -> None:
    """As `cp -p` and `touch -r` do."""
    project = workspace(tmp_path, {"a.py": "def older(): pass\n"})
    path = project.root / "a.py"
    before = path.stat()
    assert project.names("older") == ["older"]
    path.write_text("def newer(): pass\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert project.names("newer")[0] == "newer"
    assert "older" not in project.names("older")


def test_uses_of_what_was_asked_for_come_before_those_of_others(tmp_path: Path) -> None:
    """Receivers have no types; their names, and where they stand, tell much."""
    project = workspace(
        tmp_path,
        {
            "cart.py": "class Cart:\n    def total(self): pass\n\n    def pay(self):\n"
            "        return self.total()\n",
            "a_order.py": "class Order:\n    def total(self): pass\n\n    def pay(self):\n"
            "        return self.total()\n\n\ndef f(order, cart):\n    order.total()\n"
            "    cart.total()\n",
        },
    )
    answer = project.search("Cart.total", references=True)
    found = [(hit.file, hit.start_line) for hit in answer.hits]
    assert found[:2] == [("a_order.py", 10), ("cart.py", 5)]
    assert set(found[2:]) == {("a_order.py", 5), ("a_order.py", 9)}
    text = search_text(answer)
    assert text.index("L10") < text.index("perhaps of another") < text.index("L9 ")
    plain = [(hit.file, hit.start_line) for hit in project.search("total", references=True).hits]
    assert plain == sorted(plain)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-8-sig"])
@pytest.mark.parametrize("indexed", [True, False])
def test_other_encodings_are_searched(tmp_path: Path, encoding: str, indexed: bool) -> None:
    """By symbol, by line and by use, as the outline reads them."""
    text = "# Die Größe, ungefähr\ndef größe():\n    return 1\n\n\nx = größe() + 2\n"
    project = workspace(tmp_path, {"maß.py": text.encode(encoding)}, indexed=indexed)
    hit = project.search("größe").hits[0]
    assert (hit.what, hit.name, hit.start_line) == ("symbol", "größe", 2)
    hits = project.search('"Größe, ungefähr"').hits
    assert [(hit.what, hit.start_line) for hit in hits] == [("line", 1)]
    uses = project.search("größe", references=True).hits
    assert [(hit.start_line, hit.why, hit.text) for hit in uses] == [(6, "call", "x = größe() + 2")]


LINES = [
    (path, number, line)
    for path, text in FILES.items()
    for number, line in enumerate(text.split("\n"), 1)
    if len(line.strip()) >= 4
]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_piece_of_a_line_is_found(shop: Workspace, data: st.DataObject) -> None:
    """Wherever it begins and ends: the index never hides a line that holds it."""
    path, number, line = data.draw(st.sampled_from(LINES))
    start = data.draw(st.integers(0, len(line) - 3))
    piece = line[start : data.draw(st.integers(start + 3, len(line)))]
    # quotation marks end a text, and white space at its ends and in a row is none
    if '"' in piece or piece != " ".join(piece.split()) or not piece.strip():
        return
    found = shop.search(f'"{piece}"', max_results=200).hits
    assert (path, number) in [(hit.file, hit.start_line) for hit in found]


@pytest.mark.parametrize(
    ("file", "text", "asked"),
    [
        ("order.py", "class Order:\n    def save(self): ...\n\ndef save(o): ...\n", "Order.save"),
        (
            "cart.py",
            "def add(x): ...\nclass Cart:\n    def add(self): ...\n",
            "Cart.add",
        ),
        ("models/user.ts", "class User { load() {} }\nexport function load() {}\n", "User.load"),
    ],
)
def test_an_owner_is_a_symbol_before_it_is_a_file(
    tmp_path: Path, file: str, text: str, asked: str
) -> None:
    """Where the file is called like the class in it."""
    made = workspace(tmp_path, {file: text})
    assert made.names(asked)[0] == asked
    made.close()


def test_as_many_are_shown_as_were_asked_for(tmp_path: Path) -> None:
    """K12: and what is not shown is counted."""
    text = "".join(f"def handler_number_{n}(): ...\n" for n in range(120))
    made = workspace(tmp_path, {"a.py": text})
    assert len(made.symbols("handler", max_results=100)) == 100
    assert made.search("handler", max_results=20).total >= 120
    made.close()


@pytest.mark.parametrize("folder", ["a", "very/long/" + "path_of_many_letters/" * 5])
def test_an_answer_keeps_to_its_tokens(tmp_path: Path, folder: str) -> None:
    """Whatever the paths and names in its last line."""
    text = "".join(f"def handler_of_requests_{n}(request, answer): ...\n" for n in range(60))
    made = workspace(tmp_path, {f"{folder}/handlers.py": text})
    for most in range(200, 420, 7):
        answer = search_text(made.search("handler", max_tokens=most, max_results=100))
        assert estimate_tokens(answer) <= most
    made.close()


def test_another_value_for_a_name_is_a_use_of_it(tmp_path: Path) -> None:
    """Only the first one defines it."""
    text = "total = 1\nother = 2\ntotal = 3\nif total:\n    total = 4\n"
    project = workspace(tmp_path, {"a.py": text})
    uses = project.search("total", references=True).hits
    assert [use.start_line for use in uses] == [3, 4, 5]
    project.close()


def test_files_that_may_mention_a_name_are_told(tmp_path: Path) -> None:
    """Those that were not looked at, since there are enough uses."""
    files = {f"a{n}.py": "total(1)\n" * 3 for n in range(9)}
    project = workspace(tmp_path, files, indexed=False)
    answer = project.search("total", references=True, max_results=3)
    assert any("8 more files may mention it and were not looked at" in one for one in answer.notes)
    project.close()


NAMES = """def get_user_by_id(x): ...
def get_users_of(x): ...
def user_get(x): ...
def register(x): ...
def unregister(x): ...
def set_styles(x): ...
def get_styles(x): ...
class Cart: ...
class Chart: ...
class Selector: ...
class Page:
    selector: str = ""
def with_blocking_disabled(): ...
def disabled(): ...
def get_all_short_names(): ...
def short_names(): ...
"""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Crat", "Cart"),
        ("cartt", "Cart"),
        ("rtgister", "register"),
        ("registr", "register"),
        ("get_sstyles", "get_styles"),
        ("set_styels", "set_styles"),
        ("get_user_id", "get_user_by_id"),
        ("get user", "get_user_by_id"),
        ("user get", "user_get"),
        ("withDisabled", "with_blocking_disabled"),
        ("all_short_names", "get_all_short_names"),
        ("selector", "Selector"),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_a_name_is_found_as_it_is_typed(
    tmp_path: Path, query: str, expected: str, indexed: bool
) -> None:
    """A slip of the pen, a part left out, small letters: what is nearest comes first."""
    project = workspace(tmp_path, {"a.py": NAMES}, indexed=indexed)
    assert project.names(query)[0] == expected
    project.close()


def test_hand_written_code_comes_before_what_programs_wrote(tmp_path: Path) -> None:
    """And examples come after both."""
    line = "class Cart: ...\n"
    paths = ("examples/cart.py", "shop/cart_pb2.py", "shop/deep/er/carts.py")
    project = workspace(tmp_path, dict.fromkeys(paths, line))
    assert project.files("Cart")[0] == "shop/deep/er/carts.py"
    project.close()


def test_a_symbol_comes_before_a_script_of_its_name(tmp_path: Path) -> None:
    """A file comes first where its path was asked for."""
    project = workspace(tmp_path, {"bin/Shop": "#!/bin/sh\n", "a.rb": "module Shop\nend\n"})
    assert project.files("Shop") == ["a.rb", "bin/Shop"]
    assert project.files("bin/Shop")[0] == "bin/Shop"
    project.close()


def test_an_answer_to_a_question_ends_where_it_gets_weak(tmp_path: Path) -> None:
    """What shares one common word with it is left out."""
    many = "".join(f"def line_{n}(x):\n    return x + {n}\n" for n in range(40))
    text = f"def count_words(text):\n    '''Counts the words of a line.'''\n{many}"
    project = workspace(tmp_path, {"a.py": text})
    names = project.names("how many words are counted in a line", max_results=50)
    assert names[0] == "count_words"
    assert len(names) < 5
    project.close()


def test_a_name_may_end_as_a_question_does(tmp_path: Path) -> None:
    """The text "unlink implementation" asks about unlink, unless something is called so."""
    text = "def unlink(x): ...\ndef unlink_implementation(x): ...\n"
    project = workspace(tmp_path, {"a.py": text})
    assert project.names("unlink implementation")[0] == "unlink_implementation"
    assert project.names("unlink definition")[0] == "unlink"
    project.close()


def test_an_owner_is_found_among_very_many(tmp_path: Path) -> None:
    """Whose name a thousand others have."""
    many = "".join(f"class C{n}:\n    name = 1\n" for n in range(60))
    files = {f"a{n}.py": many for n in range(9)}
    project = workspace(tmp_path, {**files, "z.py": "class Cart:\n    name = 1\n"})
    assert project.names("Cart.name")[0] == "Cart.name"
    project.close()


@pytest.mark.parametrize(("query", "references"), [("total", True), ('"total(1)"', False)])
def test_files_that_are_looked_through_are_counted(
    tmp_path: Path, query: str, references: bool
) -> None:
    """Also without an index."""
    files = {f"a{n}.py": "total(1)\n" for n in range(9)}
    project = workspace(tmp_path, files, indexed=False)
    assert project.search(query, references=references).counts.scanned == 9
    project.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("RETURNS_MOCKS", "RETURNS_MOCKS"),
        ("ReturnsMocks", "ReturnsMocks"),
        ("abstract logger", "AbstractLogger"),
        ("class logger", "Logger"),
    ],
)
def test_large_letters_and_words_are_meant_as_they_are(
    tmp_path: Path, query: str, expected: str
) -> None:
    """A constant is no class of the same letters; "abstract" may be a part of the name."""
    text = "class AbstractLogger:\n    pass\n\nclass Logger:\n    pass\n\nRETURNS_MOCKS = 1\n"
    mocks = "class ReturnsMocks:\n    def f(self):\n        return 1\n"
    project = workspace(tmp_path, {"a.py": text, "returnsmocks.py": mocks})
    assert project.names(query)[0] == expected
    project.close()
