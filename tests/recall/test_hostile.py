"""2,000 odd queries: none is an error, and a sign is no more than what stands between words."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from contextlib import closing

import pytest

from backstory import config
from backstory.recall import embedders
from backstory.recall.meaning import Meaning
from backstory.recall.query import SearchQuery, plain_text, question
from backstory.recall.search import Nearest, search
from backstory.storage import sqlite
from backstory.storage.database import Database
from tests.recall.conftest import Store
from tests.support.embedding import HashedWords

WORDS = [
    "multi",
    "agent",
    "gateway",
    "run",
    "retry",
    "stop",
    "status",
    "done",
    "timeout",
    "error",
    "rate",
    "limit",
    "token",
    "login",
    "session",
    "parser",
    "cache",
    "index",
    "worker",
    "hook",
    "spool",
    "prompt",
    "cart",
    "total",
    "naïve",
    "Straße",
    "résumé",
    "用户登录",
    "数据库",
    "検索機能",
    "토큰",
    "갱신",
    "токен",
    "вход",
    "مستخدم",
    "कुंजी",
    "ไฟล์",
    "🎉launch",
    "重跑gen-itgc后50条",
]
OPERATORS = ["AND", "OR", "NOT", "NEAR", "and", "or", "not"]
# What is syntax somewhere: full text, SQL, LIKE, globs, shells, regular expressions.
SIGNS = [*"\"'()[]{}<>*^:;,|&!?=~`$%\\/+-@#.", "--", "/*", "*/", "||", "&&", "\0", "\x1b", "\t"]
PARTED = str.maketrans(dict.fromkeys('():,=+|{}"<>', " "))
HIDDEN = ["\u200d", "\u200b", "\u202e", "\u2066", "\ufeff", "\u0301", "\u0308", "\ufe0f", "\u00ad"]
# Every row of the list of faults that search had elsewhere, and what else is known to break one.
KNOWN = [
    "multi-agent",
    "gateway/run.py",
    "don't",
    "status: done",
    'timeout "error',
    "retry OR",
    "OC-41252",
    "2026-05-08",
    "@nasa",
    "#tag",
    "e=mc2",
    "a,b",
    "50%",
    "C++",
    "[br]",
    '"',
    "***",
    "",
    "\0",
    "用户",
    "数据",
    "db",
    "itgc",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "NEAR(multi agent, 5)",
    "title:login",
    "{title body}: login",
    "-title:login",
    "scope:p1",
    "p1 kobservation",
    "^login",
    "log*",
    "login + token",
    '"login',
    'login"',
    '""',
    '"" ""',
    '"*"',
    '" OR 1=1 --',
    "'; DROP TABLE observations; --",
    "') UNION SELECT 1 --",
    "search_text MATCH 'x'",
    "%s %d {0} ${HOME} $(id)",
    "\ud800",
    "login\udfff token",
    "\ud83d\ude00",
    "検" * 500,
    "用户登录失败" * 84,
    "x" * 5_000,
    "long " * 1_000,
    "a" * 64 + " " + "b" * 65,
    "🎉",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈 launch",
    "مستخدم تسجيل",
    "\u202elogin\u202c",
    "e\u0301\u0302\u0303 cafe\u0301",
    "ก็ไฟล์",
    "!?!?!",
    "()[]{}",
    "NULL nil None undefined NaN",
    "\r\n\t\v\f",
    "\x00\x01\x02\x7f\x80\x9f",
    "\ufffe\uffff\U0010ffff",
    "ﬁle ＡＢＣ ①",
    "__ -- .. //",
    ".",
    "-",
    "_",
]


class Memory:
    """Records of many scripts, with vectors."""

    def __init__(self, database: Database, nearest: Nearest) -> None:
        self.database = database
        self.nearest = nearest

    def found(self, text: str, nearest: Nearest | None = None) -> list[str]:
        """The ids; the search was whole and not an error."""
        result = self.database.read(lambda db: search(db, SearchQuery(text), nearest))
        assert result.degraded == ""
        assert "cannot be used" not in result.note, ascii(text)
        return [row.id for row in result.rows]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Three hundred records, each of a few of the words."""
    home = tmp_path_factory.mktemp("odd")
    source = random.Random(4)
    with closing(sqlite.open_writer(home / "backstory.db")) as db:
        store = Store(db)
        project = store.project()
        session = store.session(project, "one")
        with sqlite.transaction(db):
            for number in range(300):
                text = " ".join(source.sample(WORDS, 4))
                if number % 10 == 0:
                    prompt = store.prompt(project, session, text, number)
                    store.summary(project, session, prompt, request=text)
                else:
                    store.observation(project, text, " ".join(source.sample(WORDS, 6)))
    database = Database(home / "backstory.db")
    database.start_writer()
    made = HashedWords()
    with closing(database), pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedders, "make", lambda *_: made)
        meaning = Meaning(database, config.load(home))
        while meaning.embed_some():
            pass
        yield Memory(database, meaning.nearest)


def odd(source: random.Random) -> str:
    """A query of words, operators and signs in any order."""
    pieces: list[str] = []
    for _ in range(source.randint(1, 9)):
        kind = source.random()
        if kind < 0.5:
            pieces.append(source.choice(WORDS))
        elif kind < 0.65:
            pieces.append(source.choice(OPERATORS))
        elif kind < 0.9:
            pieces.append("".join(source.choices(SIGNS, k=source.randint(1, 4))))
        elif kind < 0.97:
            pieces.append(source.choice(HIDDEN))
        else:
            pieces.append(chr(source.randrange(0x20, 0x11_0000)))
        if source.random() < 0.6:
            pieces.append(" ")
    return "".join(pieces)


def test_two_thousand_odd_queries_are_answered(memory: Memory) -> None:
    """F1, F2, F4, F5, F13: by words and by meaning, without an error."""
    source = random.Random(2_000)
    queries = KNOWN + [odd(source) for _ in range(2_000 - len(KNOWN))]
    assert len(queries) == 2_000
    for text in queries:
        memory.found(text, memory.nearest)  # by words first, and then by meaning


def dressed(source: random.Random) -> tuple[str, str]:
    """(a query full of signs, the same words without them)."""
    opening = ["(", "[", "{", "^", '"(', "'", "-(", "*", "((", "/", "<", "`", "!", "|", "; ", "--("]
    closing_ = [")", "]", "}", "*", ",", ";", "!", "?", "'", "))", ">", "`", "|", ":", " --", "*)"]
    between = [
        " ",
        "  ",
        " ( ",
        " * ",
        " ^ ",
        " | ",
        "\t",
        "\n",
        " \0 ",
        " : ",
        " = ",
        " && ",
        " ~ ",
    ]
    between += [",", ";", "|", "=", "&", ")(", "*", "? "]
    words = source.choices([*WORDS[:24], *OPERATORS], k=source.randint(1, 6))
    full = ""
    for word in words:
        full += source.choice(opening) if source.random() < 0.5 else ""
        full += word
        full += source.choice(closing_) if source.random() < 0.5 else ""
        full += source.choice(between)
    if full.count('"') % 2 == 0:
        full = full.replace('"', "")  # a pair of them is the one thing that means something
    return full, " ".join(words)


def test_signs_change_no_hit(memory: Memory) -> None:
    """F1, F2: a query's hits, and their order, are those of its words."""
    source = random.Random(11)
    for _ in range(400):
        full, plain = dressed(source)
        assert memory.found(full) == memory.found(plain), (full, plain)
        with_vectors = memory.found(full, memory.nearest)
        assert with_vectors == memory.found(plain, memory.nearest), (full, plain)


def test_hidden_characters_change_no_hit(memory: Memory) -> None:
    """Joiners, marks of direction and of order are in pasted text, and nobody sees them."""
    source = random.Random(12)
    for _ in range(100):
        words = source.choices(WORDS[:24], k=source.randint(1, 4))
        plain = " ".join(words)
        hidden = "".join(
            sign + (source.choice(HIDDEN[:5]) if source.random() < 0.3 else "") for sign in plain
        )
        for nearest in (None, memory.nearest):
            assert memory.found(hidden, nearest) == memory.found(plain, nearest), ascii(hidden)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_spelling_in_unicode_is_one_query(memory: Memory, form: str) -> None:
    """A keyboard on one machine composes, on another it does not."""
    for word in WORDS:
        spelled = unicodedata.normalize(form, word)  # type: ignore[arg-type]  # one of the four
        for nearest in (None, memory.nearest):
            assert memory.found(spelled, nearest) == memory.found(word, nearest), (form, word)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("title:login", "title login"),
        ("NEAR(login token)", "near login token"),
        ("  Login,\tTOKEN!! ", "login token"),
        ("कुंजी", "कुंजी"),
        ("ไฟล์", "ไฟล์"),
        ("us\u200der", "user"),
        ("\u202elogin\u202c", "login"),
        ("cafe\u0301", "café"),
        ("Straße", "strasse"),
        ("a\0b\ud800c", "a b c"),
        ("***", ""),
    ],
)
def test_what_is_embedded_of_a_query_is_its_words(text: str, plain: str) -> None:
    """Nothing of them is lost: a mark is part of its letter."""
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "title:login",
        "NEAR(title login)",
        "title(login)",
        "title,login",
        "title=login",
        "title+login",
        "title|login",
        "{title}:login",
        'title"login',
        "title<login>",
    ],
)
def test_what_parts_words_does_not_bind_them(text: str) -> None:
    """Each is looked for by itself; a path, a name or a version is one thing."""
    asked, plain = question(text), question(text.replace("NEAR", "near ").translate(PARTED))
    assert asked is not None
    assert asked == plain
    for name in ("title/login", "title.login", "title-login", "title_login", "title::login"):
        whole = question(name)
        assert whole is not None
        assert whole.single


def test_operators_are_words(memory: Memory) -> None:
    """`NOT` excludes nothing, `OR` widens nothing."""
    assert memory.found("login NOT token") == memory.found("login token")
    assert memory.found("login OR token") == memory.found("login token")
    assert set(memory.found("login AND nosuchword")) >= set(memory.found("login")[:1])


def test_only_a_pair_of_quotation_marks_means_something(memory: Memory) -> None:
    """The words stand together then; one alone is nothing."""
    assert memory.found('"login') == memory.found("login")
    assert memory.found('login"') == memory.found("login")
    asked = question('"login token"')
    assert asked is not None
    assert asked.all_words == '"login token"'
