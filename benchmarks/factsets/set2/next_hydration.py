"""TypeScript: hydration mismatch; the user corrects Claude."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s2-next-hydration", "/Users/ana/dev/storefront")
    s.ask("""Getting this in prod console, price flickers on load:

Error: Hydration failed because the initial UI does not match what was rendered on the server.
  at throwOnHydrationMismatch (react-dom.production.min.js:231)
  at Price (app/product/Price.tsx:14)""")
    s.read(
        "app/product/Price.tsx",
        """
"use client";

export function Price({ cents, currency }: { cents: number; currency: string }) {
  const text = new Intl.NumberFormat(undefined, { style: "currency", currency }).format(cents / 100);
  return <span className="price">{text}</span>;
}
""",
    )
    s.edit(
        "app/product/Price.tsx",
        "  const text = new Intl.NumberFormat(undefined,",
        '  const [mounted, setMounted] = useState(false);\n  useEffect(() => setMounted(true), []);\n  if (!mounted) return <span className="price" />;\n  const text = new Intl.NumberFormat(undefined,',
    )
    s.done(
        "`Intl.NumberFormat(undefined, …)` formats with the server's locale (en-US) on the server and with the visitor's in the browser. I delay rendering until mounted so that the two agree."
    )
    s.ask(
        "no, not like that - an empty price until JS loads is terrible for SEO. pass the locale down from the server. we have it in the next-intl request config"
    )
    s.bash(
        "cat i18n/request.ts",
        """
import { getRequestConfig } from "next-intl/server";

export default getRequestConfig(async ({ requestLocale }) => {
  const locale = (await requestLocale) ?? "pt-PT";
  return { locale, timeZone: "Europe/Lisbon", messages: (await import(`../messages/${locale}.json`)).default };
});
""",
    )
    s.write(
        "app/product/Price.tsx",
        """
import { useLocale } from "next-intl";

export function Price({ cents, currency }: { cents: number; currency: string }) {
  const locale = useLocale();
  const text = new Intl.NumberFormat(locale, { style: "currency", currency }).format(cents / 100);
  return <span className="price">{text}</span>;
}
""",
    )
    s.bash(
        "npx playwright test price.spec.ts 2>&1 | tail -8",
        """
Running 4 tests using 2 workers
  4 passed (9.8s)
""",
    )
    s.done("""
Done — `Price` now takes the locale from `useLocale()`; server and client render the same string, and it isn't a client component any more.

- the mount-guard is gone, price is in the HTML
- `price.spec.ts`: 4 passed
""")
    s.fact(
        "hydration mismatch price component cause",
        "locale",
        "Intl|NumberFormat",
        where="message",
        kind="cause",
    )
    s.fact(
        "why not wait until mounted to render the price",
        "SEO",
        "empty",
        where="prompt",
        kind="rejected",
    )
    s.fact("fallback locale of the storefront", "pt-PT", where="output", kind="config")

    s.ask("deploy preview?")
    s.bash(
        "vercel deploy 2>&1 | tail -12",
        """
Vercel CLI 37.4.2
Retrieving project…
Uploading [====================] (2.1MB/2.1MB)
Inspect: https://vercel.com/ana/storefront/8sKq2
Building…
Error: Command "pnpm build" exited with 1
Type error: Route "app/product/[slug]/page.tsx" has an invalid "generateStaticParams" export: Type 'Promise<{ slug: string | null; }[]>' is not assignable
""",
        fail=1,
    )
    s.done(
        "The preview build fails on something else: `generateStaticParams` in `app/product/[slug]/page.tsx` may return a null slug (products without one). I haven't changed it — should such products be skipped or given an id slug?"
    )
    s.fact(
        "vercel preview build error",
        "generateStaticParams",
        "slug",
        where="output",
        kind="unresolved",
    )
    return s.end()
