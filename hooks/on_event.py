"""Every hook event of the host runs this. It always exits 0, whatever happens."""

import sys

if __name__ == "__main__":
    try:
        sys.path.insert(0, __file__[: -len("hooks/on_event.py")] + "src")
        from backstory.hook.entry import main

        main()
    except BaseException:  # noqa: BLE001, S110  a hook that fails must not be seen
        pass
    import posix

    # the interpreter's own farewell costs as much as the capture
    posix._exit(0)
