"""Commands about distilling by a model: what it cost, what waits, and upgrading older turns."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import click

from backstory import config, instance
from backstory.capture import spending
from backstory.cli import distiller, output
from backstory.errors import BadInput
from backstory.storage import gates, sqlite

TIMEOUT_S = 120.0


@click.command()
@click.option(
    "--days",
    default=spending.DAYS,
    show_default=True,
    type=click.IntRange(1, spending.MOST_DAYS),
    help="Days to cover, today included.",
)
@output.json_option
def stats(days: int, as_json: bool) -> None:
    """Say what distilling by a model has cost, and what outlines in place of Reads have spared."""
    settings = config.load(output.home()).values

    def run(db: sqlite3.Connection) -> dict[str, Any]:
        reads = gates.report(db, days, sqlite.now_ms())
        return {**spending.report(db, settings, days), "reads": reads}

    found = output.read(run)
    output.show(found, stats_text(found), as_json=as_json)


def stats_text(found: Mapping[str, Any]) -> str:
    """The report for a person."""
    lines = [*summary_lines(found), *only_rules_lines(found["only_rules"])]
    lines.append(f"this month: {spent_text(found['month'])}")
    one = found["batch"]
    if one:
        lines.append(
            f"a call, on average: {one['tokens_in']:,} tokens in, {one['tokens_out']:,} out, "
            f"{one['tool_uses']:g} tool uses, {one['rows_written']:g} records, {one['seconds']:g} s"
            f", {price_text(one['price_usd'])}"
        )
    reads = reads_lines(found)
    if not found["all"]["calls"]:
        return "\n".join((*lines, f"no call in the last {found['days']} days", *reads))
    for title, rows in (
        ("project", [(one["project"], one) for one in found["by_project"]]),
        ("model", [(f"{one['provider']} {one['model']}", one) for one in found["by_model"]]),
        ("day", [(one["day"], one) for one in found["by_day"]]),
    ):
        lines += ["", f"the last {found['days']} days by {title}:"]
        width = max(len(name) for name, _ in rows)
        lines += [f"  {name.ljust(width)}  {spent_text(one)}" for name, one in rows]
    lines += [
        *reads,
        "",
        f"Prices: as told by the provider, else from the list of {found['prices_of']}.",
    ]
    return "\n".join(lines)


def reads_lines(found: Mapping[str, Any]) -> list[str]:
    """What the gate on Reads spared, project by project, also where that is less than nothing."""
    rows = found["reads"]
    if not rows:
        return []
    lines = ["", f"outlines in place of whole Reads, the last {found['days']} days, in tokens:"]
    for row in rows:
        lines.append(
            f"  {row['project']}: {row['net']:,} spared in all: {row['gates']} Reads of "
            f"{row['would_deliver']:,}, less {row['given']:,} given, {row['afterwards']:,} read "
            f"afterwards and {row['round_trips']:,} for {row['calls']} calls more"
        )
        if row["only_advises"]:
            lines.append(
                "    its last 20 cost more than they spared: Reads pass there now, with advice"
            )
    return lines


def summary_lines(found: Mapping[str, Any], who: Mapping[str, Any] | None = None) -> list[str]:
    """Today's spend, what is left, what waits: also for `status`.

    who: the worker's word on who distils, where that was told already; a pause is then said once.
    """
    lines = [f"today ({found['day']}, UTC): {spent_text(found['today'])}"]
    if found["embeddings"]["calls"]:
        lines.append(f"of that for vectors: {spent_text(found['embeddings'])}")
    held = found["under_way"]
    if found["cap"]:
        parts = [
            f"{found['left'][name]:,} of {found['cap'][name]:,} tokens {way}"
            for name, way in (("tokens_in", "in"), ("tokens_out", "out"))
        ]
        kept = f" ({held['calls']} calls under way or lost counted)" if held["calls"] else ""
        lines.append(f"left today: {', '.join(parts)}{kept}")
    waits = found["waiting"] | ({"until": 0} if (who or {}).get("until") else {})
    lines.append(f"waiting for a model: {waiting_text(waits)}")
    return lines


def is_worth_telling(found: Mapping[str, Any], who: Mapping[str, Any] | None) -> bool:
    """Whether a model has to do with it at all."""
    waits = found["waiting"]
    is_model = (who or {}).get("provider", "rules") != "rules"
    return bool(is_model or found["month"]["calls"] or waits["turns"] or waits["given_up"])


def only_rules_lines(found: Mapping[str, int]) -> list[str]:
    """What an upgrade could improve."""
    if not found["turns"]:
        return []
    covered = f"{count(found['turns'], 'turn')} with {count(found['tool_uses'], 'tool use')}"
    return [f"by rules alone so far: {covered}: `backstory distill --upgrade --dry-run`"]


def waiting_text(waits: Mapping[str, Any]) -> str:
    """What waits for a model."""
    parts = []
    if waits["turns"] or waits["under_way"]:
        under_way = f", {waits['under_way']} of them with it" if waits["under_way"] else ""
        turns = count(waits["turns"] + waits["under_way"], "turn")
        until = ""
        if waits.get("until"):
            until = f", until {distiller.clock(waits['until'])}: {waits['waits_for']}"
        parts.append(f"{turns} with {count(waits['tool_uses'], 'tool use')}{under_way}{until}")
    if waits["given_up"]:
        why = f" ({waits['why']})" if waits["why"] else ""
        parts.append(
            f"{count(waits['given_up'], 'turn')} given up{why}: `backstory distill --retry`"
        )
    return "; ".join(parts) or "nothing"


def count(number: int, noun: str) -> str:
    """1 turn, 2 turns."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def spent_text(spent: Mapping[str, Any]) -> str:
    """The sum of some calls."""
    if not spent["calls"]:
        return "no call"
    cached = f" ({spent['tokens_cached']:,} cached)" if spent["tokens_cached"] else ""
    text = (
        f"{count(spent['calls'], 'call')}, {spent['tokens_in']:,} tokens in{cached}, "
        f"{spent['tokens_out']:,} out, {price_text(spent['price_usd'])}"
    )
    if spent["price_usd"] is not None and spent["unpriced_calls"]:
        text += f" and {count(spent['unpriced_calls'], 'call')} of unknown price"
    if spent["failed"]:
        text += f"; {spent['failed']} without use"
    return text


def price_text(price: float | None) -> str:
    """A price: to the cent from a dollar on, below it with what matters."""
    if price is None:
        return "price unknown"
    return f"${price:,.2f}" if price >= 1 or not price else f"${price:.4f}"


@click.command()
@click.option("--upgrade", is_flag=True, help="Have a model distil what rules alone did so far.")
@click.option("--dry-run", is_flag=True, help="Only say what the upgrade would cost.")
@click.option("--since", default="", metavar="DATE", help="Turns from this day on (ISO, UTC).")
@output.project_option
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--retry", is_flag=True, help="Try again what a model gave up.")
@output.json_option
def distill(
    upgrade: bool,
    dry_run: bool,
    since: str,
    named: str,
    yes: bool,
    retry: bool,
    as_json: bool,
) -> None:
    """Say who distils and what waits; upgrade older records, within the daily cap.

    An upgrade covers every project unless --project names one. --dry-run sends nothing.
    """
    if upgrade and retry:
        raise BadInput("--upgrade and --retry are two things", hint="give one of them")
    if not upgrade and (dry_run or since or named or yes):
        raise BadInput(
            "--dry-run, --since, --project and --yes belong to an upgrade", hint="add --upgrade"
        )
    home = output.home()
    instance.start(home, output.root())

    def ask(**body: Any) -> dict[str, Any]:
        return instance.ask(home, "POST", "/api/distill", body, timeout=TIMEOUT_S)

    if retry:
        answer = ask(retry=True)
        output.show(answer, f"{count(answer['retried'], 'turn')} tried again", as_json=as_json)
        return
    if not upgrade:
        answer = ask()
        lines = [
            distiller.line(answer["distiller"]),
        ]
        lines += summary_lines(answer["spend"], answer["distiller"])
        text = "\n".join((*lines, *only_rules_lines(answer["only_rules"])))
        output.show(answer, text, as_json=as_json)
        return
    given = {"project": named, "cwd": output.current_folder() if named else "", "since": since}
    body = {"upgrade": True} | {name: value for name, value in given.items() if value}
    answer = ask(**body, dry_run=True)
    text = estimate_text(answer)
    if dry_run or not answer["estimate"]["turns"] or not confirmed(text, yes, as_json):
        hint = "" if dry_run or not answer["estimate"]["turns"] else "\n--yes does it"
        output.show(answer, text + hint, as_json=as_json)
        return
    answer |= ask(**body)
    opened = f"{count(answer['opened'], 'turn')} will be distilled; `backstory distill` tells more"
    output.show(answer, opened, as_json=as_json)


def confirmed(text: str, yes: bool, as_json: bool) -> bool:
    """Whether to go on: --yes, or a person's answer to what it would cost."""
    if yes:
        return True
    if as_json or not output.is_interactive():
        return False
    click.echo(text)
    return click.confirm("have them distilled?", abort=True)


def estimate_text(answer: Mapping[str, Any]) -> str:
    """What an upgrade would cost, for a person."""
    found = answer["estimate"]
    lines = [distiller.line(answer["distiller"])]
    if not found["turns"]:
        lines.append("there is nothing that rules alone distilled")
    else:
        lines += [
            covers_text(found),
            cost_text(found),
            days_text(found["days"]),
        ]
        if found["sampled"] < found["turns"]:
            lines.append(f"estimated from {found['sampled']} of them")
    if found["faded"]:
        lines.append(f"left out: {count(found['faded'], 'turn')} whose raw tool output is gone")
    if found["excluded"]:
        lines.append(f"left out: {count(found['excluded'], 'turn')} of excluded projects")
    return "\n".join(lines)


def covers_text(found: Mapping[str, Any]) -> str:
    """How much an upgrade covers."""
    turns, uses = count(found["turns"], "turn"), count(found["tool_uses"], "tool use")
    return f"would distil: {turns} with {uses}"


def cost_text(found: Mapping[str, Any]) -> str:
    """What an upgrade would cost, in a line."""
    listed = f" (list of {found['prices_of']})" if found["price_usd"] is not None else ""
    return (
        f"about {count(found['calls'], 'call')}, {found['tokens_in']:,} tokens in, "
        f"{found['tokens_out']:,} out, {price_text(found['price_usd'])}{listed}"
    )


def days_text(days: int | None) -> str:
    """How long an upgrade takes at the daily cap."""
    if days is None:
        return "the daily cap is 0: nothing would be sent"
    if days <= 1:
        return "it fits into what is left of today's cap"
    return f"at the daily cap it takes {days} days"


COMMANDS = (stats, distill)
