"""Go: a code review that only reads; then one that runs tests."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s2-go-review", "/home/kofi/go/src/ledger")
    s.ask(
        "review the changes on this branch (feature/idempotency) against main. only comments, don't edit"
    )
    with s.parallel():
        s.bash(
            "git diff main...HEAD --stat",
            """
 api/transfer.go          | 48 ++++++++++++++++++-----
 store/idempotency.go     | 61 +++++++++++++++++++++++++++
 store/idempotency_test.go| 39 ++++++++++++++++++
 3 files changed, 138 insertions(+), 10 deletions(-)
""",
        )
        s.read(
            "store/idempotency.go",
            """
package store

const keyTTL = 24 * time.Hour

// Remember stores the response of a request under its key.
func (s *Store) Remember(ctx context.Context, key string, resp []byte) error {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO idempotency_keys (key, response, expires_at) VALUES ($1, $2, $3)`,
		key, resp, time.Now().Add(keyTTL))
	return err
}
""",
        )
        s.read(
            "api/transfer.go",
            """
	if prev, ok := h.store.Recall(ctx, key); ok {
		w.Write(prev)
		return
	}
	result, err := h.transfer(ctx, req)
	if err != nil {
		writeError(w, err)
		return
	}
	h.store.Remember(ctx, key, result)
""",
            offset=41,
            total=120,
        )
    s.done("""
## Review of `feature/idempotency`

**Blocking**
1. **The key is not scoped to the account** (`store/idempotency.go`). Two customers that send the same `Idempotency-Key` would see each other's response. Make it `(account_id, key)`.
2. **Check-then-act** in `api/transfer.go:41`: two parallel requests with the same key both miss `Recall` and both transfer. Insert the key first, in the transaction of the transfer.

**Should fix**
3. The error of `Remember` is dropped.
4. `keyTTL` is 24 h, but the mobile app retries for up to 72 h (see `docs/mobile-retry.md`).

**Nice**
5. The test table is very readable.
""")
    s.fact(
        "review findings idempotency keys security",
        "account",
        "key",
        "scope|customers",
        where="message",
        kind="review",
    )
    s.fact(
        "how long does the mobile app retry vs key expiry",
        "72",
        "24",
        where="message",
        kind="gotcha",
    )
    s.fact(
        "double transfer race with the same key",
        "transfer.go",
        "parallel|Check-then-act",
        where="message",
        kind="review",
    )

    s.ask("fix 1 and 2 pls")
    s.edit(
        "store/idempotency.go",
        """
func (s *Store) Remember(ctx context.Context, key string, resp []byte) error {
	_, err := s.db.ExecContext(ctx,
		`INSERT INTO idempotency_keys (key, response, expires_at) VALUES ($1, $2, $3)`,
		key, resp, time.Now().Add(keyTTL))
	return err
}
""",
        """
func (s *Store) Claim(ctx context.Context, tx *sql.Tx, account uuid.UUID, key string) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO idempotency_keys (account_id, key, expires_at) VALUES ($1, $2, $3)`,
		account, key, time.Now().Add(keyTTL))
	if isUniqueViolation(err) {
		return ErrInFlight
	}
	return err
}
""",
    )
    s.bash(
        "go vet ./... && go test ./store ./api -count=1 2>&1",
        """
ok  	ledger/store	1.204s
--- FAIL: TestTransferReplay (0.03s)
    transfer_test.go:88: status = 409, want 200
FAIL
FAIL	ledger/api	0.411s
""",
        fail=1,
    )
    s.edit(
        "api/transfer.go",
        "	if prev, ok := h.store.Recall(ctx, key); ok {",
        "	if prev, ok := h.store.Recall(ctx, account, key); ok { // a finished one is replayed, a running one is 409",
        before="",
        after="",
    )
    s.bash(
        "go test ./store ./api -count=1 2>&1",
        "ok  \tledger/store\t1.198s\nok  \tledger/api\t0.402s",
    )
    s.done(
        "1 and 2 are fixed: keys are claimed per account inside the transfer's transaction. A key that's still in flight gives **409**, a finished one replays its response. Tests pass."
    )
    s.fact(
        "what does the api return when the same key is still in flight",
        "409",
        where="message",
        kind="behaviour",
    )
    s.wrong("TestTransferReplay", "not resolved")
    s.wrong("go vet", "fails")
    s.fact("TestTransferReplay status", "TestTransferReplay", "409", where="output", kind="test")
    return s.end()
