"""The settings: one table. settings.json holds only what differs from it.

`os.environ` is read here for the three variables that reach the worker, and nowhere else in it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backstory import paths
from backstory.errors import BadInput


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, its default (whose type is the type), and one sentence."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 1_000_000_000
    secret: bool = False  # never shown again


SETTINGS = (
    Setting(
        "provider",
        "auto",
        "What distils observations; auto: your logged-in claude, else rules alone.",
        choices=("auto", "rules", "claude-cli", "anthropic", "openai"),
    ),
    Setting("model", "", "The model's name; empty: a small one of the provider."),
    Setting("api_key", "", "Key of the anthropic or openai provider.", secret=True),
    Setting("auth_token", "", "Bearer token of a gateway, instead of a key.", secret=True),
    Setting("base_url", "", "Address of a gateway or an OpenAI-compatible endpoint."),
    Setting("cloud", "", "Reach Claude through this cloud.", choices=("", "bedrock", "vertex")),
    Setting("cloud_region", "", "The cloud's region."),
    Setting("cloud_project", "", "Vertex: the project; Bedrock: the AWS profile."),
    Setting("claude_path", "", "The claude program; empty: the one on your PATH."),
    Setting("ca_file", "", "Certificates to trust instead of the usual ones (PEM)."),
    Setting("daily_input_tokens", 500_000, "Most input tokens a day (UTC) for models."),
    Setting("daily_output_tokens", 60_000, "Most output tokens a day (UTC) for distilling."),
    Setting(
        "embedder",
        "builtin",
        "What finds records by their meaning beside their words.",
        choices=("builtin", "openai", "none"),
    ),
    Setting("embedding_url", "", "Address of an OpenAI-compatible endpoint for embeddings."),
    Setting("embedding_model", "", "The name of its model."),
    Setting("embedding_key", "", "Key of the endpoint for embeddings.", secret=True),
    Setting("excluded_projects", [], "Folders or globs of projects that are never remembered."),
    Setting("skipped_tools", [], "Names or globs of tools whose calls are never captured."),
    Setting("context_observations", 50, "Most index rows at session start.", low=0, high=200),
    Setting("context_tokens", 2400, "Most tokens of the session start context.", low=0, high=4000),
    Setting(
        "read_gate",
        "redirect",
        "Whole Reads of large source files: outline first, a hint beside them, or nothing.",
        choices=("redirect", "advise", "off"),
    ),
    Setting("read_gate_tokens", 10_000, "Tokens from which a whole Read is large.", low=2_000),
    Setting(
        "read_gate_exceptions", [], "Folders or globs that read_gate leaves alone, or GLOB=MODE."
    ),
    Setting("prompt_recall", True, "Names records beside a prompt that they clearly bear on."),
    Setting("raw_days", 90, "Days that raw tool input and output is kept.", low=1, high=3650),
    Setting("raw_megabytes", 1000, "Most megabytes of raw tool input and output.", low=1),
    Setting("idle_minutes", 30, "Minutes without work after which the worker exits.", low=1),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
# the settings that are addresses, and where their keys belong
ADDRESSES = {
    "base_url": "the settings api_key and auth_token",
    "embedding_url": "the setting embedding_key",
}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, and the data directory."""

    home: Path
    values: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def database(self) -> Path:
        """The database file."""
        return self.home / paths.DATABASE

    @property
    def spool(self) -> Path:
        """The spool's folder."""
        return self.home / paths.SPOOL


def load(home: Path | None = None) -> Config:
    """The settings of a data directory.

    Raises BadInput where settings.json is not usable: a person wrote it, so it is not replaced.
    """
    home = Path(paths.data_dir()) if home is None else home
    values = {setting.name: setting.default for setting in SETTINGS}
    for name, value in read_file(home).items():
        if name in BY_NAME:
            values[name] = check(BY_NAME[name], value)
    # a project can set our variables: this one can switch a model off, and never one on
    if os.environ.get("BACKSTORY_PROVIDER") == "rules":
        values["provider"] = "rules"
        if values["embedder"] == "openai":
            values["embedder"] = "none"
    return Config(home, values)


def read_file(home: Path) -> dict[str, Any]:
    """What settings.json holds; {} where there is none. Raises BadInput where it is no object."""
    path = home / paths.SETTINGS
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError, OSError) as error:
        raise BadInput(f"{path} cannot be read: {error}", hint="mend it or remove it") from error
    if not isinstance(found, dict):
        raise BadInput(f"{path} must hold a JSON object", hint="mend it or remove it")
    return found


def store(home: Path, name: str, text: str | None) -> Any:
    """Sets a setting from its text on the command line, or unsets it (None); returns its value.

    Raises BadInput for an unknown name or a value that does not fit.
    """
    setting = BY_NAME.get(name)
    if setting is None:
        known = ", ".join(BY_NAME)
        raise BadInput(f"there is no setting {name!r}", hint=f"the settings are: {known}")
    found = read_file(home)
    if text is None:
        found.pop(name, None)
    else:
        found[name] = check(setting, from_text(setting, text))
    write_private(home / paths.SETTINGS, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return found.get(name, setting.default)


def check(setting: Setting, value: Any) -> Any:
    """The value, if it fits the setting. Raises BadInput."""
    kind = type(setting.default)
    fits = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    if setting.secret and not fits:
        raise BadInput(f"setting {setting.name} takes text in quotes")  # never its value
    if fits and kind is list:
        fits = all(isinstance(item, str) for item in value)
    if not fits:
        wanted = {
            list: "a list of strings",
            int: "a whole number",
            str: "a word",
            bool: "true or false",
        }
        raise BadInput(f"setting {setting.name} takes {wanted[kind]}, not {value!r}")
    if kind is int and not setting.low <= value <= setting.high:
        raise BadInput(f"setting {setting.name} takes {setting.low} to {setting.high}, not {value}")
    if setting.choices and value not in setting.choices:
        names = ", ".join(choice or '"" (none)' for choice in setting.choices)
        raise BadInput(f"setting {setting.name} takes {names}, not {value!r}")
    return value


def from_text(setting: Setting, text: str) -> Any:
    """The value that a person wrote: JSON, a list also with commas. Raises BadInput."""
    if setting.secret:
        return check_secret(setting, text.strip())
    if setting.name in ADDRESSES and text:
        return check_address(setting.name, text.strip())
    if isinstance(setting.default, str):
        return text
    is_list = isinstance(setting.default, list)
    if is_list and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        wanted = 'a list: \'["a", "b"]\' or a,b' if is_list else "a whole number"
        raise BadInput(f"setting {setting.name} takes {wanted}, not {text!r}") from None


def check_secret(setting: Setting, text: str) -> str:
    """The key that a person gave. Raises BadInput, whose message never quotes it."""
    if not text:
        raise BadInput(f"setting {setting.name}: nothing was given", hint="--unset removes it")
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise BadInput(
            f"setting {setting.name} takes one word of ASCII characters, without spaces",
            hint='a token goes without the word "Bearer" before it',
        )
    return text


def check_address(name: str, text: str) -> str:
    """The address of an endpoint. Raises BadInput where it is none, or holds a password."""
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    if "@" in host:
        raise BadInput(
            f"setting {name} is shown, so it takes no user name or password",
            hint=f"keys belong to {ADDRESSES[name]}",
        )
    if "?" in rest or "#" in rest:
        raise BadInput(
            f"setting {name} takes an address alone, without ? and #",
            hint=f"keys belong to {ADDRESSES[name]}",
        )
    if scheme.lower() not in ("http", "https") or not host or not text.isprintable():
        raise BadInput(
            f"setting {name} takes an http or https address, not {text!r}",
            hint="for example http://127.0.0.1:11434/v1",
        )
    return text


def shown(setting: Setting, value: Any) -> Any:
    """What may be shown of a setting's value: of a secret only whether there is one."""
    if setting.secret:
        return "set" if value else "not set"
    return value


def write_private(path: Path, text: str) -> None:
    """Replaces a file of ours in one step; readable by the user alone. Follows the user's links."""
    path = path.resolve()
    paths.make_private_dir(str(path.parent))
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, 0o600)  # one that was left behind may have been open to others
        file.write(text)
    part.replace(path)


def hook_facts(config: Config) -> str:
    """hook.json: the settings that hooks need, flat, one a line."""
    names = (
        *("excluded_projects", "skipped_tools", "context_observations", "context_tokens"),
        *("read_gate", "read_gate_exceptions", "prompt_recall"),
    )
    lines = [f'"{n}": {json.dumps(config[n], ensure_ascii=False)}' for n in names]
    return "{" + ",\n".join(lines) + "}\n"
