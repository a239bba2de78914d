"""What a path that leads nowhere may have meant."""

from __future__ import annotations

from pathlib import Path

from backstory.codenav import near


def fill(top: Path, *names: str) -> None:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).touch()


def meant(top: Path, path: str, hidden: str = "?") -> list[str]:
    found = near.names(str(top / path), (str(top),), lambda one: hidden not in one)
    return [one.removeprefix(f"{top}/") for one in found]


def test_the_same_name_elsewhere_comes_first_the_nearest_place_before_others(
    tmp_path: Path,
) -> None:
    fill(tmp_path, "a/b/util.py", "z/util.py", "x/utils.py", "src/core/UTIL.py")
    assert meant(tmp_path, "src/util.py")[:1] == ["src/core/UTIL.py"]
    assert set(meant(tmp_path, "src/util.py")) == {"a/b/util.py", "z/util.py", "src/core/UTIL.py"}


def test_then_names_that_are_spelled_almost_so(tmp_path: Path) -> None:
    fill(tmp_path, "src/checkout.py", "src/cart.py", "lib/checkout_test.py")
    assert meant(tmp_path, "src/chekout.py")[0] == "src/checkout.py"
    assert meant(tmp_path, "other/chekout.py")[0] == "src/checkout.py"
    assert meant(tmp_path, "src/wholly-different.rs") == []


def test_one_of_very_many_is_found(tmp_path: Path) -> None:
    fill(tmp_path, *(f"many/file_{number}.py" for number in range(3_000)))
    assert meant(tmp_path, "fyle_1234.py")[0] == "many/file_1234.py"


def test_what_may_not_be_named_is_not(tmp_path: Path) -> None:
    fill(tmp_path, "secret_plan.md", "plan.md")
    assert meant(tmp_path, "x/secret_plan.md", hidden="secret") == []
    assert near.listing(str(tmp_path), lambda one: "secret" not in one) == (["plan.md"], 1)


def test_a_listing_has_files_first_and_is_short(tmp_path: Path) -> None:
    fill(tmp_path, *(f"f{number:02}" for number in range(30)), "sub/x")
    names, count = near.listing(str(tmp_path), lambda one: True)
    assert names == [f"f{number:02}" for number in range(12)]
    assert count == 31
    assert near.listing(str(tmp_path / "sub"), lambda one: True) == (["x"], 1)
    assert near.listing(str(tmp_path / "gone"), lambda one: True) == ([], 0)


def test_links_that_lead_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    fill(tmp_path, "src/main.py")
    (tmp_path / "src/again").symlink_to(tmp_path)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert meant(tmp_path, "mian.py") == ["src/main.py"]
