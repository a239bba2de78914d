"""What the plugin leaves alone: the project, the client's own folder, a script's output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import call, text
from tests.e2e.distilled import status
from tests.e2e.home import ROOT, Home
from tests.e2e.shop import files_of, make_shop
from tests.e2e.story import ALLOWED, fix_the_cart, fixing

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome

# what the client itself writes for any plugin, and its own records of a session
OF_PLUGINS = (".claude/plugins/", ".claude/settings.json", ".cache/claude-cli-nodejs/")


def test_nothing_is_written_into_the_project(home: Home, shop: Path) -> None:
    """I1: a session that only reads leaves every byte as it was, in .git too."""
    before = files_of(shop)
    turns = [[call("Read", file_path=str(shop / "shop/cart.py"))], [text("It is a cart.")]]
    home.run("What is this?", cwd=shop, turns=turns)
    home.run("And again?", cwd=shop)
    home.drain()
    assert files_of(shop) == before


def test_a_session_that_edits_changes_its_file_and_nothing_else(home: Home, shop: Path) -> None:
    """I1: the client's own edit is the only difference."""
    before = files_of(shop)
    fix_the_cart(home, shop)
    home.drain()
    after = files_of(shop)
    assert {name for name in before | after if before.get(name) != after.get(name)} == {
        "shop/cart.py"
    }


def test_the_client_s_folder_gains_only_what_any_plugin_brings(
    make_home: MakeHome, tmp_path: Path
) -> None:
    """I1: the same session with and without the plugin, compared file by file."""
    places = {}
    for name in ("with", "without"):
        home = make_home()
        if name == "with":
            home.install(ROOT)
        shop = make_shop(tmp_path / name / "shop")
        fix_the_cart(home, shop)
        if name == "with":
            home.drain()
            assert status(home)["distiller"]["state"] == "off", "the client was asked for its login"
        slug = str(tmp_path / name).replace("/", "-").replace("_", "-")
        places[name] = {
            _kind(path.replace(slug, "-P"))
            for path in files_of(home.path)
            if not path.startswith((*OF_PLUGINS, ".local/share/backstory/"))
        }
    assert places["with"] - places["without"] == set()


def test_the_data_directory_is_the_user_s_alone(home: Home) -> None:
    """Folders 700, files 600; what holds no data of the user's is guarded by the folder above."""
    elsewhere = {"runtime", "pycache", "python"}
    wrong = [
        f"{oct(path.stat().st_mode & 0o777)} {path}"
        for path in [home.data, *home.data.rglob("*")]
        if not path.is_socket()
        and not elsewhere.intersection(path.relative_to(home.data).parts)
        and path.stat().st_mode & 0o077
    ]
    assert wrong == []


def test_a_script_gets_the_json_it_asked_for(home: Home, make_home: MakeHome, shop: Path) -> None:
    """A10, A19: Stop adds nothing, so the result is the same with the plugin and without."""
    bare = make_home(tool_search=home.tool_search)
    answers = []
    for user in (home, bare):
        turns = [*fixing(shop), [text('{"fixed": true}')]]
        result = user.run("Fix", *ALLOWED, "--output-format", "json", cwd=shop, turns=turns)
        (shop / "shop/cart.py").write_bytes(_original(shop))
        found = json.loads(result.stdout)
        answers.append(
            {name: found[name] for name in ("type", "subtype", "is_error", "result", "num_turns")}
        )
        assert len(result.turns) == 5, "nothing made the model go on after its last word"
    assert answers[0] == answers[1]
    assert answers[0]["result"] == '{"fixed": true}'


def _original(shop: Path) -> bytes:
    import subprocess

    show = ["git", "show", "HEAD:shop/cart.py"]
    return subprocess.run(show, cwd=shop, capture_output=True, check=True).stdout


def _kind(path: str) -> str:
    """A path without what differs from run to run: ids and times."""
    import re

    path = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", path)
    return re.sub(r"[0-9]{6,}", "N", path)
