"""What the sanitiser costs, beside reading and writing the same data as JSON.

python benchmarks/sanitize.py    prints µs per KB, and the ratio to json.loads + json.dumps
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from backstory.sanitize.door import clean_value  # noqa: E402  # the path comes first
from backstory.sanitize.private import cut_private, holds_private  # noqa: E402
from backstory.sanitize.secrets import redact  # noqa: E402

SIZE = 500_000
ROUNDS = 5


def texts() -> dict[str, str]:
    """Half a megabyte of each kind of text that tools return."""
    code = "\n".join(path.read_text("utf-8") for path in sorted(ROOT.glob("src/**/*.py")))
    log = "2026-01-02T03:04:05Z INFO  worker-3 request=42 path=/api/items took=12ms status=200\n"
    env = 'export DB_PASSWORD=swordfish-12\n"token": "aB3dE5fG7hJ9kL1m", "user": "me"\n'
    samples = {"code": code, "log": log, "env": env, "prose": "The quick brown fox is here. "}
    return {
        name: (sample * (SIZE // len(sample) + 1))[:SIZE] for name, sample in samples.items()
    } | {"code, one key": (code * 20)[:SIZE] + "\nghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\n"}


def cost(work: Callable[[], object], size: int) -> float:
    """The fastest of some rounds, in µs per KB."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best * 1e6 / (size / 1024)


def main() -> None:
    """Prints one line a text and step."""
    print(f"{'text':15}{'step':22}{'µs/KB':>8}{'× json':>8}")
    for name, text in texts().items():
        event = {"tool_name": "Bash", "tool_response": {"stdout": text}}
        data = json.dumps(event).encode()
        tagged = json.dumps({**event, "prompt": "<private>x</private>"}).encode()

        def bare(data: bytes = data) -> object:
            return json.dumps(json.loads(data))

        floor = cost(bare, len(data))
        steps: dict[str, Callable[[], object]] = {
            "json loads + dumps": bare,
            "holds_private": lambda data=data: holds_private(data),  # type: ignore[misc]
            "cut_private, tagged": lambda data=tagged: cut_private(data),  # type: ignore[misc]
            "redact": lambda text=text: redact(text),  # type: ignore[misc]
            "clean_value": lambda event=event: clean_value(event),  # type: ignore[misc]
        }
        for step, work in steps.items():
            spent = cost(work, len(data))
            print(f"{name:15}{step:22}{spent:8.2f}{spent / floor:8.1f}")


if __name__ == "__main__":
    main()
