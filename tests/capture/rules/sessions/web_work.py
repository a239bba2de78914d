"""Sessions in TypeScript projects: a bug, a refactoring, a build that breaks, a look around."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session

_VITEST = """ RUN  v2.0.5 /home/lee/dash

 ❯ src/date/range.test.ts (6 tests | 1 failed) 24ms
   × lastWeek > starts on Monday in Berlin 9ms
     → expected '2026-03-29' to be '2026-03-30' // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/date/range.test.ts > lastWeek > starts on Monday in Berlin
AssertionError: expected '2026-03-29' to be '2026-03-30' // Object.is equality

- Expected
+ Received

- 2026-03-30
+ 2026-03-29

 ❯ src/date/range.test.ts:22:31

 Test Files  1 failed | 4 passed (5)
      Tests  1 failed | 31 passed (32)
   Start at  10:12:01
   Duration  1.02s"""


def dashboard() -> Told:
    """A date bug with daylight saving time, then a type error and a decision on state."""
    s = Session(root="/home/lee/dash")
    s.prompt(
        "The weekly chart shows Sunday as the first day for our German users after the clock change. Fix it."
    )
    s.tool(
        "Grep",
        {"pattern": "lastWeek", "path": "/home/lee/dash/src", "output_mode": "content"},
        {
            "mode": "content",
            "numFiles": 2,
            "filenames": [],
            "content": "src/date/range.ts:8:export function lastWeek(now: Date): Range {\nsrc/chart/Weekly.tsx:14:  const range = lastWeek(new Date())",
            "numLines": 2,
        },
    )
    s.read(
        "src/date/range.ts",
        "import { subDays } from 'date-fns'\n\nexport interface Range {\n  from: string\n  to: string\n}\n\nexport function lastWeek(now: Date): Range {\n  const monday = subDays(now, ((now.getUTCDay() + 6) % 7) + 7)\n  return { from: iso(monday), to: iso(subDays(monday, -6)) }\n}\n\nfunction iso(day: Date): string {\n  return day.toISOString().slice(0, 10)\n}\n",
    )
    s.fail("npx vitest run src/date", _VITEST)
    s.bash(
        "pnpm add @date-fns/tz",
        "Packages: +1\n+\nProgress: resolved 612, reused 611, downloaded 1, added 1, done\n\ndependencies:\n+ @date-fns/tz 1.2.0\n\nDone in 2.1s",
    )
    s.edit(
        "src/date/range.ts",
        "import { subDays } from 'date-fns'",
        "import { subDays } from 'date-fns'\nimport { TZDate } from '@date-fns/tz'",
    )
    s.edit(
        "src/date/range.ts",
        "  const monday = subDays(now, ((now.getUTCDay() + 6) % 7) + 7)",
        "  const local = new TZDate(now, zone)\n  const monday = subDays(local, ((local.getDay() + 6) % 7) + 7)",
    )
    s.edit(
        "src/date/range.ts",
        "lastWeek(now: Date): Range",
        "lastWeek(now: Date, zone = 'Europe/Berlin'): Range",
    )
    s.bash(
        "npx vitest run",
        " RUN  v2.0.5 /home/lee/dash\n\n ✓ src/date/range.test.ts (6 tests) 11ms\n\n Test Files  5 passed (5)\n      Tests  32 passed (32)",
    )
    s.fail(
        "npx tsc --noEmit",
        "src/chart/Weekly.tsx(14,17): error TS2554: Expected 2 arguments, but got 1.\nFound 1 error in src/chart/Weekly.tsx:14",
        2,
    )
    s.files["src/chart/Weekly.tsx"] = (
        "export function Weekly() {\n  const range = lastWeek(new Date())\n  return null\n}\n"
    )
    s.edit("src/chart/Weekly.tsx", "lastWeek(new Date())", "lastWeek(new Date(), useTimeZone())")
    s.bash("npx tsc --noEmit", "")
    first = s.done(
        "The week was computed in UTC: at 00:30 in Berlin it is still Sunday in UTC, so `lastWeek` started a day early. It now works in the user's zone through `TZDate` from @date-fns/tz, and `Weekly` passes the zone from `useTimeZone()`. All 32 tests pass and the types check."
    )
    s.prompt(
        "For the filters: let's go with URL search params instead of a Zustand store, so links can be shared. Just note it, don't build it yet."
    )
    second = s.done(
        "Noted: filters will live in the URL search params, so that a link carries them. Nothing was changed."
    )
    return Told(
        "dashboard",
        (first, second),
        (
            ask("weekly chart begins on the wrong weekday daylight saving", "UTC"),
            ask("timezone library for date ranges", "@date-fns/tz"),
            ask("TS2554 Weekly", "TS2554", "Weekly"),
            ask("where should filter state live", "search params"),
            ask("zustand", "Zustand"),
            ask("starts on Monday in Berlin test", "2026-03-30"),
        ),
    )


def rename() -> Told:
    """A rename through several files, with a moved file and a removed one."""
    s = Session(root="/home/lee/chat")
    s.prompt(
        "Rename UserStore to AccountStore everywhere and move it to src/accounts. Delete the old mock, nobody uses it."
    )
    s.bash(
        "grep -rln UserStore src",
        "src/stores/userStore.ts\nsrc/app.ts\nsrc/pages/Login.tsx\nsrc/stores/userStore.mock.ts",
    )
    s.files["src/stores/userStore.ts"] = (
        "export class UserStore {\n  private users = new Map<string, string>()\n\n  load(id: string) {\n    return this.users.get(id)\n  }\n}\n"
    )
    s.files["src/app.ts"] = (
        "import { UserStore } from './stores/userStore'\n\nexport const store = new UserStore()\n"
    )
    s.files["src/pages/Login.tsx"] = (
        "import { UserStore } from '../stores/userStore'\n\nexport const Login = (p: { store: UserStore }) => null\n"
    )
    s.bash(
        "mkdir -p src/accounts && git mv src/stores/userStore.ts src/accounts/accountStore.ts && git rm -q src/stores/userStore.mock.ts"
    )
    s.files["src/accounts/accountStore.ts"] = s.files.pop("src/stores/userStore.ts")
    s.edit("src/accounts/accountStore.ts", "UserStore", "AccountStore", everywhere=True)
    s.edit(
        "src/app.ts",
        "import { UserStore } from './stores/userStore'\n\nexport const store = new UserStore()",
        "import { AccountStore } from './accounts/accountStore'\n\nexport const store = new AccountStore()",
    )
    s.edit(
        "src/pages/Login.tsx",
        "import { UserStore } from '../stores/userStore'\n\nexport const Login = (p: { store: UserStore })",
        "import { AccountStore } from '../accounts/accountStore'\n\nexport const Login = (p: { store: AccountStore })",
    )
    s.bash(
        "pnpm build",
        "vite v5.3.4 building for production...\n✓ 214 modules transformed.\n✓ built in 2.31s",
    )
    first = s.done(
        "Renamed `UserStore` to `AccountStore` in src/app.ts and src/pages/Login.tsx, moved the class to src/accounts/accountStore.ts and deleted the unused mock. The build passes."
    )
    return Told(
        "rename",
        (first,),
        (
            ask("what happened to UserStore", "AccountStore"),
            ask("where is accountStore now", "src/accounts/accountStore.ts"),
            ask("user store mock deleted", "userStore.mock.ts"),
        ),
    )


def bundling() -> Told:
    """A look around, with measurements; then a build that fails and is mended."""
    s = Session(root="/home/lee/site")
    s.prompt("Why is our main bundle so big? Just investigate.")
    s.bash(
        "npx vite-bundle-visualizer --template raw-data -o stats.json && du -sh dist/assets/*.js | sort -h | tail -3",
        "412K\tdist/assets/vendor-2f1c.js\n1.1M\tdist/assets/editor-77aa.js\n2.9M\tdist/assets/index-0b3e.js",
        about="Measure the bundle",
    )
    s.bash("grep -rn \"from 'lodash'\" src | wc -l", "41")
    s.bash(
        "grep -rn 'moment' package.json src --include=*.ts | head",
        'package.json:31:    "moment": "^2.30.1",\nsrc/util/time.ts:1:import moment from \'moment\'',
        about="Who uses moment",
    )
    s.read(
        "vite.config.ts",
        "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  build: { target: 'es2019', chunkSizeWarningLimit: 4000 },\n  server: { port: 5180, proxy: { '/api': 'http://localhost:8787' } },\n})\n",
    )
    first = s.done(
        "The 2.9 MB index chunk has three causes:\n\n1. `lodash` is imported as a whole in 41 places, which costs 540 KB.\n2. `moment` with all locales adds 290 KB and is used only in src/util/time.ts.\n"
        "3. The warning limit in vite.config.ts is set to 4000 KB, so nobody noticed.\n\nThe dev server proxies /api to localhost:8787, which is unrelated."
    )
    s.prompt("Replace moment with dayjs then.")
    s.bash(
        "npm uninstall moment && npm install dayjs",
        "removed 1 package in 1s\nadded 1 package in 2s",
    )
    s.files["src/util/time.ts"] = (
        "import moment from 'moment'\n\nexport const ago = (d: Date) => moment(d).fromNow()\n"
    )
    s.edit(
        "src/util/time.ts",
        "import moment from 'moment'\n\nexport const ago = (d: Date) => moment(d).fromNow()",
        "import dayjs from 'dayjs'\n\nexport const ago = (d: Date) => dayjs(d).fromNow()",
    )
    s.fail(
        "npm run build",
        "> site@1.4.0 build\n> vue-tsc && vite build\n\nsrc/util/time.ts(3,42): error TS2339: Property 'fromNow' does not exist on type 'Dayjs'.",
        2,
    )
    s.edit(
        "src/util/time.ts",
        "import dayjs from 'dayjs'\n",
        "import dayjs from 'dayjs'\nimport relativeTime from 'dayjs/plugin/relativeTime'\n\ndayjs.extend(relativeTime)\n",
    )
    s.bash(
        "npm run build",
        "> site@1.4.0 build\n> vue-tsc && vite build\n\n✓ 1,204 modules transformed.\ndist/assets/index-9d21.js  2,611.40 kB\n✓ built in 8.91s",
    )
    second = s.done(
        "moment is gone. dayjs needs the relativeTime plugin for `fromNow`, so src/util/time.ts registers it. The index chunk went from 2.9 MB to 2.6 MB."
    )
    return Told(
        "bundling",
        (first, second),
        (
            ask("what makes the javascript bundle large", "lodash", "540 KB"),
            ask("dev server api proxy port", "8787"),
            ask("dayjs fromNow does not exist", "relativeTime"),
            ask("size of index chunk after replacing moment", "2.6 MB"),
            ask("how many files import all of lodash", "41"),
        ),
    )
