"""The order of an answer: exact before near, founded before said, the newest of what is alike."""

from __future__ import annotations

import random

import pytest

from backstory.estimate import estimate_tokens
from backstory.recall.query import SearchQuery, search_query
from backstory.recall.render import LINE_TOKENS, index_line, search_text
from backstory.recall.search import SearchResult, search
from backstory.records import Row
from tests.recall.conftest import Meant, Store

WORDS = (
    "amber",
    "basil",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "jetty",
    "kelp",
    "lotus",
)


def found(store: Store, text: str, **more: object) -> list[str]:
    """The ids of a search by words alone."""
    query = SearchQuery(text=text, **more)  # type: ignore[arg-type]  # its own
    return [row.id for row in search(store.db, query).rows]


@pytest.fixture
def sea(meant: Meant) -> Meant:
    """A store in which a `vessel` is a ship."""
    meant.embedder.synonyms["vessel"] = "ship"
    meant.store.project()
    return meant


def test_an_exact_match_is_not_hidden_by_what_is_new(sea: Meant) -> None:
    """Not by 200 newer records, verified ones and important ones, with vectors and without."""
    exact = sea.store.observation(1, "Rounding of the cart total", at=1)
    for number in range(200):
        word = f"{WORDS[number % 12]}{number}"
        sea.store.observation(
            1, f"Total of {word}", f"the cart {word}", evidence="verified", importance=3
        )
    assert found(sea.store, "rounding of the cart total")[0] == str(exact)
    sea.embed()
    assert sea.found("rounding of the cart total")[0] == str(exact)


def test_a_title_that_is_the_question_comes_first_in_any_spelling(store: Store) -> None:
    """Case, marks and the cut of a name do not matter."""
    project = store.project()
    titles = ["Résumé upload", "getUserById cache", "Ёлка lights", "用户登录", "ＡＢＣ handler"]
    asked = ["RÉSUMÉ UPLOAD", "get_user_by_id cache", "елка lights", "用户登录", "abc handler"]
    wanted = [store.observation(project, title, at=1) for title in titles]
    for title in titles:
        for word in WORDS[:4]:
            text = f"{title} " * 3 + f"{word} {word}1"
            store.observation(project, f"{title} {word}", text, evidence="verified")
    for text, id_ in zip(asked, wanted, strict=True):
        assert found(store, text)[0] == str(id_), text


def test_of_equals_the_verified_come_first(sea: Meant) -> None:
    """Before what is newer and only said, with vectors too."""
    ids = [
        sea.store.observation(1, f"Cart total {word}", evidence=evidence)
        for word, evidence in zip(WORDS, ["stated", "verified", "stated"], strict=False)
    ]
    for _ in range(2):
        assert sea.found("cart total")[0] == str(ids[1])
        sea.embed()


def test_of_equals_decisions_come_before_routine_reads(sea: Meant) -> None:
    """As distillers mark them: by their importance."""
    ids = [
        sea.store.observation(1, f"Cart total {word}", type_=type_, importance=importance)
        for word, type_, importance in (
            ("amber", "discovery", 1),
            ("basil", "decision", 3),
            ("cedar", "discovery", 1),
        )
    ]
    for _ in range(2):
        assert sea.found("cart total") == [str(ids[1]), str(ids[2]), str(ids[0])]
        sea.embed()


def test_what_tells_the_same_is_one_row_the_newest_with_a_count(sea: Meant) -> None:
    """Of one kind, type and project; the others stay."""
    text = "the tests of the cart failed because of a missing price"
    ids = [sea.store.observation(1, "Tests failed", text) for _ in range(3)]
    decided = sea.store.observation(1, "Tests failed", text, type_="decision")
    other = sea.store.observation(1, "Tests failed", "of the bulb, for want of any current at all")
    for _ in range(2):
        result = sea.search("tests failed")
        assert {row.id for row in result.rows} == {str(ids[2]), str(decided), str(other)}
        (row,) = (row for row in result.rows if row.id == str(ids[2]))
        assert row.extra["alike"] == [str(ids[1]), str(ids[0])]
        assert f"also #{ids[1]}, #{ids[0]}" in search_text(result)
        sea.embed()


def test_rows_that_differ_in_a_word_of_ten_are_not_alike(store: Store) -> None:
    """Two tickets are two things."""
    project = store.project()
    for number in (4711, 4712):
        store.observation(project, f"Ticket {number}", "is closed now")
    assert len(found(store, "ticket")) == 2


def test_a_line_with_all_its_marks_stays_within_its_tokens() -> None:
    """The count is among what stays longest."""
    extra: dict[str, object] = {
        "alike": ["123456"] * 12,
        "verified": True,
        "tainted": True,
        "superseded_by": 123_456,
        "agent_type": "general-purpose-reviewer",
    }
    row = Row("123457", "observation", "security_alert", "検" * 200, 0, 500, "shop", "s", extra)
    line = index_line(row, projects=True)
    assert estimate_tokens(line) <= LINE_TOKENS
    short = Row(
        "1", "observation", "bugfix", "Tests failed", 0, 50, "shop", "s", {"alike": ["7", "8", "9"]}
    )
    assert "3 more alike" in index_line(short)


def test_a_successor_comes_before_what_it_replaced(sea: Meant) -> None:
    """Whichever matches better, and says so."""
    new = sea.store.observation(1, "Cart total", "now in cents and whole")
    old = sea.store.observation(1, "Rounding of the cart total in euros", superseded_by=new)
    for _ in range(2):
        result = sea.search("rounding of the cart total")
        assert [row.id for row in result.rows] == [str(new), str(old)]
        assert f"superseded by {new}" in search_text(result)
        sea.embed()


def test_a_successor_that_did_not_match_is_fetched(store: Store) -> None:
    """In other words, it is still what holds now."""
    project = store.project()
    new = store.observation(project, "Prices are whole numbers")
    old = store.observation(project, "Euros with rounding", superseded_by=new)
    assert found(store, "euros") == [str(new), str(old)]


def test_a_successor_that_the_filters_keep_out_is_not_fetched(store: Store) -> None:
    """F10: of another project, another type, another day."""
    mine, theirs = store.project("mine"), store.project("theirs")
    other = store.observation(theirs, "Prices are whole numbers", type_="decision")
    old = store.observation(mine, "Euros with rounding", superseded_by=other)
    assert found(store, "euros", project_ids=(mine,)) == [str(old)]
    assert found(store, "euros", types=("discovery",)) == [str(old)]
    assert found(store, "euros") == [str(other), str(old)]


def test_a_chain_of_successors_stands_in_its_order(store: Store) -> None:
    """The last one first, those between only where they match."""
    project = store.project()
    last = store.observation(project, "Euros last")
    middle = store.observation(project, "Euros middle", superseded_by=last)
    first = store.observation(project, "Euros first", superseded_by=middle)
    assert found(store, "euros") == [str(last), str(middle), str(first)]
    # also where the question is the first one's title
    assert found(store, "euros first") == [str(last), str(middle), str(first)]


def test_a_cycle_of_successors_ends(store: Store) -> None:
    """No record is lost, none comes twice."""
    project = store.project()
    ids = [store.observation(project, f"Euros {word}") for word in WORDS[:3]]
    for one, next_ in zip(ids, [*ids[1:], ids[0]], strict=True):
        store.db.execute("UPDATE observations SET superseded_by = ? WHERE id = ?", (next_, one))
    store.db.execute("UPDATE observations SET superseded_by = id WHERE id = ?", (ids[0],))
    assert sorted(found(store, "euros")) == sorted(map(str, ids))


@pytest.mark.parametrize("text", ["deploy", "deploy vessel", "vessel", "deploy the ship again"])
def test_pages_have_no_gaps_and_no_repeats(sea: Meant, text: str) -> None:
    """With vectors on, records that are alike, and successors among them."""
    for number in range(60):
        word = f"{WORDS[number % 12]}{number}"
        newest = sea.store.observation(1, f"deploy {word}", "again " * (number % 7))
        sea.store.observation(1, f"The ship {word}", "and more")
        sea.store.observation(1, "deploy the same thing", "as it was said before")
        if number % 9 == 0:
            sea.store.observation(1, f"deploy old {word}", superseded_by=newest)
    sea.embed()
    whole = sea.found(SearchQuery(text=text, limit=100))
    more: list[str] = []
    while True:
        result = sea.search(SearchQuery(text=text, limit=7, offset=len(more)))
        more += [row.id for row in result.rows]
        if not result.more:
            break
    assert len(set(more)) == len(more)
    assert more[: len(whole)] == whole


def test_the_last_page_comes_after_all_that_is_found(store: Store) -> None:
    """What was folded into one row does not end the list early."""
    project = store.project()
    for _ in range(30):
        store.observation(project, "deploy the same thing", "as it was said before")
    for number in range(150):
        store.observation(project, f"deploy {WORDS[number % 12]}{number}", "other " * 9)
    paged: list[str] = []
    result = SearchResult((), more=True)
    while result.more:
        result = search(store.db, SearchQuery(text="deploy", limit=10, offset=len(paged)))
        paged += [row.id for row in result.rows]
    assert len(paged) == 151
    assert len(set(paged)) == 151


@pytest.mark.parametrize("name", ["useShipEffect", "ship/vessel.py", "ship-vessel", "2.3.1"])
def test_a_name_that_is_found_is_not_diluted_by_meaning(sea: Meant, name: str) -> None:
    """A reader who typed a name wants that, and no record that is somehow like it."""
    wanted = sea.store.observation(1, f"Fixed {name} today")
    for word in WORDS:
        sea.store.observation(1, f"The ship and the effect of {word}")
    sea.embed()
    before = len(sea.embedder.asked)
    result = sea.search(name)
    assert [row.id for row in result.rows] == [str(wanted)]
    assert result.backends == ("full text",)
    assert sea.embedder.asked[before:] == []


def test_a_name_that_is_not_found_is_looked_for_by_meaning(sea: Meant) -> None:
    """Better something near than nothing; and said to be no more than that."""
    record = sea.store.observation(1, "The ship left")
    sea.embed()
    result = sea.search("left-vessel")
    assert [row.id for row in result.rows] == [str(record)]
    assert result.how != "all words"


def test_what_is_far_from_the_question_is_no_hit(sea: Meant) -> None:
    """No hits is an answer, with vectors too."""
    for word in WORDS:
        sea.store.observation(1, f"About {word} and {word}1 and {word}2")
    sea.embed()
    result = sea.search("zeppelin")
    assert result.how != "meaning" or len(result.rows) < 4


def test_an_order_by_time_asks_for_no_meaning(sea: Meant) -> None:
    """Near records would stand anywhere in it."""
    sea.store.observation(1, "The ship left")
    sea.store.observation(1, "A vessel came")
    sea.embed()
    before = len(sea.embedder.asked)
    query = search_query({"query": "vessel", "orderBy": "date_desc"})
    assert sea.found(query) == ["2"]
    assert sea.embedder.asked[before:] == []


def test_words_decide_where_they_are_known(sea: Meant) -> None:
    """A record with all the words stands before one that only means the same."""
    near = [sea.store.observation(1, "vessel vessel harbour") for _ in range(1)]
    exact = sea.store.observation(1, "The ship in the harbour and what became of it later on")
    sea.embed()
    assert sea.found("ship harbour") == [str(exact), str(near[0])]


def test_neighbours_in_a_session_lift_a_record_above_its_equals(store: Store) -> None:
    """One thing is seldom told in one record."""
    project = store.project()
    session = store.session(project, "one")
    store.observation(project, "kestrel nest on the roof", session=session)
    beside = store.observation(project, "kestrel food", session=session)
    alone = store.observation(project, "kestrel song")
    ids = found(store, "kestrel nest roof food song")
    assert ids.index(str(beside)) < ids.index(str(alone))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Retry limit of the webhook sender set to 3",
            "Retry limit of the webhook sender set to 10",
        ),
        ("Use Redis for the session store", "Do not use Redis for the session store"),
        ("The flag is on in staging now", "The flag is off in staging now"),
        ("We chose parser alpha for the old files", "We chose parser beta for the old files"),
        ("Use tabs not spaces", "Use spaces not tabs"),
        ("Moved the cache from Redis to Postgres", "Moved the cache from Postgres to Redis"),
        ("Bumped lodash to 1.0.1", "Bumped lodash to 1.1.0"),
        ("Retries 3, timeout 5", "Retries 5, timeout 3"),
        ("Guard fails when count > limit", "Guard fails when count < limit"),
        ("flag == true is wrong", "flag != true is wrong"),
        ("Offset is -5", "Offset is 5"),
        ("Price is $5", "Price is €5"),
        ("CI is red on A", "CI was red on A"),
        ("Test A passes then test B fails", "Test B passes then test A fails"),
        ("Edited .env in config", "Edited env in config"),
        ("部署从北京改到上海", "部署从上海改到北京"),
    ],
)
def test_what_differs_in_a_word_that_counts_is_not_folded(
    store: Store, one: str, other: str
) -> None:
    """A figure, a negation, a name: the exact record is found, and the other one beside it."""
    project = store.project()
    first, second = (store.observation(project, text, type_="change") for text in (one, other))
    assert str(first) in found(store, one)
    assert str(second) in found(store, other)
    for text in (one, other):
        store.observation(project, "Of the kestrel", text)
    assert len(found(store, "kestrel")) == 2


@pytest.mark.parametrize(
    "other",
    [
        "Use Redis for a session store.",
        'use  Redis for the "session" store',
        "Use `Redis` for session store",
    ],
)
def test_articles_quotes_and_the_end_of_a_sentence_make_no_difference(
    store: Store, other: str
) -> None:
    """The same decision, written twice."""
    project = store.project()
    store.observation(project, "Use Redis for the session store", "as it was", type_="decision")
    newest = store.observation(project, other, "As it was.", type_="decision")
    assert found(store, "session store") == [str(newest)]


def test_neither_files_nor_what_is_worse_founded_hide_a_record(store: Store) -> None:
    """What is folded away is as good as what is shown."""
    project = store.project()
    ids = [
        store.observation(project, "Parser mended", files=("src/a.py",)),
        store.observation(project, "Parser mended", files=("lib/a.py",)),
        store.observation(project, "Parser mended", files=("src/a.py",), evidence="verified"),
    ]
    assert sorted(found(store, "parser mended")) == sorted(map(str, ids))


def test_copies_leave_room_for_what_says_something_else(store: Store) -> None:
    """Hundreds of routine records are one row, however many there are."""
    project = store.project()
    for _ in range(300):
        store.observation(project, "Read the scheduler configuration", "It was read.")
    decided = store.observation(
        project, "Scheduler", "configuration stays in one file of many words", type_="decision"
    )
    result = search(store.db, SearchQuery("scheduler configuration"))
    assert len(result.rows) == 2
    assert str(decided) in [row.id for row in result.rows]
    assert len(result.rows[0].extra["alike"]) == 299


def test_what_stands_behind_thousands_of_copies_is_found(store: Store) -> None:
    """Pages go on to the end of what matches, and the copies are counted."""
    project = store.project()
    for _ in range(1_700):
        store.observation(project, "Ran tests")
    others = [
        store.observation(project, f"Ran tests of part{number} with the coverage report")
        for number in range(30)
    ]
    seen: list[str] = []
    more = True
    while more:
        result = search(store.db, SearchQuery("ran tests", limit=10, offset=len(seen)))
        seen += [row.id for row in result.rows]
        more = result.more
    assert len(seen) == 31
    assert set(seen[1:]) == {str(one) for one in others}
    last = search(store.db, SearchQuery("ran tests", limit=50))
    assert len(last.rows[0].extra["alike"]) == 1_699
    assert "1699 more alike" in search_text(last)


def test_a_count_that_is_not_the_last_word_says_so(store: Store) -> None:
    """The page was full before all the copies were looked at."""
    project = store.project()
    for number in range(300):
        store.observation(project, "Ran tests again" if number % 10 else f"Ran tests {number}")
    result = search(store.db, SearchQuery("ran tests", limit=5))
    (row,) = (row for row in result.rows if "alike" in row.extra)
    assert f"{len(row.extra['alike'])}+ more alike" in search_text(result)


@pytest.mark.parametrize("seed", range(12))
def test_no_page_loses_or_repeats_a_row(store: Store, seed: int) -> None:
    """However copies and successors are strewn over them, each text is told once."""
    chance = random.Random(seed)
    project = store.project()
    texts = [f"deploy {word} step" for word in WORDS] + [f"deploy step {n}" for n in range(90)]
    made: dict[int, str] = {}
    for _ in range(300):
        text = chance.choice(texts)
        title = text if chance.random() < 0.5 else text.replace("deploy", "the deploy")
        made[store.observation(project, title, "again " * chance.randrange(3))] = text
    for one in chance.sample(list(made), 45):
        later = chance.choice([other for other in made if other >= one])
        store.db.execute("UPDATE observations SET superseded_by = ? WHERE id = ?", (later, one))
    whole = [row.id for row in search(store.db, SearchQuery("deploy step", limit=1_000)).rows]
    paged: list[str] = []
    alike: list[str] = []
    more = True
    while more:
        result = search(store.db, SearchQuery("deploy step", limit=20, offset=len(paged)))
        paged += [row.id for row in result.rows]
        more = result.more
    for row in search(store.db, SearchQuery("deploy step", limit=1_000)).rows:
        alike += row.extra.get("alike", [])
    assert paged == whole
    assert sorted([*paged, *alike], key=int) == sorted(map(str, made), key=int)


def test_a_successor_that_was_folded_is_told_by_what_stands_for_it(store: Store) -> None:
    """It does not come a second time."""
    project = store.project()
    middle = store.observation(project, "Cache moved away")
    first = store.observation(project, "Cache lives in Redis", superseded_by=middle)
    newest = store.observation(project, "The cache moved away")
    result = search(store.db, SearchQuery("cache"))
    assert [row.id for row in result.rows] == [str(newest), str(first)]
    assert result.rows[0].extra["alike"] == [str(middle)]
