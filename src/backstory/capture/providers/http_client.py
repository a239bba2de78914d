"""What the providers that speak HTTP share: trust, proxies, one deadline, a bounded answer.

A project can set any environment variable of ours, so nothing of it decides whom we trust or
where a batch goes: certificates are certifi's or the user's `ca_file`, and a proxy is only ever
the way to a TLS connection, which it cannot read.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi

from backstory.capture.providers.base import ANSWER_LIMIT, Trouble

CONNECT_S = 10.0
# setting of an address: the settings of its keys
KEYS_OF = {"base_url": "api_key or auth_token", "embedding_url": "embedding_key"}


class TooLarge(Exception):
    """The answer is longer than any answer of ours."""


class Watch:
    """The deadline of one call. When it has come, the connection is cut, whatever is dripping.

    The timeouts of HTTP libraries are those of one read: a byte a second never ends.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self.was_sent = False  # a request, or the beginning of one
        self._ends = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._is_cut = False
        self._timer = threading.Timer(max(0.0, seconds), self._time_up)
        self._timer.daemon = True
        self._timer.start()

    @property
    def left(self) -> float:
        """Seconds that are left, never below a hundredth."""
        return max(0.01, self._ends - time.monotonic())

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Learns of the connection: the `trace` extension of httpx requests."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._is_cut:
                self.cut()
        elif event.endswith("send_request_headers.started"):
            # what opens a tunnel goes to the proxy alone
            self.was_sent = self.was_sent or info["request"].method != b"CONNECT"

    def cut(self) -> None:
        """Ends the connection under whoever reads from it."""
        self._is_cut = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        """The call is over."""
        self._timer.cancel()

    def _time_up(self) -> None:
        self.is_over = True
        self.cut()


class Line:
    """The way to one address. Raises Trouble ("setup") where the settings do not fit."""

    def __init__(self, address: str, ca_file: str = "", setting: str = "base_url") -> None:
        parts = urlsplit(address)
        try:
            port = parts.port
        except ValueError:
            port = 0
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise Trouble("setup", f"setting {setting} takes an http or https address")
        if parts.username is not None or parts.query or parts.fragment:
            raise Trouble(
                "setup",
                f"setting {setting} takes an address alone: no user name, password, ? or #; "
                f"keys go into {KEYS_OF[setting]}",
            )
        self.url = address.rstrip("/")
        self.host = parts.netloc
        self.trust = trusted(ca_file) if parts.scheme == "https" else nothing_trusted()
        self.proxy = proxy_for(parts.scheme, parts.hostname)
        self._watches: set[Watch] = set()
        self._is_closed = False

    @contextmanager
    def watch(self, seconds: float) -> Iterator[Watch]:
        """The deadline of a call by this line."""
        watch = Watch(seconds)
        self._watches.add(watch)
        try:
            if self._is_closed:
                raise Trouble("unreachable", "the provider was closed")
            yield watch
        finally:
            watch.stop()
            self._watches.discard(watch)

    def close(self) -> None:
        """Cuts what is under way; there will be no more calls."""
        self._is_closed = True
        for watch in list(self._watches):
            watch.cut()


def nothing_trusted() -> ssl.SSLContext:
    """A context that verifies and trusts no one. It reads no variable, not even SSLKEYLOGFILE."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def trusted(ca_file: str) -> ssl.SSLContext:
    """Trust in certifi's certificates, or in those of a file. Raises Trouble ("setup")."""
    context = nothing_trusted()
    try:
        context.load_verify_locations(cafile=ca_file or certifi.where())
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        why = getattr(error, "strerror", "") or "it holds no certificates"
        raise Trouble(
            "setup", f"setting ca_file: {ca_file} cannot be used ({why}); it takes a PEM file"
        ) from None
    return context


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy that the environment or the system names for an address.

    None for plain http, whose content a proxy could read, and for this machine. Raises Trouble
    ("setup") for a kind of proxy that is not spoken here.
    """
    if scheme != "https" or is_loopback(host) or proxy_bypass(host):
        return None
    known = getproxies()
    proxy = known.get("https") or known.get("all")
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if not proxy.lower().startswith(("http://", "https://")):
        raise Trouble(
            "setup",
            f"the proxy that HTTPS_PROXY or ALL_PROXY names is no HTTP proxy: give one, or add "
            f"{host} to NO_PROXY",
        )
    return proxy


def read_bounded(chunks: Iterable[bytes], limit: int = ANSWER_LIMIT) -> bytes:
    """All of an answer. Raises TooLarge as soon as it is longer than the limit."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise TooLarge
        parts.append(chunk)
    return b"".join(parts)


def checked_key(name: str, key: str) -> str:
    """A key that can stand in a header. Raises Trouble ("setup"), which does not quote it."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Trouble(
            "setup", f"setting {name} holds characters that no key has: set it again, without them"
        )
    return key


def sendable(text: str) -> str:
    """A text that every JSON reader takes: without lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


Headers = Callable[[str, str, bytes], dict[str, str]]  # method, URL, body -> what proves who we are
