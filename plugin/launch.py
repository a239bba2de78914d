"""The entry point of everything that is not a hook: python3 plugin/launch.py COMMAND...

It runs on whatever Python a user has. With an old one it looks for a newer one, or fetches it,
and starts again there; what follows (commands.py) then finds or builds the runtime.
"""

import contextlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 9)


def with_newer_python(arguments: "list[str]") -> int:
    """Runs this file again on a newer Python; a message and 1 where none can be had."""
    from plugin import interpreter, uv

    python = interpreter.find()
    if not python:
        found = uv.find()
        try:
            os.makedirs(interpreter.base_dir(), mode=0o700, exist_ok=True)
            scratch = interpreter.base_dir() + "/runtime/.scratch.%d" % os.getpid()
            found = found or uv.fetch(scratch, sys.executable, dict(os.environ))
            uv.fetch_python(found, interpreter.base_dir() + "/pythons", dict(os.environ))
        except (uv.FetchError, OSError) as error:
            sys.stderr.write(
                "backstory: it needs Python 3.9 or newer and this is %s (%s): %s\n"
                % (sys.version.split()[0], sys.executable, error)
            )
            return 1
        python = interpreter.find()
        if not python:
            sys.stderr.write("backstory: the Python that uv fetched does not run on this machine\n")
            return 1
    return os.execv(python, [python, "-I", "-S", os.path.abspath(__file__), *arguments])


def in_runtime(arguments: "list[str]") -> int:
    """Runs the package: this is the runtime's interpreter already."""
    sys.path.insert(0, ROOT + "/src")
    try:
        if arguments[:1] == ["worker"]:
            from backstory import worker
        else:
            from backstory import cli
    except ModuleNotFoundError as error:
        return damaged(error)
    return worker.main() if arguments[:1] == ["worker"] else cli.main(arguments)


def damaged(error: ModuleNotFoundError) -> int:
    """Something was removed from the runtime: has it built again, and says so."""
    from backstory import runtime

    # another interpreter than a runtime's is not ours to mend
    if sys.prefix.startswith(runtime.runtimes_dir() + "/"):
        with contextlib.suppress(OSError):
            os.unlink(sys.prefix + "/" + runtime.READY)
    sys.stderr.write(
        "backstory: the runtime is damaged (%s): %s\n"
        "run the command again, or start a session: it is built anew\n" % (error, sys.prefix)
    )
    return 1


def main(arguments: "list[str]") -> int:
    """Runs one command and gives its exit code."""
    if arguments[:1] == ["--in-runtime"]:
        return in_runtime(arguments[1:])
    # nothing may be written beside the sources: a folder marketplace runs them in place
    sys.dont_write_bytecode = True
    sys.path[:0] = [ROOT, ROOT + "/src"]
    if sys.version_info < OLDEST:
        return with_newer_python(arguments)
    from backstory import paths
    from backstory.hook import removed

    if not removed.is_marked():
        with contextlib.suppress(OSError):
            # first, or the interpreter makes it for everyone
            paths.make_private_dir(paths.base_dir())
        if not sys.pycache_prefix:
            sys.pycache_prefix = paths.base_dir() + "/pycache"
        sys.dont_write_bytecode = False
    elif arguments[:1] == ["worker-spawn"]:
        return 0  # a session goes on after `uninstall`
    from plugin import commands, doors

    doors.open_standard_streams()

    return commands.main(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
