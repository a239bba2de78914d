"""Who we are to a cloud: credentials kept until they end, and the headers made of them."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal
from urllib.request import getproxies

import certifi

from backstory.capture.providers.base import Trouble
from backstory.capture.providers.child import Children
from backstory.capture.providers.failures import parsed

ASK_S = 30.0
EARLY_S = 300.0  # credentials are renewed so long before they end
KEPT_S = 900.0  # and so long after they were read where they tell no end
OUTPUT_LIMIT = 100_000  # bytes
_LOGIN = Path(__file__).with_name("cloud_login.py")
# where the user's own files are; nothing that names a file, an address or a command
_PASSED = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT")
# a profile may start a program; one that a project put on our PATH is not meant
_PATH = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin"

Kind = Literal["aws", "google"]


class Credentials:
    """The credentials of one cloud, asked for when they are needed."""

    def __init__(self, kind: Kind, profile: str = "", ca_file: str = "") -> None:
        self._kind = kind
        self._profile = profile
        self._ca_file = ca_file
        self._lock = threading.Lock()
        self._children = Children()
        self._found: dict[str, Any] = {}
        self._until = 0.0

    def get(self, seconds: float = ASK_S) -> dict[str, Any]:
        """What cloud_login.py says. Raises Trouble."""
        with self._lock:
            if time.time() >= self._until:
                self._found = self._ask(min(seconds, ASK_S))
                ends = self._found["ends"]
                self._until = ends - EARLY_S if ends else time.time() + KEPT_S
            return self._found

    def forget(self) -> None:
        """They were refused: the next call asks again."""
        self._until = 0.0

    def close(self) -> None:
        """Ends the process that asks, if there is one."""
        self._children.close()

    def _ask(self, seconds: float) -> dict[str, Any]:
        try:
            done = self._children.run(
                [sys.executable, "-I", str(_LOGIN), self._kind],
                env=environment(self._ca_file),
                cwd=Path(sys.executable).parent,
                sent=json.dumps({"profile": self._profile}).encode(),
                seconds=seconds,
                limit=OUTPUT_LIMIT,
            )
        except OSError:
            raise Trouble("setup", "no process can be started on this machine") from None
        if done.end in ("late", "closed"):
            # nothing was sent to a model, so this is no "timeout", which may have been billed
            raise Trouble("unreachable", f"{self._kind} gave no credentials in {seconds:g} s")
        found = parsed(done.stdout)
        if not isinstance(found, dict) or not ("ends" in found or "kind" in found):
            raise Trouble("setup", f"the libraries of {self._kind} fail on this machine")
        if "kind" in found:
            raise Trouble(found["kind"], found["message"])
        return found


def environment(ca_file: str) -> dict[str, str]:
    """The variables of the process that asks for credentials."""
    passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
    for scheme, proxy in getproxies().items():
        if scheme in ("https", "no"):
            passed[f"{scheme.upper()}_PROXY"] = proxy
    trust = ca_file or certifi.where()
    return {**passed, "PATH": _PATH, "AWS_CA_BUNDLE": trust, "REQUESTS_CA_BUNDLE": trust}


def sign(found: dict[str, Any], region: str, method: str, url: str, body: bytes) -> dict[str, str]:
    """The headers that sign a request for Bedrock."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials as Keys

    keys = Keys(found["access"], found["secret"], found["token"] or None)
    request = AWSRequest(method, url, {"content-type": "application/json"}, body)
    SigV4Auth(keys, "bedrock", region).add_auth(request)
    signed = {name.lower(): str(value) for name, value in request.headers.items()}
    signed.pop("content-type")
    return signed
