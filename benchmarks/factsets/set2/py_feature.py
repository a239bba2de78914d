"""Python: a feature in two sessions' worth of turns; a limit and a format."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s2-py-feature", "/home/sam/src/linkcheck")
    s.ask(
        "add rate limiting per host to the crawler. default should be polite. httpx + asyncio, see linkcheck/fetch.py"
    )
    s.read(
        "linkcheck/fetch.py",
        '''
"""Fetching pages."""
import asyncio

import httpx

CONCURRENCY = 40


async def fetch(client: httpx.AsyncClient, url: str) -> httpx.Response:
    """Fetch one page."""
    return await client.get(url, timeout=10)
''',
    )
    s.write(
        "linkcheck/limiter.py",
        '''
"""One gate a host: requests to the same host start at least an interval apart."""
import asyncio
import time

DEFAULT_INTERVAL = 0.5  # seconds; what most robots.txt with a Crawl-delay accept


class HostLimiter:
    """Spaces requests to each host."""

    def __init__(self, interval: float = DEFAULT_INTERVAL) -> None:
        self.interval = interval
        self._next: dict[str, float] = {}

    async def wait(self, host: str) -> None:
        """Waits until a request to the host may start."""
        now = time.monotonic()
        at = max(now, self._next.get(host, 0.0))
        self._next[host] = at + self.interval
        await asyncio.sleep(at - now)
''',
    )
    s.edit(
        "linkcheck/fetch.py",
        "    return await client.get(url, timeout=10)",
        '    await limiter.wait(httpx.URL(url).host)\n    response = await client.get(url, timeout=10)\n    if response.status_code == 429:\n        limiter.back_off(httpx.URL(url).host, response.headers.get("Retry-After"))\n    return response',
    )
    s.bash(
        "uv run pytest -q 2>&1 | tail -6",
        """
FAILED tests/test_fetch.py::test_429_backs_off - AttributeError: 'HostLimiter' object has no attribute 'back_off'
1 failed, 26 passed in 3.41s
""",
        fail=1,
    )
    s.edit(
        "linkcheck/limiter.py",
        "    async def wait(",
        '''    def back_off(self, host: str, retry_after: str | None) -> None:
        """The host said 429: leave it alone for as long as it asks, 30 s where it does not say."""
        seconds = float(retry_after) if (retry_after or "").isdigit() else 30.0
        self._next[host] = time.monotonic() + seconds

    async def wait(''',
    )
    s.bash("uv run pytest -q 2>&1 | tail -2", "27 passed in 3.38s")
    s.done("""
Added per-host rate limiting:

- `linkcheck/limiter.py` – `HostLimiter`, one request per host every 0.5 s by default
- a 429 makes the host pause for its `Retry-After`, or 30 s without one
- `fetch()` goes through it; the global concurrency of 40 stays

I went for spacing rather than a token bucket: a bucket allows bursts, and bursts are exactly what got us blocked.

27 tests pass.
""")
    s.wrong("test_429_backs_off", "not resolved")
    s.fact(
        "default delay between requests to a host",
        "0.5",
        "interval|every",
        where="message",
        kind="config",
    )
    s.fact("crawler concurrency limit", "40", "concurrency", where="output", kind="limit")
    s.fact(
        "token bucket vs spacing for crawler", "bucket", "burst", where="message", kind="rejected"
    )
    s.fact("what happens on 429 without Retry-After", "30", "429", where="diff", kind="behaviour")

    s.ask("now a --json report. one object per broken link")
    s.write(
        "linkcheck/report.py",
        '''
"""Reports."""
import json

EXIT_BROKEN = 3


def as_json(broken) -> str:
    """JSON Lines: url, status, found_on."""
    return "\\n".join(json.dumps({"url": b.url, "status": b.status, "found_on": b.page}) for b in broken)
''',
    )
    s.bash(
        "uv run linkcheck https://example.com --json | head -2; echo rc=$?; uv run pytest -q | tail -1",
        '{"url": "https://example.com/old", "status": 404, "found_on": "https://example.com/"}\nrc=0\n31 passed in 3.52s',
    )
    s.done(
        "`--json` prints JSON Lines with `url`, `status` and `found_on`. The exit code is 3 when anything is broken (pipe to `head` hides it)."
    )
    s.fact(
        "linkcheck exit code broken links",
        "3",
        "exit|EXIT_BROKEN",
        where="message",
        kind="behaviour",
    )

    s.ask("tag 0.9 and push")
    s.bash(
        "git add -A && git commit -qm 'Rate limit per host, JSON report' && git tag v0.9.0 && git push --follow-tags 2>&1 | tail -3",
        """
To github.com:sam/linkcheck.git
   77ab310..e64d2f8  main -> main
 * [new tag]         v0.9.0 -> v0.9.0
""",
    )
    s.done("Pushed, tagged v0.9.0.")
    s.fact("linkcheck release tag with rate limiting", "v0.9.0", where="command", kind="git")
    return s.end()
