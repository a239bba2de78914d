"""Java: CI that fails now and then, a migration, a failure left open."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s1-java-billing", "/home/marta/git/billing-service")
    s.ask(
        "InvoiceNumberIT failed again on Jenkins (build 4412), passes on retry. Log is in /tmp/jenkins-4412.log. Please get to the bottom of it."
    )
    s.bash(
        "grep -n 'ERROR\\|FAIL\\|Caused by' /tmp/jenkins-4412.log | head -20",
        """
18233:[ERROR] Tests run: 6, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 14.21 s <<< FAILURE! -- in com.acme.billing.InvoiceNumberIT
18234:[ERROR] com.acme.billing.InvoiceNumberIT.twoThreadsNeverShareANumber -- Time elapsed: 3.402 s <<< ERROR!
18235:org.springframework.dao.DataIntegrityViolationException: could not execute statement [ERROR: duplicate key value violates unique constraint "uq_invoice_number"]
18290:Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "uq_invoice_number"
""",
    )
    s.read(
        "src/main/java/com/acme/billing/InvoiceNumbers.java",
        """
package com.acme.billing;

@Service
public class InvoiceNumbers {
    private final InvoiceRepository invoices;

    InvoiceNumbers(InvoiceRepository invoices) {
        this.invoices = invoices;
    }

    @Transactional
    public long next(int year) {
        return invoices.findMaxNumber(year).orElse(0L) + 1;
    }
}
""",
    )
    s.bash(
        "ls src/main/resources/db/migration | tail -3",
        "V41__tax_codes.sql\nV42__dunning_level.sql\nV43__invoice_pdf.sql",
    )
    s.write(
        "src/main/resources/db/migration/V44__invoice_number_counter.sql",
        """
CREATE TABLE invoice_number_counter (
  year   integer PRIMARY KEY,
  last   bigint NOT NULL
);
INSERT INTO invoice_number_counter (year, last)
SELECT year, max(number) FROM invoice GROUP BY year;
""",
    )
    s.edit(
        "src/main/java/com/acme/billing/InvoiceNumbers.java",
        "        return invoices.findMaxNumber(year).orElse(0L) + 1;",
        """
        // the row lock is held until commit: numbers stay gapless, which the tax office demands
        return counters.lockAndIncrement(year);
""",
    )
    s.edit(
        "src/main/java/com/acme/billing/InvoiceNumbers.java",
        "    private final InvoiceRepository invoices;",
        "    private final InvoiceNumberCounterRepository counters;",
    )
    s.bash(
        "mvn -q -Dit.test=InvoiceNumberIT -Dfailsafe.rerunFailingTestsCount=0 verify 2>&1 | tail -15",
        """
[INFO] Running com.acme.billing.InvoiceNumberIT
[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 12.88 s -- in com.acme.billing.InvoiceNumberIT
[INFO] Results:
[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 0
""",
    )
    s.done("""
It isn't the test that is flaky, it's a real race.

`InvoiceNumbers.next()` read `max(number)` and added one. Under READ COMMITTED two transactions can read the same maximum, and the second insert then violates `uq_invoice_number`. Jenkins has 8 cores, laptops here rarely interleave that way.

Now there's a counter table (`V44__invoice_number_counter.sql`), one row per year, incremented with `UPDATE … RETURNING` so that the row lock serialises the numbering.

Why not a Postgres **sequence**: sequences leave gaps on rollback, and invoice numbers must be gapless by law.
""")
    s.wrong("next: `InvoiceNumbers.next()`")
    s.fact(
        "InvoiceNumberIT duplicate key race",
        "max(number)",
        "uq_invoice_number",
        where="message",
        kind="cause",
    )
    s.fact(
        "why no database sequence for invoice numbers",
        "sequence",
        "gap",
        where="message",
        kind="rejected",
    )
    s.fact(
        "migration for the invoice counter table",
        "V44__invoice_number_counter",
        where="diff",
        kind="where",
    )

    s.ask("great find. run the whole verify please")
    s.bash(
        "mvn verify 2>&1 | tail -60",
        "\n".join(
            [
                f"[INFO] Tests run: {i + 2}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: {i * 0.37 + 0.2:.2f} s -- in com.acme.billing.Part{i}Test"
                for i in range(30)
            ]
            + [
                """[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 2.114 s <<< FAILURE! -- in com.acme.billing.pdf.PdfArchiveTest
[ERROR] com.acme.billing.pdf.PdfArchiveTest.isPdfA3 -- Time elapsed: 1.902 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <true> but was: <false>: font Helvetica is not embedded
[INFO] Results:
[ERROR] Failures:
[ERROR]   PdfArchiveTest.isPdfA3:38 font Helvetica is not embedded ==> expected: <true> but was: <false>
[ERROR] Tests run: 498, Failures: 1, Errors: 0, Skipped: 4
[INFO] BUILD FAILURE
[INFO] Total time:  04:12 min"""
            ]
        ),
        "Full build",
        fail=1,
    )
    s.done(
        "497 fine, one failure that has nothing to do with the numbering: `PdfArchiveTest.isPdfA3` complains that font Helvetica is not embedded. It fails on `main` as well, I checked the last green build: that one ran on the old JDK 17 image. I'd guess the slim JDK 21 image lacks the fonts package. Not fixed."
    )
    s.fact("how many tests does the billing build run", "498", where="output", kind="measured")
    s.fact(
        "PDF/A test failure font", "PdfArchiveTest", "Helvetica", where="output", kind="unresolved"
    )

    s.ask(
        "leave it, that's Piotr's. From now on please always put the ticket id in the commit message (BIL-123 style). This one is BIL-2087. Commit."
    )
    s.bash(
        "git add -A && git commit -q -m 'BIL-2087 Take invoice numbers from a locked counter row' && git log -1 --format='%h %s'",
        "5fd90c1 BIL-2087 Take invoice numbers from a locked counter row",
    )
    s.done("Committed: 5fd90c1. I'll prefix commits with the ticket id from now on.")
    s.fact(
        "commit message convention ticket id",
        "BIL-|ticket",
        "commit",
        where="prompt",
        kind="preference",
    )
    s.fact("BIL-2087", "5fd90c1", where="output", kind="commit")
    return s.end()
