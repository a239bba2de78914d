"""Japanese: tokens refused on one server, because of its clock."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s2-ja-auth", "/home/tanaka/repos/auth-gateway")
    s.ask("本番の auth-03 だけでログインが時々 401 になります。原因を調べてください。")
    s.bash(
        "ssh auth-03 'journalctl -u auth-gateway --since -1h | grep -c JsonWebTokenError; journalctl -u auth-gateway --since -1h | grep JsonWebTokenError | tail -2'",
        """
312
Mar 02 14:21:07 auth-03 node[991]: JsonWebTokenError: jwt not active until 2026-03-02T05:21:52Z
Mar 02 14:21:09 auth-03 node[991]: JsonWebTokenError: jwt not active until 2026-03-02T05:21:54Z
""",
    )
    s.bash(
        "for h in auth-01 auth-02 auth-03; do echo $h $(ssh $h 'chronyc tracking | grep \"System time\"'); done",
        """
auth-01 System time : 0.000021 seconds slow of NTP time
auth-02 System time : 0.000104 seconds fast of NTP time
auth-03 System time : 45.201933 seconds slow of NTP time
""",
    )
    s.read(
        "src/token.ts",
        """
export function verify(token: string): Claims {
  return jwt.verify(token, publicKey, { algorithms: ["ES256"], clockTolerance: 0 }) as Claims;
}
""",
        offset=12,
        total=30,
    )
    s.edit("src/token.ts", "clockTolerance: 0", "clockTolerance: 5")
    s.bash(
        "npm test -- token 2>&1 | tail -5",
        "Test Suites: 1 passed, 1 total\nTests:       9 passed, 9 total\nTime:        1.302 s",
    )
    s.done("""
原因は auth-03 の時計が **45 秒遅れ**ていたことです。発行直後のトークンが「まだ有効ではない」(nbf) と判定され、401 になっていました。

対応:
- `src/token.ts` の `clockTolerance` を 0 から 5 秒に変更
- auth-03 の chrony が止まっているので、`systemctl restart chronyd` が必要です(権限がないため未実施)

許容時間を 60 秒にする案は見送りました。失効したトークンが長く使えてしまうためです。
""")
    s.fact("auth-03 401 原因", "45", "時計", where="message", kind="cause")
    s.fact("clockTolerance を60秒にしなかった理由", "60", "失効", where="message", kind="rejected")
    s.fact("JWT の署名アルゴリズム", "ES256", where="output", kind="config")
    s.fact("jwt clock tolerance seconds", "clockTolerance", "5", where="diff", kind="config")
    s.fact(
        "chrony auth-03 restart pending", "chron", "未実施|必要", where="message", kind="unresolved"
    )

    s.ask("再起動しました。直ったか確認してください")
    s.bash(
        "ssh auth-03 'chronyc tracking | grep \"System time\"; journalctl -u auth-gateway --since -5m | grep -c JsonWebTokenError'",
        "System time : 0.000310 seconds slow of NTP time\n0",
    )
    s.done("確認しました。時計のずれは 0.0003 秒、直近 5 分のエラーは 0 件です。")
    return s.end()
