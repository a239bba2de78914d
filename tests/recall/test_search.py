"""Search over the real schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory.errors import StorageError
from backstory.recall import lexical
from backstory.recall.query import SearchQuery, parse_date, search_query
from backstory.recall.search import SearchResult, search
from backstory.storage import sqlite
from tests.recall.conftest import Store

DAY = 86_400_000
MARCH_10 = parse_date("2026-03-10", "dateStart")


def ids(result: SearchResult) -> list[str]:
    return [row.id for row in result.rows]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the multi-agent loop", "multi-agent"),
        ("edited gateway/run.py", "gateway/run.py"),
        ("don't retry", "don't"),
        ("status: done", "status: done"),
        ("timeout error", 'timeout "error'),
        ("retry OR stop", "retry OR"),
        ("ticket OC-41252", "OC-41252"),
        ("on 2026-05-08", "2026-05-08"),
        ("pinged @nasa", "@nasa"),
        ("a #tag", "#tag"),
        ("e=mc2", "e=mc2"),
        ("a,b", "a,b"),
        ("at 50%", "50%"),
        ("in C++", "C++"),
        ("[br] tag", "[br]"),
        ("NEAR the end", "NEAR(end"),
        ("title:body", "title:body"),
        ("caret^2", "^caret"),
        ("wild*card", "wild*"),
        ("brace {x}", "{brace} : x"),
        ("nul byte", "nul\0byte"),
        ("用户登录", "用户"),
        ("用户登录", "用"),
        ("重跑gen-itgc后50条", "itgc"),
    ],
)
def test_ordinary_text_finds_its_record(store: Store, text: str, query: str) -> None:
    """F1, F2, F4, F5: query text is never syntax."""
    project = store.project()
    store.observation(project, "Something else entirely")
    wanted = store.observation(project, "A title", text)
    result = search(store.db, SearchQuery(query))
    assert ids(result) == [str(wanted)]
    assert result.how == "all words"


@pytest.mark.parametrize("text", ["", "   ", '"', "***", "\0", "()", "🎉"])
def test_a_query_without_words_shows_the_newest(store: Store, text: str) -> None:
    """F2, F13: and says so when there was something that looked like a query."""
    project = store.project()
    older = store.observation(project, "Older")
    newer = store.observation(project, "Newer")
    result = search(store.db, SearchQuery(text))
    assert ids(result) == [str(newer), str(older)]
    assert result.how == "recent"
    assert bool(result.note) == bool(text.strip())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=200))
def test_any_text_is_answered(store: Store, text: str) -> None:
    """F1, F2: no text is an error, and none makes the search a degraded one."""
    assert search(store.db, SearchQuery(text)).degraded == ""


IDENTIFIERS = [
    ("Cached getUserById in the session layer", "getUserById"),
    ("Cached getUserById in the session layer", "get_user_by_id"),
    ("Renamed HTTPServer2 to Gateway", "HTTPServer2"),
    ("parse_config reads TOML now", "parseConfig"),
    ("Fixed src/auth/login.py redirect", "src/auth/login.py"),
    ("Fixed src/auth/login.py redirect", "login.py"),
    ("Fixed src/auth/login.py redirect", "auth/login"),
    ("C++ build needs -fPIC", "C++"),
    ("C# client dropped", "C#"),
    (".NET 8 image", ".NET"),
    ("Node.js 22 in CI", "nodejs"),
    ("Pinned numpy 2.3.1", "2.3.1"),
    ("Tagged v1.2 late", "v1.2"),
    ("Moved to @scope/pkg", "@scope/pkg"),
    ("Added --dry-run", "--dry-run"),
    ("MAX_RETRIES is 5", "$MAX_RETRIES"),
    ("rustc E0308 in match arm", "E0308"),
    ("Ticket OC-41252 closed", "OC-41252"),
    ("Outage of 2026-05-08", "2026-05-08"),
    ("Allowed 10.0.12.7 through", "10.0.12.7"),
    ("UserRepository.findAll pages", "UserRepository.findAll"),
    ("useEffect ran twice", "useEffect"),
    ("k8s probe path", "k8s"),
    ("commit 9f3c1ab reverted", "9f3c1ab"),
    ("foo::bar::baz moved", "foo::bar::baz"),
]


@pytest.mark.parametrize(("title", "query"), IDENTIFIERS)
def test_an_identifier_is_in_the_top_three_among_look_alikes(
    store: Store, title: str, query: str
) -> None:
    """What code is called is what it is searched by."""
    project = store.project()
    wanted = store.observation(project, title)
    for number in range(20):
        store.observation(
            project,
            f"User login of the server, number {number}",
            "get the user by name; parse a config; run dry; max of 5 retries; net c node 2 3 1 8"
            " version 2026 05 08 10 12 scope pkg src auth py find all pages use an effect",
        )
    assert str(wanted) in ids(search(store.db, SearchQuery(query, project_ids=(project,))))[:3]


def test_records_with_every_word_come_first_and_any_word_fills_up(store: Store) -> None:
    """A natural question finds what shares most of its words."""
    project = store.project()
    some = store.observation(project, "Token refresh", "two requests raced")
    both = store.observation(project, "Token refresh in the login middleware")
    result = search(store.db, SearchQuery("why does the token refresh fail in login"))
    assert ids(result)[0] == str(both)
    assert str(some) in ids(result)
    assert result.how == "some words"


def test_an_exact_title_comes_first_then_verified_then_important_then_new(store: Store) -> None:
    """Ties are broken by what is better founded, the age last."""
    project = store.project()
    exact = store.observation(project, "Cart total")
    texts = iter(["apple bread", "stone wind", "river cloud", "paper glass", "chair lamp"])

    def add(**more: object) -> int:
        # as long as one another, and not the same
        text = next(texts)
        return store.observation(project, "Cart total rounding", text, **more)  # type: ignore[arg-type]  # its own

    verified = add(evidence="verified")
    important = add(importance=3)
    plain = add()
    newest = add()
    old = add(superseded_by=newest)
    wanted = [exact, important, verified, newest, plain, old]
    assert ids(search(store.db, SearchQuery("cart total"))) == [str(id_) for id_ in wanted]


def test_findings_come_before_the_summary_and_the_question(store: Store) -> None:
    """What was asked in the same words before is seldom the answer."""
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "cart total rounding")
    summary = store.summary(project, session, prompt, request="cart total rounding")
    found = store.observation(project, "Fixed cart total rounding", "It was rounded twice.")
    wanted = [str(found), f"s{summary}", f"p{prompt}"]
    assert ids(search(store.db, SearchQuery("cart total rounding"))) == wanted


def test_title_over_files_over_body(store: Store) -> None:
    """Where a word stands says how much a record is about it."""
    project = store.project()
    body = store.observation(project, "One thing", "about ledger")
    file = store.observation(project, "Other thing", "about something", files=("src/ledger.py",))
    title = store.observation(project, "Ledger thing", "about something")
    assert ids(search(store.db, SearchQuery("ledger"))) == [str(title), str(file), str(body)]


def test_another_projects_records_are_not_reached(store: Store) -> None:
    """F10: with and without a query, for every kind."""
    mine, other = store.project("mine"), store.project("other")
    session = store.session(other, "other-session")
    prompt = store.prompt(other, session, "secret plan")
    store.summary(other, session, prompt, request="secret plan")
    store.observation(other, "secret plan")
    own = store.observation(mine, "secret plan of mine")
    for text in ("secret plan", ""):
        assert ids(search(store.db, SearchQuery(text, project_ids=(mine,)))) == [str(own)]
    assert len(search(store.db, SearchQuery("secret plan")).rows) == 4


def test_kinds_and_types_filter_with_and_without_words(store: Store) -> None:
    """F10: one filter for every path."""
    project = store.project()
    session = store.session(project, "s")
    prompt = store.prompt(project, session, "deploy it")
    summary = store.summary(project, session, prompt, request="deploy it")
    alert = store.observation(project, "deploy key leaked", type_="security_alert")
    note = store.observation(project, "deploy note", type_="security_note")
    for text in ("deploy", ""):
        for arguments, wanted in (
            ({"type": "prompts"}, [f"p{prompt}"]),
            ({"type": "sessions"}, [f"s{summary}"]),
            ({"type": "security_alert"}, [str(alert)]),
            ({"obs_type": "security_note"}, [str(note)]),
        ):
            query = search_query({"query": text, **arguments}, project_ids=(project,))
            assert ids(search(store.db, query)) == wanted


@pytest.mark.parametrize("text", ["deploy", ""])
@pytest.mark.parametrize("order", ["relevance", "date_desc", "date_asc"])
def test_dates_filter_on_every_path(store: Store, text: str, order: str) -> None:
    """F7: no hidden window, and the end date is inclusive."""
    project = store.project()
    store.observation(project, "deploy before", at=MARCH_10 - 1)
    first = store.observation(project, "deploy first", at=MARCH_10)
    last = store.observation(project, "deploy last", at=MARCH_10 + 2 * DAY - 1)
    store.observation(project, "deploy after", at=MARCH_10 + 2 * DAY)
    arguments = {"query": text, "dateStart": "2026-03-10", "dateEnd": "2026-03-11"}
    found = ids(search(store.db, search_query({**arguments, "orderBy": order})))
    assert sorted(found) == sorted([str(first), str(last)])
    if order != "relevance":
        assert (found == [str(first), str(last)]) == (order == "date_asc")


def test_very_old_records_are_found(store: Store) -> None:
    """F7: nothing hides what is older than a season."""
    old = store.observation(store.project(), "ancient decision", at=1)
    assert ids(search(store.db, SearchQuery("ancient"))) == [str(old)]


def test_platform_filters(store: Store) -> None:
    """With and without words."""
    project = store.project()
    here = store.session(project, "a", platform="claude-code")
    there = store.session(project, "b", platform="codex")
    store.observation(project, "deploy here", session=here)
    wanted = store.observation(project, "deploy there", session=there)
    for text in ("deploy", ""):
        query = search_query({"query": text, "platformSource": "codex"})
        assert ids(search(store.db, query)) == [str(wanted)]


@pytest.mark.parametrize("text", ["deploy", "deploy step", ""])
def test_pages_follow_one_another_without_gaps_or_repeats(store: Store, text: str) -> None:
    """Offset and limit cut one and the same list."""
    project = store.project()
    for number in range(25):
        store.observation(project, f"deploy step {number}", "again " * number)
    whole = ids(search(store.db, SearchQuery(text, limit=100)))
    paged: list[str] = []
    while True:
        result = search(store.db, SearchQuery(text, limit=7, offset=len(paged)))
        paged += ids(result)
        if not result.more:
            break
    assert paged == whole
    assert len(set(paged)) == 25


def test_words_in_too_many_records_rank_by_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranking half of a large store would take a second and say nothing."""
    for name in ("COMMON", "_MANY", "_RANKED"):
        monkeypatch.setattr(lexical, name, 10)
    project = store.project()
    for number in range(30):
        store.observation(project, f"deploy {number}")
    rare = store.observation(project, "deploy the kestrel")
    newest = store.observation(project, "deploy last")
    result = search(store.db, SearchQuery("deploy", limit=2))
    assert (ids(result), result.how) == ([str(newest), str(rare)], "newest")
    assert result.note
    result = search(store.db, SearchQuery("deploy kestrel flight", limit=2))
    assert (ids(result), result.how) == ([str(rare)], "some words")


@pytest.mark.parametrize("many", [1_000, 10])
@pytest.mark.parametrize("narrow", [False, True])
def test_words_that_stand_nearly_everywhere_are_found_in_titles_first(
    store: Store, monkeypatch: pytest.MonkeyPatch, many: int, narrow: bool
) -> None:
    """Weighing each word would take longer than the question may; every record is found still."""
    monkeypatch.setattr(lexical, "_HEAVY", 100)
    monkeypatch.setattr(lexical, "COUNTED", 20)
    monkeypatch.setattr(lexical, "_MANY", many)
    project, other = store.project(), store.project("/other")
    for number in range(30):
        store.observation(project, f"budget {number}", "deploy alone")
        store.observation(other, f"budget {number}", "deploy of the gateway")
    titled = store.observation(project, "budget of the gateway deploy")
    later = [store.observation(project, f"budget {n}", "deploy the gateway") for n in range(3)]
    filters: dict[str, object] = {"query": "budget deploy gateway", "limit": 50}
    if narrow:
        filters["dateStart"] = "2020-01-01"
    result = search(store.db, search_query(filters, project_ids=(project,)))
    assert ids(result) == [str(one) for one in (titled, *reversed(later))]
    assert result.how == "all words"
    everywhere = ids(search(store.db, search_query(filters)))
    assert (everywhere[0], len(everywhere)) == (str(titled), 34)
    oldest = search_query({**filters, "orderBy": "date_asc"}, project_ids=(project,))
    assert ids(search(store.db, oldest)) == [str(one) for one in (titled, *later)]


@pytest.mark.parametrize("query", ["order middlew", "round", "roundi", "roundin", "rounding"])
def test_a_beginning_finds_the_word(store: Store, query: str) -> None:
    """The last word may be typed half, beyond its stem too."""
    wanted = store.observation(store.project(), "Middleware order and rounding")
    assert ids(search(store.db, SearchQuery(query))) == [str(wanted)]


def test_a_path_is_found_by_its_rare_parts(store: Store) -> None:
    """F17: a folder that differs hides nothing."""
    project = store.project()
    wanted = store.observation(project, "Login page", files=("src/auth/handlers/login.py",))
    store.observation(project, "Other page", files=("src/shop/handlers/cart.py",))
    result = search(store.db, SearchQuery("/old/place/auth/handlers/login.py"))
    assert ids(result)[0] == str(wanted)
    assert result.how == "some words"


def test_what_was_cut_from_a_query_is_said(store: Store) -> None:
    """A pasted page is looked for by its beginning."""
    store.observation(store.project(), "Cart total")
    result = search(store.db, SearchQuery("cart " + "x" * 2_000))
    assert "first 1000 characters" in result.note


def test_no_hits_is_an_answer(store: Store) -> None:
    """F11: neither an error nor a degraded search."""
    store.observation(store.project(), "Something")
    assert search(store.db, SearchQuery("kestrel")) == SearchResult((), how="all words")


def test_a_damaged_index_degrades_to_substrings(store: Store) -> None:
    """F11: what can still be found is found, and the answer says what is missing."""
    project = store.project()
    wanted = store.observation(project, "Cart 100% total", "narrative_text")
    store.observation(project, "Cart 1000 total")
    store.db.execute("DROP TABLE search_text")
    result = search(store.db, SearchQuery("100% cart", project_ids=(project,)))
    assert ids(result) == [str(wanted)]
    assert result.degraded
    assert result.backends == ("substring",)


def test_a_failed_search_is_an_error(store: Store) -> None:
    """F2, F11: a failure is never an empty list."""
    store.project()
    store.db.execute("DROP TABLE search_text")
    store.db.execute("ALTER TABLE observations RENAME TO gone")
    for text in ("word", ""):
        with pytest.raises(StorageError):
            search(store.db, SearchQuery(text))


def test_search_reads_through_a_read_only_connection(store: Store) -> None:
    """Only the worker writes."""
    store.observation(store.project(), "Cart total")
    (_, _, path) = store.db.execute("PRAGMA database_list").fetchone()
    reader = sqlite.open_reader(Path(path))
    assert len(search(reader, SearchQuery("cart")).rows) == 1
    reader.close()
