"""Node: a leak; many tools; a noisy log."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-node-leak", "/srv/app/chat-server")
    s.ask(
        "chat-server RSS grows ~200MB per day until it's OOM. node 22. find the leak, take your time"
    )
    s.bash(
        "npm ci 2>&1 | tail -30",
        "\n".join(
            [
                f"npm warn deprecated {p}: use something else"
                for p in (
                    "inflight@1.0.6",
                    "glob@7.2.3",
                    "rimraf@3.0.2",
                    "npmlog@6.0.2",
                    "are-we-there-yet@3.0.1",
                    "gauge@4.0.4",
                )
            ]
            + [
                "",
                "added 611 packages, and audited 612 packages in 9s",
                "",
                "84 packages are looking for funding",
                "  run `npm fund` for details",
                "",
                "3 vulnerabilities (1 low, 2 moderate)",
            ]
        ),
    )
    presence = """
export class Presence {
  constructor(bus) { this.bus = bus; this.rooms = new Map(); }
  join(room, socket) {
    this.bus.on("typing", (e) => this.touch(room, e));
  }
}
"""
    for name in ("rooms", "presence", "socket", "auth", "push", "store", "metrics", "admin"):
        plain = (
            f"export class {name.capitalize()} {{\n  constructor(bus) {{ this.bus = bus; }}\n}}\n"
        )
        s.read(f"src/{name}.js", presence if name == "presence" else plain)
        if name == "presence":
            s.bash(
                "grep -n 'on(\\|setInterval\\|new Map' src/presence.js",
                '2:  constructor(bus) { this.bus = bus; this.rooms = new Map(); }\n4:    this.bus.on("typing", (e) => this.touch(room, e));',
            )
        else:
            s.bash(f"grep -n 'on(\\|setInterval\\|new Map' src/{name}.js", fail=1)
    s.bash(
        "node --expose-gc scripts/soak.js --clients 500 --minutes 3 2>&1 | tail -8",
        "\n".join(
            [
                f"[soak] {m}m rss={310 + m * 61}MB heap={190 + m * 55}MB listeners(typing)={m * 10400}"
                for m in range(1, 4)
            ]
            + [
                "(node:4411) MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 typing listeners added to [Bus]."
            ]
        ),
    )
    s.edit(
        "src/presence.js",
        '    this.bus.on("typing", (e) => this.touch(room, e));',
        '    const onTyping = (e) => this.touch(room, e);\n    this.bus.on("typing", onTyping);\n    socket.once("close", () => this.bus.off("typing", onTyping));',
    )
    s.bash(
        "node --expose-gc scripts/soak.js --clients 500 --minutes 3 2>&1 | tail -3",
        "\n".join(
            [f"[soak] {m}m rss=318MB heap=19{m}MB listeners(typing)=500" for m in range(1, 4)]
        ),
    )
    s.done(
        "Found it: `Presence.join()` registers a `typing` listener on the shared bus for every socket and never removes it, so each closed connection kept its room and socket alive. It's removed on `close` now. In a 3-minute soak with 500 clients RSS stays at 318 MB (before: 493 MB and rising), listeners stay at 500."
    )
    s.fact(
        "chat server memory leak source",
        "typing",
        "Presence|presence.js",
        where="message",
        kind="cause",
    )
    s.fact("soak test rss after leak fix", "318", "RSS", where="message", kind="measured")
    s.fact("how many clients in the soak test", "500", "clients", where="command", kind="howto")
    s.fact("how to run the soak test", "scripts/soak.js", where="command", kind="howto")

    s.ask("great. put max-old-space to 1500 in the unit file too, box has 2G")
    s.bash(
        "sudo sed -i 's|node src/main.js|node --max-old-space-size=1500 src/main.js|' /etc/systemd/system/chat-server.service && sudo systemctl daemon-reload && systemctl cat chat-server | grep ExecStart",
        "ExecStart=/usr/bin/node --max-old-space-size=1500 src/main.js",
    )
    s.done("Set. Takes effect at the next restart; I did not restart the service.")
    s.fact(
        "node heap limit of chat-server", "1500", "max-old-space", where="command", kind="config"
    )
    s.fact(
        "was chat-server restarted after changing heap size",
        "restart",
        "not",
        where="message",
        kind="unresolved",
    )
    return s.end()
