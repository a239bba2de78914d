"""GitHub Actions: a slow pipeline, a flaky browser test."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s2-ci-actions", "/home/sam/src/notesapp")
    s.ask("CI takes 23 minutes. get it under 10")
    s.bash(
        "gh run list --workflow ci.yml --limit 4 --json databaseId,conclusion,updatedAt,createdAt -q '.[]|[.databaseId,.conclusion]|@tsv'; gh run view 10233871 --json jobs -q '.jobs[]|[.name,.startedAt,.completedAt]|@tsv'",
        """
10233871	success
10233702	failure
10233655	success
10233101	failure
build	2026-02-02T10:00:11Z	2026-02-02T10:04:50Z
unit	2026-02-02T10:04:55Z	2026-02-02T10:08:01Z
e2e	2026-02-02T10:08:07Z	2026-02-02T10:22:59Z
""",
    )
    s.read(
        ".github/workflows/ci.yml",
        """
name: ci
on: [push]
jobs:
  build:
    runs-on: ubuntu-22.04
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 20 }
      - run: npm ci
      - run: npm run build
  unit:
    needs: build
    runs-on: ubuntu-22.04
    steps:
      - uses: actions/checkout@v4
      - run: npm ci && npm test
  e2e:
    needs: unit
    runs-on: ubuntu-22.04
    steps:
      - uses: actions/checkout@v4
      - run: npm ci && npx playwright install --with-deps
      - run: npx playwright test
""",
    )
    s.edit(
        ".github/workflows/ci.yml",
        "    needs: unit\n    runs-on: ubuntu-22.04",
        "    strategy:\n      matrix: { shard: [1, 2, 3, 4] }\n    runs-on: ubuntu-22.04",
    )
    s.edit(
        ".github/workflows/ci.yml",
        "      - run: npx playwright test",
        "      - run: npx playwright test --shard=${{ matrix.shard }}/4",
    )
    s.edit(
        ".github/workflows/ci.yml",
        "        with: { node-version: 20 }",
        "        with: { node-version: 20, cache: npm }",
    )
    s.bash(
        "npx -y action-validator .github/workflows/ci.yml && git commit -qam 'ci: shard e2e, cache npm, run jobs side by side' && git push 2>&1 | tail -1 && gh run watch --exit-status 2>&1 | tail -4",
        """
   4e1aa09..1d90b7e  faster-ci -> faster-ci
✓ faster-ci ci · 10234410
Triggered via push about 7 minutes ago
✓ e2e (1) in 5m12s
✓ e2e (4) in 4m58s
""",
        "Push and watch",
    )
    s.done(
        "CI is down from 23 to about 7 minutes: e2e runs in 4 shards, in parallel with unit instead of after it, and npm's cache is on. Larger runners would have helped too, but they're billed and the org has them disabled."
    )
    s.fact(
        "how was the pipeline time reduced",
        "shard",
        "7 minutes|parallel",
        where="message",
        kind="fix",
    )
    s.fact(
        "how long did the e2e job take before sharding",
        "23|10:08:07",
        where="output",
        kind="measured",
    )
    s.fact(
        "why not larger github runners",
        "runners",
        "billed|disabled",
        where="message",
        kind="rejected",
    )

    s.ask("shard 2 just went red, rerun was green. look: gh run view 10234488 --log-failed")
    s.bash(
        "gh run view 10234488 --log-failed | tail -20",
        """
e2e (2)	  1) [webkit] › tests/sync.spec.ts:31:5 › offline edits are merged after reconnect
e2e (2)	    Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)
e2e (2)	    Expected string: "merged"
e2e (2)	    Received string: "conflict"
e2e (2)	  1 flaky? retries=0
e2e (2)	  1 failed
e2e (2)	    [webkit] › tests/sync.spec.ts:31:5 › offline edits are merged after reconnect
e2e (2)	  57 passed (4.4m)
""",
    )
    s.read(
        "tests/sync.spec.ts",
        """
test("offline edits are merged after reconnect", async ({ page, context }) => {
  await context.setOffline(true);
  await page.getByRole("textbox").fill("b");
  await context.setOffline(false);
  await expect(page.getByTestId("state")).toHaveText("merged");
});
""",
        offset=31,
        total=70,
    )
    s.edit(
        "tests/sync.spec.ts",
        "  await context.setOffline(false);",
        "  await page.waitForFunction(() => window.__outbox.length === 1); // webkit flushes the edit a tick later\n  await context.setOffline(false);",
        before="",
        after="\n",
    )
    s.bash(
        "npx playwright test tests/sync.spec.ts --project=webkit --repeat-each=40 2>&1 | tail -3",
        "  40 passed (1.3m)",
    )
    s.done(
        "`offline edits are merged after reconnect` is flaky on WebKit only: the edit reaches the outbox one tick after `fill`, so going online right away loses the race and the server reports a conflict. The test waits for the outbox now; 40/40 on WebKit."
    )
    s.fact(
        "which e2e test is flaky on webkit",
        "sync.spec.ts|offline edits",
        "webkit",
        where="message",
        kind="flaky",
    )

    s.ask("btw never use retries in playwright config to hide flakiness, I want to see them")
    s.done("Understood: `retries` stays 0, flaky tests get fixed.")
    s.fact(
        "playwright retries policy",
        "retries",
        "never|hide|stays 0",
        where="prompt",
        kind="preference",
    )
    s.fact("node version used in ci", "node-version: 20", where="output", kind="config")
    return s.end()
