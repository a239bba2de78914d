"""What the relay costs: spawn to tools/list, and memory, against a bare interpreter.

python benchmarks/relay.py [ROUNDS]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'


def bare(command: list[str], env: dict[str, str]) -> float:
    """Milliseconds of a process that does nothing."""
    begin = time.perf_counter()
    subprocess.run([*command, "-c", "pass"], env=env, check=True)
    return (time.perf_counter() - begin) * 1000


def relay(command: list[str], env: dict[str, str]) -> tuple[float, int]:
    """Milliseconds until tools/list is answered, and the resident kilobytes then."""
    begin = time.perf_counter()
    with subprocess.Popen(
        [*command, str(ROOT / "plugin/relay.py")],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(LIST)
        process.stdin.flush()
        assert b'"search"' in process.stdout.readline()
        took = (time.perf_counter() - begin) * 1000
        size = resident(process.pid)
        process.stdin.close()
    return took, size


def resident(pid: int) -> int:
    """Kilobytes; 0 where the system does not say."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main(rounds: int) -> None:
    """Prints the medians. Rounds alternate, so that a busy machine slows both alike."""
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "BACKSTORY_HOME": home + "/data", "PATH": os.environ["PATH"]}
        command = [sys.executable, "-I", "-S", "-X", f"pycache_prefix={home}/pycache"]
        bare(command, env), relay(command, env)  # the caches are warm from here on
        floors, times, sizes = [], [], []
        for _ in range(rounds):
            floors.append(bare(command, env))
            took, size = relay(command, env)
            times.append(took)
            sizes.append(size)
    floor, median = statistics.median(floors), statistics.median(times)
    print(f"bare interpreter    {floor:6.1f} ms")
    print(f"relay → tools/list  {median:6.1f} ms   {median / floor:.2f} x, at most 60 ms")
    print(f"relay, resident     {max(sizes) / 1024:6.1f} MB   at most 20 MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
