"""The real worker with other values of some constants: python tuned_worker.py MODULE.NAME=JSON …

A test that waits for a time limit would wait two minutes otherwise, and no user needs a setting
for it. Whatever is not named is as in the product.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Sets the constants and runs the worker. Raises AttributeError for one that is not there."""
    sys.path.insert(0, str(ROOT / "src"))
    for argument in arguments:
        where, _, value = argument.partition("=")
        module, _, name = where.rpartition(".")
        found = importlib.import_module(f"backstory.{module}")
        given = json.loads(value)
        kind = type(getattr(found, name))
        setattr(found, name, kind(given))
    from backstory import worker

    return worker.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
