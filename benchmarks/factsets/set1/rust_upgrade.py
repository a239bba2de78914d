"""Rust: a crate upgrade with compile errors; a decision about MSRV."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s1-rust-upgrade", "/home/noor/dev/logsift")
    s.ask("upgrade axum from 0.6 to 0.7 in logsift-server")
    s.bash(
        'cargo update -p axum --precise 0.7.9 2>&1; sed -i \'s/axum = "0.6"/axum = "0.7"/\' logsift-server/Cargo.toml && cargo check -p logsift-server 2>&1 | tail -30',
        """
error: package ID specification `axum` did not match
    Updating crates.io index
     Locking 9 packages to latest compatible versions
    Updating axum v0.6.20 -> v0.7.9
    Checking logsift-server v0.4.1 (/home/noor/dev/logsift/logsift-server)
error[E0432]: unresolved import `axum::Server`
 --> logsift-server/src/main.rs:4:5
  |
4 | use axum::Server;
  |     ^^^^^^^^^^^^ no `Server` in the root

error[E0277]: the trait bound `fn(State<App>, Request<Body>) -> impl Future {upload}: Handler<_, _>` is not satisfied
   --> logsift-server/src/routes.rs:27:41
    |
27  |         .route("/upload", post(upload))
    |                           ---- ^^^^^^ the trait `Handler<_, _>` is not implemented for fn item
    |
    = note: consider using `#[axum::debug_handler]` to improve the error message

error: could not compile `logsift-server` (bin "logsift-server") due to 2 previous errors
""",
        fail=101,
    )
    s.read(
        "logsift-server/src/main.rs",
        """
use std::net::SocketAddr;

use crate::routes::router;
use axum::Server;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let addr: SocketAddr = std::env::var("LOGSIFT_LISTEN").unwrap_or("0.0.0.0:7117".into()).parse()?;
    Server::bind(&addr).serve(router().into_make_service()).await?;
    Ok(())
}
""",
    )
    s.edit(
        "logsift-server/src/main.rs",
        "    Server::bind(&addr).serve(router().into_make_service()).await?;",
        "    let listener = tokio::net::TcpListener::bind(addr).await?;\n    axum::serve(listener, router()).await?;",
    )
    s.edit("logsift-server/src/main.rs", "use axum::Server;\n", "")
    s.edit(
        "logsift-server/src/routes.rs",
        "use hyper::{Body, Request};",
        "use axum::{body::Body, extract::Request};",
        before="use axum::{extract::State, routing::post, Router};\n",
        after="\n\nasync fn upload(State(app): State<App>, req: Request<Body>) -> Result<(), AppError> {\n    app.store(req.into_body()).await\n}\n",
    )
    s.bash(
        "cargo check -p logsift-server 2>&1 | tail -4 && cargo test -p logsift-server 2>&1 | tail -12",
        """
    Checking logsift-server v0.4.1 (/home/noor/dev/logsift/logsift-server)
    Finished `dev` profile [unoptimized + debuginfo] target(s) in 6.12s
running 31 tests
...............................
test result: ok. 31 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.87s
""",
    )
    s.bash(
        "git commit -qam 'Move logsift-server to axum 0.7' && git rev-parse --short HEAD", "b81f3c2"
    )
    s.done("""
axum is at 0.7.9, all 31 tests pass, committed as `b81f3c2`.

What had to change:
- `axum::Server` is gone → `tokio::net::TcpListener` + `axum::serve` (`main.rs`)
- the handler error (E0277) came from mixing body types: `upload` took hyper 0.14's `Body` while axum 0.7 is on hyper 1.0. It now uses `axum::body::Body`.

One thing to know: with 0.7 the minimum Rust version rises to 1.66, and graceful shutdown must be asked for explicitly with `.with_graceful_shutdown()` — I did **not** add it, so in-flight uploads are cut on SIGTERM.
""")
    s.fact(
        "E0277 Handler not implemented for upload after axum upgrade",
        "Body",
        "hyper",
        where="message",
        kind="cause",
    )
    s.fact("uploads cut off on SIGTERM", "graceful", "SIGTERM", where="message", kind="gotcha")
    s.fact("logsift default listen address", "7117", where="output", kind="port")
    s.wrong("E0277", "not resolved")
    s.fact("axum 0.7 upgrade commit", "b81f3c2", where="output", kind="commit")

    s.ask("should we also go to edition 2024?")
    s.bash(
        "rustc --version; grep -rn edition */Cargo.toml; cat rust-toolchain.toml",
        """
rustc 1.84.1 (e71f9a9a9 2025-01-27)
logsift-core/Cargo.toml:4:edition = "2021"
logsift-server/Cargo.toml:4:edition = "2021"
[toolchain]
channel = "1.84.1"
""",
    )
    s.done(
        "Not yet. Edition 2024 needs Rust 1.85 and `rust-toolchain.toml` pins 1.84.1 because the Debian package builders are on that version. I'd wait until they move."
    )
    s.fact("which rust toolchain is pinned", "1.84.1", where="output", kind="config")
    s.fact(
        "why are we staying on edition 2021",
        "1.85",
        "Debian|1.84.1",
        where="message",
        kind="decision",
    )
    return s.end()
