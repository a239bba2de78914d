"""Strings that do not end where they should."""

from __future__ import annotations

import pytest

from backstory.codenav.edits import edited
from backstory.codenav.lexis import lexis_of
from backstory.codenav.pages import Page
from backstory.codenav.quotes import lost_holes, lost_quotes


def _closed(text: str, language: str) -> str:
    lexis = lexis_of(language)
    assert lexis is not None
    code = text.encode()
    code = edited(code, lost_quotes(Page(code, lexis)))
    return edited(code, lost_holes(Page(code, lexis))).decode()


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # the next string is read inside out
        ("ruby", 'a "b\nc "d"\ne "f"\n', 'a "b"\nc "d"\ne "f"\n'),
        ("rust", 'let a = "b;\nc("d");\n', 'let a = "b";\nc("d");\n'),
        ("php", "$a = 'b;\nc('d');\n", "$a = 'b';\nc('d');\n"),
        ("typescript", "a(`b);\nc(`d`);\n", "a(`b`);\nc(`d`);\n"),
        ("python", 'a = """b\nc = """d"""\n', 'a = """b"""\nc = """d"""\n'),
        # two of them, with nothing but code between
        ("ruby", 'x = "a\ndef f\nend\ny = "b\n', 'x = "a"\ndef f\nend\ny = "b\n'),
        # what is put into a string ends in it
        ("ruby", 'a "#{b"\n', 'a "#{b}"\n'),
        ("ruby", 'a "#{\nb = "#{c}"\n', 'a "#{}"\nb = "#{c}"\n'),
        ("typescript", "a(`${b`);\n", "a(`${b}`);\n"),
        ("python", 'a = f"{b()-c"\n', 'a = f"{b()-c}"\n'),
        ("csharp", 'a = $"{b";\n', 'a = $"{b}";\n'),
        # documentation that follows
        (
            "python",
            'a = """b\ndef c():\n    """C d."""\n',
            'a = """b"""\ndef c():\n    """C d."""\n',
        ),
    ],
)
def test_a_quote_that_is_missing_is_put_in_where_its_line_ends(
    language: str, text: str, expected: str
) -> None:
    assert _closed(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", 'A = """\nclass B:\n    pass\n"""\nc = "d"\n'),
        ("rust", 'let a = "b\n  c";\nlet d = "e";\n'),
        ("typescript", "a(`\nfunction b() {}\n`);\nc(`d`);\n"),
        ("ruby", "%w[a\n   b]\n"),
        ("python", 'a = "{"\nb = rb"{"\n'),
        ("java", 'a = "{";\n'),
        ("ruby", 'a "#{b("c")}"\n'),
        ("ruby", 'a <<~X\n  "\nX\nb "c"\n'),
        ("php", "<?php\n$a = 'b\n  c';\n"),
    ],
)
def test_strings_over_several_lines_stay_as_they_are(language: str, text: str) -> None:
    assert _closed(text, language) == text
