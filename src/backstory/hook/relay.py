"""The host's end of the tools: JSON-RPC lines on stdin and stdout, calls passed on to the worker.

One process a host session, for as long as the session lives, so it holds next to nothing: no
database, no SDK, and only what json needs besides what every interpreter has loaded.
"""

import _signal  # type: ignore[import-not-found]  # `signal` costs an enum; no stubs for this
import _thread
import os
import select
from collections.abc import Callable

from backstory import paths
from backstory.hook import lean_json, worker_call

PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CHUNK = 1 << 16
LOOK_S = 30.0  # how often it looks whether its parent is gone
FAREWELL_S = 2.0  # what calls in flight get once the host has left
ROOTS_LIMIT = 16_000  # characters of roots that are sent along
Reply = Callable[[object], None]  # takes None where no answer will come
METHOD_NOT_FOUND, INVALID_REQUEST, PARSE_ERROR = -32601, -32600, -32700


def main(root: str) -> None:
    """Serves until stdin ends, a signal comes or the parent is gone. root: the plugin's folder."""
    # the default action ends the process at once, whatever the threads do
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
    _signal.signal(_signal.SIGCHLD, _reap)
    # the protocol keeps stdout to itself: a stray print, here or in a child, goes to stderr
    out = os.dup(1)
    os.dup2(2, 1)
    with open(root + "/plugin/tools.json", encoding="utf-8") as file:
        catalogue = lean_json.loads(file.read())
    assert isinstance(catalogue, dict), "tools.json is ours"
    relay = Relay(out, catalogue)
    if not relay.disabled:
        try:
            os.chdir(paths.data_dir())
        except OSError:
            pass  # nothing was stored yet: the first call makes the folder
    relay.serve(0)
    relay.farewell()


def _reap(*_: object) -> None:
    """Takes leave of a launcher or worker that ended: the dead stay listed until asked for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except OSError:
        pass  # there are no more


class Relay:
    """One host session."""

    def __init__(self, out: int, catalogue: "dict[str, object]") -> None:
        env = os.environ
        self.catalogue = catalogue
        self.disabled = env.get("BACKSTORY_DISABLED", "0") not in ("", "0")
        self.project_dir = env.get("CLAUDE_PROJECT_DIR", "")
        self.config_dir = env.get("CLAUDE_CONFIG_DIR", "")
        try:
            self.cwd = os.getcwd()
        except OSError:
            self.cwd = env.get("PWD", "")
        self.id = os.urandom(16).hex()
        self.roots = ""  # JSON, as the host gave them
        self.asks_roots = False
        self.asked = 0  # how often we asked for them
        self.in_flight: "dict[object, list[bool]]" = {}  # call id: [is its answer still wanted]
        self.lock = _thread.allocate_lock()  # of in_flight
        self.idle = _thread.allocate_lock()  # held while calls are in flight at the end
        self.leaving = False
        self.out = out
        self.out_lock = _thread.allocate_lock()

    def serve(self, source: int) -> None:
        """Reads lines and answers them until the source ends or the parent is gone."""
        parent = os.getppid()
        poll = select.poll()
        poll.register(source, select.POLLIN)
        rest: "list[bytes]" = []
        while True:
            if not poll.poll(LOOK_S * 1000):
                if os.getppid() != parent:
                    return
                continue
            chunk = os.read(source, CHUNK)
            lines = chunk.split(b"\n")
            rest.append(lines[0])
            for line in lines[1:]:
                self.take(b"".join(rest))
                rest = [line]
            if not chunk:
                self.take(b"".join(rest))
                return

    def farewell(self) -> None:
        """Waits a moment for what is still being answered."""
        with self.lock:
            self.leaving = True
            if self.in_flight:
                self.idle.acquire()
        self.idle.acquire(True, FAREWELL_S)

    def take(self, line: bytes) -> None:
        """Answers one line: a message, or a batch of them as older protocols have it."""
        if not line.strip():
            return
        try:
            # the platform's encoding is not asked: the protocol is UTF-8
            message = lean_json.loads(line)
        except (ValueError, RecursionError):
            self.say(_error(None, PARSE_ERROR, "the line is not JSON"))
            return
        if isinstance(message, list) and message:
            batch = Batch(self, sum(map(_wants_answer, message)))
            for one in message:
                self.handle(one, batch.add if _wants_answer(one) else _drop)
        else:
            self.handle(message, self.say)

    def handle(self, message: object, reply: Reply) -> None:
        """Answers one message, at once or later."""
        if not isinstance(message, dict):
            reply(_error(None, INVALID_REQUEST, "a message is an object"))
        elif "method" not in message:
            self.take_answer(message)
        elif "id" not in message:
            self.notice(message)
        else:
            self.request(message, reply)

    def request(self, message: "dict[str, object]", reply: Reply) -> None:
        """Answers a request."""
        id_, method, params = message["id"], message["method"], message.get("params")
        if not isinstance(params, dict):
            params = {}
        if method == "tools/call":
            self.call(id_, params, reply)
        elif method == "initialize":
            reply(_result(id_, self.initialize(params)))
        elif method == "tools/list":
            reply(_result(id_, {"tools": [] if self.disabled else self.catalogue["tools"]}))
        elif method == "ping":
            reply(_result(id_, {}))
        else:
            # server/discover too: answered otherwise, newer hosts drop the way back to them
            reply(_error(id_, METHOD_NOT_FOUND, "there is no method %s" % str(method)[:80]))

    def initialize(self, params: "dict[str, object]") -> "dict[str, object]":
        """What the host is told about us."""
        version = params.get("protocolVersion")
        capabilities = params.get("capabilities")
        self.asks_roots = isinstance(capabilities, dict) and "roots" in capabilities
        answer: "dict[str, object]" = {
            "protocolVersion": version if version in PROTOCOLS else PROTOCOLS[-1],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {
                "name": self.catalogue["server"],
                "version": self.catalogue["version"],
            },
        }
        if not self.disabled:
            answer["instructions"] = self.catalogue["instructions"]
        return answer

    def notice(self, message: "dict[str, object]") -> None:
        """Takes a notification."""
        method, params = message["method"], message.get("params")
        if method in ("notifications/initialized", "notifications/roots/list_changed"):
            if self.asks_roots and not self.disabled:
                self.asked += 1
                id_ = "roots-%d" % self.asked
                self.say({"jsonrpc": "2.0", "id": id_, "method": "roots/list"})
        elif method == "notifications/cancelled" and isinstance(params, dict):
            with self.lock:
                cancelled = params.get("requestId")
                if _is_id(cancelled) and cancelled in self.in_flight:
                    self.in_flight[cancelled][0] = False

    def take_answer(self, message: "dict[str, object]") -> None:
        """Takes the host's answer to roots/list: the newest question's, no other."""
        result = message.get("result")
        if message.get("id") != "roots-%d" % self.asked or not isinstance(result, dict):
            return
        roots = result.get("roots")
        if isinstance(roots, list):
            uris = [root["uri"] for root in roots if isinstance(root, dict) and "uri" in root]
            text = lean_json.dumps([uri for uri in uris if isinstance(uri, str)])
            self.roots = text if len(text) <= ROOTS_LIMIT else ""

    def call(self, id_: object, params: "dict[str, object]", reply: Reply) -> None:
        """Has a thread of its own answer the call."""
        if not _is_id(id_):
            reply(_error(None, INVALID_REQUEST, "an id is a text or a number"))
            return
        if self.disabled:
            text = "Backstory is switched off here (BACKSTORY_DISABLED)"
            reply(dict(worker_call.failure(text), jsonrpc="2.0", id=id_))
            return
        wanted = [True]
        with self.lock:
            self.in_flight[id_] = wanted
        _thread.start_new_thread(self.pass_on, (id_, params, reply, wanted))

    def pass_on(
        self, id_: object, params: "dict[str, object]", reply: Reply, wanted: "list[bool]"
    ) -> None:
        """Asks the worker and answers, unless the host cancelled meanwhile."""
        try:
            head = worker_call.headers(
                self.project_dir, self.cwd, self.roots, self.id, self.config_dir
            )
            answer = worker_call.call(params, head, self.cwd)
        except Exception as error:  # noqa: BLE001  the door: every call gets an answer
            text = "the relay failed: %s; %s" % (type(error).__name__, worker_call.DOCTOR)
            answer = worker_call.failure(text)
        with self.lock:
            is_wanted = wanted[0]
        reply(dict(answer, jsonrpc="2.0", id=id_) if is_wanted else None)
        with self.lock:
            # a host that has our answer may have begun another call of this id
            if self.in_flight.get(id_) is wanted:
                del self.in_flight[id_]
            if self.leaving and not self.in_flight:
                self.idle.release()

    def say(self, message: object) -> None:
        """Writes one line, whole."""
        if message is None:
            return
        data = worker_call.encode(message) + b"\n"
        with self.out_lock:
            try:
                while data:
                    data = data[os.write(self.out, data) :]
            except OSError:
                os._exit(0)  # nobody reads any more


class Batch:
    """The answers to one batch, said together when the last has come."""

    def __init__(self, relay: Relay, expected: int) -> None:
        self.relay = relay
        self.missing = expected
        self.answers: "list[object]" = []
        self.lock = _thread.allocate_lock()

    def add(self, answer: object) -> None:
        """Takes one answer, or that none will come."""
        with self.lock:
            self.missing -= 1
            if answer is not None:
                self.answers.append(answer)
            done = self.missing == 0 and bool(self.answers)
        if done:
            self.relay.say(self.answers)


def _wants_answer(message: object) -> bool:
    return not isinstance(message, dict) or ("method" in message and "id" in message)


def _drop(answer: object) -> None:
    del answer


def _is_id(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _result(id_: object, result: "dict[str, object]") -> "dict[str, object]":
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def _error(id_: object, code: int, message: str) -> "dict[str, object]":
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
