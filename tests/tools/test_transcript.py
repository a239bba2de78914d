"""The size of a session's context, from the host's transcript."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from backstory.tools import transcript
from backstory.tools.transcript import context_tokens, is_written_next


def line(**usage: int) -> str:
    """An answer of the model, as the host writes it."""
    message = {"role": "assistant", "usage": {**usage, "output_tokens": 9}}
    return json.dumps({"type": "assistant", "message": message}, separators=(",", ":")) + "\n"


def test_the_newest_usage_counts_with_what_was_cached(tmp_path: Path) -> None:
    """What was read from the cache and written to it is context, too."""
    path = tmp_path / "t.jsonl"
    last = line(input_tokens=7, cache_creation_input_tokens=900, cache_read_input_tokens=60_000)
    path.write_text(line(input_tokens=5) + "x" * 100_000 + "\n" + last + '{"type":"user"}\n')
    assert context_tokens(str(path)) == 60_907


def test_what_tells_nothing_is_nought(tmp_path: Path) -> None:
    """No file, an empty one, one that never answered, odd numbers."""
    path = tmp_path / "t.jsonl"
    assert context_tokens(str(path)) == 0
    assert context_tokens("") == 0
    assert context_tokens("/a\0b") == 0
    for text in ("", '{"type":"user"}\n', '{"usage":{"input_tokens":"many"}}', '{"usage":{'):
        path.write_text(text)
        assert context_tokens(str(path)) == 0


def test_a_file_that_the_same_answer_writes_is_known(tmp_path: Path) -> None:
    """Though its Edit comes after the Read; a subagent's stands in a transcript of its own."""
    file = tmp_path / "a.py"
    file.touch()
    link = tmp_path / "link.py"
    link.symlink_to(file)

    def answer(name: str, **given: object) -> str:
        block = {"type": "tool_use", "name": name, "input": given}
        made = {"type": "assistant", "message": {"content": [block]}}
        return json.dumps(made, separators=(",", ":")) + "\n"

    main, sub = tmp_path / "s.jsonl", tmp_path / "s/subagents/agent-a1.jsonl"
    sub.parent.mkdir(parents=True)
    main.write_text('not json "tool_use"\n' + answer("Read", file_path=str(file)))
    sub.write_text(answer("Edit", file_path=str(link), old_string="a", new_string="b"))
    assert not is_written_next(str(main), "", "", str(file))
    assert is_written_next(str(main), "a1", "", str(file))
    assert not is_written_next(str(main), "a2", "", str(file))
    with main.open("a") as more:
        more.write(answer("NotebookEdit", notebook_path=str(file)))
    assert is_written_next(str(main), "", "", str(file))
    assert not is_written_next(str(main), "", "", str(tmp_path / "b.py"))


def test_a_call_that_is_not_written_down_yet_is_waited_for(tmp_path: Path) -> None:
    """The host tells its hooks first."""
    main = tmp_path / "s.jsonl"
    main.write_text('{"type":"user"}\n')
    block = {"type": "tool_use", "id": "toolu_2", "name": "Edit", "input": {"file_path": "/a.py"}}
    read = {**block, "id": "toolu_1", "name": "Read"}

    def write() -> None:
        with main.open("a") as more:
            more.write(json.dumps({"message": {"content": [read, block]}}) + "\n")

    later = threading.Timer(2 * transcript.LOOK_S, write)
    later.start()
    assert is_written_next(str(main), "", "toolu_1", "/a.py")
    later.join()
    assert not is_written_next(str(main), "", "toolu_9", "/b.py"), "it does not wait for ever"
