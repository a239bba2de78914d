"""What the turn did to running systems and data: services, clusters, databases, deployments."""

from __future__ import annotations

import re

from backstory.capture.rules.draft import Draft
from backstory.capture.rules.figures import brief
from backstory.capture.rules.results import show
from backstory.capture.rules.shell import Command
from backstory.capture.rules.steps import Step
from backstory.capture.rules.titles import is_order, mark, plain, shorten
from backstory.capture.rules.wordlist import wordlist

# program -> the verbs with which it changes something; an empty set: always
_ACTS = {
    "kubectl": wordlist(
        "apply scale delete rollout set create patch drain cordon label annotate expose"
    ),
    "helm": wordlist("install upgrade rollback uninstall"),
    "docker": wordlist("run stop rm restart kill push network volume start rmi tag"),
    "docker-compose": wordlist("up down restart stop start pull rm"),
    "systemctl": wordlist("start stop restart reload enable disable mask"),
    "service": frozenset(),
    "terraform": wordlist("apply destroy import taint state"),
    "ansible-playbook": frozenset(),
    "alembic": wordlist("upgrade downgrade stamp"),
    "prisma": wordlist("migrate db"),
    "flyway": wordlist("migrate repair"),
    "rails": wordlist("db:migrate db:rollback db:seed"),
    "redis-cli": wordlist("set del flushall flushdb SET DEL FLUSHALL FLUSHDB config CONFIG"),
    "chmod": frozenset(),
    "chown": frozenset(),
    "ln": frozenset(),
    "ufw": wordlist("allow deny delete enable disable"),
    "npm": wordlist("publish"),
    "twine": wordlist("upload"),
    "vercel": wordlist("deploy"),
    "fly": wordlist("deploy scale secrets"),
    "heroku": wordlist("config:set ps:scale"),
    "createdb": frozenset(),
    "dropdb": frozenset(),
    "pg_restore": frozenset(),
    "rsync": frozenset(),
    "scp": frozenset(),
}
_DATABASES = wordlist("psql mysql mariadb sqlite3 mongosh duckdb clickhouse-client")
_WRITES = re.compile(
    r"\b(?:insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+\w+|alter\s+\w+|drop\s+\w+|"
    r"truncate|grant|revoke|reindex|vacuum)\b|\.(?:insert|update|delete|drop)\w*\(",
    re.IGNORECASE,
)
_DRY = wordlist("--dry-run --dry-run=client --dry-run=server --check --help --diff")


def acting_steps(steps: list[Step]) -> list[tuple[Step, Command]]:
    """The successful steps of the main agent that changed a system or its data."""
    found: list[tuple[Step, Command]] = []
    for step in steps:
        if step.kind != "shell" or not step.ok or step.use.agent_id:
            continue
        for command in step.commands:
            if command.joined != "||" and _acts(command):
                found.append((step, command))
                break
    return found


def _acts(command: Command) -> bool:
    if command.program in _DATABASES:
        return bool(_WRITES.search(" ".join([*command.words[1:], command.heredoc])))
    words = command.arguments
    program = command.program
    if command.starts("docker", "compose"):
        program, words = "docker-compose", words[1:]
    if program.startswith("python") and "manage.py" in words[:1]:
        return words[1:2] in (("migrate",), ("loaddata",), ("createsuperuser",))
    verbs = _ACTS.get(program)
    if verbs is None or _DRY.intersection(command.words):
        return False
    return not verbs or bool(verbs.intersection(words[:3]))


def operation_row(found: list[tuple[Step, Command]]) -> Draft | None:
    """One row for all of them, with what each printed."""
    told: list[str] = []
    figures: list[str] = []
    kept: list[Step] = []
    for step, command in found:
        name = shorten(show(command), 110)
        lines = [plain(line) for line in step.text.splitlines() if line.strip()]
        said = "; ".join(shorten(line, 90) for line in lines[-2:] if not is_order(line))
        told.append(f"`{name}`{': ' + said if said else ''}")
        figures.append(brief([line for line in lines[-2:] if not is_order(line)]))
        kept.append(step)
    if not told:
        return None
    purpose = next((step.purpose for step in kept if step.purpose), "")
    row = Draft(f"ops:{mark(show(found[0][1]))}", "change", "", concepts=["what-changed"])
    what = f"`{shorten(show(found[0][1]), 70)}`"
    row.title = purpose or f"Ran {what}"
    row.title += f": {figures[0]}" if figures[0] else f" ({what})" if purpose else ""
    row.steps, row.covered = kept, True
    for line in told[:8]:
        row.add_fact(line)
    return row
