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


def are_new(settings: config.Config) -> bool:
    """Whether they are others than those that were remembered."""
    try:
        kept = (settings.home / paths.MODEL_MARK).read_text(encoding="ascii")
    except (OSError, ValueError):
        return True
    return kept != _mark(settings)


def remember(settings: config.Config) -> None:
    """Keeps a mark of them. Raises OSError."""
    config.write_private(settings.home / paths.MODEL_MARK, _mark(settings))


def _mark(settings: config.Config) -> str:
    values = json.dumps([settings[name] for name in SETTINGS])
    return hashlib.sha256(values.encode()).hexdigest()
