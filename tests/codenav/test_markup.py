"""The shape of HTML, Vue, Svelte and XML."""

from __future__ import annotations

import math

from backstory.codenav.languages import languages
from backstory.codenav.markup import html, xml
from backstory.codenav.symbols import Reading


def read(text: str, name: str = "html") -> Reading:
    return (xml if name == "xml" else html)(text, languages()[name], math.inf)


def names(text: str, name: str = "html") -> list[str]:
    found = read(text, name).symbols
    return [f"{one.start_line}-{one.end_line} {one.kind} {one.qualified_name}" for one in found]


def test_the_lines_of_a_script_are_those_of_the_file() -> None:
    text = "<p>\n<script lang='ts'>import a from './a';\n\nfunction f(n: number) {\n}\n</script>"
    assert names(text) == ["2-6 section script", "4-5 function script.f"]
    assert read(text).imports == ((("./a",), 2, 2),)


def test_a_script_in_an_unknown_language_is_a_section_alone() -> None:
    assert names('<script lang="coffee">\nf = (x) -> x\n</script>\n') == ["1-3 section script"]


def test_a_script_holds_no_elements() -> None:
    text = '<script>\nconst a = "<div id=b>" + "</p>";\n</script>\n<i id="c"></i>\n'
    assert names(text) == ["1-3 section script", "2-2 constant script.a", "4-4 section c"]


def test_faults_of_a_script_have_the_lines_of_the_file() -> None:
    assert read("<p>\n<script>\nfunction (\n</script>\n").problems != ()
    assert all(
        2 <= first <= 4 for first, _ in read("<p>\n<script>\nfunction (\n</script>").problems
    )


def test_headings_go_on_to_the_next_of_their_level_or_the_end_of_what_is_around() -> None:
    text = "<h1>A</h1>\n<div id='x'>\n<h2>B &amp; <i>C</i></h2>\n<p>\n</div>\n"
    text += "<h2>D</h2>\n<p>\n<h1>E</h1>\n"
    assert names(text) == [
        "1-7 section A",
        "2-5 section A > x",
        "3-4 section A > x > B C",
        "6-7 section A > D",
        "8-8 section E",
    ]


def test_elements_without_an_end_tag_end_where_they_must() -> None:
    text = "<ul id=a><li id=b>1\n<li id=c>2\n</ul>\n<p id=d>x\n<p id=e>y\n<br id=f>\n"
    text += "<div id=g></div>\n"
    assert names(text) == [
        "1-3 section a",
        "1-1 section a > b",
        "2-2 section a > c",
        "4-4 section d",
        "5-6 section e",
        "6-6 section e > f",
        "7-7 section g",
    ]


def test_comments_and_templates_of_servers_hold_no_elements() -> None:
    text = "<!-- <a id=x> -->\n<% if (a < b) { %>\n<?php echo '<b id=y>' ?>\n<c id=z></c>\n"
    assert names(text) == ["4-4 section z"]


def test_elements_of_xml_that_are_alike_are_counted() -> None:
    text = "<r>\n" + "".join(f"<row n='{number}'/>\n" for number in range(50)) + "</r>\n"
    found = read(text, "xml").symbols
    assert len(found) == 12
    assert found[-1].name == "… 40 more row"
    assert (found[-1].start_line, found[-1].end_line) == (12, 51)


def test_tags_of_xml_without_a_partner_are_told() -> None:
    assert read("<a>\n<b>\n</a>\n</c>\n", "xml").problems == ((2, 2), (4, 4))
    assert read("<a>\n<b/>\n</a>\n", "xml").problems == ()


def test_names_of_elements_are_case_sensitive_in_xml_only() -> None:
    assert names("<A id='x'></a>") == ["1-1 section x"]
    assert read("<A id='x'></a>", "xml").problems != ()


def test_very_long_values_of_attributes_are_no_hindrance() -> None:
    text = (
        "<svg id='a'>\n" + f'<path id="b" d="{"M1 2 " * 9_000}"/>\n' * 3 + "<g id='c'/>\n</svg>\n"
    )
    assert [one.name for one in read(text, "xml").symbols] == ["a", "b", "b", "b", "c"]
    assert read(text, "xml").problems == ()
