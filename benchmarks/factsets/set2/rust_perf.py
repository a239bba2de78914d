"""Rust: measurements of a parser; a choice among allocators."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s2-rust-perf", "/home/pavel/rs/csvdiff")
    s.ask("csvdiff on the 4GB sample takes 71s, make it faster. sample is /data/big_{a,b}.csv")
    s.bash(
        "cargo build --release 2>&1 | tail -1; hyperfine -w1 -r3 './target/release/csvdiff /data/big_a.csv /data/big_b.csv' 2>&1",
        """
    Finished `release` profile [optimized] target(s) in 22.31s
Benchmark 1: ./target/release/csvdiff /data/big_a.csv /data/big_b.csv
  Time (mean ± σ):     71.204 s ±  0.812 s    [User: 66.101 s, System: 4.902 s]
  Range (min … max):   70.411 s … 72.034 s    3 runs
""",
    )
    s.bash(
        "perf record -g ./target/release/csvdiff /data/big_a.csv /data/big_b.csv 2>/dev/null >/dev/null; perf report --no-children --stdio 2>/dev/null | grep -v '^#' | head -8",
        """
    38.12%  csvdiff  csvdiff            [.] core::hash::sip::Hasher::write
    21.77%  csvdiff  libc.so.6          [.] malloc
    11.02%  csvdiff  csvdiff            [.] csv::reader::StringRecord::from
     6.40%  csvdiff  csvdiff            [.] hashbrown::raw::RawTable::reserve_rehash
""",
        "Profile",
    )
    s.edit(
        "src/index.rs",
        "use std::collections::HashMap;",
        "use rustc_hash::FxHashMap as HashMap;",
        before="//! Row index.\n",
        after="\n\npub struct Index {\n    rows: HashMap<u64, u64>,\n}\n",
    )
    s.edit(
        "src/read.rs",
        "for record in reader.records() {",
        "let mut record = csv::ByteRecord::new();\n    while reader.read_byte_record(&mut record)? {",
        before="pub fn scan(mut reader: Reader) -> Result<()> {\n    ",
        after="\n        sink(record)?;\n    }\n    Ok(())\n}\n",
    )
    s.bash(
        "cargo add rustc-hash 2>&1 | head -1; cargo build --release 2>&1 | tail -1; hyperfine -w1 -r3 './target/release/csvdiff /data/big_a.csv /data/big_b.csv' 2>&1 | grep Time",
        """
      Adding rustc-hash v2.1.0 to dependencies
    Finished `release` profile [optimized] target(s) in 19.02s
  Time (mean ± σ):     29.877 s ±  0.301 s    [User: 25.310 s, System: 4.401 s]
""",
    )
    s.bash(
        "cargo test 2>&1 | grep 'test result'",
        "test result: ok. 58 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.91s",
    )
    s.done(
        "71.2 s → 29.9 s.\n\n1. SipHash was 38 % of the time; row keys aren't attacker-controlled, so FxHash is fine here.\n2. `records()` allocated a `StringRecord` per row; now one `ByteRecord` is reused.\n\nI tried mimalloc on top: 29.1 s, not worth a C dependency. 58 tests pass."
    )
    s.fact(
        "csvdiff speedup on the big sample", "29.9|29.877", "71", where="message", kind="measured"
    )
    s.fact("share of SipHash in the csvdiff profile", "38", where="output", kind="measured")
    s.fact("did mimalloc help", "mimalloc", "29.1|not worth", where="message", kind="rejected")
    s.fact(
        "which hasher do we use for row keys and why",
        "FxHash|rustc",
        where="message",
        kind="decision",
    )

    s.ask("memory?")
    s.bash(
        "/usr/bin/time -v ./target/release/csvdiff /data/big_a.csv /data/big_b.csv 2>&1 >/dev/null | grep -E 'Maximum|Elapsed'",
        """
	Elapsed (wall clock) time (h:mm:ss or m:ss): 0:29.71
	Maximum resident set size (kbytes): 1913220
""",
    )
    s.done("1.9 GB at the peak, nearly all of it the row index (16 bytes × 118 M rows).")
    s.fact("csvdiff peak memory", "1.9 GB|1913220", where="message", kind="measured")
    return s.end()
