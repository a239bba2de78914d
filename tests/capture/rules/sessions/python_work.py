"""Sessions in Python projects: a bug, a feature, a dependency upgrade, a flaky test."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session

_RETRY = '''"""HTTP client for the billing API."""
import time

import httpx

REQUEST_TIMEOUT = 30
MAX_RETRIES = 3


class BillingClient:
    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.http = httpx.Client(timeout=REQUEST_TIMEOUT)

    def charge(self, customer_id: str, cents: int) -> dict:
        for attempt in range(MAX_RETRIES):
            response = self.http.post(f"{self.base_url}/charges", json={"customer": customer_id, "cents": cents})
            if response.status_code < 500:
                return response.json()
            time.sleep(2 ** attempt)
        raise RuntimeError("billing unavailable")
'''

_FAILED = """============================= test session starts ==============================
collected 18 items

tests/billing/test_client.py ..F...                                      [ 33%]
tests/billing/test_webhook.py ............                               [100%]

=================================== FAILURES ===================================
_______________________ test_charge_is_not_sent_twice __________________________

    def test_charge_is_not_sent_twice():
        server = FakeBilling(fail_first=True)
>       assert server.charges == ["c_100"]
E       AssertionError: assert ['c_100', 'c_100'] == ['c_100']

tests/billing/test_client.py:41: AssertionError
=========================== short test summary info ============================
FAILED tests/billing/test_client.py::test_charge_is_not_sent_twice - AssertionError: assert ['c_100', 'c_100'] == ['c_100']
========================= 1 failed, 17 passed in 2.31s ========================="""


def billing() -> Told:
    """Customers are charged twice: found, fixed, committed; then a timeout is raised."""
    s = Session(root="/home/kim/billing")
    s.prompt(
        "Support says some customers were charged twice last night when the payment provider was slow. "
        "Please find out why. The finance team reconciles at 06:00 UTC so it must be fixed before then."
    )
    s.bash("git status --short", "")
    s.bash(
        "grep -rn 'charges' src | head -20",
        'src/billing/client.py:17:            response = self.http.post(f"{self.base_url}/charges", json={...})\nsrc/billing/webhook.py:9:    # charges are confirmed here',
    )
    s.read("src/billing/client.py", _RETRY)
    s.read(
        "src/billing/webhook.py",
        "def confirm(event):\n    # charges are confirmed here\n    return event['id']\n",
    )
    s.fail("python -m pytest tests/billing -x -q", _FAILED)
    s.edit(
        "src/billing/client.py",
        "import time\n\nimport httpx",
        "import time\nimport uuid\n\nimport httpx",
    )
    s.edit(
        "src/billing/client.py",
        '        for attempt in range(MAX_RETRIES):\n            response = self.http.post(f"{self.base_url}/charges", json={"customer": customer_id, "cents": cents})',
        '        headers = {"Idempotency-Key": str(uuid.uuid4())}\n        for attempt in range(MAX_RETRIES):\n            response = self.http.post(f"{self.base_url}/charges", json={"customer": customer_id, "cents": cents}, headers=headers)',
    )
    s.bash(
        "python -m pytest tests/billing -q",
        "..................                                                       [100%]\n18 passed in 2.02s",
    )
    s.bash(
        "git add -A && git commit -m \"$(cat <<'EOF'\nSend one idempotency key per charge\n\nRetries after a 502 used to create a second charge.\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nEOF\n)\"",
        "[fix/double-charge 9c41d2e] Send one idempotency key per charge\n 1 file changed, 4 insertions(+), 1 deletion(-)",
    )
    first = s.done(
        "Found and fixed it.\n\n**Root cause**: `BillingClient.charge` retried after a 502, but the provider had already "
        "booked the first attempt. Without an `Idempotency-Key` header it treats every POST as a new charge.\n\n"
        "**Changes**\n- `src/billing/client.py`: one key per call, reused for every retry.\n\n"
        "All 18 billing tests pass. Still open: refunding the 37 customers who were hit on 2026-03-04."
    )
    s.prompt(
        "Good. Also raise the request timeout to 60 seconds, and never log full card numbers, only the last four digits."
    )
    s.edit("src/billing/client.py", "REQUEST_TIMEOUT = 30", "REQUEST_TIMEOUT = 60")
    s.bash("python -m pytest tests/billing -q", "18 passed in 2.05s")
    second = s.done(
        "`REQUEST_TIMEOUT` is 60 now and the billing tests pass. I checked the log calls: none prints a card number."
    )
    return Told(
        "billing",
        (first, second),
        (
            ask("why were customers billed two times", "idempotency-key"),
            ask("which test showed the duplicate charge", "test_charge_is_not_sent_twice"),
            ask("idempotency key commit hash", "9c41d2e"),
            ask("what is left to do about refunds for affected customers", "37 customers"),
            ask("billing http request timeout value", "30", "60"),
            ask("card number logging rule", "last four digits"),
            ask("when does finance reconcile", "06:00 UTC"),
        ),
    )


_SETTINGS = """from pydantic import BaseSettings


class Settings(BaseSettings):
    database_url: str
    pool_size: int = 10

    class Config:
        env_prefix = "SHOP_"
"""


def upgrade() -> Told:
    """pydantic 1 to 2: an import error, an extra package, a renamed option."""
    s = Session(root="/srv/shop-api")
    s.prompt(
        "Upgrade pydantic to v2. We'll stay on Python 3.11 because the Lambda base image has no 3.12 yet."
    )
    s.bash(
        "python --version && pip list | grep -i pydantic",
        "Python 3.11.9\npydantic                1.10.17",
    )
    s.bash(
        "pip install 'pydantic>=2.7,<3'",
        "Collecting pydantic<3,>=2.7\n  Downloading pydantic-2.8.2-py3-none-any.whl (423 kB)\nInstalling collected packages: pydantic-core, pydantic\nSuccessfully installed pydantic-2.8.2 pydantic-core-2.20.1",
    )
    s.fail(
        "python -c 'import shop.settings'",
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n  File "/srv/shop-api/shop/settings.py", line 1, in <module>\n    from pydantic import BaseSettings\n  File "/usr/lib/python3.11/site-packages/pydantic/__init__.py", line 389, in __getattr__\n    return _getattr_migration(attr_name)\npydantic.errors.PydanticImportError: `BaseSettings` has been moved to the `pydantic-settings` package. See https://docs.pydantic.dev/2.8/migration/#basesettings-has-moved-to-pydantic-settings for more details.',
    )
    s.bash(
        "pip install pydantic-settings",
        "Successfully installed pydantic-settings-2.4.0 python-dotenv-1.0.1",
    )
    s.files["shop/settings.py"] = _SETTINGS
    s.read("shop/settings.py")
    s.edit(
        "shop/settings.py",
        "from pydantic import BaseSettings",
        "from pydantic_settings import BaseSettings, SettingsConfigDict",
    )
    s.edit(
        "shop/settings.py",
        '    class Config:\n        env_prefix = "SHOP_"\n',
        '    model_config = SettingsConfigDict(env_prefix="SHOP_")\n',
    )
    s.bash("python -c 'import shop.settings'")
    s.files["requirements.txt"] = "fastapi==0.111.0\npydantic==1.10.17\nsqlalchemy==2.0.31\n"
    s.edit("requirements.txt", "pydantic==1.10.17", "pydantic==2.8.2\npydantic-settings==2.4.0")
    s.bash(
        "pytest -q 2>&1 | tail -3",
        "........................................................................ [ 88%]\n.........                                                                [100%]\n81 passed, 2 skipped in 9.40s",
    )
    first = s.done(
        "pydantic is at 2.8.2. `BaseSettings` moved into the separate package pydantic-settings, so `shop/settings.py` imports it from there, "
        "and the inner `Config` class became `model_config`. The suite passes (81 passed, 2 skipped).\n\n"
        "Note that `Optional` fields no longer default to None in v2; I found no model relying on it except `OrderIn.coupon`, which now has an explicit default.\n\n"
        "Next steps:\n- replace the deprecated `.dict()` calls with `.model_dump()` (23 places)\n- drop the `orm_mode` flags"
    )
    s.prompt("which model relied on the implicit default?")
    second = s.done("`OrderIn.coupon` in shop/models.py: it was `Optional[str]` without a default.")
    return Told(
        "upgrade",
        (first, second),
        (
            ask("which pydantic version are we on", "2.8.2"),
            ask("BaseSettings import error after upgrading", "pydantic-settings"),
            ask("why not python 3.12", "Lambda base image"),
            ask("remaining deprecated dict calls to migrate", "model_dump"),
            ask("optional fields default none pydantic v2", "OrderIn.coupon"),
            ask("how many tests passed after the upgrade", "81 passed"),
        ),
    )


_FLAKY = "FAILED tests/test_cache.py::test_entry_expires - AssertionError: assert 'v1' is None\n1 failed, 11 passed in 3.20s"


def flaky() -> Told:
    """A test that fails now and then: measured, explained, made deterministic."""
    s = Session(root="/code/cachelib")
    s.prompt("CI is red about once in ten runs on test_entry_expires. Make it stable please.")
    s.bash(
        "for i in 1 2 3 4 5; do pytest -q tests/test_cache.py; done",
        _FLAKY,
        about="Repeat the flaky test",
    )
    s.read(
        "tests/test_cache.py",
        "import time\nfrom cachelib import Cache\n\n\ndef test_entry_expires():\n    cache = Cache(ttl=0.05)\n    cache.set('k', 'v1')\n    time.sleep(0.05)\n    assert cache.get('k') is None\n",
    )
    s.read(
        "cachelib/cache.py",
        "import time\n\n\nclass Cache:\n    def __init__(self, ttl):\n        self.ttl = ttl\n        self.items = {}\n\n    def set(self, key, value):\n        self.items[key] = (value, time.time() + self.ttl)\n\n    def get(self, key):\n        value, until = self.items.get(key, (None, 0))\n        return value if time.time() < until else None\n",
    )
    s.edit(
        "cachelib/cache.py",
        "    def __init__(self, ttl):\n        self.ttl = ttl",
        "    def __init__(self, ttl, clock=time.monotonic):\n        self.ttl = ttl\n        self.clock = clock",
    )
    s.edit(
        "cachelib/cache.py", "(value, time.time() + self.ttl)", "(value, self.clock() + self.ttl)"
    )
    s.edit("cachelib/cache.py", "time.time() < until", "self.clock() < until")
    s.edit(
        "tests/test_cache.py",
        "    cache = Cache(ttl=0.05)\n    cache.set('k', 'v1')\n    time.sleep(0.05)\n",
        "    now = [0.0]\n    cache = Cache(ttl=0.05, clock=lambda: now[0])\n    cache.set('k', 'v1')\n    now[0] = 0.06\n",
    )
    s.bash("pytest -q tests/test_cache.py", "12 passed in 0.31s")
    s.bash(
        "pytest -q --count 200 tests/test_cache.py",
        "2400 passed in 6.02s",
        about="Run it 200 times",
    )
    first = s.done(
        "The test slept exactly as long as the TTL, and `time.time()` on the CI runners has a resolution of about 15 ms, so the entry was sometimes still alive. "
        "`Cache` takes a `clock` argument now (default `time.monotonic`) and the test drives a fake clock. 200 repetitions are green."
    )
    return Told(
        "flaky",
        (first,),
        (
            ask("why did the cache expiry test fail intermittently in CI", "15 ms"),
            ask("how do I inject a fake clock into Cache", "clock"),
            ask("flaky test_entry_expires", "test_entry_expires"),
        ),
    )


def export() -> Told:
    """A feature over two turns, with an endpoint, a flag and an environment variable."""
    s = Session(root="/home/ana/reports")
    s.prompt(
        "Add an endpoint that exports a month of invoices as XLSX. Use openpyxl, not pandas: the image must stay under 200 MB."
    )
    s.bash("ls src/reports", "__init__.py\napi.py\nmodels.py")
    s.files["src/reports/api.py"] = (
        'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/health")\ndef health():\n    return {"ok": True}\n'
    )
    s.read("src/reports/api.py")
    s.bash(
        "uv add openpyxl", "Resolved 41 packages in 312ms\n + et-xmlfile==1.1.0\n + openpyxl==3.1.5"
    )
    s.write(
        "src/reports/xlsx.py",
        '"""Invoices as a spreadsheet."""\nimport os\nfrom io import BytesIO\n\nfrom openpyxl import Workbook\n\nMAX_ROWS = 50_000\nCURRENCY = os.environ.get("REPORTS_CURRENCY", "EUR")\n\n\ndef invoices_to_xlsx(invoices):\n    book = Workbook(write_only=True)\n    sheet = book.create_sheet("Invoices")\n    if len(invoices) > MAX_ROWS:\n        raise ValueError("too many invoices for one sheet")\n    for invoice in invoices:\n        sheet.append([invoice.number, invoice.cents / 100, CURRENCY])\n    out = BytesIO()\n    book.save(out)\n    return out.getvalue()\n',
    )
    s.edit(
        "src/reports/api.py",
        '@app.get("/health")',
        '@app.get("/invoices/{month}.xlsx")\ndef invoices(month: str):\n    return invoices_to_xlsx(load(month))\n\n\n@app.get("/health")',
    )
    s.write(
        "tests/test_xlsx.py",
        "from reports.xlsx import invoices_to_xlsx\n\n\ndef test_empty_month_gives_a_sheet():\n    assert invoices_to_xlsx([])[:2] == b'PK'\n",
    )
    s.bash("uv run pytest -q", "7 passed in 0.84s")
    s.bash(
        "git checkout -q -b feat/xlsx && git add . && git commit -qm 'Export invoices of a month as XLSX (ACME-812)'",
        "",
    )
    first = s.done(
        "`GET /invoices/{month}.xlsx` returns the spreadsheet. The writer works in write-only mode, which keeps memory flat at about 35 MB for 50,000 rows. "
        "The currency comes from `REPORTS_CURRENCY` (default EUR)."
    )
    s.prompt("open a PR")
    s.bash(
        "git push -u origin feat/xlsx && gh pr create --title 'Export invoices as XLSX' --body 'Closes ACME-812'",
        "remote: Create a pull request\nTo github.com:acme/reports.git\n * [new branch]      feat/xlsx -> feat/xlsx\nhttps://github.com/acme/reports/pull/214",
    )
    second = s.done("Opened PR #214 against main.")
    return Told(
        "export",
        (first, second),
        (
            ask("spreadsheet endpoint route for invoices", "/invoices/{month}.xlsx"),
            ask("why openpyxl instead of pandas", "200 MB"),
            ask("environment variable for the report currency", "REPORTS_CURRENCY"),
            ask("maximum rows in an xlsx export", "MAX_ROWS"),
            ask("openpyxl version installed", "3.1.5"),
            ask("pull request number for the xlsx export", "214"),
            ask("ACME-812", "ACME-812"),
        ),
    )
