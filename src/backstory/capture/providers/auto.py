"""Which provider distils: the one that is set, else a logged-in `claude`, else rules alone."""

from __future__ import annotations

from dataclasses import dataclass

from backstory.capture.providers import Settings, create
from backstory.capture.providers.base import Provider, Trouble
from backstory.capture.providers.claude_cli import ClaudeCli
from backstory.capture.providers.claude_program import Roots


@dataclass(frozen=True, slots=True)
class Chosen:
    """A provider, and why it is this one.

    provider: None where rules distil alone. Then name is "rules", or that of the provider that is
    set and cannot be used, and why tells what to do about it.
    """

    name: str
    provider: Provider | None
    why: str


def choose(settings: Settings, roots: Roots = ()) -> Chosen:
    """The provider to use. Blocks for up to ten seconds: it may run a program.

    roots: folders of projects, or a function that looks them up before every run; no program
    inside one is run. Never raises Trouble.
    """
    name = settings["provider"]
    if name == "rules":
        return Chosen(name, None, "the setting provider says so")
    try:
        if name == "auto":
            return _logged_in(ClaudeCli(settings, roots))
        # the table makes any provider from settings alone; this one looks at the roots as well
        made = ClaudeCli(settings, roots) if name == "claude-cli" else create(name, settings)
    except Trouble as trouble:
        return Chosen("rules" if name == "auto" else name, None, trouble.message)
    return Chosen(name, made, "the setting provider says so")


def _logged_in(claude: ClaudeCli) -> Chosen:
    login = claude.login()
    if login.is_in:
        return Chosen("claude-cli", claude, "claude is logged in")
    claude.close()
    return Chosen("rules", None, login.why)
