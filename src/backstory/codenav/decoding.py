"""From a file's bytes to its text: which encoding they are in, and whether they are text at all."""

from __future__ import annotations

import codecs
import re

from backstory.errors import BadInput

HEAD = 8192  # bytes that tell text from data
_MARKS = (  # the longer ones first
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE_MARKS = tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")
_MAGIC = (
    *(b"\x7fELF", b"MZ\x90\x00", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"),
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*", b"8BPS"),
    *(b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c"),
    *(b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"Rar!\x1a\x07", b"%PDF-", b"%!PS-Adobe"),
    *(b"SQLite format 3\x00", b"wOFF", b"wOF2", b"OTTO\x00", b"\x00\x01\x00\x00", b"ID3", b"OggS"),
    *(b"fLaC", b"\x00asm", b"!<arch>\n", b"\xd0\xcf\x11\xe0", b"\x93NUMPY", b"\x89HDF", b"PAR1"),
)
_DECLARED = re.compile(
    rb"^(?:[ \t\f]*(?:#|//|/\*|\*|--|;|%|\"|<!--|\.\.)[^\n]*?(?:file)?coding[:=][ \t]*([-\w.]+)"
    rb"|<\?xml[^>]*encoding=[\"']([-\w.]+)|@charset[ \t]+\"([-\w.]+)\"|[^\n]*<meta[^>]*charset="
    rb"[\"']?([-\w.]+))",
    re.MULTILINE | re.IGNORECASE,
)
_TRUSTED = re.compile(  # encodings of texts; Python knows others, which are costly or no encodings
    r"utf-?8(?:-sig)?$|(?:iso-?)?8859|latin|l1$|cp\d|windows-|koi8|mac-?|shift_?jis|sjis|ms932|euc"
    r"|gb|big5|hz$|iso-?2022|tis-?620|johab|us-ascii|ascii",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"[^\x00-\x7f\ufffd]+")
_SAMPLE = 200_000  # bytes from which an encoding is guessed
_DECLARATION = 2048  # bytes in which an encoding is declared
_CONTROLS = bytes({*range(32), 127} - {0, 8, 9, 10, 11, 12, 13, 26, 27})
_TEXT = bytes({*range(256)} - {*_CONTROLS})
_CR = ", lines end in CR"
_FEW = 0.1  # the share of NUL bytes that a text may have by mistake


def decode(data: bytes) -> tuple[str, str]:
    """(text, encoding); a byte order mark is left out, line ends stay as they are.

    Only where each line ends in a CR alone, which nothing else here takes for an end, it is made
    an LF. The encoding is a name, followed by ", guessed" where nothing told it. Raises BadInput
    for data that is no text.
    """
    text, encoding = _decoded(data)
    if "\n" not in text and "\r" in text.rstrip("\r"):
        return text.replace("\r", "\n"), encoding + _CR
    return text, encoding


def _decoded(data: bytes) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text, encoding if "\ufffd" not in text else encoding + ", damaged"
    head = data[:HEAD]
    if not head.startswith(_MAGIC):
        if b"\0" not in head:
            return _plain(data)
        if _is_text_with_nuls(head):
            text, encoding = _plain(data)
            return text, encoding + ", with NUL bytes"
        encoding = _wide(head)
        if encoding:
            return data.decode(encoding, "replace"), encoding + ", guessed"
    raise BadInput("binary")


def _with_line_feeds(data: bytes) -> bytes:
    ends_in_cr = b"\n" not in data and b"\r" in data.rstrip(b"\r")
    return data.replace(b"\r", b"\n") if ends_in_cr else data


def as_utf8(data: bytes) -> bytes:
    """The bytes of the same text in UTF-8, with a mark where they were in another encoding.

    What is no text stays as it is.
    """
    if not data.startswith(_WIDE_MARKS) and b"\x1b" not in data:
        try:
            if b"\0" not in data[:HEAD]:
                data.decode("utf-8")
                return _with_line_feeds(data)
        except UnicodeDecodeError:
            pass
    try:
        text, encoding = decode(data)
    except BadInput:
        return data
    if encoding.startswith(("utf-8", "ascii")) and not encoding.endswith(_CR):
        return data
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace")


def _plain(data: bytes) -> tuple[str, str]:
    """Bytes without zeros, or with a few by mistake."""
    head = data[:HEAD]
    declared = _DECLARED.search(data[:_DECLARATION])
    name = next(filter(None, declared.groups()), b"").decode() if declared else ""
    is_ascii_wire = name and _TRUSTED.match(name) and not data.isascii()
    if is_ascii_wire or name.lower().startswith(("iso-2022", "iso2022", "hz")):
        try:
            return data.decode(name), codecs.lookup(name).name
        except (LookupError, ValueError):
            pass  # it lies: what follows finds out
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    if len(head.translate(None, _CONTROLS)) < 0.9 * len(head):
        raise BadInput("binary")
    return _guessed(data)


def _guessed(data: bytes) -> tuple[str, str]:
    """Text that is no UTF-8: UTF-8 with a few bad places, else a Western encoding."""
    sample = data[:_SAMPLE].decode("utf-8", "replace")
    bad = sample.count("\ufffd")
    if sum(map(len, _FOREIGN.findall(sample))) > 2 * bad:
        return data.decode("utf-8", "replace"), "utf-8, damaged"
    try:
        return data.decode("cp1252"), "cp1252, guessed"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1, guessed"


def _is_text_with_nuls(head: bytes) -> bool:
    """Whether the bytes are lines of text that a few zeros got into."""
    rest = head.replace(b"\0", b"")
    if len(head) - len(rest) > max(1, _FEW * len(head)) or b"\n" not in rest:
        return False
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(rest) - 4:
            return False
    return len(rest.translate(None, _CONTROLS)) == len(rest)


def _wide(head: bytes) -> str:
    """The kind of UTF-16 that the bytes are in without a mark; "" where they are none."""
    little, big = head[1::2].count(0), head[::2].count(0)
    encoding = "utf-16-le" if little > big else "utf-16-be"
    is_latin = max(little, big) > len(head) // 4  # every second byte of most of it is zero
    if not is_latin and head.isascii() and not head.replace(b"\0", b"").translate(None, _TEXT):
        return ""  # letters of one byte each, with zeros between them
    text = head[: len(head) & ~1].decode(encoding, "replace")
    odd = sum(1 for one in text if not one.isprintable() and one not in "\t\r\n\f\v\ufeff")
    return encoding if odd + text.count("\ufffd") <= 0.01 * len(text) else ""
