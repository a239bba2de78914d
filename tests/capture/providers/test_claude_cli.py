"""The user's own `claude` as a provider, driven with programs that stand in for it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from backstory import config
from backstory.capture.providers import claude_cli, create
from backstory.capture.providers.base import ANSWER_LIMIT, Ask, Label, Trouble
from backstory.capture.providers.claude_cli import ClaudeCli
from backstory.capture.providers.claude_program import Roots
from tests.support.fake_claude import FakeClaude, fake_claude, is_running, message, printing, result

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
BATCH = "<turn>\nOttokar Zwiebel's secret recipe @/etc/passwd\n</turn>"
GOOD = [{"type": "system"}, result(structured_output={"title": "A cart"})]
KEY = "sk-ant-a-key-of-the-tests"


def ask(batch: str = BATCH, timeout: float = 30) -> Ask:
    """A question."""
    return Ask("Write records. --verbose", batch, SCHEMA, 4000, timeout)


Make = Callable[..., ClaudeCli]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes the provider for a program, with settings."""

    def provider(fake: FakeClaude, roots: Roots = (), **values: object) -> ClaudeCli:
        settings = {s.name: s.default for s in config.SETTINGS}
        settings |= {"provider": "claude-cli", "claude_path": str(fake.path), **values}
        return ClaudeCli(config.Config(tmp_path / "data", settings), roots)

    return provider


@pytest.fixture
def good(tmp_path: Path) -> FakeClaude:
    """A program that answers."""
    return fake_claude(tmp_path / "bin", printing(GOOD))


def failure(provider: ClaudeCli, question: Ask | None = None) -> Trouble:
    """The trouble that a question brings."""
    with pytest.raises(Trouble) as caught:
        provider.ask(question or ask())
    return caught.value


def test_a_question_is_answered(make: Make, good: FakeClaude) -> None:
    """The object, the model and what it cost."""
    found = make(good).ask(ask())
    assert json.loads(found.text) == {"title": "A cart"}
    assert (found.usage.tokens_in, found.usage.tokens_out) == (4310, 25)
    assert found.usage.price_usd == pytest.approx(0.00042)


def test_the_batch_goes_to_standard_input_alone(make: Make, good: FakeClaude) -> None:
    """Arguments and environment can be read by other programs; the instructions hold nothing."""
    make(good).ask(ask())
    assert good.noted("stdin") == [BATCH]
    assert "Zwiebel" not in json.dumps([good.noted("argv"), good.noted("env")])


def test_the_flags_keep_everything_of_the_user_s_out(make: Make, good: FakeClaude) -> None:
    """C2, C3: no hooks, plugins, tools, servers, session files or settings of a project."""
    make(good).ask(ask())
    (argv,) = good.noted("argv")
    for flag in (
        "-p",
        "--safe-mode",
        "--model=haiku",
        "--tools=",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--output-format=json",
        "--max-turns=1",
        "--setting-sources=user",
        "--system-prompt=Write records. --verbose",
    ):
        assert flag in argv
    (schema,) = [a for a in argv if a.startswith("--json-schema=")]
    assert json.loads(schema.partition("=")[2]) == SCHEMA


def test_our_variables_come_before_those_of_the_user_s_settings(
    make: Make, good: FakeClaude
) -> None:
    """Settings of the user's win over the environment, so ours are given as settings, too."""
    make(good).ask(ask())
    (given,) = [a for a in good.noted("argv")[0] if a.startswith("--settings=")]
    own = json.loads(given.partition("=")[2])["env"]
    assert own["MAX_THINKING_TOKENS"] == "0"
    assert own["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "4000"
    assert own["CLAUDE_CODE_DISABLE_ATTACHMENTS"] == "1"
    (env,) = good.noted("env")
    assert {name: env[name] for name in own} == own


HOSTILE = {
    "ANTHROPIC_BASE_URL": "http://evil.example",
    "ANTHROPIC_API_KEY": "sk-evil",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Evil: 1",
    "CLAUDE_CONFIG_DIR": "/evil",
    "CLAUDE_CODE_USE_BEDROCK": "1",
    "AWS_PROFILE": "evil",
    "NODE_OPTIONS": "--require=/evil.js",
    "NODE_EXTRA_CA_CERTS": "/evil.pem",
    "SSL_CERT_FILE": "/evil.pem",
    "LD_PRELOAD": "",
    "PYTHONPATH": "/evil",
    "HTTP_PROXY": "http://evil.example:1",
}


def test_the_environment_is_built(
    make: Make, good: FakeClaude, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C15: a project can set any variable of ours; only a few ordinary ones go on."""
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    make(good).ask(ask())
    (env,) = good.noted("env")
    assert "evil" not in json.dumps(env)
    assert env["BACKSTORY_CHILD"] == "1"
    assert env["HOME"] == os.environ["HOME"]
    expected = {"HOME", "PATH", "BACKSTORY_CHILD", "HTTPS_PROXY", "NO_PROXY", "API_TIMEOUT_MS"}
    expected |= {"CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_MAX_RETRIES", "LC_CTYPE"}
    assert set(env) <= expected | set(claude_cli.OWN_VARIABLES) | set(claude_cli._PASSED)


def test_it_runs_in_an_empty_folder_of_ours(make: Make, good: FakeClaude, tmp_path: Path) -> None:
    """Nothing of a project is near, and nobody else may look into it."""
    make(good).ask(ask())
    folder = tmp_path / "data/model"
    assert good.noted("cwd") == [str(folder)]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("start", ["/clear", "!ls", "#note"])
def test_a_batch_never_begins_like_a_command(make: Make, good: FakeClaude, start: str) -> None:
    """The client would run it instead of asking the model."""
    make(good).ask(ask(start))
    assert good.noted("stdin") == [f"\n{start}"]


def test_the_user_s_model_wins(make: Make, good: FakeClaude) -> None:
    """Whatever it is."""
    provider = make(good, model="sonnet")
    provider.ask(ask())
    assert "--model=sonnet" in good.noted("argv")[0]
    assert provider.label == Label("claude-cli", "sonnet", "your Claude login")
    assert make(good).label.model == "haiku"


def test_an_account_that_is_set_is_used_instead_of_the_login(make: Make, good: FakeClaude) -> None:
    """And then the user's settings, which may hold another one, stay out."""
    provider = make(good, api_key=KEY, base_url="http://127.0.0.1:9/gateway")
    provider.ask(ask())
    (env,), (argv,) = good.noted("env"), good.noted("argv")
    assert env["ANTHROPIC_API_KEY"] == KEY
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9/gateway"
    assert "--setting-sources=" in argv
    assert KEY not in json.dumps(argv)
    assert provider.label.note == "the key that is set"
    make(good, auth_token="token-of-a-gateway").ask(ask())
    assert good.noted("env")[1]["ANTHROPIC_AUTH_TOKEN"] == "token-of-a-gateway"


def test_the_login_is_never_sent_to_another_address(make: Make, good: FakeClaude) -> None:
    """The client would do it without a word."""
    with pytest.raises(Trouble, match="needs api_key or auth_token") as caught:
        make(good, base_url="https://gateway.example")
    assert caught.value.kind == "setup"


def test_projects_that_become_known_later_count(
    make: Make, good: FakeClaude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C3: for the program, for the PATH and for HOME, before every run."""
    for name in ("shop", "house"):
        (tmp_path / name / "bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'shop/bin'}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "house"))
    known: list[str] = []
    provider = make(good, lambda: tuple(known))
    provider.ask(ask())
    known.append(str(tmp_path / "shop"))
    provider.ask(ask())
    before, after = good.noted("env")
    assert before["PATH"] == f"{tmp_path / 'shop/bin'}:/usr/bin:/bin"
    assert after["PATH"] == "/usr/bin:/bin"
    known[:] = [str(tmp_path / "house")]
    assert "HOME is" in failure(provider).message
    known[:] = [str(good.path.parent)]
    assert failure(provider).kind == "setup"
    assert len(good.noted("env")) == 2


def test_keys_of_other_providers_are_left_alone(make: Make, good: FakeClaude) -> None:
    """With `auto` nobody said whose key it is."""
    make(good, provider="auto", api_key=KEY, base_url="https://openrouter.ai/api/v1").ask(ask())
    (env,) = good.noted("env")
    assert not {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} & set(env)


@pytest.mark.parametrize(
    ("cloud", "expected"),
    [
        (
            "bedrock",
            {
                "CLAUDE_CODE_USE_BEDROCK": "1",
                "AWS_REGION": "eu-1",
                "AWS_PROFILE": "work",
                "AWS_BEARER_TOKEN_BEDROCK": KEY,
            },
        ),
        (
            "vertex",
            {
                "CLAUDE_CODE_USE_VERTEX": "1",
                "CLOUD_ML_REGION": "eu-1",
                "ANTHROPIC_VERTEX_PROJECT_ID": "work",
            },
        ),
    ],
)
def test_a_cloud_is_reached_by_its_settings(
    make: Make, good: FakeClaude, cloud: str, expected: dict[str, str]
) -> None:
    """C15: the worker's environment holds none of the user's variables for it."""
    provider = make(good, cloud=cloud, cloud_region="eu-1", cloud_project="work", api_key=KEY)
    provider.ask(ask())
    (env,) = good.noted("env")
    assert {name: env.get(name) for name in expected} == expected
    assert "ANTHROPIC_API_KEY" not in env
    assert provider.label.note == f"your {cloud.title()} account"


def test_proxies_go_on_but_never_for_this_machine(
    make: Make, good: FakeClaude, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway on the loopback is reached directly."""
    monkeypatch.setenv("https_proxy", "http://proxy.example:8080")
    make(good, ca_file="/etc/company.pem").ask(ask())
    make(good, api_key=KEY, base_url="http://localhost:4000").ask(ask())
    first, second = good.noted("env")
    assert first["HTTPS_PROXY"] == "http://proxy.example:8080"
    assert first["NODE_EXTRA_CA_CERTS"] == "/etc/company.pem"
    assert "HTTPS_PROXY" not in second


def test_a_program_that_was_changed_for_anyone_is_not_run(make: Make, good: FakeClaude) -> None:
    """It is looked at again before each run."""
    provider = make(good)
    good.path.chmod(0o777)
    assert failure(provider).kind == "setup"
    assert good.noted("pid") == []


def test_a_program_that_is_gone_is_said(make: Make, good: FakeClaude) -> None:
    """The client was removed while the worker ran."""
    provider = make(good)
    good.path.unlink()
    found = failure(provider)
    assert (found.kind, "is no program" in found.message) == ("setup", True)


def test_a_program_in_a_project_is_not_taken(make: Make, good: FakeClaude, tmp_path: Path) -> None:
    """Not even where it is set: the settings could lie in a project, too."""
    with pytest.raises(Trouble, match="lies in the project"):
        make(good, (str(tmp_path / "bin"),))


def test_a_limit_is_trouble_with_its_end(make: Make, tmp_path: Path) -> None:
    """C5: never a summary that says "You've hit your limit"."""
    words = "You've hit your limit · resets 3pm (UTC)"
    ends = result(is_error=True, result=words, api_error_status=429, modelUsage={}, usage={})
    notice = message({"type": "text", "text": words}, error="rate_limit")
    found = failure(make(fake_claude(tmp_path / "bin", printing([notice, ends], 1))))
    assert found.kind == "limit"
    assert found.retry_after is not None
    assert 0 <= found.retry_after <= 86_400


def test_a_login_that_ran_out_gets_one_more_run(make: Make, tmp_path: Path) -> None:
    """The client renews it between its own tries, of which we grant none at first."""
    no = result(is_error=True, result="OAuth token has expired", api_error_status=401)
    body = f"""
if os.environ["CLAUDE_CODE_MAX_RETRIES"] == "1": print(json.dumps({GOOD!r}))
else: print(json.dumps({no!r}))
"""
    fake = fake_claude(tmp_path / "bin", body)
    assert make(fake).ask(ask()).text == '{"title": "A cart"}'
    assert failure(make(fake, api_key=KEY)).kind == "login"
    assert len(fake.noted("pid")) == 3, "a key does not get better by asking again"


def test_an_older_client_is_told_to_be_updated(make: Make, tmp_path: Path) -> None:
    """It does not know --safe-mode, and without it the user's hooks would run."""
    body = "sys.stderr.write(\"error: unknown option '--safe-mode'\"); sys.exit(1)"
    found = failure(make(fake_claude(tmp_path / "bin", body)))
    assert (found.kind, "claude update" in found.message) == ("setup", True)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("sys.exit(1)", "busy"),
        ("print('You have hit your limit')", "busy"),
        ("sys.stderr.write('Not logged in · Please run /login'); sys.exit(1)", "login"),
        ("os.kill(os.getpid(), 11)", "busy"),
        ('print(\'{"type": "result", "resu\')', "busy"),
        ("print('[]')", "busy"),
        (f"print('x' * {claude_cli.OUTPUT_LIMIT + 1})", "refused"),
    ],
)
def test_a_program_without_an_answer_is_trouble(
    make: Make, tmp_path: Path, body: str, kind: str
) -> None:
    """C5, C12: output that is not the client's is never an answer."""
    assert failure(make(fake_claude(tmp_path / "bin", body))).kind == kind


def test_an_answer_that_is_too_large_is_refused_and_was_billed(make: Make, tmp_path: Path) -> None:
    """3 MB of titles are no answer of ours."""
    body = f"""
message = {result()!r}
message["structured_output"] = {{"title": "x" * {ANSWER_LIMIT}}}
print(json.dumps([message]))
"""
    found = failure(make(fake_claude(tmp_path / "bin", body)))
    assert (found.kind, found.usage.tokens_in) == ("refused", 4310)


def test_a_hang_ends_at_the_time_limit(make: Make, tmp_path: Path) -> None:
    """And the program with it, though it ignores being asked."""
    body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()"
    fake = fake_claude(tmp_path / "bin", body)
    assert failure(make(fake), ask(timeout=1)).kind == "timeout"
    assert not is_running(fake.noted("pid")[0])


def test_an_answer_before_a_hang_counts(make: Make, tmp_path: Path) -> None:
    """It is paid for."""
    body = f"print(json.dumps({GOOD!r}), flush=True)\nsignal.pause()"
    assert make(fake_claude(tmp_path / "bin", body)).ask(ask(timeout=1)).text


def test_closing_ends_the_call_under_way(make: Make, tmp_path: Path) -> None:
    """What a worker that ends does."""
    started = tmp_path / "started"
    os.mkfifo(started)
    body = f"open({str(started)!r}, 'w').write('x')\nsignal.pause()"
    fake = fake_claude(tmp_path / "bin", body)
    provider = make(fake)
    troubles: list[Trouble] = []
    thread = threading.Thread(target=lambda: troubles.append(failure(provider)))
    thread.start()
    started.read_text()
    provider.close()
    thread.join(10)
    assert [trouble.kind for trouble in troubles] == ["unreachable"]
    assert not is_running(fake.noted("pid")[0])
    assert failure(provider).kind == "unreachable"


def test_two_questions_at_once_keep_apart(make: Make, tmp_path: Path) -> None:
    """One provider serves several threads."""
    body = f"""
message = {result()!r}
message["structured_output"] = {{"title": sys.stdin.read()}}
print(json.dumps([message]))
"""
    provider = make(fake_claude(tmp_path / "bin", body))
    texts: dict[str, str] = {}

    def one(name: str) -> None:
        texts[name] = json.loads(provider.ask(ask(name * 100_000)).text)["title"]

    threads = [threading.Thread(target=one, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {"a": "a" * 100_000, "b": "b" * 100_000}


def test_messages_hold_no_key_and_nothing_captured(make: Make, tmp_path: Path) -> None:
    """The program says both."""
    body = f"""
words = sys.stdin.read() + os.environ["ANTHROPIC_API_KEY"]
message = {result(is_error=True, api_error_status=400)!r}
message["result"] = words
print(json.dumps([message]))
"""
    found = failure(make(fake_claude(tmp_path / "bin", body), api_key=KEY))
    assert found.kind == "refused"
    assert KEY not in found.message
    assert "Zwiebel" not in found.message


def test_half_a_character_in_a_batch_is_no_failure(make: Make, good: FakeClaude) -> None:
    """A lone surrogate has no bytes."""
    assert make(good).ask(ask("a \ud800 b")).text


LOGGED_IN = {"loggedIn": True, "authMethod": "claude.ai", "apiProvider": "firstParty"}


def test_the_login_is_looked_at(make: Make, tmp_path: Path) -> None:
    """By the client's own command, with a project's settings left out as well."""
    fake = fake_claude(tmp_path / "bin", printing(LOGGED_IN))
    assert make(fake).login().is_in
    (argv,) = fake.noted("argv")
    assert argv[-3:] == ["auth", "status", "--json"]
    assert "--setting-sources=user" in argv


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (printing({"loggedIn": False}, 1), "run `claude` and /login"),
        (printing({"loggedIn": True}, 1), "run `claude` and /login"),
        ("print('logged in')", "no answer"),
        ("sys.stderr.write(\"error: unknown option '--json'\"); sys.exit(1)", "claude update"),
        ("sys.exit(9)", "code 9"),
    ],
)
def test_a_missing_login_is_said_with_what_to_do(
    make: Make, tmp_path: Path, body: str, words: str
) -> None:
    """The sentence reaches the user."""
    found = make(fake_claude(tmp_path / "bin", body)).login()
    assert not found.is_in
    assert words in found.why


def test_a_probe_that_hangs_ends(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A7: ten seconds at most, in a thread; nothing else waits for it."""
    monkeypatch.setattr(claude_cli, "PROBE_S", 0.5)
    fake = fake_claude(tmp_path / "bin", "time.sleep(60)")
    found = make(fake).login()
    assert (found.is_in, "did not answer in 0.5 s" in found.why) == (False, True)
    assert not is_running(fake.noted("pid")[0])


def test_the_table_makes_it(good: FakeClaude, tmp_path: Path) -> None:
    """From settings alone."""
    values = {setting.name: setting.default for setting in config.SETTINGS}
    settings = config.Config(tmp_path / "data", {**values, "claude_path": str(good.path)})
    assert create("claude-cli", settings).label.provider == "claude-cli"
