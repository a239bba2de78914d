"""Whether the settings of the model are others than before: what failed with those is over."""

from __future__ import annotations

import hashlib
import json

from backstory import config, paths

# a change of one of these may mend what calls failed on
SETTINGS = (
    "provider",
    "model",
    "api_key",
    "auth_token",
    "base_url",
    "cloud",
    "cloud_region",
    "cloud_project",
    "claude_path",
    "ca_file",
)


def take(settings: config.Config) -> bool:
    """Whether they changed since this was last asked. Raises OSError."""
    values = json.dumps([settings[name] for name in SETTINGS])
    mark = hashlib.sha256(values.encode()).hexdigest()
    path = settings.home / paths.MODEL_MARK
    try:
        if path.read_text(encoding="ascii") == mark:
            return False
    except (OSError, ValueError):
        pass
    config.write_private(path, mark)
    return True
