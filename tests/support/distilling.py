"""A user whose worker distils by a model that runs on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from backstory import config, instance, paths
from backstory.storage import spool
from tests.support.home import ROOT, Home, dump, event, tool, until
from tests.support.model_api import MODEL, ModelApi, Request, Script, Scripted, observing
from tests.support.work import marks

Speaks = Literal["openai", "anthropic"]
# What a worker need not wait for in a test.
QUICK = {
    "capture.standing.WAIT_S": [0.05, 0.2],
    "capture.calls.RETRY_S": 0.05,
    "capture.dispatch.PACE_S": 0.02,
    "capture.dispatch.POLL_S": 0.5,
}


class Replies:
    """A script that can be changed as a test goes on: these replies, then a model's good ones."""

    def __init__(self, *first: Scripted, delay_s: float = 0.0) -> None:
        self.first = list(first)
        self.then = observing(delay_s)
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> Scripted:
        with self.lock:
            return self.first.pop(0) if self.first else self.then(request)


class Gate:
    """A script that answers nobody until it is opened."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.opened = threading.Event()
        self.then = observing()

    def __call__(self, request: Request) -> Scripted:
        self.came.set()
        self.opened.wait(60)
        return self.then(request)


class Distilling(Home):
    """Its settings are those of a user who chose a provider, its provider is a ModelApi."""

    def __init__(
        self,
        folder: Path,
        api: ModelApi,
        speaks: Speaks = "openai",
        data: str = "data",
        **settings: object,
    ) -> None:
        super().__init__(folder, data)
        self.api = api
        self.tuned: Mapping[str, Any] = QUICK
        self.more: dict[str, str] = {}  # environment
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.set(provider=speaks, model=MODEL, embedder="none")
        if speaks == "anthropic":
            self.set(base_url=api.url, api_key="test-key")
        else:
            self.set(base_url=f"{api.url}/v1")
        self.set(**settings)

    def set(self, **settings: object) -> None:
        """What `backstory settings` does; None unsets."""
        for name, value in settings.items():
            config.store(self.data, name, None if value is None else str(value))

    def environment(self, **more: str) -> dict[str, str]:
        """What the host's processes have."""
        return super().environment(**self.more, **more)

    def program(self) -> list[str]:
        """The worker as hooks start it; with constants of a test's own where it has some."""
        if not self.tuned:
            return super().program()
        given = [f"{name}={json.dumps(value)}" for name, value in self.tuned.items()]
        return [str(ROOT / "tests/support/tuned_worker.py"), *given]

    def restart(self) -> None:
        """Ends the worker and starts the next."""
        instance.stop(self.data)
        self.start()

    def start(self) -> dict[str, Any]:
        """Starts the worker; it has chosen who distils."""
        super().start()
        until(lambda: self.distiller["state"] != "looking", "a provider was chosen")
        return self.ask("GET", "/api/health")

    @property
    def distiller(self) -> dict[str, Any]:
        """Who distils, and how that stands."""
        found: dict[str, Any] = self.ask("GET", "/api/status")["distiller"]
        return found

    def cli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`backstory …`, in this interpreter."""
        launch = str(ROOT / "plugin/launch.py")
        return subprocess.run(
            [sys.executable, "-I", launch, "--in-runtime", *arguments],
            env=self.environment(),
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def put(self, payloads: Iterable[object]) -> None:
        """Events as hooks leave them in the spool, without their processes."""
        for payload in payloads:
            spool.write(str(self.data / paths.SPOOL), [dump(payload)], str(self.project))

    def turn(self, number: int = 1, session: str = "s1", uses: int = 2) -> None:
        """A small turn that ended."""
        here = {
            "session_id": session,
            "prompt_id": f"{session}-{number}",
            "cwd": str(self.project),
        }
        said = f"Decision: matter {number} of {session} stays as it is because nobody uses it."
        calls = [
            tool(f"toolu_{session}_{number}_{at}", f"make {session}x{number}x{at}", **here)
            for at in range(uses)
        ]
        self.put([event("UserPromptSubmit", prompt=f"Look into matter {number}.", **here), *calls])
        self.put([event("Stop", last_assistant_message=said, **here)])

    def flush(self) -> dict[str, Any]:
        """Has all that waits taken in, distilled by rules, and made due for the model."""
        until(
            lambda: not self.ask("POST", "/api/flush?seconds=10&all=1&model=1")["more"],
            "the spool is empty",
        )
        return self.ask("POST", "/api/flush?seconds=10&all=1&model=1")

    def sessions_start(self, session: str = "next") -> str:
        """What the user of a session that starts is told."""
        said = self.says(event("SessionStart", source="startup", session_id=session))
        return str(said.get("systemMessage", ""))

    # --- what came of it

    def sent(self) -> dict[str, int]:
        """How often each tool use of made-up work was sent."""
        found: dict[str, int] = {}
        for request in self.api.requests:
            for word in marks(request.batch):
                found[word] = found.get(word, 0) + 1
        return found

    def ledger(self) -> list[tuple[int, int]]:
        """The bills of the calls, in order."""
        query = "SELECT tokens_in, tokens_out FROM ledger WHERE provider <> 'rules' ORDER BY id"
        return [(row[0], row[1]) for row in self.rows(query)]

    def billed(self) -> list[tuple[int, int]]:
        """The bills that the service would send."""
        return [(bill.tokens_in, bill.tokens_out) for bill in self.api.billed]

    def lost(self) -> int:
        """Calls of which nobody knows whether they were billed."""
        return int(self.one("SELECT count(*) FROM reservations WHERE state = 'lost'"))

    def unfinished(self) -> list[tuple[Any, ...]]:
        """Turns that are not whole: a job that is open, no model's summary or not all sent."""
        return self.rows(
            "SELECT p.id, j.state, p.model_closed, s.distilled_by FROM prompts p"
            " LEFT JOIN jobs j ON j.prompt = p.id AND j.kind = 'model'"
            " LEFT JOIN summaries s ON s.prompt = p.id"
            " WHERE j.state IS NOT 'done' OR NOT p.model_closed OR s.distilled_by LIKE 'rules/%'"
            " OR s.distilled_by IS NULL"
            " OR EXISTS (SELECT 1 FROM tool_uses t WHERE t.prompt = p.id AND t.id > p.model_uses)"
        )

    def rows_a_turn(self) -> dict[int, int]:
        """The model's observations of each turn."""
        query = (
            "SELECT p.id, count(o.id) FROM prompts p LEFT JOIN observations o ON o.prompt = p.id"
            " AND o.distilled_by NOT LIKE 'rules/%' GROUP BY p.id"
        )
        return dict(self.rows(query))


@contextmanager
def distilling(
    folder: Path, script: Script, speaks: Speaks = "openai", data: str = "data", **settings: object
) -> Iterator[Distilling]:
    """A user with such a model; the worker, started by whomever, is ended in the end."""
    with ModelApi(script) as api:
        home = Distilling(folder, api, speaks, data, **settings)
        try:
            yield home
        finally:
            api.ended.set()
            home.end()
