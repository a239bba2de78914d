"""Write the expected symbols of the samples anew.

`PYTHONPATH=src python -m tests.codenav.regenerate [NAME…]`

The names are those of languages.toml; without one, every sample. What is written is what the
code finds now, right or wrong: read the difference, line by line, against the sample.
"""

from __future__ import annotations

import sys
from pathlib import Path

from backstory.codenav.languages import languages
from backstory.codenav.outline import Import, outline_of
from backstory.codenav.symbols import Symbol

FIXTURES = Path(__file__).parent / "fixtures"


def sample(name: str) -> Path:
    """The sample of a language."""
    (found,) = [path for path in FIXTURES.glob(f"{name}.*") if path.suffix != ".symbols"]
    return found


def line_of(symbol: Symbol) -> str:
    """One line of an expected file."""
    lines = f"{symbol.start_line}-{symbol.end_line}"
    parts = [f"{lines} {symbol.kind} {symbol.qualified_name}", symbol.signature, symbol.doc]
    return " | ".join(parts).rstrip(" |")


def import_line(one: Import) -> str:
    """One line of an expected file, for an import."""
    return f"{one.start_line}-{one.end_line} import {', '.join(one.names)}"


def expected(path: Path) -> str:
    """What stands in a sample: its symbols, a line each, and after them its imports."""
    source = path.read_text(encoding="utf-8")
    found = outline_of(source, path.name, 30)
    assert found.how == "query"
    lines = [line_of(symbol) for symbol in found.symbols]
    lines += [import_line(one) for one in found.imports]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for chosen in sys.argv[1:] or languages():
        FIXTURES.joinpath(f"{chosen}.symbols").write_text(
            expected(sample(chosen)), encoding="utf-8"
        )
