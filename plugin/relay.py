"""The MCP server that the host starts: stdio on this side, the worker on the other."""

import sys

if __name__ == "__main__":
    ROOT = __file__[: -len("/plugin/relay.py")]
    sys.path.insert(0, ROOT + "/src")
    from backstory.hook.relay import main

    main(ROOT)
    import posix

    # without the interpreter's farewell, which would wait for threads that have no more to say
    posix._exit(0)
