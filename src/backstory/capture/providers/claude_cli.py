"""The user's own `claude`: a subscription is enough.

Nothing of the user's sessions takes part: no hooks, plugins, tools, MCP servers, memory files,
output styles or session files. Their login does, and so do their own settings as far as those
belong to it (a cloud's variables, an apiKeyHelper); a project's settings never do.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from backstory import paths
from backstory.capture.providers import Settings, claude_said
from backstory.capture.providers.base import ANSWER_LIMIT, Answer, Ask, Label, Trouble, Usage
from backstory.capture.providers.child import Children, Finished
from backstory.capture.providers.claude_program import Ground, Roots
from backstory.capture.providers.failures import Subject
from backstory.capture.providers.http_client import checked_key, is_loopback
from backstory.config import Config

DEFAULT_MODEL = "haiku"
PROBE_S = 10.0
OUTPUT_LIMIT = 4 * ANSWER_LIMIT  # the answer stands in its output three times, escaped

# A user's settings may set these, too, so they are given as settings that come before those.
OWN_VARIABLES = {
    # no thinking: it is billed as output
    "MAX_THINKING_TOKENS": "0",
    "CLAUDE_CODE_DISABLE_THINKING": "1",
    "CLAUDE_CODE_EFFORT_LEVEL": "low",
    # one request a batch: no title, no second try of an answer that was paid for
    "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
    # an "@/path" in an event is text: without these the client would read that file and send it
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    # nothing is written or sent besides
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
    "CLAUDE_CODE_AGENTS_MD_ROWS_EVERY_PROCESS": "1",  # else a note in ~/.claude/plugins/store
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_PASSED = ("USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")
_CLOUDS = {
    "bedrock": {
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "AWS_REGION": "cloud_region",
        "AWS_PROFILE": "cloud_project",
        "AWS_BEARER_TOKEN_BEDROCK": "api_key",
        "ANTHROPIC_BEDROCK_BASE_URL": "base_url",
    },
    "vertex": {
        "CLAUDE_CODE_USE_VERTEX": "1",
        "CLOUD_ML_REGION": "cloud_region",
        "ANTHROPIC_VERTEX_PROJECT_ID": "cloud_project",
        "ANTHROPIC_VERTEX_BASE_URL": "base_url",
    },
    "": {
        "ANTHROPIC_API_KEY": "api_key",
        "ANTHROPIC_AUTH_TOKEN": "auth_token",
        "ANTHROPIC_BASE_URL": "base_url",
    },
}


@dataclass(frozen=True, slots=True)
class Login:
    """Whether `claude` is logged in, and what to do where it is not."""

    is_in: bool
    why: str = ""


class ClaudeCli:
    """Runs `claude -p` once a batch. Used from several threads at once."""

    def __init__(self, settings: Settings, roots: Roots = ()) -> None:
        """roots: folders of projects, or a function that looks them up before every run; no
        program inside one is run.

        Raises Trouble ("setup") where there is no program that may be run, or a setting is missing.
        """
        home = settings.home if isinstance(settings, Config) else Path(paths.data_dir())
        self._folder = home / paths.MODEL
        self._ground = Ground(roots)
        self._program = self._ground.find(settings["claude_path"])
        self._model = settings["model"] or DEFAULT_MODEL
        self._account = account(settings)
        self._environment = self._built(settings["ca_file"])
        self._cloud: str = settings["cloud"]
        self._children = Children()

    @property
    def label(self) -> Label:
        """The model by its name or alias, and whose account it is."""
        if self._cloud:
            return Label("claude-cli", self._model, f"your {self._cloud.title()} account")
        note = "the key that is set" if self._account else "your Claude login"
        return Label("claude-cli", self._model, note)

    def login(self) -> Login:
        """Whether `claude` is logged in. Takes up to ten seconds."""
        try:
            done = self._run(["auth", "status", "--json"], {}, b"", PROBE_S)
        except Trouble as trouble:
            return Login(False, trouble.message)
        if done.end == "late":
            return Login(False, f"`{self._program} auth status` did not answer in {PROBE_S:g} s")
        try:
            found = json.loads(done.stdout)
        except ValueError:
            found = None
        if isinstance(found, dict) and found.get("loggedIn") is True and done.code == 0:
            return Login(True)
        if isinstance(found, dict):
            return Login(False, f"{self._program} is not logged in: run `claude` and /login")
        why = claude_said.ended(done.code, _text(done.stderr), self._subject("")).message
        return Login(False, why)

    def ask(self, ask: Ask) -> Answer:
        """One run of `claude -p`. Raises Trouble."""
        ends = time.monotonic() + ask.timeout
        done = self._once(ask, ask.timeout)
        told = claude_said.read(done.stdout)
        if told is not None and told.is_unauthorized and not self._account:
            # the login ran out before its time: the client renews it between two tries alone
            done = self._once(ask, ends - time.monotonic(), tries=2)
            told = claude_said.read(done.stdout)
        subject = self._subject(ask.batch)
        if told is not None:
            found = claude_said.answer(told, subject)
            if len(found.text) > ANSWER_LIMIT:
                raise _too_large(found.usage)
            return found
        if done.end == "late":
            raise Trouble("timeout", f"claude gave no answer in {ask.timeout:g} s")
        if done.end == "too_large":
            raise _too_large(Usage())
        if done.end == "closed":
            raise Trouble("unreachable", "the provider was closed")
        raise claude_said.ended(done.code, _text(done.stderr), subject)

    def _once(self, ask: Ask, seconds: float, tries: int = 1) -> Finished:
        limits = {
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(ask.max_tokens),
            "CLAUDE_CODE_MAX_RETRIES": str(tries - 1),
            "API_TIMEOUT_MS": str(max(1, int(seconds * 1000))),
        }
        # one that begins so would be read as a command of the client's
        batch = f"\n{ask.batch}" if ask.batch.startswith(("/", "!", "#")) else ask.batch
        return self._run(self._flags(ask), limits, batch.encode("utf-8", "replace"), seconds)

    def close(self) -> None:
        """Ends what runs."""
        self._children.close()

    def _flags(self, ask: Ask) -> list[str]:
        """The arguments of a question; what was captured is never among them."""
        return [
            "-p",
            "--safe-mode",
            f"--model={self._model}",
            "--tools=",
            "--strict-mcp-config",
            "--disable-slash-commands",
            "--no-session-persistence",
            "--output-format=json",
            "--verbose",  # the messages, too: when a limit ends, and what was said in prose
            "--max-turns=1",
            "--permission-mode=default",  # the user's own may be one that root is refused
            f"--system-prompt={ask.instructions}",
            f"--json-schema={json.dumps(ask.schema, ensure_ascii=False)}",
        ]

    def _run(
        self, arguments: Sequence[str], limits: Mapping[str, str], sent: bytes, seconds: float
    ) -> Finished:
        """Runs the program, our settings before the user's. Raises Trouble ("setup", "busy")."""
        self._ground.refresh()
        if why := self._ground.fault(self._program):
            raise Trouble("setup", f"{self._program} {why}: backstory settings claude_path FILE")
        own = {**OWN_VARIABLES, **limits}
        command = [
            self._program,
            # a project's settings could send the batch elsewhere; where there is an account of
            # its own, the user's could, too
            f"--setting-sources={'' if self._account else 'user'}",
            f"--settings={json.dumps({'env': own, 'alwaysThinkingEnabled': False})}",
            *arguments,
        ]
        try:
            paths.make_private_dir(str(self._folder))
            return self._children.run(
                command,
                env={**self._environment, **self._places(), **own},
                cwd=self._folder,
                sent=sent,
                seconds=seconds,
                limit=OUTPUT_LIMIT,
            )
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise Trouble("setup", f"claude cannot be run in {self._folder}: {why}") from None

    def _built(self, ca_file: str) -> dict[str, str]:
        """The environment: nothing in it that a project could have set and that matters."""
        built = {name: os.environ[name] for name in _PASSED if os.environ.get(name)}
        built |= self._places()
        built[paths.CHILD] = "1"
        if ca_file:
            built["NODE_EXTRA_CA_CERTS"] = ca_file
        address = next((v for k, v in self._account.items() if k.endswith("BASE_URL")), "")
        if not is_loopback(urlsplit(address).hostname or ""):
            proxies = getproxies()
            built |= {f"{k.upper()}_PROXY": v for k, v in proxies.items() if k in ("https", "no")}
        return built | self._account

    def _places(self) -> dict[str, str]:
        """HOME and PATH, without what belongs to a project. Raises Trouble ("setup")."""
        return {"HOME": self._ground.home(), "PATH": self._ground.search_path()}

    def _subject(self, batch: str) -> Subject:
        secrets = [v for k, v in self._account.items() if k.endswith(("_KEY", "_TOKEN", "BEDROCK"))]
        return Subject("Claude", self._model, batch, tuple(s for s in secrets if len(s) > 5))


def account(settings: Settings) -> dict[str, str]:
    """The variables of an account that the settings name; {} for the login that claude has.

    Keys and addresses count where `claude-cli` itself is set: with `auto` they may be another
    provider's. Raises Trouble ("setup") where the login would be sent to a strange address.
    """
    cloud = settings["cloud"]
    is_set = settings["provider"] == "claude-cli"
    found = {}
    for variable, name in _CLOUDS[cloud].items():
        if name == "1":
            found[variable] = name
        elif settings[name] and (is_set or name.startswith("cloud")):
            found[variable] = checked_key(name, settings[name])
    if "ANTHROPIC_BASE_URL" in found and len(found) == 1:
        raise Trouble(
            "setup",
            "setting base_url needs api_key or auth_token, too: your Claude login is not sent to "
            "another address",
        )
    return found


def _too_large(usage: Usage) -> Trouble:
    return Trouble("refused", f"the answer is larger than {ANSWER_LIMIT:,} bytes", usage=usage)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
