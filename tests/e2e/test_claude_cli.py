"""The user's own claude as the model: both pinned clients, in homes that are full of other things.

Whatever the user or a project has set up stays out of a batch, and nothing is written anywhere.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from backstory import config
from backstory.capture.providers import auto
from backstory.capture.providers.base import Answer, Ask, Trouble
from backstory.capture.providers.claude_cli import ClaudeCli
from tests.e2e.api import Api, Block, Script, Turn, call, text
from tests.e2e.clients import client
from tests.e2e.home import Home
from tests.e2e.shop import files_of, git
from tests.support.home import until

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "SessionEnd",
    "InstructionsLoaded",
)
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
# words that stand in what the user and a project have set up; a request holds none of them
PLANTED = (
    "PLANTED-GLOBAL-MEMORY",
    "PLANTED-GLOBAL-RULE",
    "PLANTED-STYLE",
    "PLANTED-AGENT",
    "PLANTED-SKILL",
    "PLANTED-PROJECT-MEMORY",
    "PLANTED-VARIABLE",
    "PLANTED-SECRET-FILE",
)
ANSWER: list[Block] = [call("StructuredOutput", title="A cart")]
USED_BEFORE = 12  # calls at most, until the client knows its plugins


class User:
    """A user with hooks, a plugin, servers, memory and a style, and a project that has more.

    The project holds our data directory, which is the worst place for it.
    """

    def __init__(self, folder: Path, claude: Path) -> None:
        self.home = Home(folder / "user", claude)
        self.project = self.home.path / "project"
        self.data = self.project / "data"
        self.fired = folder / "fired"
        self._set_up_project()
        self._set_up_plugin()
        self._set_up_user()

    def _hooks(self, owner: str) -> dict[str, Any]:
        return {
            event: [{"hooks": [{"type": "command", "command": self._noting(f"{owner} {event}")}]}]
            for event in EVENTS
        }

    def _noting(self, words: str) -> str:
        return f"echo {words} >> {self.fired}; cat >> {self.fired}"

    def _server(self, owner: str) -> dict[str, Any]:
        return {"command": "sh", "args": ["-c", self._noting(f"{owner} server")]}

    def _set_up_project(self) -> None:
        write(self.project / "CLAUDE.md", "PLANTED-PROJECT-MEMORY")
        write(self.project / "AGENTS.md", "PLANTED-PROJECT-MEMORY")
        write(self.project / ".mcp.json", {"mcpServers": {"theirs": self._server("project")}})
        settings = {
            "hooks": self._hooks("project"),
            "enableAllProjectMcpServers": True,
            "outputStyle": "loud",
            "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_MODEL": "stolen"},
            "apiKeyHelper": self._noting("project helper"),
        }
        for folder in (self.project, self.data / "model"):
            write(folder / ".claude/settings.json", settings)
            write(folder / ".claude/settings.local.json", settings)
        write(self.home.path / "secret.txt", "PLANTED-SECRET-FILE")
        git(self.project, "init", "-q")

    def _set_up_plugin(self) -> None:
        market = self.home.path / "market"
        entry = {"name": "other", "version": "1.0.0", "description": "d", "author": {"name": "x"}}
        write(market / "other/.claude-plugin/plugin.json", entry)
        write(market / "other/.mcp.json", {"mcpServers": {"more": self._server("plugin")}})
        hooks = self._hooks("plugin")
        known = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
        write(market / "other/hooks/hooks.json", {"hooks": {name: hooks[name] for name in known}})
        catalogue = {"name": "market", "owner": {"name": "x"}}
        plugins = [{"name": "other", "source": "./other"}]
        write(market / ".claude-plugin/marketplace.json", {**catalogue, "plugins": plugins})
        for arguments in (("marketplace", "add", str(market)), ("install", "other@market")):
            done = self.home.command("plugin", *arguments)
            assert done.returncode == 0, done.stdout + done.stderr

    def _set_up_user(self) -> None:
        folder = self.home.path / ".claude"
        write(folder / "CLAUDE.md", "PLANTED-GLOBAL-MEMORY")
        write(folder / "rules/all.md", "PLANTED-GLOBAL-RULE")
        style = "---\nname: loud\ndescription: d\n---\nPLANTED-STYLE"
        write(folder / "output-styles/loud.md", style)
        write(folder / "agents/a.md", "---\nname: a\ndescription: PLANTED-AGENT\n---\nx")
        write(folder / "skills/s/SKILL.md", "---\nname: s\ndescription: PLANTED-SKILL\n---\nx")
        settings = json.loads((folder / "settings.json").read_text())
        settings |= {
            "hooks": self._hooks("user"),
            "outputStyle": "loud",
            "model": "opus",
            "alwaysThinkingEnabled": True,
            "statusLine": {"type": "command", "command": self._noting("user status")},
            "permissions": {"defaultMode": "bypassPermissions"},
        }
        write(folder / "settings.json", settings)
        state_file = self.home.path / ".claude.json"
        state = json.loads(state_file.read_text()) if state_file.exists() else {}
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        projects = {str(folder): trusted for folder in (self.project, self.data / "model")}
        write(
            state_file,
            {**state, "mcpServers": {"own": self._server("user")}, "projects": projects},
        )

    def log_in(self, api: Api) -> None:
        """What a user of a gateway has in their settings; more, that a batch is to override."""
        path = self.home.path / ".claude/settings.json"
        settings = json.loads(path.read_text())
        settings["env"] = {
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_AUTH_TOKEN": "token-of-the-end-to-end-tests",
            "MAX_THINKING_TOKENS": "31999",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "99",
            "SOME_VARIABLE": "PLANTED-VARIABLE",
        }
        write(path, settings)

    def use_once(self, api: Api) -> None:
        """A session of the user's own, after which the client has written its own files."""
        # the mode that the settings ask for is refused to root, before any hook
        arguments = [str(self.home.claude), "--permission-mode", "default", "-p", "hello"]
        elsewhere = self.home.path / "elsewhere"
        elsewhere.mkdir()
        env = self.home.environment(api.url)
        subprocess.run(
            arguments, cwd=elsewhere, env=env, stdin=subprocess.DEVNULL, timeout=60, check=True
        )
        # the project's settings name a service that is not there, and a helper that gives no key
        with subprocess.Popen(arguments, cwd=self.project, env=env, stdin=subprocess.DEVNULL) as at:
            try:
                until(
                    lambda: "project UserPromptSubmit" in self.fired.read_text(), "project's hooks"
                )
            finally:
                at.terminate()
        fired = self.fired.read_text()
        for owner in ("user", "plugin", "project"):
            assert f"{owner} SessionStart" in fired, "the hooks fire in a session of the user's own"
        self.fired.unlink()

    def settings(self, **values: object) -> config.Config:
        """Our settings, the defaults but for these."""
        defaults = {setting.name: setting.default for setting in config.SETTINGS}
        program = {"claude_path": str(self.home.claude)}
        return config.Config(self.data, {**defaults, **program, **values})


def write(path: Path, content: object) -> None:
    """A file of text or JSON, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.fixture(scope="module")
def user(version: str, tmp_path_factory: pytest.TempPathFactory) -> User:
    """One for each client; its home has been used before."""
    made = User(tmp_path_factory.mktemp("claude-cli"), client(version))
    with Api(Script([])) as api:
        made.use_once(api)
        assert api.requests, "the session asks its model"
    return made


Serve = Callable[[Sequence[Turn]], Api]


@pytest.fixture
def serve(user: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts a scripted model that the user is logged in to."""
    monkeypatch.setenv("HOME", str(user.home.path))
    started: list[Api] = []

    def start(turns: Sequence[Turn]) -> Api:
        api = Api(Script(turns)).__enter__()
        started.append(api)
        user.log_in(api)
        return api

    yield start
    for api in started:
        api.__exit__(None, None, None)


def ask(provider: ClaudeCli, batch: str = "<turn>They fixed the cart.</turn>") -> Answer:
    """One batch."""
    return provider.ask(Ask("You write records of work.", batch, SCHEMA, 4000, 60))


def test_a_batch_is_one_request_that_holds_nothing_of_the_user_s(user: User, serve: Serve) -> None:
    """C2, C3: no hook, plugin, server, memory file, style, agent, skill or title."""
    api = serve([ANSWER])
    found = ask(ClaudeCli(user.settings()))
    assert json.loads(found.text) == {"title": "A cart"}
    assert found.usage.tokens_in == 10
    assert found.usage.tokens_out == 20
    assert "haiku" in found.model
    (request,) = api.requests
    assert [name for name in request.loaded_tools if name != "StructuredOutput"] == []
    sent = json.dumps(request.body)
    assert [word for word in PLANTED if word in sent] == []
    assert "You write records of work." in sent
    assert "They fixed the cart." in request.conversation()
    assert len(sent) < 4_000
    assert not user.fired.exists()


def test_nothing_is_written_anywhere(user: User, serve: Serve) -> None:
    """Not in the project, not in ~/.claude, not in ~/.claude.json.

    There the client itself notes, once, plugins that no interactive session has shown it yet.
    """
    serve([ANSWER] * (USED_BEFORE + 2))
    provider = ClaudeCli(user.settings())
    for _ in range(USED_BEFORE):
        if "pluginUsage" in (user.home.path / ".claude.json").read_text():
            break
        ask(provider)
    before = files_of(user.home.path)
    assert provider.login().is_in
    ask(provider)
    ask(provider)
    after = files_of(user.home.path)
    assert {name for name in before | after if before.get(name) != after.get(name)} == set()
    assert not user.fired.exists()


def test_a_file_that_an_event_mentions_is_not_read(user: User, serve: Serve) -> None:
    """The client reads "@/path" in a prompt of the user's, and sends what it holds."""
    api = serve([ANSWER])
    secret = user.home.path / "secret.txt"
    ask(ClaudeCli(user.settings()), f"<turn>Look at @{secret} and @secret.txt ultrathink</turn>")
    (request,) = api.requests
    sent = json.dumps(request.body)
    assert f"@{secret}" in sent
    assert "PLANTED-SECRET-FILE" not in sent


def test_thinking_is_off_and_the_answer_bounded(user: User, serve: Serve) -> None:
    """Whatever the user's settings say: both would be billed."""
    api = serve([ANSWER])
    ask(ClaudeCli(user.settings()))
    (request,) = api.requests
    assert request.body["max_tokens"] == 4000
    assert request.body.get("thinking", {"type": "disabled"})["type"] == "disabled"


def test_a_large_batch_arrives_whole(user: User, serve: Serve) -> None:
    """Through a pipe, not as an argument, which the system would refuse."""
    api = serve([ANSWER])
    batch = "<turn>" + "a line of output\n" * 20_000 + "</turn>"
    ask(ClaudeCli(user.settings()), batch)
    assert api.requests[0].conversation().count("a line of output\n") == 20_000


def test_an_answer_in_prose_or_of_another_shape_is_handed_on(user: User, serve: Serve) -> None:
    """C5: after one request each; what it is worth is decided by its reader."""
    api = serve([[text("You've hit your limit")], [call("StructuredOutput", titel="x")]])
    provider = ClaudeCli(user.settings())
    assert ask(provider).text == "You've hit your limit"
    assert json.loads(ask(provider).text) == {"titel": "x"}
    assert len(api.requests) == 2


def test_a_tool_that_the_model_calls_is_not_run(user: User, serve: Serve) -> None:
    """It has none, and bypassed permissions give it none."""
    api = serve([[call("Bash", command=f"echo bash >> {user.fired}")]])
    with pytest.raises(Trouble) as caught:
        ask(ClaudeCli(user.settings()))
    assert (caught.value.kind, caught.value.usage.tokens_in) == ("refused", 10)
    assert len(api.requests) == 1
    assert not user.fired.exists()


def test_commands_in_a_batch_are_text(user: User, serve: Serve) -> None:
    """The client would answer /cost itself."""
    api = serve([ANSWER, ANSWER])
    provider = ClaudeCli(user.settings())
    ask(provider, "/cost")
    ask(provider, "!ls")
    assert [request.conversation().count("/cost") for request in api.requests] == [1, 0]


def test_the_login_is_known(user: User, serve: Serve) -> None:
    """A logged-in claude distils without being asked for; else rules do, and say why."""
    serve([])
    chosen = auto.choose(user.settings())
    assert (chosen.name, chosen.why) == ("claude-cli", "claude is logged in")
    path = user.home.path / ".claude/settings.json"
    write(path, {**json.loads(path.read_text()), "env": {}})
    chosen = auto.choose(user.settings())
    assert (chosen.name, chosen.provider) == ("rules", None)
    assert chosen.why.endswith("is not logged in: run `claude` and /login")
    with pytest.raises(Trouble) as caught:
        ask(ClaudeCli(user.settings()))
    assert caught.value.kind == "login"
    assert not user.fired.exists()


def test_an_account_that_is_set_is_used_alone(user: User, serve: Serve) -> None:
    """The user's own settings, with another address in them, stay out."""
    other, own = serve([ANSWER]), Api(Script([ANSWER]))
    user.log_in(other)
    values = {"provider": "claude-cli", "api_key": "sk-fake-key-of-ours", "base_url": own.url}
    with own:
        ask(ClaudeCli(user.settings(**values)))
    assert (len(own.requests), len(other.requests)) == (1, 0)


def test_a_service_that_is_gone_is_said(user: User, serve: Serve) -> None:
    """No connection is no answer."""
    values = {"provider": "claude-cli", "api_key": "sk-fake", "base_url": "http://127.0.0.1:9"}
    with pytest.raises(Trouble) as caught:
        ask(ClaudeCli(user.settings(**values)))
    assert caught.value.kind == "unreachable"


def test_an_option_that_the_client_does_not_know_is_a_setting_to_mend(
    user: User, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an older client says to --safe-mode."""
    provider = ClaudeCli(user.settings())
    known = provider._flags
    monkeypatch.setattr(provider, "_flags", lambda ask: [*known(ask), "--no-such-option"])
    with pytest.raises(Trouble, match="claude update") as caught:
        ask(provider)
    assert caught.value.kind == "setup"
