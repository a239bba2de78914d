"""Whether a text says only what its source holds: paths, hashes, numbers and symbols.

Prose is free. What a reader would copy (a file's name, a commit, a figure, a function) must stand
in the source, though its spelling may differ: letter case, plural, relative or absolute, 1,000.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

from backstory.capture.digits import claimed_digits, plain_digits, small_counts, vague
from backstory.capture.naming import cut_flags, cut_qualified, missing_packages, missing_targets
from backstory.capture.numerals import cut_numbers, held_numbers
from backstory.capture.rules.paths import relative
from backstory.capture.rules.wordlist import wordlist

# Scripts that are written without spaces, or whose endings are glued on: a number or a name that
# stands in them ends where they begin.
_GLUED = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_WORDS = re.compile(r"\w+")
_CHUNK = re.compile(r"[\w.@~+$%/\\-]+")
_CODE = re.compile(r"(`{1,3})([^`]{1,400})\1")
# Six digits are a hash where they are no word and no figure.
_HASH = re.compile(r"[0-9a-f]{7,128}|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{6}")
_COMMIT = re.compile(r"(?i)\b(?:commit|revision|sha|hash|digest) ([a-f]{6})\b")
_ENTERED = re.compile(
    r"(?:\b(?:cd|pushd|chdir)|\s-C|--(?:cwd|prefix|dir|directory|workdir)|\brootdir:)"
    r"[ =]+[\"']?([\w.@~+$%/\\-]+)"
)
_MASKED = re.compile(r"\[redacted:[\w -]{1,40}\]|\[private\]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_DAYTIME = re.compile(r"(?<=\d)T(?=\d\d:\d\d)|(?<=:\d\d)Z\b")
_CAMEL = re.compile(r"[a-zß-ÿ][A-Z]|[A-Z]{2}[a-z]{2}")
_HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
_LEADING_DOT = re.compile(r"(?<![\w.])\.(?=\d)")
_LISTED = re.compile(
    r"\b(?:ls|tree|find|dir) (?:-\w+ ){0,3}[\"']?([\w.@~+$%/\\-]+)"
    r"|(?<![\w./-])([\w.-]+)/(?![\w./*-])"
)
_BUNDLE = re.compile(r"(?<![\w-])-([a-z]{1,8})\b")
_FLAG_LAST = re.compile(r"(?:^|\s)--?\w[\w-]*$")
_CALLED = re.compile(r"(\w+)\(\)")
_SIMPLE = re.compile(r"[\w.$@]+(?:\(\))?")
_PARTS = re.compile(r"[^\w]+")

_EXTENSION = re.compile(
    r"(?:[^/]*\.)(?:py|pyi|ipynb|tsx?|jsx?|mjs|cjs|mts|cts|jsonc?|jsonl|json5|mdx?|rst|txt|adoc|"
    r"toml|ya?ml|ini|cfg|conf|env|properties|lock|sql|sh|bash|zsh|fish|ps1|bat|cmd|go|mod|sum|rs|"
    r"rb|erb|java|kts?|swift|mm?|c|cc|cpp|cxx|h|hh|hpp|cs|csproj|sln|php|lua|exs?|erl|hs|mli?|"
    r"scala|clj|vue|svelte|css|scss|sass|less|html?|xml|xsd|svg|png|jpe?g|gif|webp|ico|pdf|csv|"
    r"tsv|parquet|log|db|sqlite3?|proto|graphql|gql|tf|tfvars|tfstate|hcl|gradle|whl|zip|gz|tgz|"
    r"tar|jar|war|so|dll|exe|bin|wasm|map|snap|patch|diff|pem|key|crt|service|scm|bak|tmp|j2|"
    r"tmpl|r|jl|dart|zig|nim|sol|vb|pl|pm|feature|bazel|cmake|mk)"
)
# Cart.map is no file of a source map.
_MEMBER = re.compile(
    r"(?:[A-Z]\w*|self|this)\.(?:map|sum|log|key|lock|db|service|feature|diff|patch|env|mod|bin|go)"
)
_BARE_EXTENSION = re.compile(r"\.(?!env$)[a-z0-9]{1,6}")
_FIGURE = re.compile(
    r"v?\d[\d.]*[^\W\d_]{0,4}%?(?:/[^\W\d_]{1,8})?|[\d./\\x×-]+|\d+(?:\.\d+)*-\d+(?:\.\d+)*\w{0,4}"
)
_VERSIONED = re.compile(r"(?:[^\W\d_]{2,})?(v?\d+(?:\.\d+)+)(?:[-+](\w.*))?")
_SHORT = re.compile(r"(?:\w\.)+\w?|Ph\.D|et\.al|[Uu]sw|[Ee]tc")  # e.g, z.B, a.k.a
_BRAND = re.compile(
    r"(?i)(?:node|next|vue|nuxt|express|three|d3|react|chart|ember|backbone|alpine|p5|moment|"
    r"angular|discord|solid|asp|ml|vb|socket)\.(?:js|net|io)"
)
_FOLDERS = wordlist(
    "src lib libs test tests spec docs doc app apps bin pkg packages internal cmd etc usr var tmp "
    "opt home dist build components utils scripts config configs server client api web public "
    "static assets templates migrations node_modules vendor include source modules plugins hooks"
)
# Names of things that everyone knows, written like identifiers.
_KNOWN = wordlist(
    "github gitlab javascript typescript postgresql sqlite mysql mariadb mongodb dynamodb graphql "
    "fastapi openai youtube websocket websockets devops latex pytorch numpy scipy powershell "
    "vscode oauth openapi macos ios ipados openssl openssh grpc saas paas readme toctou jquery "
    "webpack nodejs nginx redis rabbitmq elasticsearch opensearch cloudflare linkedin phpunit "
    "junit testng pycharm intellij dotnet webassembly wasm wifi async2 leveldb rocksdb couchdb "
    "clickhouse duckdb bigquery snowflake kubernetes openshift docker dockerhub hashicorp "
    "chatgpt deepseek llamaindex langchain huggingface stackoverflow bitbucket circleci teamcity "
    "airflow macbook iphone ipad ebpf gnupg xcode swiftui jetpack kotlin objectivec tensorflow "
    "scikit opencv opengl webgl webrtc webgpu restful soap jsonp jsonl ndjson toml yaml crud "
    "regexp ascii unicode base64 lifecycle runtime subprocess timestamp filename metadata "
    "autocommit phd mcp llm gmbh khz kb db ph mw kwh dbm"
)


class Source:
    """What one stretch of a session holds, made ready for many questions."""

    def __init__(self, text: str, root: str = "", cwd: str = "") -> None:
        self.root, self.cwd = root, cwd or root
        counts = small_counts(text)
        text = _folded(f"{text}\n{root}\n{cwd}")
        low = text.casefold()
        self.words = frozenset(_WORDS.findall(low))
        self.numbers = held_numbers(text, self.words) | counts
        self.chunks = frozenset(
            path for chunk in set(_CHUNK.findall(low)) if (path := _normal(chunk))
        )
        self.listed = {_normal(one or other) for one, other in _LISTED.findall(low)} - {""}
        self.entered = {_normal(folder) for folder in _ENTERED.findall(low)} - {""}
        self.paths = "\n".join(f"/{path}/" for path in self.chunks if "/" in path or "." in path)
        self.folders = frozenset(
            name for path in self.chunks if "/" in path for name in path.split("/")[:-1]
        )
        self.hashes = sorted(word for word in self.words if _HASH.fullmatch(word))
        self.flat = " ".join(low.split())
        self.tokens = frozenset(low.split())
        self.largest = max(
            (int(n) for n in self.numbers if n.isdecimal() and len(n) < 16), default=0
        )
        self.bundles = [set(flag) for flag in set(_BUNDLE.findall(low))]

    def missing(self, text: str) -> list[str]:
        """The details of `text` that the source lacks, as they are written; [] where it is true."""
        text = _folded(claimed_digits(text, self.occurs))
        lacks = _Reading(self).missing(_MASKED.sub(" ", text))
        if not lacks:
            return lacks
        # however it was taken apart: what was copied as it stands is not made up
        words = text.casefold().split()
        return [detail for detail in lacks if not self._is_copied(detail.casefold(), words)]

    def _is_copied(self, detail: str, words: list[str]) -> bool:
        holding = {word for word in words if detail in word}
        return bool(holding) and holding <= self.tokens

    def occurs(self, stem: str) -> int:
        """How often a part of a word stands in the source."""
        return self.flat.count(stem)

    def holds_file(self, path: str) -> bool:
        """Whether the source names the file."""
        return self.has_path(_folded(path))

    def holds_symbol(self, name: str) -> bool:
        """Whether the source holds every part of a qualified name."""
        parts = [part for part in _PARTS.split(_folded(name).casefold()) if part]
        return bool(parts) and all(self.has_word(part) for part in parts)

    def has_word(self, word: str) -> bool:
        """Whether a word stands in the source, in any letter case, singular or plural."""
        word = word.casefold()
        if word in self.words or f"{word}s" in self.words:
            return True
        return any(word.endswith(end) and word[: -len(end)] in self.words for end in ("s", "es"))

    def has_hash(self, text: str) -> bool:
        """Whether a hash, or one that begins with it, stands in the source."""
        text = text.casefold()
        at = bisect_left(self.hashes, text)
        return at < len(self.hashes) and self.hashes[at].startswith(text)

    def has_path(self, path: str) -> bool:
        """Whether the source names the path: whole, relative, or from a folder that it names."""
        for form in dict.fromkeys((path, relative(path, self.root, self.cwd))):
            low = _normal(form.casefold())
            if low and (low in self.chunks or f"/{low}/" in self.paths or low in self.words):
                return True
            parts = low.split("/")[:20]
            for at in range(1, len(parts)):
                if self._is_in("/".join(parts[:at]), "/".join(parts[at:]), form):
                    return True
        return False

    def _is_in(self, folder: str, rest: str, form: str) -> bool:
        """Whether a path may be a known one as seen from outside of a known folder.

        A whole path is seen so where a command was run in the folder; a bare name also where the
        folder stands by itself, as it does when it is listed.
        """
        if rest not in self.chunks:
            return False
        if folder in self.entered or any(one.endswith(f"/{folder}") for one in self.entered):
            return True
        # a word alone makes no file; behind a known prefix it may end a route
        if "/" not in rest and "." in rest and ("/" in folder or folder in self.listed):
            return folder in self.chunks
        return form.startswith("/") and folder in self.chunks

    def has_flag(self, flag: str) -> bool:
        """Whether the source holds an option of a command."""
        low = flag.casefold()
        if low in self.chunks or self.has_code(low):
            return True
        letters = set(low.lstrip("-"))  # -r is a part of -rf
        is_short = len(low) <= 3 and not low.startswith("--")
        return is_short and any(letters <= bundle for bundle in self.bundles)

    def has_name(self, name: str) -> bool:
        """Whether the source holds a name with hyphens, as it is or in all its parts."""
        low = name.casefold()
        parts = [part for part in _PARTS.split(low) if part]
        return low in self.chunks or all(self.has_word(p) or p in self.numbers for p in parts)

    def has_code(self, code: str) -> bool:
        """Whether a piece of code stands in the source as it is, not as a part of other names."""
        at = self.flat.find(code)
        for _ in range(50):
            if at < 0:
                return False
            before, after = self.flat[at - 1 : at], self.flat[at + len(code) : at + len(code) + 1]
            is_longer = after == "-" and _FLAG_LAST.search(code)  # --force in --force-with-lease
            if not (is_longer or _joins(before, code[0]) or _joins(code[-1], after)):
                return True
            at = self.flat.find(code, at + 1)
        return False


class _Reading:
    """One pass over a text; each sort of detail is cut out before the next is looked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lacks: list[str] = []

    def missing(self, text: str) -> list[str]:
        text = _CODE.sub(self._code, text)
        text = self._typed(text)
        for short in _COMMIT.findall(text):
            self._need(short, self.source.has_hash(short) or self.source.has_word(short))
        text = _CHUNK.sub(self._chunk, text)
        text, numbers = cut_numbers(text, self.source.numbers, self._is_id)
        self.lacks += numbers
        for word, least in vague(text):
            self._need(word, self.source.largest >= least or self.source.has_word(word))
        for called in _CALLED.findall(text):
            self._need(called, self.source.has_word(called))
        for word in _WORDS.findall(text):
            self._word(word)
        return list(dict.fromkeys(self.lacks))

    def _typed(self, text: str) -> str:
        """The text without options; packages are only looked at."""
        self.lacks += missing_targets(text, self.source.has_word)
        text, names = cut_qualified(text, self.source.holds_symbol)
        text, flags = cut_flags(text, self.source.has_flag)
        self.lacks += [*names, *flags, *missing_packages(text, self.source.has_name)]
        return text

    def _need(self, detail: str, held: bool) -> None:
        if not held:
            self.lacks.append(detail)

    def _is_id(self, text: str) -> bool:
        return text.casefold() in self.source.words or (
            bool(_HASH.fullmatch(text.casefold())) and self.source.has_hash(text)
        )

    def _code(self, found: re.Match[str]) -> str:
        code = " ".join(found[2].split())
        low = code.casefold()
        if not low or self.source.has_code(low):
            return " "
        if _SIMPLE.fullmatch(code) and not any(char.isdigit() for char in code):
            held = self.source.holds_symbol(code) and not _EXTENSION.fullmatch(low)
            self._need(code, held or self.source.has_path(code))
            return " "
        # A piece of code that stands there in other order or spacing: all its parts must.
        rest = _CHUNK.sub(self._chunk, self._typed(code))
        rest, numbers = cut_numbers(rest, self.source.numbers, self._is_id)
        self.lacks += numbers
        for word in _WORDS.findall(rest):
            if _HASH.fullmatch(word.casefold()):
                self._word(word)
            else:
                self._need(word, self.source.has_word(word))
        return " "

    def _chunk(self, found: re.Match[str]) -> str:
        """A path or a dotted name is judged as a whole; anything else is left for later."""
        chunk = found[0].rstrip(".-").rstrip("/\\")
        low = chunk.casefold()
        if not re.search(r"[./\\]", chunk) or _FIGURE.fullmatch(low):
            return found[0]
        if _SHORT.fullmatch(chunk) or _BRAND.fullmatch(chunk) or _BARE_EXTENSION.fullmatch(low):
            return " "
        if _is_prose(low, self.source):
            return re.sub(r"[/\\]", " ", chunk)
        if "/" in chunk or "\\" in chunk:
            self._need(chunk, self.source.has_path(chunk) or self._is_open(low))
        elif versioned := _VERSIONED.fullmatch(chunk):
            return f" {versioned[1]} {versioned[2] or ''} "
        elif _EXTENSION.fullmatch(low) and not _MEMBER.fullmatch(chunk):
            self._need(chunk, self.source.has_path(chunk))
        else:
            held = low in self.source.chunks or self.source.holds_symbol(chunk)
            self._need(chunk, held or all(map(self._is_id, filter(None, _PARTS.split(low)))))
        return " "

    def _is_open(self, low: str) -> bool:
        """Whether a pair such as x86/arm64 or feature/abc-1, which names no file, is made of words
        that the source holds."""
        parts = [part for part in _PARTS.split(low) if part]
        is_path = low[0] in "/.~\\" or _EXTENSION.fullmatch(low.rsplit("/", 1)[-1])
        if is_path or _begins_folder(low, self.source):
            return False
        return all(self._is_id(part) for part in parts)

    def _word(self, word: str) -> None:
        low = word.casefold()
        if _HASH.fullmatch(low):
            self._need(word, self.source.has_hash(low))
        elif is_name(word) or _HEXADECIMAL.fullmatch(low):
            self._need(word, self.source.has_word(word))
        elif digits := re.fullmatch(r"[^\W\d_]+(\d{3,})", low):
            self._need(word, low in self.source.words or digits[1] in self.source.numbers)


def _is_prose(low: str, source: Source) -> bool:
    """Whether slashes only stand between words: read/write, CI/CD."""
    parts = re.split(r"[/\\]", low)
    if len(parts) == 1 or not all(part.isalpha() for part in parts):
        return False
    return not _begins_folder(low, source)


def _begins_folder(low: str, source: Source) -> bool:
    first = re.split(r"[/\\]", low)[0]
    return first in _FOLDERS or first in source.folders


def is_name(word: str) -> bool:
    """Whether a word is written as code writes names."""
    if "_" in word.strip("_") or word.startswith("_"):
        return True
    low = word.casefold()
    return bool(_CAMEL.search(word)) and not {low, low.removesuffix("s")} & _KNOWN


def _joins(before: str, after: str) -> bool:
    """Whether two neighbours belong to one word."""
    return all(char.isalnum() or char == "_" for char in (before or " ", after or " "))


def _folded(text: str) -> str:
    """Text in which width, ligatures, dashes, ellipses and digits have one spelling."""
    text = plain_digits(text)
    if not text.isascii():
        text = text.replace("…", " ").replace("’", "'")
        text = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
        text = _GLUED.sub(" ", text)
    text = _LEADING_DOT.sub("0.", text)
    return _DAYTIME.sub(" ", text) if "T" in text or "Z" in text else text


def _normal(chunk: str) -> str:
    """A path without what stands around its names."""
    path = re.sub(r"[/\\]+", "/", chunk)
    while path.startswith(("./", "../", "~/")):
        path = path.partition("/")[2]
    return path.lstrip("/").rstrip("/.-") if path != "." else ""
