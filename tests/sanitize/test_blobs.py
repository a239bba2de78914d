"""Binary data is replaced by what it was and how big; text is left alone."""

from __future__ import annotations

import base64
import json
import random

import pytest

from backstory.sanitize.blobs import shrink_blobs, shrink_image

NOISE = random.Random(7).randbytes(30_000)
PNG = b"\x89PNG\r\n\x1a\n" + NOISE
PNG64 = base64.b64encode(PNG).decode()


def test_a_data_url_becomes_its_type_and_size() -> None:
    """C9."""
    text = f'<img src="data:image/png;base64,{PNG64}"> end'
    assert shrink_blobs(text) == f'<img src="[image/png, {len(PNG)} bytes]"> end'


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_the_size_is_that_of_the_decoded_bytes(size: int) -> None:
    url = "data:image/gif;charset=x;base64," + base64.b64encode(NOISE[:size]).decode()
    assert shrink_blobs(url) == f"[image/gif, {size} bytes]"


def test_a_bare_run_of_base64_is_known_by_its_first_bytes() -> None:
    """C9."""
    assert shrink_blobs(f"got {PNG64} ok") == f"got [image/png, {len(PNG)} bytes] ok"
    other = base64.b64encode(NOISE).decode()
    assert shrink_blobs(f'"{other}"') == f'"[base64, {len(NOISE)} bytes]"'


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n    "])
def test_base64_in_lines_is_one_blob(newline: str) -> None:
    text = base64.b64encode(NOISE[:3000]).decode()
    lines = newline.join(text[at : at + 76] for at in range(0, len(text), 76))
    assert shrink_blobs(f"begin{newline}{lines}{newline}end") == (
        f"begin{newline}[base64, 3000 bytes]{newline}end"
    )


def test_hex_in_one_run_is_a_blob() -> None:
    assert shrink_blobs(f"x {NOISE[:600].hex()} y") == "x [hex, 600 bytes] y"


def test_hex_dumps_are_blobs() -> None:
    lines = [
        f"{at:08x}: {NOISE[at : at + 16].hex(' ', 2)}  ................"
        for at in range(0, 1024, 16)
    ]
    assert (
        shrink_blobs("\n".join(["$ xxd a", *lines, "done"])) == "$ xxd a\n[hex, 1024 bytes]\ndone"
    )
    pairs = NOISE[:600].hex(" ")
    assert shrink_blobs(f"dump {pairs} .").startswith("dump [hex, 600 bytes] ")


@pytest.mark.parametrize(
    "text",
    [
        "short " + base64.b64encode(NOISE[:90]).decode(),
        "a" * 5000,
        "/".join(["srcPath1", "componentsB2"] * 60),
        "function a(b){return b.c(d=>e[f]+1)}" * 100,
        "the quick brown fox\n" * 100,
        ("ordinary words in a line of the usual length that go on and on\n") * 50,
        "sha256 " + NOISE[:32].hex(),
        "\n".join(NOISE[at : at + 20].hex() + " commit message" for at in range(0, 2000, 20)),
        "data:text/plain,hello",
    ],
)
def test_text_is_no_blob(text: str) -> None:
    assert shrink_blobs(text) == text


def test_shrinking_again_changes_nothing() -> None:
    once = shrink_blobs(f"data:image/png;base64,{PNG64} {NOISE.hex()} {PNG64}")
    assert shrink_blobs(once) == once


def test_image_blocks_of_every_host_format_lose_their_data() -> None:
    """C9: the model's block, Read's result, MCP's content."""
    label = f"[image/png, {len(PNG)} bytes]"
    source = {"type": "base64", "media_type": "image/png", "data": PNG64}
    assert shrink_image(source) == {**source, "data": label}
    read = {"base64": PNG64, "type": "image/png", "originalSize": 70}
    assert shrink_image(read) == {**read, "base64": label}
    content = {"type": "image", "data": PNG64, "mimeType": "image/png"}
    assert shrink_image(content) == {**content, "data": label}


def test_a_small_image_is_an_image_too() -> None:
    body = base64.b64encode(PNG[:70]).decode()
    shrunk = shrink_image({"base64": body, "type": "image/png"})
    assert shrunk["base64"] == "[image/png, 70 bytes]"


def test_other_objects_are_copied_as_they_are() -> None:
    block = {"type": "text", "data": "hello world, hello world", "n": 1}
    assert shrink_image(block) == block
    assert shrink_image(json.loads("{}")) == {}
