"""Every tool against a real database: what it answers, and whose memory it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from backstory import config
from backstory.recall.context import EVIDENCE
from backstory.storage.database import Database
from backstory.tools import serve
from backstory.tools.caller import Caller
from backstory.tools.catalogue import TOOLS
from tests.tools.conftest import Client, Memory


def test_search_finds_by_words_and_says_how_to_go_on(shop: Client, memory: Memory) -> None:
    """An index row each, with the evidence sentence on top and the next step at the end."""
    text = shop("search", query="rounding cart")
    assert text.startswith(EVIDENCE)
    assert f"#{memory.ours} " in text
    assert "Fixed rounding in cart.total" in text
    assert "get_observations" in text


def test_search_and_timeline_without_arguments_show_the_newest(shop: Client) -> None:
    """F13: no argument is no error."""
    assert "Fixed rounding in cart.total" in shop("search")
    assert "Fixed rounding in cart.total" in shop("timeline")
    assert "Fixed rounding in cart.total" in shop("search", query="", limit=None)


def test_dates_bound_a_search_with_words(shop: Client) -> None:
    """F7, F8: the right names work, and the wrong ones never pass unseen."""
    assert "No records" in shop("search", query="rounding", dateEnd="2001-01-01")
    assert "cart.total" in shop("search", query="rounding", dateStart="2001-01-01")
    assert "did you mean dateStart?" in shop.error("search", query="x", date_from="2026-07-10")
    assert "ISO date" in shop.error("search", dateStart="yesterday")


def test_a_file_is_found_by_its_absolute_path(shop: Client, memory: Memory) -> None:
    """F17: records hold paths relative to the project."""
    assert "cart.total" in shop("search", query=str(memory.shop / "src/cart.py"))


def test_timeline_goes_around_an_id_or_a_query(shop: Client, memory: Memory) -> None:
    """Prompts, observations and summaries in one order, the anchor marked."""
    text = shop("timeline", anchor=memory.ours)
    assert f"→ #{memory.ours} " in text
    assert "Why is the cart wrong?" in text
    assert f"→ #{memory.ours} " in shop("timeline", query="rounding", depth_before=0)


def test_records_come_in_full_with_their_evidence(shop: Client, memory: Memory) -> None:
    """F14: ids as numbers, as text, or as a list in text."""
    for ids in ([memory.ours], str(memory.ours), f"[{memory.ours}]", memory.ours):
        text = shop("get_observations", ids=ids)
        assert text.startswith(EVIDENCE)
        assert "The cart rounded twice." in text
        assert "src/cart.py" in text
        assert f"{memory.our_use} Bash" in text


def test_raw_tool_calls_come_by_either_id(shop: Client, memory: Memory) -> None:
    """Ours or the host's."""
    for id_ in (memory.our_use, "toolu_cart"):
        text = shop("get_tool_uses", ids=[id_])
        assert "pytest cart" in text
        assert "1 failed" in text


def test_the_session_context_can_be_read_again(shop: Client) -> None:
    """In full it ends with the last turns."""
    assert "Fixed rounding in cart.total" in shop("session_start_context")
    full = shop("session_start_context", full=True)
    assert "Completed: Fixed." in full
    assert "get_tool_uses" in shop("important_workflow")


def test_exact_words_are_saved_once_and_found(shop: Client, memory: Memory) -> None:
    """The second saving says which record holds them."""
    words = "Prices are kept in cents, always: поиск, 検索."
    path = str(memory.shop / "src/price.py")
    said = shop("save_memory", content=words, title="Prices in cents", files=[path])
    assert said.startswith("Saved as #")
    id_ = said.split("#")[1].split(",")[0]
    assert f"#{id_}" in shop("save_memory", content=words)
    text = shop("get_observations", ids=[id_])
    assert words in text
    assert "src/price.py" in text
    assert str(memory.shop) not in text
    assert "Prices in cents" in shop("search", query="cents")


def test_a_full_disk_is_named(shop: Client, database: Database) -> None:
    """What to do is said, in the words of the disk and not of the database."""
    pages = database.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    database.write(lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchall())
    said = shop.error("save_memory", content="words " * 600)
    assert "the disk is full" in said
    assert "make room" in said
    database.write(lambda db: db.execute("PRAGMA max_page_count = 1000000").fetchall())
    assert shop("save_memory", content="words " * 600).startswith("Saved as #")


def test_saving_refuses_what_it_cannot_keep(shop: Client) -> None:
    """With the reason."""
    assert "empty" in shop.error("save_memory", content="  ")
    assert "bugfix" in shop.error("save_memory", content="x", type="nonsense")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "bulb"}),
        ("search", {"query": "rounding", "limit": 100}),
        ("search", {"type": "prompts"}),
        ("search", {"type": "sessions"}),
        ("search", {"obs_type": "bugfix"}),
        ("timeline", {"depth_before": 20, "depth_after": 20}),
        ("timeline", {"query": "rounding"}),
        ("session_start_context", {"full": True}),
    ],
)
def test_another_projects_memory_is_not_shown_unasked(
    shop: Client, name: str, arguments: dict[str, object]
) -> None:
    """F10: the default is the current project, on every path."""
    assert "bulb" not in shop(name, **arguments).replace('"bulb"', "")


def test_ids_of_another_project_are_refused_without_what_they_hold(
    shop: Client, memory: Memory
) -> None:
    """F10: that it is another project's is all that is told."""
    refusals = [
        shop.error("get_observations", ids=[memory.theirs]),
        shop.error("get_tool_uses", ids=[memory.their_use]),
        shop.error("get_tool_uses", ids=["toolu_bulb"]),
        shop.error("timeline", anchor=memory.theirs),
    ]
    for text in refusals:
        assert "another project" in text
        assert "bulb" not in text.replace("toolu_bulb", "")
    mixed = shop("get_observations", ids=[memory.ours, memory.theirs])
    assert "cart" in mixed
    assert "bulb" not in mixed


def test_naming_another_project_opens_it(shop: Client, memory: Memory) -> None:
    """The host asked the user before such a call came here."""
    for named in ("lamp", str(memory.lamp)):
        assert "bulb.total" in shop("search", query="rounding", project=named)
        assert "bulb" in shop("get_observations", ids=[memory.theirs], project=named)
        assert "bulb" in shop("get_tool_uses", ids=[memory.their_use], project=named)
        assert "bulb" in shop("timeline", anchor=memory.theirs, project=named)
    both = shop("session_start_context", projects=["shop", "lamp"])
    assert "cart.total" in both
    assert "bulb.total" in both
    assert "no project 'attic'" in shop.error("search", project="attic")
    assert "one of the two" in shop.error("session_start_context", project="a", projects=["lamp"])


def test_a_namesake_is_never_taken_for_the_current_project(
    database: Database, tmp_path: Path
) -> None:
    """Our hook lets a call that names the current project run unasked: the name alone decides
    nothing.
    """
    namesake = tmp_path / "elsewhere/lamp"
    namesake.mkdir(parents=True)
    client = Client(database, namesake)
    assert "Nothing is stored" in client("search", query="rounding", project="lamp")
    assert "Nothing is stored" in client("session_start_context", project="lamp")


def test_a_project_without_memory_is_no_error(
    database: Database, memory: Memory, tmp_path: Path
) -> None:
    """It says so, and keeps what it is asked to; ids of others stay closed."""
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    client = Client(database, fresh)
    for name in ("search", "timeline", "session_start_context"):
        assert "Nothing is stored for this project (fresh) yet" in client(name)
    assert "another project" in client.error("get_observations", ids=[memory.ours])
    assert client("save_memory", content="The first words.").startswith("Saved as #")
    assert "The first words" in client("search")


def test_before_anything_is_stored_the_tools_say_so(tmp_path: Path) -> None:
    """No database yet."""
    client = Client(Database(tmp_path / "backstory.db"), tmp_path)
    assert "Nothing is stored" in client("search", query="x")
    assert "Nothing is stored" in client("timeline")


def test_a_caller_without_a_folder_must_name_a_project(database: Database, memory: Memory) -> None:
    """Otherwise it would be shown everything, or the worker's own folder."""
    client = Client(database, Path("relative"))
    assert "project=" in client.error("search", query="rounding")
    assert "project=" in client.error("save_memory", content="x")
    assert "cart.total" in client("search", query="rounding", project="shop")


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_a_store_that_cannot_be_read_is_an_error_and_never_an_empty_success(
    tmp_path: Path, memory: Memory, tool: object
) -> None:
    """K11: an answer is never empty, and a failure is never no hits."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "backstory.db").write_bytes(b"no database at all" * 100)
    name = getattr(tool, "name", "")
    if name == "important_workflow" or name.startswith("smart_"):  # they read no memory
        return
    client = Client(Database(broken / "backstory.db"), memory.shop)
    given: dict[str, dict[str, object]] = {
        "mem_search": {"query": "x"},
        "get_observations": {"ids": [1]},
        "get_tool_uses": {"ids": [1]},
        "save_memory": {"content": "x"},
    }
    text = client.error(name, **given.get(name, {}))
    assert "Error: " in text
    assert "Traceback" not in text


def test_a_call_past_its_deadline_is_stopped_and_says_so(
    database: Database, memory: Memory
) -> None:
    """K12: SQLite itself is interrupted, so the thread is free again."""
    settings = config.load(memory.home)
    caller = Caller(database, settings, cwd=str(memory.shop), deadline=0.0)
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(Exception, match="interrupted"):
        caller.read(lambda db: db.execute(forever).fetchone())
    found = serve.answer("get_observations", {"ids": [999]}, caller)
    assert found.is_error
    assert "took longer than 30 s" in found.text
    assert database.read(lambda db: db.execute("SELECT 1").fetchone()) == (1,)


def test_no_answer_is_longer_than_the_host_shows(shop: Client, database: Database) -> None:
    """K12: cut at 50,000 characters, and marked."""
    ids = [
        shop("save_memory", content=f"{number} " + "word " * 790).split("#")[1].split(",")[0]
        for number in range(20)
    ]
    text = shop("get_observations", ids=ids)
    assert len(text) <= serve.CHARACTERS
    assert "get_observations gives: " in text


def test_what_a_limit_leaves_out_is_named(database: Database, shop: Client, memory: Memory) -> None:
    """An id that was asked for is never dropped in silence."""
    ids = [str(memory.ours), "s1", "p1"]
    assert "Left out by limit: s1, p1." in shop("get_observations", ids=ids, limit=1)
    assert "Left out" not in shop("get_observations", ids=ids, limit=3)
    assert "Left out" not in shop("get_tool_uses", ids=[memory.our_use], limit=1)
