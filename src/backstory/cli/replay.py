"""`backstory demo`: a recorded session through the real hooks, the real worker and the real tools.

Everything happens in a temporary folder with a memory of its own; nothing of the user's is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from backstory import instance, paths
from backstory.cli import output
from backstory.errors import Unavailable

RECORDED = Path(__file__).with_name("demo-session.jsonl")
RECORDED_ROOT = "/home/dev/shop"
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LATE_WORKER_S = 2.0  # how long after an interruption a worker may still come up
SHOWN = 12  # lines of a tool's answer
QUESTION = "why were totals off by a cent"


@click.command()
@click.option("--keep", is_flag=True, help="Keep the temporary folder and say where it is.")
def demo(keep: bool) -> None:
    """Replay a recorded session and show what Claude would see in the next one."""
    folder = Path(tempfile.mkdtemp(prefix="backstory-demo-"))
    home, shop = folder / "memory", folder / "shop"
    shop.mkdir()
    ended = False
    # whatever ends it early, nothing may stay behind
    before = {number: signal.signal(number, interrupt) for number in ENDING}
    try:
        run(Stage(home, shop))
        ended = True
    finally:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        clear(home, folder, keep, 0.0 if ended else LATE_WORKER_S)
        for number, handler in before.items():
            signal.signal(number, handler)
    if keep:
        click.echo(f"\nkept in {folder}")


def interrupt(number: int, _: FrameType | None) -> NoReturn:
    """A signal that asks to end."""
    raise KeyboardInterrupt(number)


def clear(home: Path, folder: Path, keep: bool, seconds: float) -> None:
    """Ends the worker and removes the folder; for so long also a worker that comes up late."""
    deadline = time.monotonic() + seconds
    while True:
        with suppress(Unavailable):
            instance.stop(home)
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() >= deadline:
            return
        time.sleep(0.1)


class Stage:
    """A host in miniature: fires hooks and talks to the MCP server as Claude Code does."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home = home
        self.project = project
        self.root = paths.plugin_root()
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("BACKSTORY_", "CLAUDE"))},
            "BACKSTORY_HOME": str(home),
            "CLAUDE_PROJECT_DIR": str(project),
            "CLAUDE_PLUGIN_ROOT": self.root,
        }

    def fire(self, event: dict[str, Any]) -> dict[str, Any]:
        """Runs the hook of an event; its answer, {} where it says nothing."""
        done = subprocess.run(
            ["sh", f"{self.root}/plugin/run", "hooks/on_event.py"],
            input=json.dumps(event, ensure_ascii=False).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # an interrupt takes its folder away while its shell starts
            env=self.env,
            cwd=self.project,
            timeout=30,
            check=True,
        )
        return dict(json.loads(done.stdout)) if done.stdout else {}

    def call_tools(self, calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
        """The texts that the MCP server answers to these calls."""
        messages: list[dict[str, Any]] = [
            {
                "jsonrpc": "2.0",
                "id": "start",
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "demo", "version": "1"},
                },
            },
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ]
        with subprocess.Popen(
            ["sh", f"{self.root}/plugin/run", "plugin/relay.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.env,
            cwd=self.project,
        ) as relay:
            assert relay.stdin is not None
            assert relay.stdout is not None
            texts = []
            for message in messages:
                relay.stdin.write(json.dumps(message).encode() + b"\n")
            for number, (name, arguments) in enumerate(calls):
                call = {"name": name, "arguments": arguments}
                message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
                relay.stdin.write(json.dumps(message).encode() + b"\n")
                relay.stdin.flush()
                texts.append(self.answer_to(relay, number))
            relay.stdin.close()
            relay.wait(10)
        return texts

    @staticmethod
    def answer_to(relay: subprocess.Popen[bytes], number: int) -> str:
        """The text of the answer with this id."""
        assert relay.stdout is not None
        for line in relay.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                content = message.get("result", {}).get("content") or [{"text": str(message)}]
                return str(content[0]["text"])
        raise Unavailable("the MCP server ended without an answer", hint="backstory doctor")


def run(stage: Stage) -> None:
    """The three acts: a session, the next one's start, and questions to the tools."""
    text = RECORDED.read_text(encoding="utf-8").replace(RECORDED_ROOT, str(stage.project))
    events = [json.loads(line)["event"] for line in text.splitlines()]
    prompt = next(e["prompt"] for e in events if e["hook_event_name"] == "UserPromptSubmit")
    title(f"1. A session is recorded: “{prompt}”")
    stage.home.mkdir(mode=0o700)
    # a host's first session finds no worker either: its hooks start one
    started = time.monotonic()
    for event in events:
        if event["hook_event_name"] != "PreToolUse":
            stage.fire(event)
    seconds = time.monotonic() - started
    click.echo(
        f"{len(events)} events went through the hooks, {1000 * seconds / len(events):.0f} ms each."
    )
    instance.start(stage.home)
    instance.ask(stage.home, "POST", "/api/flush?seconds=10", timeout=30)

    title("2. The next session starts. Claude is told:")
    first = {**events[0], "session_id": "demo-next-session"}
    answer = stage.fire(first)
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    if "Cart" not in context and "cart" not in context:
        raise Unavailable("the demo's session was not remembered", hint="backstory doctor")
    click.echo(context)

    title(f"3. Claude asks its memory: search “{QUESTION}”, then reads the best hits")
    (found,) = stage.call_tools([("search", {"query": QUESTION})])
    click.echo(shorten(found))
    hits = [line.split()[0].removeprefix("#") for line in found.splitlines() if line[:1] == "#"]
    records = [hit for hit in hits if hit.isdecimal()]
    if not records:
        raise Unavailable("the search found nothing", hint="backstory doctor")
    click.echo(stage.call_tools([("get_observations", {"ids": records[:2]})])[0])
    click.echo("\nNo key and no model were used: rules distilled this. Nothing was kept.")


def title(text: str) -> None:
    """A heading."""
    click.echo("\n" + click.style(text, bold=True) if output.is_interactive() else f"\n== {text}")


def shorten(text: str, lines: int = SHOWN) -> str:
    """The first lines of a text."""
    found = text.splitlines()
    more = [f"… {len(found) - lines} more lines"] if len(found) > lines else []
    return "\n".join([*found[:lines], *more])


COMMANDS = (demo,)
