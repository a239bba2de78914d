"""What memory holds that clearly bears on a prompt: most prompts, nothing.

A record bears on a prompt when it holds the prompt's rare words, in its title best of all, and when
it is near in meaning where other records are not. Each alone misleads: words of the project are
everywhere, and to a short prompt something is always nearest. So both are weighed together, by a
logistic model whose weights `benchmarks/prompts.py` finds and measures.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from backstory.estimate import estimate_tokens
from backstory.recall import cues
from backstory.recall.context import EVIDENCE
from backstory.recall.plain import date_of, plain
from backstory.recall.query import STOP_WORDS
from backstory.recall.search import Nearest
from backstory.sanitize.private import cut_private_text
from backstory.storage import sql
from backstory.storage.text_index import rowid, scope_filter
from backstory.storage.tokens import plain_words, query_terms

MOST = 3  # rows
TOKENS = 300
TITLE = 100  # characters
HEAD, TAIL = 700, 300  # characters of a long prompt: what is pasted between says little
WORDS = 12  # of a prompt that are looked for, the longest first
EVERYWHERE = 4_000  # records that hold a word: of more it tells nothing
LOOKED_AT = 40  # candidates
THRESHOLD = 0.5
ALONGSIDE = 0.2  # of those told together with one that is surer
TELLING = 2  # words of a prompt that say what it is about: from here on it is like another one
# What people write of any work: weak evidence, however rare a small store makes it.
WORK_WORDS = frozenset(
    plain_words(
        """
        add added adding another app apply ask behave better bit break breaks broken bug build call
        change changed changes check clean code command commit complain correct create crash current
        currently delete different doing done easy error errors every everything explain fail
        failed failing fails feature file files find first fix fixed folder function give good
        handle happen happens help implement improve instead issue job keep last line lines list
        little look looks make makes maybe method missing move name need never new nice number old
        open order part plan please problem project proper pull push put question rather read
        really refactor remember remove rename replace request result return review right run
        running runs same save say says script see seems server set show similar simple since slow
        something sometimes start starts still stop support sure take test tests thank think time
        today together tool try turn two type understand update value version way work works write
        wrong yesterday yet
        aber alle auch auf bei beim bitte da dann dass den dem des doch ein eine einen einer
        etwas fehler fix für gibt haben hat hinzu ich im immer ist kann kannst mach machen man mir
        mit nach neu neue nicht noch nur oder schon sein sich sind so über um uns vom von warum was
        wenn wie wieder wir wird wo zu zum zur
        """
    ).split()
)
_UNSPACED_WORK = frozenset(
    """
    这个 那个 一个 一下 什么 怎么 为什 什麼 为何 可以 需要 我们 你们 请帮 帮我 添加 修复 修改 增加
    问题 错误 现在 还是 没有 是否 如何 能否 时候 出现 代码 文件 函数 测试 运行
    です ます した する して ない なぜ どう この その から まで ため こと もの くだ ださ さい てく
    追加 修正 変更 確認 実装 問題 なり なる
    """.split()  # noqa: SIM905  words read better as words
)
_PATH = re.compile(r"[\w-]+[./_][\w./-]*\w|\w*[a-z][A-Z]\w*|[\w-]+\(\)")

QUERIES = sql.load("prompt_recall")


@dataclass(frozen=True, slots=True)
class Bearing:
    """A record and the evidence that it bears on the prompt."""

    id: int
    type: str
    title: str
    at: int
    is_verified: bool
    features: tuple[float, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class _Word:
    match: str
    weight: float
    is_name: bool


NAMES = ("coverage", "weight", "title", "names", "cosine", "margin", "both", "several", "lead")
BIAS = -6.25
WEIGHTS = (2.94, 1.08, 0.22, 0.89, 5.07, 6.43, 1.29, 0.00, 5.14)
# Where there are no vectors, by words alone: set by hand, the more careful.
BIAS_OF_WORDS = -5.2
WEIGHTS_OF_WORDS = (4.0, 1.0, 1.5, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0)


def find(
    db: sqlite3.Connection,
    project: int,
    prompt: str,
    session: str,
    nearest: Nearest | None = None,
    known: Collection[int] = (),
) -> list[Bearing]:
    """The records that clearly bear on a prompt, the best first; mostly none.

    known: what the session was told besides what the database says of it.
    """
    weighed = weigh(db, project, prompt, session, nearest)
    return told(one for one in weighed if one.id not in known)


def told(weighed: Iterable[Bearing]) -> list[Bearing]:
    """Those that are told, of some in order: once one is sure, what is likely comes along."""
    likely = [one for one in weighed if one.chance >= ALONGSIDE][:MOST]
    return likely if likely and likely[0].chance >= THRESHOLD else []


def forget_told(db: sqlite3.Connection, session: str) -> None:
    """Has a session know nothing of what it was told."""
    db.execute(QUERIES["forget told"], (session,))


def cut(prompt: str) -> str:
    """What is looked at of a prompt."""
    if len(prompt) <= HEAD + TAIL:
        return prompt
    return prompt[:HEAD] + "\n" + prompt[-TAIL:]


def text_of(found: Sequence[Bearing]) -> str:
    """What is said of the records; "" for none."""
    if not found:
        return ""
    lines = [EVIDENCE, "Earlier in this project, perhaps on this prompt:"]
    end = "In full: get_observations with ids (server plugin:backstory:mem)."
    left = TOKENS - sum(estimate_tokens(line) + 1 for line in (*lines, end))
    for one in found:
        mark = "" if one.is_verified else "?"
        line = f"{one.id} {date_of(one.at)} {one.type}{mark} {plain(one.title, TITLE)}"
        left -= estimate_tokens(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join([*lines, end])


def is_started(db: sqlite3.Connection, session: str) -> bool:
    """Whether it is known what the session was told so far."""
    return bool(db.execute(QUERIES["is told anything"], (session,)).fetchone()[0])


def told_ids(context: str) -> list[int]:
    """The ids of the index rows of a session's context."""
    return [int(found) for found in re.findall(r"^(\d+) ", context, re.MULTILINE)]


def weigh(
    db: sqlite3.Connection, project: int, prompt: str, session: str, nearest: Nearest | None
) -> list[Bearing]:
    """All records that may bear on a prompt, the likeliest first."""
    text = cut(cut_private_text(prompt))
    total = int(db.execute(QUERIES["records"], (project,)).fetchone()[0])
    words = _words(text)
    if not total or not words:
        return []
    held: dict[int, float] = defaultdict(float)
    titled: dict[int, float] = defaultdict(float)
    named: dict[int, int] = defaultdict(int)
    several: dict[int, int] = defaultdict(int)  # words that say something
    scope = scope_filter((project,), ("observation",), ())
    holds: dict[str, set[int]] = defaultdict(set)
    whole = 0.0
    for word in words:
        rows = _rows(db, f"{{title body files}} : ({word.match}) AND {scope}")
        if len(rows) >= EVERYWHERE:
            continue
        weight = word.weight * _rarity(len(rows), total)
        whole += weight
        holds[word.match].update(rows)
        for row in rows:
            held[row] += weight
            named[row] += word.is_name
            several[row] += word.weight >= 0.5
        for row in (
            _rows(db, f"{{title}} : ({word.match}) AND {scope}")
            if rows and word.weight > 0.2
            else ()
        ):
            titled[row] += weight
    near = dict(nearest(db, text, (project,), None).rows) if nearest else {}
    if sum(word.weight >= 0.5 for word in words) >= TELLING:
        for row, cosine in cues.lent(db, project, near).items():
            near[row] = max(cosine, near.get(row, cosine))
    best = sorted(held, key=lambda row: held[row] + titled[row], reverse=True)[:LOOKED_AT]
    close = sorted((row for row in near if row & 3 == 0), key=lambda row: -near[row])
    rows = list(dict.fromkeys([*best, *close[: LOOKED_AT // 2]]))
    for word, more in zip(words, _awaited(db, rows, words), strict=True):
        for row in more - holds[word.match] if word.match in holds else ():
            held[row] += word.weight * _rarity(len(holds[word.match]), total)
            several[row] += word.weight >= 0.5
    asked = {"ids": json.dumps([row >> 2 for row in rows]), "project": project, "session": session}
    usual = _usual([near[row] for row in close])
    leading = [(row, near[row]) for row in close[MOST : MOST + 1]]  # what is told no more
    found = []
    for id_, type_, title, at, evidence, _ in db.execute(QUERIES["tellable"], asked):
        row = rowid("observation", id_)
        coverage = held.get(row, 0.0) / max(whole, 0.5)
        cosine = near.get(row, usual)
        features = (
            coverage,
            min(held.get(row, 0.0), 3.0),
            min(titled.get(row, 0.0), 2.0),
            float(min(named.get(row, 0), 2)),
            cosine,
            cosine - usual,
            coverage * cosine,
            float(min(max(several.get(row, 0) - 1, 0), 2)),
            cosine - max((at for other, at in leading if other != row), default=usual),
        )
        chance = _logistic(features, has_vectors=bool(near))
        found.append(Bearing(id_, type_, title, at, evidence == "verified", features, chance))
    return sorted(found, key=lambda one: (-one.chance, -one.at, -one.id))


def _awaited(db: sqlite3.Connection, rows: Sequence[int], words: Sequence[_Word]) -> list[set[int]]:
    """For each word the rows that wait for prompts with it."""
    texts = cues.queries_of(db, [row >> 2 for row in rows])
    return [set(found) for found in cues.holding(texts, [word.match for word in words])]


def _logistic(features: Sequence[float], *, has_vectors: bool) -> float:
    bias, weights = (BIAS, WEIGHTS) if has_vectors else (BIAS_OF_WORDS, WEIGHTS_OF_WORDS)
    z = bias + sum(w * x for w, x in zip(weights, features, strict=True))
    return 1 / (1 + math.exp(-max(min(z, 30.0), -30.0)))


def _rarity(count: int, total: int) -> float:
    """From 0, in every record, to 1, in one or none; in small stores nothing is common."""
    return max(0.05, math.log((total + 10) / (count + 1)) / math.log(total + 10))


def _usual(cosines: Sequence[float]) -> float:
    """How near a record of the project is that has nothing to do with the prompt."""
    if len(cosines) < 4:
        return 0.1
    ordered = sorted(cosines, reverse=True)
    return ordered[min(len(ordered) // 2, 50)]


def _rows(db: sqlite3.Connection, match: str) -> list[int]:
    asked = {"match": match, "most": EVERYWHERE}
    return [row for (row,) in db.execute(QUERIES["holding"], asked)]


def _words(text: str) -> list[_Word]:
    """What is looked for, once each."""
    names = {name.casefold() for name in _PATH.findall(text)}
    found: dict[str, _Word] = {}
    for term in query_terms(text):
        if term.text.isascii() or len(term.words) == 1 or term.text.casefold() in names:
            words = term.words
            if all(word in STOP_WORDS or len(word) < 2 for word in words):
                continue
            is_work = all(word in WORK_WORDS or word.isdigit() for word in words)
            is_name = term.text.casefold() in names and not is_work
            found[term.strict] = _Word(term.strict, 0.2 if is_work else 1.0, is_name)
            continue
        pairs = [pair for pair in term.words if len(pair) > 1]
        for pair in pairs:  # of a run without spaces: two of them make about a word
            match = f'"{pair}"'
            found[match] = _Word(match, 0.1 if pair in _UNSPACED_WORK else 0.5, False)
    ordered = sorted(found.values(), key=lambda word: (-word.weight, -len(word.match)))
    return ordered[:WORDS]
