"""Sessions in Go, Rust, Java and C: a race, a borrow error, a compiler, a slow query."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session


def go_race() -> Told:
    """A data race in a Go service, found with -race, mended with a mutex."""
    s = Session(root="/home/mo/gateway")
    s.prompt("The gateway panics under load: concurrent map writes. Find it.")
    s.bash(
        "rg -n 'map\\[string\\]' internal",
        "internal/session/store.go:12:\tsessions map[string]*Session\ninternal/limits/limits.go:9:\tbuckets map[string]int",
    )
    s.files["internal/session/store.go"] = (
        "package session\n\ntype Store struct {\n\tsessions map[string]*Session\n}\n\nfunc (s *Store) Put(id string, v *Session) {\n\ts.sessions[id] = v\n}\n\nfunc (s *Store) Get(id string) *Session {\n\treturn s.sessions[id]\n}\n"
    )
    s.read("internal/session/store.go")
    s.fail(
        "go test -race ./internal/session/...",
        "==================\nWARNING: DATA RACE\nWrite at 0x00c0000b4030 by goroutine 9:\n  runtime.mapassign_faststr()\n--- FAIL: TestStoreConcurrentPut (0.02s)\n    store_test.go:31: race detected during execution of test\nFAIL\nFAIL\tgithub.com/acme/gateway/internal/session\t0.412s\nFAIL",
    )
    s.edit(
        "internal/session/store.go",
        "type Store struct {\n\tsessions",
        "type Store struct {\n\tmu       sync.RWMutex\n\tsessions",
    )
    s.edit("internal/session/store.go", "package session\n", 'package session\n\nimport "sync"\n')
    s.edit(
        "internal/session/store.go",
        "\ts.sessions[id] = v",
        "\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\ts.sessions[id] = v",
    )
    s.edit(
        "internal/session/store.go",
        "\treturn s.sessions[id]",
        "\ts.mu.RLock()\n\tdefer s.mu.RUnlock()\n\treturn s.sessions[id]",
    )
    s.bash(
        "go test -race ./...",
        "ok  \tgithub.com/acme/gateway/internal/limits\t0.310s\nok  \tgithub.com/acme/gateway/internal/session\t1.204s",
    )
    s.bash(
        "git commit -am 'session: guard the store with a RWMutex'",
        "[main 77be0a1] session: guard the store with a RWMutex\n 1 file changed, 9 insertions(+)",
    )
    first = s.done(
        "`session.Store` was written by every request goroutine without a lock; the map write panicked once two logins collided. It has a `sync.RWMutex` now. I chose RWMutex over sync.Map because reads outnumber writes by far and the type stays checked."
    )
    s.prompt("what limit do we have per client?")
    s.read(
        "internal/limits/limits.go",
        "package limits\n\n// Requests per client and minute. The partner contract guarantees at least 600.\nconst PerMinute = 900\n\ntype Limiter struct {\n\tbuckets map[string]int\n}\n",
    )
    second = s.done(
        "900 requests per minute (`limits.PerMinute`); the partner contract guarantees 600, so it must not go below that."
    )
    return Told(
        "go_race",
        (first, second),
        (
            ask("concurrent map writes panic in gateway", "RWMutex"),
            ask("why not sync.Map", "reads outnumber writes"),
            ask("rate limit for each client", "900"),
            ask("guaranteed minimum in partner contract", "600"),
            ask("TestStoreConcurrentPut", "TestStoreConcurrentPut"),
            ask("session store commit", "77be0a1"),
        ),
    )


def rust_parser() -> Told:
    """A Rust parser: a compile error, a failing test, a measured gain."""
    s = Session(root="/home/mo/logq")
    s.prompt(
        "Make the log parser faster; it allocates a String per field. Target: 1 GB in under 2 s."
    )
    s.files["src/parse.rs"] = (
        "pub struct Line {\n    pub level: String,\n    pub text: String,\n}\n\npub fn parse(input: &str) -> Option<Line> {\n    let (level, text) = input.split_once(' ')?;\n    Some(Line { level: level.to_string(), text: text.to_string() })\n}\n"
    )
    s.read("src/parse.rs")
    s.bash(
        "hyperfine './target/release/logq big.log'",
        "Benchmark 1: ./target/release/logq big.log\n  Time (mean ± σ):      4.813 s ±  0.071 s    [User: 4.402 s, System: 0.398 s]\n  Range (min … max):    4.731 s …  4.960 s    10 runs",
        about="Baseline",
    )
    s.edit(
        "src/parse.rs",
        "pub struct Line {\n    pub level: String,\n    pub text: String,\n}\n\npub fn parse(input: &str) -> Option<Line> {",
        "pub struct Line<'a> {\n    pub level: &'a str,\n    pub text: &'a str,\n}\n\npub fn parse(input: &str) -> Option<Line<'_>> {",
    )
    s.edit("src/parse.rs", "level: level.to_string(), text: text.to_string()", "level, text")
    s.fail(
        "cargo build --release",
        '   Compiling logq v0.4.0 (/home/mo/logq)\nerror[E0597]: `buffer` does not live long enough\n  --> src/main.rs:27:31\n   |\n27 |         let line = parse::parse(&buffer);\n   |                                 ^^^^^^^ borrowed value does not live long enough\n\nerror: could not compile `logq` (bin "logq") due to 1 previous error',
        101,
    )
    s.files["src/main.rs"] = (
        "fn main() {\n    let mut lines = Vec::new();\n    for buffer in read() {\n        let line = parse::parse(&buffer);\n        lines.push(line);\n    }\n}\n"
    )
    s.edit(
        "src/main.rs",
        "        let line = parse::parse(&buffer);\n        lines.push(line);",
        "        if let Some(line) = parse::parse(&buffer) {\n            count(line);\n        }",
    )
    s.bash(
        "cargo build --release",
        "   Compiling logq v0.4.0 (/home/mo/logq)\n    Finished `release` profile [optimized] target(s) in 6.21s",
    )
    s.bash(
        "cargo test",
        "running 9 tests\ntest parse::tests::keeps_spaces ... ok\n\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    )
    s.bash(
        "hyperfine './target/release/logq big.log'",
        "Benchmark 1: ./target/release/logq big.log\n  Time (mean ± σ):      1.642 s ±  0.020 s    [User: 1.301 s, System: 0.331 s]\n  Range (min … max):    1.618 s …  1.688 s    10 runs",
        about="After",
    )
    first = s.done(
        "1 GB now takes 1.64 s instead of 4.81 s. `Line` borrows its fields from the input (`&'a str`) rather than owning Strings. main.rs had to count while reading, since a borrowed line cannot outlive its buffer (E0597)."
    )
    return Told(
        "rust_parser",
        (first,),
        (
            ask("log parser speed before and after", "1.64 s", "4.81 s"),
            ask("E0597 does not live long enough", "E0597"),
            ask("does Line own its strings", "borrows"),
        ),
    )


def slow_query() -> Told:
    """A slow SQL query: a plan, an index, a migration."""
    s = Session(root="/home/mo/orders")
    s.prompt(
        "The order list page takes 8 seconds for big merchants. DB is Postgres 15 on port 5433 in staging (orders_stg)."
    )
    s.bash(
        'psql -p 5433 orders_stg -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE merchant_id = 42 ORDER BY created_at DESC LIMIT 50"',
        "                                  QUERY PLAN\n------------------------------------------------------------------------\n Limit  (cost=184220.11..184220.23 rows=50 width=212)\n   ->  Sort  (cost=184220.11..184731.06)\n         Sort Key: created_at DESC\n         ->  Seq Scan on orders  (cost=0.00..177432.00 rows=204381 width=212)\n Planning Time: 0.21 ms\n Execution Time: 7924.55 ms",
        about="Plan of the slow query",
    )
    s.write(
        "migrations/0031_orders_merchant_created.sql",
        "CREATE INDEX CONCURRENTLY orders_merchant_created_idx ON orders (merchant_id, created_at DESC);\nALTER TABLE orders ADD COLUMN archived_at timestamptz;\n",
    )
    s.fail(
        "psql -p 5433 orders_stg -1 -f migrations/0031_orders_merchant_created.sql",
        "psql:migrations/0031_orders_merchant_created.sql:1: ERROR:  CREATE INDEX CONCURRENTLY cannot run inside a transaction block",
        3,
    )
    s.bash(
        "psql -p 5433 orders_stg -f migrations/0031_orders_merchant_created.sql",
        "CREATE INDEX\nALTER TABLE",
    )
    s.bash(
        'psql -p 5433 orders_stg -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE merchant_id = 42 ORDER BY created_at DESC LIMIT 50"',
        " Limit  (cost=0.56..82.10 rows=50 width=212)\n   ->  Index Scan using orders_merchant_created_idx on orders\n Planning Time: 0.30 ms\n Execution Time: 2.18 ms",
        about="Plan with the index",
    )
    first = s.done(
        "The list was sorted after a sequential scan over 204,381 rows. With `orders_merchant_created_idx` the query takes 2.18 ms instead of 7.9 s. The migration must be run without `-1`: CREATE INDEX CONCURRENTLY cannot run inside a transaction."
    )
    return Told(
        "slow_query",
        (first,),
        (
            ask("what port is the staging database on", "5433"),
            ask("index for the merchant order list", "orders_merchant_created_idx"),
            ask("cannot run inside a transaction block", "CONCURRENTLY"),
            ask("how long did the order list query take with the index", "2.18 ms"),
            ask("new column on the orders table", "archived_at"),
        ),
    )
