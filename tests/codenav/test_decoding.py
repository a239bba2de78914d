"""From bytes to text."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.decoding import as_utf8, decode
from backstory.errors import BadInput

CODE = "# Größe, façade, 価格\ndef total():\n    return 'ö'\n"
WESTERN = "# Größe, façade – “quoted”\r\ndef total():\r\n    return 1\r\n"
CHINESE = "# 这是一个很长的中文注释\n# 没有多少英文字母\n变量 = '价格'\n" * 20


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (CODE.encode(), CODE, "utf-8"),
        (codecs.BOM_UTF8 + CODE.encode(), CODE, "utf-8"),
        (codecs.BOM_UTF16_LE + CODE.encode("utf-16-le"), CODE, "utf-16-le"),
        (codecs.BOM_UTF16_BE + CODE.encode("utf-16-be"), CODE, "utf-16-be"),
        (codecs.BOM_UTF32_LE + CODE.encode("utf-32-le"), CODE, "utf-32-le"),
        (codecs.BOM_UTF32_BE + CODE.encode("utf-32-be"), CODE, "utf-32-be"),
        (CODE.encode("utf-16-le"), CODE, "utf-16-le, guessed"),
        (CODE.encode("utf-16-be"), CODE, "utf-16-be, guessed"),
        (CHINESE.encode("utf-16-le"), CHINESE, "utf-16-le, guessed"),
        (CHINESE.encode("utf-16-be"), CHINESE, "utf-16-be, guessed"),
        (CHINESE.encode(), CHINESE, "utf-8"),
        (WESTERN.encode("cp1252"), WESTERN, "cp1252, guessed"),
        ("é = 1\n".encode("latin-1"), "é = 1\n", "cp1252, guessed"),
        (b"caf\xe9 \x81\n", "café \x81\n", "latin-1, guessed"),
        (b"", "", "utf-8"),
        (b"a\r\nb\rc\n", "a\r\nb\rc\n", "utf-8"),
        (b"def a():\n\0    pass\n", "def a():\n\0    pass\n", "utf-8, with NUL bytes"),
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n", "utf-8"),
        (b"page\x0cbreak\n", "page\x0cbreak\n", "utf-8"),
    ],
)
def test_texts_are_read_in_their_encoding(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@pytest.mark.parametrize(
    ("encoding", "known_as"),
    [
        ("iso-8859-15", "iso8859-15"),
        ("koi8-r", "koi8-r"),
        ("euc-jp", "euc_jp"),
        ("shift_jis", "shift_jis"),
        ("gbk", "gbk"),
        ("big5", "big5"),
        ("cp1251", "cp1251"),
        ("euc-kr", "euc_kr"),
        ("iso-2022-jp", "iso2022_jp"),
    ],
)
def test_a_declared_encoding_is_used(encoding: str, known_as: str) -> None:
    words = {"koi8-r": "цена", "cp1251": "цена", "iso-8859-15": "für €", "euc-kr": "가격"}
    for first in ("# -*- coding: {} -*-", "#!/usr/bin/python\n# vim: set fileencoding={} :"):
        text = f"{first.format(encoding)}\nname = '{words.get(encoding, '中心')}'\n"
        assert decode(text.encode(encoding)) == (text, known_as)


def test_declarations_of_markup_are_used() -> None:
    for start in ('<?xml version="1.0" encoding="{}"?>', '@charset "{}";', '<meta charset="{}">'):
        text = start.format("windows-1251") + "\nцена\n"
        assert decode(text.encode("cp1251")) == (text, "cp1251")


@pytest.mark.parametrize("name", ["rot13", "zlib", "hex", "idna", "punycode", "nonsense", "utf-7"])
def test_a_declaration_that_names_no_plain_encoding_is_not_followed(name: str) -> None:
    data = f"# coding: {name}\n".encode() + b"# \xe9t\xe9\n"
    assert decode(data)[1] == "cp1252, guessed"


def test_a_declaration_that_lies_is_not_followed() -> None:
    text = "# coding: euc-jp\nname = 'Größe'\n"
    assert decode(text.encode()) == (text, "utf-8")


def test_a_few_bad_bytes_do_not_spoil_the_rest() -> None:
    text, encoding = decode(CHINESE.encode() + b"\xff\xfe broken\n")
    assert encoding == "utf-8, damaged"
    assert text == CHINESE + "\ufffd\ufffd broken\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + bytes(20),
        b"PK\x03\x04 text follows\n",
        b"\x1f\x8b\x08\x00abc",
        b"%PDF-1.7\n1 0 obj\n",
        b"SQLite format 3\x00",
        bytes(5000),
        bytes(range(256)) * 50,
        b"\x00\x01\x02\x03\x04\x05" * 100,
        b"abc\x00def",
        b"\x01\x02\x03\x04\x05\x06\x07\xff" * 50,
        b"line\n" * 10 + bytes(40),
    ],
)
def test_data_is_no_text(data: bytes) -> None:
    with pytest.raises(BadInput):
        decode(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except BadInput:
        return
    assert encoding
    assert len(text) <= len(data)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=300))
def test_utf_8_is_always_read_as_it_is(text: str) -> None:
    data = text.encode()
    try:
        assert decode(data) == (text.removeprefix("\ufeff"), "utf-8")
    except BadInput:
        assert data.startswith(
            (b"ID3", b"BZh", b"%PDF-", b"wOF", b"OggS", b"PAR1", b"8BPS", b"Rar")
        )


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "iso-2022-jp"]
)
def test_other_encodings_become_utf_8(encoding: str) -> None:
    """With a mark, so that what such a file says of its encoding is no longer believed."""
    text = f"# coding: {encoding}\nname = '価格'\n" if "2022" in encoding else WESTERN
    data = text.replace("–", "-").replace("“", "").replace("”", "").encode(encoding)
    assert as_utf8(data) == codecs.BOM_UTF8 + decode(data)[0].encode()
    assert decode(as_utf8(data)) == (decode(data)[0], "utf-8")


@pytest.mark.parametrize(
    "data",
    [b"plain", CODE.encode(), CODE.encode("utf-8-sig"), b"\x7fELF\0\0", b"a\0b\n", b"\x1b[0m"],
)
def test_what_is_utf_8_or_no_text_stays(data: bytes) -> None:
    """Byte for byte."""
    assert as_utf8(data) == data


def test_lines_that_end_in_a_cr_alone_are_lines() -> None:
    """As of an old Macintosh; where there is an LF, a CR alone is no end."""
    assert decode(b"a = 1\rb = 2\r") == ("a = 1\nb = 2\n", "utf-8, lines end in CR")
    assert as_utf8(b"a = 1\rb = 2\r") == b"a = 1\nb = 2\n"
    wide = codecs.BOM_UTF16_LE + "a\rb\r".encode("utf-16-le")
    assert decode(wide) == ("a\nb\n", "utf-16-le, lines end in CR")
    assert as_utf8(codecs.BOM_UTF8 + b"a\rb\r") == codecs.BOM_UTF8 + b"a\nb\n"
    for same in (b"a\r\nb\r\n", b"a\rb\n", b"one\r"):
        assert decode(same) == (same.decode(), "utf-8")
        assert as_utf8(same) == same
