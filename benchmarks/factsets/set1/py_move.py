"""Python: one turn of sixty tools that moves a package."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """One long turn."""
    s = Session("s1-py-move", "/home/lena/code/orderdesk")
    s.ask(
        "Split orderdesk/utils.py (2,100 lines) into proper modules and delete it. Keep every public name importable from its new home; nothing may import orderdesk.utils at the end. Run tests often."
    )
    s.bash(
        "wc -l orderdesk/utils.py && grep -n '^def \\|^class ' orderdesk/utils.py | wc -l && grep -rln 'orderdesk.utils\\|from .utils' orderdesk tests | wc -l",
        "2117 orderdesk/utils.py\n63\n41",
    )
    modules = ["money", "dates", "phone", "slug", "retry", "csvio", "http", "locks"]
    for number, name in enumerate(modules):
        s.read(
            "orderdesk/utils.py",
            f"def {name}_main(value):\n    return _{name}(value)\n",
            offset=1 + number * 240,
            total=2117,
        )
        s.write(
            f"orderdesk/{name}.py",
            f'"""Everything about {name}."""\n\n\ndef {name}_main(value):\n    return value\n',
        )
        for user in range(3):
            s.edit(
                f"orderdesk/views/{name}_{user}.py",
                f"from orderdesk.utils import {name}_main",
                f"from orderdesk.{name} import {name}_main",
                before='"""View."""\n',
                after=f"\n\n\ndef view(request):\n    return {name}_main(request)\n",
            )
        if number == 4:
            s.bash(
                "python -m pytest -q -x 2>&1 | tail -12",
                """
E   ImportError: cannot import name 'Money' from partially initialized module 'orderdesk.money' (most likely due to a circular import) (/home/lena/code/orderdesk/orderdesk/money.py)
=========================== short test summary info ============================
ERROR tests/test_cart.py
!!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!!
1 error in 1.02s
""",
                fail=1,
            )
            s.bash(
                "grep -n '^from\\|^import' orderdesk/money.py orderdesk/models.py",
                "orderdesk/money.py:3:from orderdesk.models import Currency\norderdesk/models.py:9:from orderdesk.money import Money",
            )
            s.write(
                "orderdesk/currency.py",
                '"""Currencies: models and money both need them."""\n\n\nclass Currency(str):\n    pass\n',
            )
            s.bash("python -m pytest -q 2>&1 | tail -2", "412 passed, 3 skipped in 38.20s")
    for number in range(8):
        s.bash(
            f"sed -i 's/orderdesk.utils/orderdesk.{modules[number]}/' tests/unit/test_{modules[number]}.py && python -m pytest -q tests/unit/test_{modules[number]}.py | tail -1",
            f"{number + 5} passed in 0.{number + 2}1s",
        )
    s.bash(
        "git rm -q orderdesk/utils.py && grep -rn 'orderdesk.utils' orderdesk tests docs | head",
        "docs/legacy.md:14:see orderdesk.utils.parse_phone",
    )
    s.bash(
        "python -m pytest -q 2>&1 | tail -2 && ruff check orderdesk",
        "412 passed, 3 skipped in 37.91s\nAll checks passed!",
    )
    s.bash(
        "git commit -qam 'Split utils into eight modules' && git log --oneline -1",
        "c0ffe12 Split utils into eight modules",
    )
    s.done(
        "`orderdesk/utils.py` is gone; its 63 functions live in `money`, `dates`, `phone`, `slug`, `retry`, `csvio`, `http` and `locks`. 412 tests pass (3 skipped). On the way a circular import between `money` and `models` showed up; I broke it by moving `Currency` to its own `orderdesk/currency.py`. Left over: `docs/legacy.md:14` still mentions `orderdesk.utils.parse_phone`. Commit c0ffe12."
    )
    s.fact(
        "what happened to orderdesk utils",
        "utils",
        "money",
        "currency.py|c0ffe12|eight|slug",
        where="message",
        kind="change",
    )
    s.wrong("tests/test_cart.py", "not resolved")
    s.fact("circular import money models", "circular", "currency.py", where="message", kind="cause")
    s.fact("outdated mention of parse_phone in docs", "legacy.md", where="message", kind="todo")
    return s.end()
