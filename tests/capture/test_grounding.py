"""Which details of a text its source holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.capture.grounding import Source

ROOT = "/home/u/shop"
TEXT = """## t1
prompt:
| Fix the failing login in src/auth/login.py please, three tests fail
events:
t1e1 Bash failed: cd packages/web && pytest -q test_cart.py
| class Cart:
|     def total(self): round_half(price)
| 2 failed, 1,532 passed in 12.53s, 80 % covered, exit code 137
| /home/u/shop/src/util/money.py:42: TypeError: x
| Python 3.11.4, numpy 1.26.0, 2026-11-30T12:05:00Z, 5 MB, timeout 30 seconds, cost 2.50
| commit 9f8e7d6c5b4a3210fedcba98 abc1234..def5678
| 你好123 utf8 sha256 max_retries = 3 WebThing loadTurn ToolUse ToolUses 10k 1920x1080
| self.items.map(fn); write(log)
| POST /api/v2/users HTTP/1.1, load(turn, now), 0x1F, 127.0.0.1:8080, Nov 30
| npm install left-pad && git push --force-with-lease; rm -rf dist -Xmx512m; commit a1b2c3
| drei Tests, huit erreurs, npm run build; use Cart::total; cat Makefile; make lint; 七个文件
| ls tools/ && ls -la docs; release.sh guide.md; it took forty-two runs; ٣٤٥ and 三百个 100
| import { Button } from '@/components/Button.tsx'; CVE-2024-12345; id 550e8400-e29b-41d4
"""


@pytest.fixture(scope="module")
def source() -> Source:
    """A source with details of every sort."""
    return Source(TEXT, ROOT, ROOT)


TRUE = [
    "The 2 tests fail.",
    "`Cart.total` and Cart.total() use round_half()",
    "Cart.map and self.log, where class Cart and a map and a log are named",
    "src/auth/login.py, login.py, auth/login.py and ./src/auth/login.py are one file",
    "/home/u/shop/src/auth/login.py is absolute",
    "src\\auth\\login.py is how Windows writes it",
    "“src/auth/login.py”, «login.py», (login.py), **login.py**, login.py: all quoted",
    "money.py:42 and src/util/money.py line 42",
    "packages/web/test_cart.py fails when run from packages/web",
    "1532, 1,532, 1 532, 1.532, 1'532 and 1_532 passed",
    "It took 12.53s, 12.53 s, 12.530 seconds or 12,53 Sekunden.",
    "80%, 80 %, 80.0 percent",
    "5MB, 5 MB, 30s, 30 s, 30-second, 30.0s, 2.5 and 2.50",
    "Python 3.11, Python 3.11.4, v3.11.4, numpy 1.26",
    "On 2026-11-30 at 12:05, 30 Nov 2026, 30.11.2026",
    "commits 9f8e7d6, 9F8E7D6C5B4A and abc1234, or 9f8e7d6..abc1234 and commit/9f8e7d6",
    "123 好123你",
    "UTF-8, utf-8, SHA-256, ISO 8601, 24/7, x86-64",
    "the ToolUses, tooluse, LOADTURN and WebThing's parent",
    "the 2nd attempt, the 3rd one, 3 tests",
    "10k, 10,000 and 10 000",
    "1920x1080 or 1920×1080",
    "read/write, CI/CD, and/or, TCP/IP, km/h",
    "e.g. this, i.e. that, z.B. jenes, a.k.a. it",
    "Node.js, GitHub, JavaScript-based APIs, PostgreSQL and LLMs",
    "/api/v2/users answers HTTP/1.1",
    "`max_retries = 3`, `load(turn, now)`, `load()`, `max_retries`",
    "src/auth/login.pyの不具合を直した。2件失敗",
    "修复了src/auth/login.py中的错误，共1532个",
    "login.py에서 2개 실패",
    "1) first, 2) second, 3) third",
    "7. is a list mark",
    "a .py file",
    "0x1f in lower case, 127.0.0.1 and port 8080",
    "exit code 137",
    "@/components/Button.tsx and Button.tsx",
    "CVE-2024-12345",
    "[redacted:api_key] was seen",
    "--force-with-lease, `rm -r`, `rm -f`, -rf and -Xmx512m",
    "`git push --force-with-lease` was used",
    "The left-pad package was installed, npm install left-pad",
    "a read-only, up-to-date, user-friendly, half-full end-to-end test-run with a well-known cause",
    "a first-come-first-served queue, off-by-one, copy-on-write, man-in-the-middle",
    "42 runs, forty-two runs, 345, ٣٤٥, 345 and 300",
    "twelve reasons, ten times, two of them",
    "seven files were changed in nine steps; four of five",
    "drei Tests, trois tests, 三个测试, huit erreurs and eight errors",
    "thousands of rows, hundreds of runs, a hundred and more: 100",
    "Cart::total, Cart->total, Cart#total and cart::total",
    "npm run build, make lint, run make lint, the Makefile",
    "It would make totals wrong, so make sure that it is run; to make it fast",
    "npm install fails, pip install is slow, the same package, the failing library",
    "The old folder, the root directory, tools/ and docs/, and the web folder",
    "The circular dependency is gone, as is the transitive dependency and the upstream library",
    "The nested folder, the sibling directory, the vulnerable package, the peer dependency",
    "Review found six errors, sechs Fehler, шесть ошибок, 六个错误, six warnings and six bugs",
    "Die E-Mail-Adresse der Bestellung",
    "Once errors are seen, ELF errors and sept. tests",
    "commit a1b2c3, a decade, a facade, facing it",
    "tools/release.sh and docs/guide.md",
    "An ordinary sentence, with nothing to check: it's fine.",
    "",
]

FALSE = [
    "the round_lib package",
    "sei utenti",
    "Cart::refund",
    "Cart->refund",
    "Cart#refund",
    "Cart::refund()",
    "pip install roundlib",
    "npm i leftpad fixes it",
    "cargo add serde",
    "go get rounder",
    "a package called roundlib",
    "Dockerfile",
    "a Jenkinsfile",
    "the CODEOWNERS",
    "dir pricing/",
    "run make publish",
    "npm run deploy",
    "a million carts",
    "five dozen tests",
    "eleven thousand",
    "millions of carts",
    "port ninety-ninety",
    "port one two three five",
    "Zwanzig Tests",
    "Vierzig Tests laufen",
    "vingt tests",
    "двадцать тестов",
    "six utilisateurs",
    "六个测试失败",
    "six users were hit",
    "commit deadbee",
    "9f8e7d6..deadbee",
    "commit/deadbee",
    "`deadbee`",
    "deadbeef1",
    "hash 9f8e7d7",
    f"digest e3b0c442{'98fc1c14' * 7}",
    "9f8e7d6c5b4a3210fedcba99",
    "src/made/up.py",
    "made_up.py",
    "login.ts",
    "login.log",
    "src/login.py",
    "tests/login.py",
    "src/auth/money.py",
    "/etc/passwd",
    "C:\\made\\up.txt",
    "src/zebra",
    "packages/api/test_cart.py",
    "https://evil.example/x",
    "17 tests",
    "1531 passed",
    "1,533 passed",
    "12.54s",
    "12.5 s",
    "2026-11-29",
    "2026-12-30",
    "31s",
    "51%",
    "6MB",
    "9k",
    "20k",
    "10.0.0.1",
    "port 8081",
    "Python 3.12",
    "3.11.5",
    "v2.1",
    "`make_it`",
    "make_it",
    "doThing",
    "getUser()",
    "do_it()",
    "Basket.price",
    "`zebra`",
    "`load(x, later)`",
    "0x2F",
    "made-up.toml",
    "共99个文件",
    "数字77",
    "CVE-2024-99999",
    "the 21st attempt",
    "made.up.name",
    "MAX_SIZE",
    "Ｍade_up",
    "the --no-verify-ssl flag",
    "`git push --no-verify-ssl`",
    "`--force`",
    "-Xss",
    "`rm -x`",
    "npm install right-pad",
    "the right-pad package",
    "react-codeshift-utils",
    "@babel/made-up",
    "gulp-made-things",
    "٣٤٦",
    "९९",
    "四百个",
    "forty-three runs",
    "ninety percent",
    "five thousand rows",
    "Ⅾ",
    "commit deadbe",
    "d4e5f6",
    "4d5e6f",
    "src/src/auth/login.py",
    "packages/src/auth/login.py",
    "components/src/util/money.py",
    "util/test_cart.py",
]


@pytest.mark.parametrize("text", TRUE)
def test_what_the_source_holds_is_kept_however_it_is_written(source: Source, text: str) -> None:
    """Case, plural, width, relative or absolute, units, separators of thousands."""
    assert source.missing(text) == []


@pytest.mark.parametrize("text", FALSE)
def test_what_the_source_does_not_hold_is_found(source: Source, text: str) -> None:
    """Files, hashes, numbers and symbols that nobody has seen."""
    assert source.missing(text)
    assert source.missing(f"It was seen that {text} is so, said src/auth/login.py.")


def test_a_number_inside_an_identifier_is_no_number() -> None:
    """C4x1532y holds no 1532, and utf8 no claim of an 8."""
    source = Source("id c4x1532y and a1532f")
    assert source.missing("1532 rows")
    assert Source("nothing").missing("utf8 and p95") == []


def test_files_and_symbols_are_looked_up_by_themselves(source: Source) -> None:
    """Relative to the root, or absolute; every part of a qualified name."""
    assert source.holds_file("src/auth/login.py")
    assert source.holds_file("/home/u/shop/src/auth/login.py")
    assert not source.holds_file("src/auth/logout.py")
    assert not source.holds_file("")
    assert source.holds_symbol("Cart.total")
    assert not source.holds_symbol("Cart.sum")
    assert not source.holds_symbol("()")


def test_a_source_of_three_megabytes_is_read_once_and_asked_often() -> None:
    """Sets are built once; a question costs what its own text costs."""
    source = Source(TEXT * 3_000 + "é", ROOT, ROOT)
    for text in (*TRUE, *FALSE) * 5:
        source.missing(text)


@pytest.mark.parametrize(
    "piece",
    [
        "1:",
        "1,",
        "1.",
        "a/",
        "a.",
        "\\",
        "`",
        "_",
        "1_",
        "0x",
        "1 000 ",
        "aB",
        "one ",
        "three x ",
        "eighty-",
        "a::",
        "run make ",
        "三个",
        "é",
        "..",
        "1e",
        "()",
    ],
)
def test_no_text_keeps_the_reader_busy(piece: str) -> None:
    """Whatever repeats, three megabytes are read in a moment."""
    source = Source(piece * (3_000_000 // len(piece)), "/r")
    source.missing(piece * (8_000 // len(piece)))


DETAILS = [
    "src/a.py",
    "foo_bar()",
    "Cart.total",
    "1,532",
    "12.53s",
    "v3.11.4",
    "9f8e7d6",
    "`x = 1`",
]
DETAILS += ["2026-11-30", "你好123", "5MB", "/etc/hosts", "C:\\x\\y.txt", "~/.bashrc", "a1b2c3"]
DETAILS += ["0x1F", "50%", "#12", "(3)", "10k", "it's", "re-use"]


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=200) | st.text("aB1e7_.,/\\`-x:'()+~@% \n漢é", max_size=60))
def test_a_text_is_grounded_in_itself(text: str) -> None:
    """Copied exactly, nothing is dropped."""
    assert Source(text).missing(text) == []


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(DETAILS),
        max_size=12,
    ),
    st.sampled_from([" ", ", ", "; ", "\n", " – ", "。", " (", ") ", " → "]),
)
def test_details_in_any_order_and_punctuation_stay_grounded(words: list[str], by: str) -> None:
    """What stands around a detail does not change it."""
    assert Source("\n".join(words)).missing(by.join(words)) == []
