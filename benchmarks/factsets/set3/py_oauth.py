"""Python: an API's login; an MCP tracker; a secret's place."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s3-py-oauth", "/home/dana/svc/accounts")
    s.ask("Look at Sentry issue ACCOUNTS-3KD and fix it")
    s.other(
        "mcp__sentry__get_issue",
        {"issue_id": "ACCOUNTS-3KD"},
        [
            {
                "type": "text",
                "text": "ACCOUNTS-3KD: KeyError: 'email' in accounts.oauth.google.callback\nFirst seen: 2026-02-19, 214 events, 57 users\nRelease: 4.18.0\nTag login_hint: apple 0%, google 100%\nLast frame: accounts/oauth/google.py:58 profile['email']",
            }
        ],
    )
    s.read(
        "accounts/oauth/google.py",
        """
async def callback(code: str, state: str) -> User:
    token = await exchange(code)
    profile = await userinfo(token)
    return await link_or_create(provider="google", subject=profile["sub"], email=profile["email"])
""",
        offset=54,
        total=71,
    )
    s.bash(
        "git log -3 --format='%h %ad %s' --date=short -- accounts/oauth/google.py",
        "aa0be17 2026-02-18 Ask Google for openid profile only\n3c1d9f2 2025-10-01 PKCE for all providers\n90cc2a4 2025-06-11 Type the oauth package",
    )
    s.edit(
        "accounts/oauth/google.py",
        'email=profile["email"])',
        'email=profile.get("email", ""))',
        before="",
        after="\n",
    )
    s.edit(
        "accounts/oauth/scopes.py",
        'GOOGLE = "openid profile"',
        'GOOGLE = "openid profile email"',
        before='"""Scopes we ask for."""\n',
        after="\n",
    )
    s.bash("pytest tests/oauth -q 2>&1 | tail -3", "....................\n20 passed in 1.90s")
    s.done(
        "Since aa0be17 we ask Google only for `openid profile`, so the userinfo has no `email` and the callback raises KeyError (57 users couldn't log in). I put the `email` scope back and made a missing address non-fatal. 20 oauth tests pass.\n\nAffected users have to consent once more."
    )
    s.fact(
        "KeyError email google login", "scope", "google.py|scopes.py", where="message", kind="cause"
    )
    s.fact("which commit dropped the email scope", "aa0be17", where="output", kind="commit")
    s.fact(
        "how many users hit the google callback error", "57 users", where="output", kind="measured"
    )

    s.ask("how long do our sessions live, and where are refresh tokens kept?")
    with s.agent(
        "Explore",
        "Session lifetime",
        "In /home/dana/svc/accounts find out how long login sessions live and where refresh tokens are stored.",
        """
- Access tokens: 10 minutes (`accounts/tokens.py:14`, `ACCESS_TTL`).
- Sessions: sliding 14 days, absolute 90 days (`accounts/sessions.py:22-23`).
- Refresh tokens: table `refresh_tokens`, only a SHA-256 of each is stored; rotated on each use, reuse revokes the family (`accounts/tokens.py:77`).
""",
    ):
        s.bash(
            "grep -rn 'TTL\\|timedelta' accounts | head",
            "accounts/tokens.py:14:ACCESS_TTL = timedelta(minutes=10)\naccounts/sessions.py:22:IDLE = timedelta(days=14)\naccounts/sessions.py:23:ABSOLUTE = timedelta(days=90)",
        )
        s.read(
            "accounts/tokens.py",
            "    # reuse of a rotated token revokes its whole family\n    await revoke_family(token.family)\n",
            offset=77,
            total=102,
        )
    s.done(
        "Sessions live 14 days sliding and 90 days at most; access tokens 10 minutes. Refresh tokens are in the table `refresh_tokens`, hashed with SHA-256, rotated on use. Reusing an old one revokes the whole family."
    )
    s.fact(
        "access token lifetime minutes",
        "10",
        "ACCESS_TTL|access token",
        where="output",
        kind="limit",
    )
    s.fact("session absolute lifetime", "90", "absolute|at most", where="message", kind="limit")
    s.fact(
        "what happens when a refresh token is reused",
        "revoke",
        "family",
        where="message",
        kind="behaviour",
    )

    s.ask("make the idle time 30 days but only for mobile")
    s.edit(
        "accounts/sessions.py",
        "IDLE = timedelta(days=14)",
        'IDLE = {"web": timedelta(days=14), "mobile": timedelta(days=30)}',
        before='"""Sessions."""\n\n',
        after="\nABSOLUTE = timedelta(days=90)\n\n\ndef expires(session):\n    return session.seen + IDLE\n",
    )
    s.edit(
        "accounts/sessions.py",
        "    return session.seen + IDLE",
        "    return session.seen + IDLE[session.client]",
    )
    s.bash(
        "pytest -q 2>&1 | tail -4",
        "FAILED tests/test_sessions.py::test_unknown_client_expires - KeyError: 'tv'\n1 failed, 288 passed in 20.31s",
        fail=1,
    )
    s.edit("accounts/sessions.py", "IDLE[session.client]", 'IDLE.get(session.client, IDLE["web"])')
    s.bash("pytest -q 2>&1 | tail -1", "289 passed in 20.02s")
    s.done(
        "Done: 30 days idle for mobile, 14 for everything else (smart-TV clients exist as well, the tests caught that)."
    )
    s.wrong("test_unknown_client_expires", "not resolved")
    s.fact("mobile session idle days", "30", "mobile", where="diff", kind="config")
    return s.end()
