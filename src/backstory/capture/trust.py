"""Whether the data directory may be believed where it says whom to send what was captured.

A project's own settings can put HOME and BACKSTORY_HOME into our environment, and so name a folder
of the repository as ours, with a settings.json that it brought along.
"""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from backstory.config import Config


def unsafe_home(config: Config) -> str:
    """Why no model is used with this data directory; "" where it is the user's own.

    It is not where it lies in a git work tree, unless that is the user's whole home.
    """
    home = Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    for folder in config.home.resolve().parents:
        if (folder / ".git").exists() and folder != home and folder not in home.parents:
            return f"the data directory lies in the repository {folder}, which could have made it"
    return ""
