"""What the user keeps out of memory: whole projects, and tools by name."""

import fnmatch
import json

from backstory import project


def excluded(facts: bytes, tool: bytes, cwd: bytes, project_dir: str) -> bool:
    """Whether hook.json's lists name this event's project or tool.

    A project is named by its folder (`~` allowed; everything below it counts) or by a glob over
    the whole path; a tool by its name or a glob.
    """
    settings = json.loads(facts)
    name = tool.decode("utf-8", "replace")
    if name and any(fnmatch.fnmatchcase(name, one) for one in settings.get("skipped_tools", ())):
        return True
    folder = cwd.decode("utf-8", "replace")
    if "\\" in folder:
        folder = str(json.loads('"%s"' % folder))
    return project.is_listed(settings.get("excluded_projects", ()), project_dir or folder)
