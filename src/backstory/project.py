"""Which project a path belongs to. Thin: hook processes load it; git is read as files, never run.

A project is keyed by its normalised remote, else by the real path of the repository (worktrees and
subfolders share the git common directory), else by the real path of the folder. `git config
--local backstory.project NAME` overrides that: it is in no commit, so a clone cannot carry it.
"""

import os


class Project:
    """A project's identity.

    keys: every key it may be stored under, the best first. name: a label, its folder's name.
    root: the folder that stored paths are relative to. worktree: the git worktree's folder where
    that is not the root. git_dir, common_dir: "" outside a repository.
    """

    __slots__ = ("common_dir", "git_dir", "keys", "name", "root", "worktree")

    def __init__(
        self,
        keys: "tuple[str, ...]",
        name: str,
        root: str,
        worktree: str = "",
        git_dir: str = "",
        common_dir: str = "",
    ) -> None:
        self.keys = keys
        self.name = name
        self.root = root
        self.worktree = worktree
        self.git_dir = git_dir
        self.common_dir = common_dir

    @property
    def key(self) -> str:
        """The best key."""
        return self.keys[0]


def resolve(cwd: str, project_dir: str = "", home: str = "") -> Project:
    """The project of a session: of CLAUDE_PROJECT_DIR where the host gave it, else of its cwd."""
    start = os.path.realpath(project_dir or cwd or "/")
    home = os.path.realpath(home or os.path.expanduser("~"))
    found = _find_git(start, home)
    if found is None:
        return Project(("path:" + start,), _label(start), start)
    top, git_dir, common_dir = found
    # a linked worktree belongs to the repository that it was made from
    root = os.path.dirname(common_dir) if os.path.basename(common_dir) == ".git" else common_dir
    if git_dir == common_dir:
        root = top
    remote, override = _read_config(os.path.join(common_dir, "config"))
    keys = ["path:" + root]
    if remote:
        keys.insert(0, "git:" + remote)
    name = _label(root)
    if override:
        # the override alone: the other keys belong to the project that it was parted from
        keys, name = ["name:" + override], override
    return Project(tuple(keys), name, root, top if top != root else "", git_dir, common_dir)


def head(project: Project) -> "tuple[str, str]":
    """(branch, commit) of the worktree; "" for what is not known. A detached HEAD has no branch."""
    if not project.git_dir:
        return "", ""
    text = _read(os.path.join(project.git_dir, "HEAD")).strip()
    if not text.startswith("ref:"):
        return branch_of(project), text[:40]
    ref = text[4:].strip()
    commit = _read(os.path.join(project.common_dir, ref)).strip()
    if not commit:
        for line in _read(os.path.join(project.common_dir, "packed-refs")).splitlines():
            if line.endswith(" " + ref):
                commit = line.split(" ", 1)[0]
    return branch_of(project), commit[:40]


def branch_of(project: Project) -> str:
    """The branch that is checked out, also while it is rebased or bisected; "" for none."""
    if not project.git_dir:
        return ""
    text = _read(os.path.join(project.git_dir, "HEAD")).strip()
    if text.startswith("ref:"):
        ref = text[4:].strip()
    else:
        ref = ""
        for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            ref = ref or _read(os.path.join(project.git_dir, name)).strip()
        if len(ref) in (40, 64) and not ref.strip("0123456789abcdef"):
            ref = ""  # a bisection that began at a commit
    branch = ref[len("refs/heads/") :] if ref.startswith("refs/heads/") else ref
    # a repository whose refs are no files says this
    return "" if branch in (".invalid", "detached HEAD") else branch


def default_branch(project: Project) -> str:
    """The branch that a clone begins on; "" where nothing names it."""
    if not project.common_dir:
        return ""
    origin = "refs/remotes/origin/"
    text = _read(os.path.join(project.common_dir, origin + "HEAD")).strip()
    ref = text[4:].strip() if text.startswith("ref:") else ""
    return ref[len(origin) :] if ref.startswith(origin) else ""


def cloned_at(project: Project) -> int:
    """When the repository was cloned, Unix seconds; 0 where it was not, or nobody knows."""
    if not project.common_dir:
        return 0
    first = _read(os.path.join(project.common_dir, "logs", "HEAD"), 1_000).split("\n", 1)[0]
    about, _, what = first.partition("\t")
    words = about.split()
    is_clone = what.startswith("clone") and len(words) > 2 and words[-2].isdecimal()
    return int(words[-2]) if is_clone else 0


def relative(path: str, root: str, cwd: str = "", worktree: str = "") -> str:
    """A file's path as it is stored and asked for: relative to the root where it lies below it.

    Takes absolute paths, paths relative to cwd, `./`, backslashes and a root behind a symlink.
    """
    path = path.strip()
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    if not path.startswith("/"):
        path = os.path.join(cwd or root, path)
    path = os.path.normpath(path)
    tops = [top for top in (worktree, root) if top and top != "/"]
    for candidate in (path, os.path.realpath(path)):
        for top in tops:
            if candidate == top:
                return "."
            if candidate.startswith(top + "/"):
                return candidate[len(top) + 1 :]
    return path


def is_listed(patterns: "list[str]", folder: str) -> bool:
    """Whether a folder, or one above it, is named by a path (`~` allowed) or a glob over paths."""
    import fnmatch

    tops = {folder, os.path.realpath(folder)}
    for pattern in patterns:
        given = os.path.expanduser(pattern).rstrip("/") or "/"
        for wanted in {given, os.path.realpath(given)}:  # it may be a link, or below one
            for top in tops:
                if top == wanted or top.startswith(wanted.rstrip("/") + "/"):
                    return True
                if fnmatch.fnmatchcase(top, wanted) or fnmatch.fnmatchcase(top, wanted + "/*"):
                    return True
    return False


def normalise_remote(url: str) -> str:
    """`host/owner/repo` of any spelling of a git remote; "" where it names nothing to share.

    User names, passwords, ports and the `.git` suffix are left out. Only GitHub's paths are
    known to ignore case.
    """
    url = url.strip().strip('"')
    if not url:
        return ""
    if "://" in url:
        scheme, _, rest = url.partition("://")
        if scheme == "file":
            return "file:" + rest.rstrip("/")
        host, _, path = rest.partition("/")
    elif url.startswith(("/", ".", "~")) or ":" not in url:
        # a path on this machine is an identity only if it is absolute
        return "file:" + os.path.realpath(url) if url.startswith("/") else ""
    else:
        host, _, path = url.partition(":")
    host = host.rpartition("@")[2]
    if not host.startswith("["):
        host = host.partition(":")[0]
    path = path.strip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")]
    host = host.lower()
    if not host or not path:
        return ""
    return host + "/" + (path.lower() if host == "github.com" else path)


def _find_git(start: str, home: str) -> "tuple[str, str, str] | None":
    """(top of the worktree, its git directory, the common directory), or None."""
    folder = start
    while True:
        # a home folder kept in git must not swallow every project below it
        if folder != home or start == home:
            dot = os.path.join(folder, ".git")
            if os.path.isdir(dot):
                if os.path.exists(os.path.join(dot, "HEAD")):
                    return folder, dot, dot
            elif os.path.isfile(dot):
                text = _read(dot).strip()
                if text.startswith("gitdir:"):
                    git_dir = os.path.realpath(os.path.join(folder, text[7:].strip()))
                    common = _read(os.path.join(git_dir, "commondir")).strip()
                    common_dir = os.path.realpath(os.path.join(git_dir, common or "."))
                    return folder, git_dir, common_dir
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _read_config(path: str) -> "tuple[str, str]":
    """(normalised remote, override) of a git config file; origin wins over the first other."""
    section, origin, first, override = "", "", "", ""
    for raw in _read(path).splitlines():
        line = raw.strip()
        if line.startswith("["):
            section = line.strip("[]").strip()
            continue
        name, _, value = line.partition("=")
        name, value = name.strip().lower(), value.strip()
        if name == "url" and section.startswith("remote "):
            if section == 'remote "origin"':
                origin = origin or value
            else:
                first = first or value
        elif name == "project" and section.lower() == "backstory":
            override = value.strip('"')[:256]
    return normalise_remote(origin or first), override


def _label(path: str) -> str:
    return os.path.basename(path.rstrip("/")) or path


def _read(path: str, limit: int = 1_000_000) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(limit)
    except OSError:
        return ""
