"""One filter builder behind every door: words, no words, meaning; HTTP, tools, command line."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from backstory import cli, project
from backstory.errors import BadInput
from backstory.recall.query import search_query
from backstory.recall.search import search
from backstory.storage import projects
from backstory.tools import serve
from backstory.tools.caller import Caller
from backstory.web import api
from tests.recall.conftest import Meant, Store
from tests.support.embedding import HashedWords

DAY = 86_400_000
MARCH_10 = 1_773_100_800_000  # midnight, UTC
ODD = 'src/50%_off/[x] it\'s "q".py'
TEXTS = ("deploy", "", "ship")  # by words, the newest, by meaning alone

# What passes one filter, by the names of the records below.
FILTERS: list[tuple[dict[str, Any], str]] = [
    ({}, "login logout odd plain saved turn1 turn2 asked1 asked2"),
    ({"type": "bugfix"}, "login"),
    ({"type": "observations"}, "login logout odd plain saved"),
    ({"type": "sessions"}, "turn1 turn2"),
    ({"type": "prompts"}, "asked1 asked2"),
    ({"type": "memories"}, "saved"),
    ({"obs_type": "decision,change"}, "logout odd plain saved"),
    ({"concept": "gotcha"}, "login"),
    ({"concept": "pattern,gotcha"}, "login logout"),
    ({"file": "src/auth/login.py"}, "login"),
    ({"file": "login.py"}, "login"),
    ({"file": "auth/login.py"}, "login"),
    ({"file": "src/auth"}, "login logout"),
    ({"file": "src/auth/"}, "login logout"),
    ({"file": "auth"}, "login logout"),
    ({"file": "./src/auth/login.py"}, "login"),
    ({"file": "src\\auth\\login.py"}, "login"),
    ({"file": "ogin.py"}, ""),
    ({"file": "src/au"}, ""),
    ({"file": "%"}, ""),
    ({"file": "src/_"}, ""),
    ({"file": "src/50%_off"}, "odd"),
    ({"file": ODD}, "odd"),
    ({"file": '[x] it\'s "q".py'}, "odd"),
    ({"file": "src/50XYoff"}, "plain"),
    ({"branch": "main"}, "login logout turn1 asked1"),
    ({"branch": "feature/x,y"}, "odd plain turn2 asked2"),
    ({"branch": "feature/x"}, ""),
    ({"session": "alpha-1111"}, "login logout turn1 asked1"),
    ({"session": "alpha"}, "login logout turn1 asked1"),
    ({"session": "1111"}, ""),
    ({"session": "%"}, ""),
    ({"agent": "Explore"}, "logout"),
    ({"agent": "main"}, "login odd plain saved"),
    ({"platformSource": "codex"}, "odd plain turn2 asked2"),
    ({"dateStart": "2026-03-11"}, "logout odd plain saved turn2 asked2"),
    ({"dateEnd": "2026-03-11"}, "login logout turn1 asked1"),
    ({"dateStart": "2026-03-11", "dateEnd": "2026-03-11"}, "logout"),
    ({"dateStart": "2026-03-12T02:00+02:00"}, "odd plain saved turn2 asked2"),
    ({"dateEnd": "2026-03-11T21:00-03:00"}, "login logout plain turn1 asked1"),
]


@dataclass(frozen=True)
class World:
    """Records that all tell of deploying, one of each sort, and another project's."""

    meant: Meant
    home: Path
    shop: Path
    names: dict[str, str]  # id: name

    def named(self, ids: list[str]) -> str:
        """The names of these, in the order of their making."""
        assert len(set(ids)) == len(ids)
        return " ".join(name for id_, name in self.names.items() if id_ in ids)


@pytest.fixture
def world(tmp_path: Path, meant: Meant) -> World:
    """The records of two projects."""
    meant.embedder.synonyms["ship"] = "deploy"
    store, shop, lamp = meant.store, tmp_path / "shop", tmp_path / "lamp"
    ids: dict[str, str] = {}
    for folder in (shop, lamp):
        folder.mkdir()
        owner = projects.find_or_add(store.db, project.resolve(str(folder)), 0)
        made = dict(_records(store, owner, str(folder)[-4:]))
        ids |= {id_: name for name, id_ in made.items()} if folder == shop else {}
    meant.embed()
    return World(meant, tmp_path, shop, ids)


def _records(store: Store, owner: int, tag: str) -> Iterator[tuple[str, str]]:
    alpha = store.session(owner, f"alpha-1111-{tag}", branch="main")
    beta = store.session(owner, f"beta-2222-{tag}", platform="codex", branch="feature/x,y")
    old = {"session": alpha, "branch": "main"}
    new = {"session": beta, "branch": "feature/x,y", "type_": "change"}
    at = MARCH_10

    def add(name: str, title: str, **more: Any) -> tuple[str, str]:
        return name, str(store.observation(owner, f"deploy {title}", **more))

    files: tuple[str, ...] = ("src/auth/login.py",)
    yield add("login", "login", at=at, files=files, type_="bugfix", concepts=("gotcha",), **old)
    files = ("src/auth/logout.py", "docs/leave.md")
    both = ("trade-off", "pattern")
    later = at + DAY
    yield add(
        "logout",
        "logout",
        at=later,
        files=files,
        type_="decision",
        concepts=both,
        agent_type="Explore",
        **old,
    )
    yield add("odd", "prices", at=at + 3 * DAY, files=(ODD,), **new)
    yield add("plain", "costs", at=at + 2 * DAY, files=("src/50XYoff/x.py",), **new)
    yield add("saved", "fridays", at=at + 4 * DAY, type_="decision", distilled_by="user")
    first = store.prompt(owner, alpha, "deploy morning", at=at)
    second = store.prompt(owner, beta, "deploy evening", at=at + 3 * DAY)
    turns = (("turn1", alpha, first, at, "carts"), ("turn2", beta, second, at + 3 * DAY, "lamps"))
    for name, session, prompt, when, word in turns:
        made = store.summary(owner, session, prompt, request=f"deploy {word}", at=when)
        yield name, f"s{made}"
    yield "asked1", f"p{first}"
    yield "asked2", f"p{second}"


Door = Callable[[World, dict[str, Any]], list[str]]


def by_engine(world: World, given: dict[str, Any]) -> list[str]:
    """The one search, as every door calls it."""
    (owner,) = world.meant.store.db.execute(
        "SELECT id FROM projects WHERE root = ?", (str(world.shop),)
    ).fetchone()
    query = search_query(given, project_ids=(owner,), roots=(str(world.shop),))
    return world.meant.found(query)


def by_http(world: World, given: dict[str, Any]) -> list[str]:
    """The route, without the guard before it."""
    backend = api.Backend(
        database=world.meant.database,
        health=dict,
        status=dict,
        flush=no_flush,
        stop=no_stop,
        outdated=bool,
        forget=lambda db, body: {},
        mcp=Starlette(),
        settings=str,
        nearest=world.meant.meaning.nearest,
    )
    address = "/api/search?" + urlencode({**given, "cwd": str(world.shop)})
    answer = TestClient(api.app(backend)).get(address)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["rows"]]


def no_stop() -> None:
    """Nobody stops it here."""


async def no_flush(*_: object) -> dict[str, Any]:
    """Nobody flushes here."""
    raise AssertionError


def by_tool(world: World, given: dict[str, Any]) -> list[str]:
    """The tool `search`."""
    caller = Caller(
        world.meant.database,
        world.meant.settings,
        cwd=str(world.shop),
        nearest=world.meant.meaning.nearest,
    )
    answer = serve.answer("search", given, caller)
    assert not answer.is_error, answer.text
    return re.findall(r"^#([sp]?\d+) ", answer.text, re.MULTILINE)


DOORS: list[Door] = [by_engine, by_http, by_tool]


@pytest.mark.parametrize("door", DOORS)
def test_a_filter_lets_the_same_records_pass_at_every_door(world: World, door: Door) -> None:
    """F7, F10, F17: with words, without, and by meaning alone."""
    for given, wanted in FILTERS:
        for text in TEXTS:
            found = world.named(door(world, {**given, "query": text}))
            assert found == wanted, (given, text)


def test_two_filters_let_pass_what_passes_each(world: World) -> None:
    """Whichever two they are."""
    singles = {
        json.dumps(given): set(wanted.split()) for given, wanted in FILTERS if given and wanted
    }
    for one, other in itertools.combinations(singles, 2):
        both = json.loads(one) | json.loads(other)
        if len(both) < len(json.loads(one)) + len(json.loads(other)):
            continue  # one name has one value
        if {"type", "obs_type"} <= both.keys():
            continue  # two names of one filter
        for text in TEXTS:
            try:
                found = by_engine(world, {**both, "query": text})
            except BadInput as error:
                assert re.search("only observations|is after", error.message)  # noqa: PT017
                continue
            wanted = singles[one] & singles[other]
            assert set(world.named(found).split()) == wanted, (both, text)


def test_an_absolute_path_below_the_project_is_the_relative_one(world: World) -> None:
    """F17: at every door; the root itself is no filter, and is refused as one."""
    for door in DOORS:
        path = f"{world.shop}/src/auth/login.py"
        assert world.named(door(world, {"file": path})) == "login"
        assert world.named(door(world, {"file": f"{world.shop}/src/auth"})) == "login logout"
        assert world.named(door(world, {"file": f"{world.shop}-2/src/auth/login.py"})) == ""
    for path in (str(world.shop), f"{world.shop}/", "/", "."):
        with pytest.raises(BadInput, match="below the project's folder"):
            by_engine(world, {"file": path})


def test_lists_are_taken_where_texts_hold_commas(world: World) -> None:
    """A branch and a path may have one; concepts and types never do."""
    given = {"branch": ["main", "feature/x,y"], "concept": ["gotcha", "pattern"]}
    assert world.named(by_engine(world, given)) == "login logout"
    both = {"file": ["login.py", ODD]}
    assert world.named(by_engine(world, both)) == "login odd"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"concpt": "gotcha"}, "concept"),
        ({"flie": "a.py"}, "file"),
        ({"branche": "main"}, "branch"),
        ({"sesion": "a"}, "session"),
        ({"agnet": "main"}, "agent"),
        ({"dateStrat": "2026-03-10"}, "dateStart"),
        ({"platfromSource": "codex"}, "platformSource"),
    ],
)
def test_an_unknown_filter_is_refused_with_the_nearest(
    world: World, given: dict[str, Any], name: str
) -> None:
    """F8: never ignored, at any door."""
    with pytest.raises(BadInput) as caught:
        by_engine(world, given)
    assert f"did you mean {name}?" in caught.value.hint
    with pytest.raises(AssertionError, match=f"did you mean {name}"):
        by_http(world, given)
    with pytest.raises(AssertionError, match=f"did you mean {name}"):
        by_tool(world, given)


OPTIONS = {
    "concept": "--concept",
    "file": "--file",
    "branch": "--branch",
    "session": "--session",
    "agent": "--agent",
    "platformSource": "--platform",
    "dateStart": "--since",
    "dateEnd": "--until",
    "type": "--type",
    "obs_type": "--type",
}


def test_the_command_line_has_the_same_filters(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By words and without them."""
    monkeypatch.setenv("BACKSTORY_HOME", str(world.home))
    monkeypatch.chdir(world.shop)
    for given, wanted in FILTERS:
        options = [f"{OPTIONS[name]}={value}" for name, value in given.items()]
        for words in (["deploy"], []):
            assert cli.main(["search", *words, *options, "--json"]) == 0
            rows = json.loads(capsys.readouterr().out)["rows"]
            assert world.named([row["id"] for row in rows]) == wanted, given


def test_few_that_pass_are_found_by_meaning_behind_many_nearer_ones(
    meant: Meant, embedder: HashedWords
) -> None:
    """A filter is applied before ranking: 900 nearer records that it keeps out hide nothing."""
    embedder.synonyms["ship"] = "deploy"
    store, owner = meant.store, meant.store.project()
    wanted = store.observation(owner, "deploy among other words of this", files=("rare.py",))
    for number in range(900):
        store.observation(owner, "deploy", files=(f"often{number}.py",))
    meant.embed()
    query = search_query({"query": "ship", "file": "rare.py"}, project_ids=(owner,))
    result = meant.search(query)
    assert [row.id for row in result.rows] == [str(wanted)]
    assert result.how == "meaning"


def test_another_projects_nearer_records_hide_nothing(meant: Meant, embedder: HashedWords) -> None:
    """F10: the project counts before what is nearest is cut."""
    embedder.synonyms["ship"] = "deploy"
    store = meant.store
    ours, theirs = store.project("ours"), store.project("theirs")
    wanted = store.observation(ours, "deploy among other words of this")
    for number in range(900):
        store.observation(theirs, "deploy", f"n{number}")
    meant.embed()
    assert meant.found(search_query({"query": "ship"}, project_ids=(ours,))) == [str(wanted)]
    assert len(meant.found(search_query({"query": "ship", "limit": 100}))) > 1


def test_a_narrow_search_of_many_hits_is_filtered_before_it_is_cut(store: Store) -> None:
    """The one record of a branch is found among 300 with better words."""
    owner = store.project()
    wanted = store.observation(owner, "cart", "deploy " + "other words " * 20, branch="rare")
    for number in range(300):
        store.observation(owner, f"deploy {number}", branch="often")
    query = search_query({"query": "deploy", "branch": "rare"}, project_ids=(owner,))
    assert [row.id for row in search(store.db, query).rows] == [str(wanted)]
