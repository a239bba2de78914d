"""What the user keeps out of memory: whole projects, and tools by name."""

import fnmatch
import json

from backstory import project
from backstory.hook import entry


def excluded(facts: bytes, data: bytes, project_dir: str) -> bool:
    """Whether hook.json's lists name this event's project or tool.

    A project is named by its folder (`~` allowed; everything below it counts) or by a glob over
    the whole path; a tool by its name or a glob.
    """
    settings = json.loads(facts)
    tool = entry.field(data, b"tool_name").decode("utf-8", "replace")
    if tool and any(fnmatch.fnmatchcase(tool, one) for one in settings.get("skipped_tools", ())):
        return True
    cwd = entry.field(data, b"cwd").decode("utf-8", "replace")
    if "\\" in cwd:
        cwd = str(json.loads('"%s"' % cwd))
    return project.is_listed(settings.get("excluded_projects", ()), project_dir or cwd)
