"""An index stays true whatever happens to the files."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from backstory.codenav import index, indexing
from backstory.codenav.answer import Request
from backstory.codenav.permissions import NO_RULES, rules_for
from backstory.codenav.query import understood
from backstory.codenav.renewing import Renewal
from backstory.codenav.search import Search
from backstory.codenav.view import view_of
from backstory.codenav.workspace import drop_old, search, touch
from tests.codenav.searching import Workspace, workspace
from tests.support.home import until

FILES = {
    "cart.py": "class Cart:\n    def total(self):\n        return 1\n",
    "order.py": "def place_order(cart):\n    return cart.total()\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    return workspace(tmp_path, FILES)


def test_a_new_file_is_found(project: Workspace) -> None:
    """At the next call, without being told."""
    project.write({"new.py": "def brand_new(): pass\n"})
    assert project.names("brand_new") == ["brand_new"]
    assert view_of(str(project.root), project.home).unread == {}


def test_a_changed_file_is_read_again(project: Workspace) -> None:
    """What it said before is found no more, its new lines are."""
    project.write({"cart.py": "\n\ndef renamed():\n    pass\n"})
    assert "Cart.total" not in project.names("total")
    assert [(hit.start_line, hit.end_line) for hit in project.symbols("renamed")] == [(3, 4)]


def test_a_deleted_file_is_gone(project: Workspace) -> None:
    """From symbols, files and lines."""
    (project.root / "cart.py").unlink()
    assert "cart.py" not in project.files("Cart")
    assert "cart.py" not in project.files("cart.py")
    assert "cart.py" not in project.files('"def total"')


def test_a_renamed_file_is_found_under_its_new_name(project: Workspace) -> None:
    """Once, and not under the old one."""
    (project.root / "cart.py").rename(project.root / "basket.py")
    assert [hit.file for hit in project.symbols("Cart.total")] == ["basket.py"]


def test_another_branch_is_another_answer(project: Workspace) -> None:
    """There and back."""
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    project.git("checkout", "-qb", "other")
    project.write({"cart.py": "def only_there(): pass\n"})
    project.git("commit", "-qam", "two")
    assert project.names("only_there") == ["only_there"]
    project.git("checkout", "-q", "-")
    assert project.names("only_there") == []
    assert project.names("Cart") == ["Cart"]


def test_a_file_that_was_only_touched_is_not_read_again(project: Workspace) -> None:
    """Its digest says that it is the same; its row stays."""
    view = view_of(str(project.root), project.home)
    project.search("Cart")
    before = view.known["cart.py"]
    os.utime(project.root / "cart.py", (1, 1))
    project.search("Cart")
    assert view.known["cart.py"].id == before.id
    assert view.known["cart.py"].mtime_ns > before.mtime_ns  # when that was done


def test_many_changes_are_looked_through_at_once(project: Workspace) -> None:
    """The child reads them later; the answer does not wait for it."""
    project.write({f"n{n}.py": f"def added_{n}(): pass\n" for n in range(100)})
    assert project.names("added_77")[0] == "added_77"
    (project.root / "n77.py").unlink()
    assert "added_77" not in project.names("added_77")


def test_a_first_search_answers_from_the_files(tmp_path: Path) -> None:
    """And says that the index is being built."""
    project = workspace(tmp_path, FILES, indexed=False)
    answer = project.search("place_order")
    assert answer.hits[0].qualified_name == "place_order"
    assert not answer.complete
    assert "the index is being built" in answer.notes[0]


def test_the_child_makes_the_index_complete(tmp_path: Path) -> None:
    """Started by the first search; the next ones rest on it."""
    project = workspace(tmp_path, FILES, indexed=False)
    project.search("Cart")
    for child in list(indexing._started.values()):
        child.wait(60)
    answer = project.search("Cart.total")
    assert answer.complete
    assert answer.notes == ()
    assert answer.hits[0].qualified_name == "Cart.total"


def test_two_children_do_not_disturb_each_other(tmp_path: Path) -> None:
    """The second one finds the lock taken, or nothing to do."""
    project = workspace(tmp_path, {f"n{n}.py": f"def f{n}(): pass\n" for n in range(50)})
    index.drop(index.path_of(str(project.root), project.home))
    children = []
    for _ in range(3):
        indexing.start_child(str(project.root), project.home)
        children.append(indexing._started.pop((str(project.root), str(project.home))))
    for child in children:
        assert child.wait(60) == 0
    assert project.names("f33")[0] == "f33"


KILLED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from backstory.codenav import indexing
read, files = indexing._renew, []
def count(*arguments):
    files.append(arguments)
    if len(files) > 30:
        os._exit(9)
    read(*arguments)
indexing._renew = count
indexing.main(*sys.argv[2:])
"""


def test_a_killed_child_leaves_an_index_that_can_be_finished(tmp_path: Path) -> None:
    """It is no complete one, and the next child finishes it."""
    files = {f"n{n}.py": f"def f{n}(): pass\n" for n in range(60)}
    project = workspace(tmp_path, files, indexed=False)
    arguments = [indexing._SOURCES, str(project.root), str(project.home)]
    child = subprocess.run([sys.executable, "-I", "-c", KILLED, *arguments])
    assert child.returncode == 9
    assert project.names("f55")[0] == "f55"
    project.index()
    answer = project.search("f55")
    assert answer.complete
    assert answer.hits[0].qualified_name == "f55"


def test_an_index_that_cannot_be_written_is_a_note(project: Workspace) -> None:
    """A full disk, say; the files that changed are looked through instead."""
    project.search("Cart")
    lock = index.path_of(str(project.root), project.home).with_suffix(".lock")
    lock.unlink()
    lock.mkdir()
    project.write({"new.py": "def brand_new(): pass\n"})
    answer = project.search("brand_new")
    assert answer.hits[0].qualified_name == "brand_new"
    assert "could not be brought up to date" in answer.notes[-1]


def test_a_written_file_is_known_at_once(project: Workspace) -> None:
    """Where an event told of it."""
    project.search("Cart")
    project.write({"cart.py": "def told(): pass\n"})
    touch(str(project.root / "cart.py"), project.home)
    view = view_of(str(project.root), project.home)
    assert view.known["cart.py"].size == len("def told(): pass\n")
    (project.root / "cart.py").unlink()
    touch(str(project.root / "cart.py"), project.home)
    assert "cart.py" not in view.known


def test_files_that_events_tell_of_are_renewed_beside(project: Workspace) -> None:
    """Who tells does not wait for it."""
    project.search("Cart")
    view = view_of(str(project.root), project.home)
    project.write({"cart.py": "def told(): pass\n", "new.py": "def more(): pass\n"})
    renewal = Renewal(project.home)
    renewal.written(str(project.root / name) for name in ("cart.py", "new.py", "gone.py"))
    renewal.settle(30)
    assert view.known["cart.py"].size == len("def told(): pass\n")
    assert "new.py" in view.known


def test_a_touch_of_what_nobody_indexed_is_harmless(tmp_path: Path) -> None:
    """Most events are of such files."""
    touch(str(tmp_path / "nothing.py"), tmp_path)
    touch("", tmp_path)


def test_indexes_that_nobody_uses_are_dropped(project: Workspace, tmp_path: Path) -> None:
    """After 90 days, or when the workspace is gone; others stay."""
    project.search("Cart")
    assert drop_old(project.home) == 0
    mark = index.path_of(str(project.root), project.home).with_suffix(".used")
    long_ago = time.time() - 91 * 86_400
    os.utime(mark, (long_ago, long_ago))
    os.utime(index.path_of(str(project.root), project.home), (long_ago, long_ago))
    project.close()
    assert drop_old(project.home) == 1
    project.index()
    project.root.rename(tmp_path / "elsewhere")
    assert drop_old(project.home) == 1
    assert list((project.home / "code").iterdir()) == []


def test_files_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    """By the reason."""
    project = workspace(
        tmp_path,
        {"a.py": "def f(): pass\n", "b.py": b"\0\1\2\3" * 500, "c.min.js": "x", "d.lock": "x"},
    )
    skipped = project.search("f").counts.skipped
    assert skipped["binary"] == 1
    assert skipped["minified"] == 1


def test_what_the_rules_deny_is_no_answer(tmp_path: Path) -> None:
    """G5: also where it was indexed before the rule was there."""
    project = workspace(
        tmp_path, {"private/a.py": "def hidden(): pass\n", "b.py": "x = hidden()\n"}
    )
    assert project.names("hidden") == ["hidden"]
    project.write({".claude/settings.json": '{"permissions": {"deny": ["Read(./private/**)"]}}'})
    rules = rules_for((str(project.root),), str(project.root))
    answer = project.search("hidden", rules=rules)
    assert {hit.file for hit in answer.hits} == {"b.py"}
    assert answer.counts.skipped["denied by your rules"] == 1
    assert project.search("hidden", rules=NO_RULES).hits[0].file == "private/a.py"


BEGINS_AGAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from backstory.codenav import indexing
indexing._MEMORY_KEPT = 1
indexing._BATCH_S = 0
indexing.main(*sys.argv[2:])
"""


def test_a_child_that_took_much_memory_begins_again(tmp_path: Path) -> None:
    """Each time it comes further, until the index is complete."""
    files = {f"n{n}.py": f"def f{n}(): pass\n" for n in range(6)}
    project = workspace(tmp_path, files, indexed=False)
    arguments = [indexing._SOURCES, str(project.root), str(project.home)]
    child = subprocess.run([sys.executable, "-I", "-c", BEGINS_AGAIN, *arguments], timeout=60)
    assert child.returncode == 0
    assert project.search("f5").complete


def test_a_folder_that_cannot_be_listed_in_time_is_answered_from_its_index(tmp_path: Path) -> None:
    """What was not listed is not taken for deleted; the answer says that it may not be all."""
    made = workspace(tmp_path, {f"f{at:03}.py": f"def name_{at}(): ...\n" for at in range(400)})
    request = Request("name_399")
    answer = search(request, roots=(str(made.root),), home=made.home, deadline=0.0)
    assert [hit.file for hit in answer.hits if hit.what == "symbol"] == ["f399.py"]
    assert not answer.complete
    assert "there was time to list 255 files" in answer.notes[0]
    made.close()


def test_rules_hold_for_what_was_not_listed_in_time(tmp_path: Path) -> None:
    """K: an index holds what a new rule denies; a cut listing does not let it through."""
    made = workspace(tmp_path, {f"f{at:03}.py": f"def name_{at}(): ...\n" for at in range(400)})
    (made.root / ".claude").mkdir()
    settings = made.root / ".claude" / "settings.json"
    settings.write_text('{"permissions": {"deny": ["Read(f399.py)"]}}')
    root = str(made.root)
    rules = rules_for((root,), root)
    answer = search(Request("name_399"), roots=(root,), home=made.home, rules=rules, deadline=0.0)
    assert not [hit for hit in answer.hits if hit.file == "f399.py"]
    made.close()


def test_an_index_that_cannot_be_kept_is_told_and_not_tried_all_the_time(tmp_path: Path) -> None:
    """A data directory that is no folder, say: the files are looked through."""
    project = workspace(tmp_path, {"a.py": "def found(): pass\n"}, indexed=False)
    project.home.write_text("")
    project.search("found")

    def has_ended() -> bool:
        indexing.start_child(str(project.root), project.home)  # starts none where one has failed
        return indexing.has_failed(str(project.root), project.home)

    until(has_ended, "the end of the indexing")
    answer = project.search("found")
    assert answer.hits[0].qualified_name == "found"
    assert "no index can be kept" in answer.notes[0]


def test_an_index_that_another_program_locks_is_done_without(project: Workspace) -> None:
    """And the answer says so; it is in use again as soon as the lock is gone."""
    path = index.path_of(str(project.root), project.home)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    for _ in range(2):  # unopened, and then known to be so
        answer = project.search("Cart")
        assert answer.hits[0].qualified_name == "Cart"
        assert not answer.complete
        assert answer.notes == (
            "another program keeps the index locked: files are looked through instead",
        )
    assert drop_old(project.home) == 0  # it is no damaged one
    other.execute("COMMIT")
    other.close()
    answer = project.search("Cart")
    assert (answer.complete, answer.notes) == (True, ())


def test_changes_that_cannot_be_written_for_a_lock_are_looked_through(project: Workspace) -> None:
    """Another program writes: what is in the index still answers."""
    other = sqlite3.connect(index.path_of(str(project.root), project.home), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    project.write({"new.py": "def brand_new(): pass\n"})
    answer = project.search("brand_new")
    assert answer.hits[0].qualified_name == "brand_new"
    assert "another program keeps it locked" in answer.notes[0]
    other.close()
    assert not project.search("brand_new").notes


def test_no_first_question_waits_for_the_work_of_another(tmp_path: Path) -> None:
    """While one looks through the files of a workspace that is not indexed, others may begin."""
    made = workspace(tmp_path, FILES, indexed=False)
    view = view_of(str(made.root), made.home)
    free = []

    def begin() -> None:
        free.append(view.lock.acquire(blocking=False))
        if free[-1]:
            view.lock.release()

    class Watched(Search):
        def read(self, path: str) -> bytes | None:
            thread = threading.Thread(target=begin)
            thread.start()
            thread.join()
            return super().read(path)

    request = Request("place_order")
    asked = understood(request.query)
    part = Watched(view, request, asked, NO_RULES, time.monotonic() + 5).run()
    assert [one.name for one in part.symbols] == ["place_order"]
    assert free
    assert all(free)
    made.close()


def test_who_waited_for_a_look_at_the_disk_takes_it(project: Workspace) -> None:
    """It is new enough for those that were asked before it began, and for no others."""
    view = view_of(str(project.root), project.home)
    before = time.monotonic()
    view.refresh(NO_RULES, before + 5, before)
    seen = view.listing
    view.refresh(NO_RULES, before + 5, before)
    assert view.listing is seen
    view.refresh(NO_RULES, before + 5, time.monotonic())
    assert view.listing is not seen
