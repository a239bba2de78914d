"""Credentials of every shape are masked, ordinary text is left as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.sanitize.secrets import closes_private_key, opens_private_key, redact

# None of these was ever valid. Split, so that no scanner takes this file for a leak.
ALNUM = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"
HEX = "0123456789abcdef" * 4
AWS_ID = "AKIA" + "Q3EGRIXTYU7MPL2N"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzz9ABCQ2d"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "dozjgNryP4J3jVmNHl0w5N"
BODY = "MIIEpAIBAAKCAQEA" + ALNUM
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"

# (text, what must not be in the result)
SECRETS = {
    "anthropic": ("sk-ant-" + "api03-" + ALNUM, ALNUM),
    "anthropic, cut": ("x = sk-ant-" + "api03-aB3", "api03"),
    "openai project": ("sk-proj-" + ALNUM, ALNUM),
    "openai old": ("use sk-" + ALNUM + " here", ALNUM),
    "openai, cut": ("sk-" + ALNUM[:16], ALNUM[:16]),
    "github": ("ghp_" + ALNUM[:36], ALNUM[:36]),
    "github app": ("ghs_" + ALNUM[:36], ALNUM[:36]),
    "github fine": ("github_pat_11AB" + ALNUM + "_" + ALNUM, ALNUM),
    "github, cut": ("ghp_" + ALNUM[:8], ALNUM[:8]),
    "github behind an escape": ("one\\nghp_" + ALNUM[:36] + "\\ntwo", ALNUM[:36]),
    "gitlab": ("glpat-" + ALNUM[:20], ALNUM[:20]),
    "aws id": (f"id {AWS_ID}.", AWS_ID),
    "aws id, cut": (AWS_ID[:13], AWS_ID[:13]),
    "aws secret": (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET),
    "aws secret in words": (f"the AWS secret is {AWS_SECRET}", AWS_SECRET),
    "aws session": ("aws_session_token=" + ALNUM * 3, ALNUM),
    "google": ("AIza" + "Sy" + ALNUM[:33], ALNUM[:33]),
    "google oauth": ("GOCSPX-" + ALNUM[:28], ALNUM[:28]),
    "google account": (json.dumps({"private_key": f"{BEGIN}\n{BODY}\n{END}\n"}), BODY),
    "slack": ("xoxb-" + "123456789012-123456789012-" + ALNUM[:24], ALNUM[:24]),
    "slack hook": ("https://hooks.slack.com/services/T000/B000/" + ALNUM[:24], ALNUM[:24]),
    "stripe": ("sk_live_" + ALNUM[:24], ALNUM[:24]),
    "stripe restricted": ("rk_live_" + ALNUM[:24], ALNUM[:24]),
    "stripe hook": ("whsec_" + ALNUM[:32], ALNUM[:32]),
    "npm": ("//registry.example/:_authToken=npm_" + ALNUM[:36], ALNUM[:36]),
    "npm plain": ("npm_" + ALNUM[:36], ALNUM[:36]),
    "pypi": ("pypi-" + "AgEIcHlwaS5vcmc" + ALNUM, ALNUM),
    "hugging face": ("hf_" + ALNUM[:34], ALNUM[:34]),
    "sendgrid": ("SG." + ALNUM[:22] + "." + ALNUM, ALNUM[:22]),
    "sendgrid, cut": ("SG." + ALNUM[:18], ALNUM[:18]),
    "twilio": ("SK" + HEX[:32], HEX[:32]),
    "digital ocean": ("dop_v1_" + HEX, HEX),
    "telegram": ("bot 123456789:AA" + ALNUM[:33], ALNUM[:33]),
    "discord": ("M" + ALNUM[:23] + "." + ALNUM[:6] + "." + ALNUM[:30], ALNUM[:30]),
    "discord hook": ("https://discord.com/api/webhooks/123456789/" + ALNUM, ALNUM),
    "said in Chinese": ("密码是 Hunter2Hunter2", "Hunter2"),
    "said in Chinese, with a colon": ("数据库密码：Hunter2Hunter2。", "Hunter2"),
    "said in Chinese, a PIN": ("口令为839201", "839201"),
    "said in Japanese": ("パスワードはHunter2Hunter2です", "Hunter2"),
    "said in Japanese, quoted": ("パスワードは「Hunter2Hunter2」です", "Hunter2"),
    "said in Korean": ("비밀번호는 Hunter2Hunter2 입니다", "Hunter2"),
    "said in German": ("Das Passwort lautet Hunter2Hunter2.", "Hunter2"),
    "said in German, with a colon": ("Kennwort: Hunter2x9", "Hunter2"),
    "said in French": ("mot de passe : Hunter2x9", "Hunter2"),
    "said in Spanish": ("la contraseña es Hunter2x9", "Hunter2"),
    "said in Portuguese": ("a senha é Hunter2x9", "Hunter2"),
    "said in Italian": ("la password è Hunter2x9", "Hunter2"),
    "said in Russian": ("пароль — Hunter2x9", "Hunter2"),
    "said in Vietnamese": ("mật khẩu là Hunter2x9", "Hunter2"),
    "jwt": (f"got {JWT} back", JWT),
    "jwt, cut": (JWT[:30], JWT[21:30]),
    "service": ("gsk_" + ALNUM, ALNUM),
    "age": ("AGE-SECRET-KEY-" + "1QQPZRY9X8GF2TVDW0S3JN54", "QQPZRY9X8"),
    "pem": (f"{BEGIN}\n{BODY}\n{END}", BODY),
    "pem, cut": (f"key:\n{BEGIN}\n{BODY}\n{BODY[:9]}", BODY),
    "pem, head cut": (f"{BODY}\n{BODY[:30]}\n{END}\nafter", BODY[:30]),
    "pem in a string": (json.dumps(f"{BEGIN}\n{BODY}\n{END}\n"), BODY),
    "pem in a string, cut": (json.dumps(f"{BEGIN}\n{BODY}\n{BODY}")[:-1], BODY),
    "pem in a patch": (f"+{BEGIN}\n+{BODY}\n+{BODY}\n+{END}\n", BODY),
    "pem encrypted": (
        f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX[:32]}\n\n{BODY}\n{END}",
        BODY,
    ),
    "openssh": (
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + BODY + "\n-----END OPENSSH PRIVATE KEY-----",
        BODY,
    ),
    "pgp": (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{BODY}\n", BODY),
    "putty": (f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n{BODY}\n", BODY),
    "bearer": ("Authorization: Bearer abc", "abc"),
    "bearer in a flag": ("curl -H 'Authorization: Bearer abc.def' https://x.y", "abc.def"),
    "basic": ("authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l", "YWxhZGRpbjpv"),
    "token scheme": ("AUTHORIZATION: token 12ab34cd", "12ab34cd"),
    "bearer in json": ('{"Authorization": "Bearer abc123"}', "abc123"),
    "bearer in json in json": (json.dumps('{"Authorization": "Bearer abc123"}'), "abc123"),
    "bearer in code": ('req.Header.Set("Authorization", "Bearer abc123")', "abc123"),
    "digest": ('Authorization: Digest username="me", response="6629fae4"', "6629fae4"),
    "bearer alone": ("it said bearer " + ALNUM, ALNUM),
    "cookie": ("Cookie: sid=abc123def; theme=dark", "abc123def"),
    "set-cookie": ("< set-cookie: session=s3cr3tval; Path=/; HttpOnly", "s3cr3tval"),
    "x-api-key": ("x-api-key: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    "x-api-key in code": ("{ 'X-Api-Key': 'q1w2e3r4' }", "q1w2e3r4"),
    "url": ("git clone https://me:s3cr3t@example.org/a.git", "s3cr3t"),
    "url with an at sign": ("https://me:p@ss@example.org/", "p@ss"),
    "url token": (f"https://{ALNUM}@example.org/a.git", ALNUM),
    "postgres": ("postgres://app:hunter@db:5432/app", "hunter@"),
    "mysql url": ("mysql://root:toor1@localhost/x", "toor1"),
    "mongodb": ("mongodb+srv://u:pa55w0rd@c0.example.net/?w=1", "pa55w0rd"),
    "redis": ("redis://:s3same@cache:6379/0", "s3same"),
    "amqp": ("amqp://guest:gu3st@mq/%2f", "gu3st"),
    "url in json": (json.dumps("postgres://a:b4d@h/x").replace("/", "\\/"), "b4d"),
    "ado": ("Server=db;User Id=sa;Password=Str0ng!Pass;Timeout=30", "Str0ng!Pass"),
    "env": ("DB_PASSWORD=swordfish\nDB_USER=x", "swordfish"),
    "env with signs": ("export SMTP_PASS=a,b;c)d1", "a,b;c)d1"),
    "env quoted": ('export API_TOKEN="abcd efgh ijkl mnop"', "abcd efgh"),
    "env in json": ('{"out": "A=1\\nMY_SECRET=open-sesame\\nB=2"}', "open-sesame"),
    "env name": ("GITHUB_TOKEN=abcdefgh", "abcdefgh"),
    "env base": ("SECRET_KEY_BASE=" + HEX, HEX),
    "shell prefix": ("PGPASSWORD=hunter2 psql -h db", "hunter2"),
    "json": ('{"user": "me", "password": "hunter22"}', "hunter22"),
    "json spread": ('{\n  "client_secret" : "GgHh-77-kk",\n', "GgHh-77-kk"),
    "json in json": (json.dumps(json.dumps({"password": "hunter22"})), "hunter22"),
    "yaml": ("db:\n  password: hunter22\n  port: 1", "hunter22"),
    "yaml quoted": ("api_key: 'zaq12wsx'", "zaq12wsx"),
    "toml": ('secret_key = "k9$f;8"', "k9$f;8"),
    "ini": ("[db]\npassword = hun.ter/2", "hun.ter/2"),
    "code": ('const apiKey = "a1b2c3d4e5";', "a1b2c3d4e5"),
    "typed code": ('password: str = "hunter22"', "hunter22"),
    "keyword": ('connect(host, password="hunter22", port=1)', "hunter22"),
    "compared": ('if (password === "hunter22") {', "hunter22"),
    "php": ("define('DB_PASSWORD', 'hunter22');", "hunter22"),
    "xml": ("<password>hunter22</password>", "hunter22"),
    "define": ('#define WIFI_PASSWORD "hunter22"', "hunter22"),
    "named value": ('{"name": "DB_PASSWORD", "value": "hunter22"}', "hunter22"),
    "named value yaml": ("- name: DB_PASSWORD\n  value: hunter22\n", "hunter22"),
    "passphrase": ('passphrase = "correct horse battery staple"', "battery"),
    "json, cut": ('{"password": "hunter22', "hunter22"),
    "netrc": ("machine example.org login me password hunter22", "hunter22"),
    "netrc lines": ("machine example.org\n  login me\n  password hunter22\n", "hunter22"),
    "pgpass": ("db.example.org:5432:app:me:hunter22", "hunter22"),
    "azure": ("AccountName=x;AccountKey=" + ALNUM + "==;Suffix=y", ALNUM),
    "azure sas": ("https://x.blob.example/c?sv=2022&sig=" + ALNUM + "%3D", ALNUM),
    "ini without spaces": ("spring.datasource.password=swordfish\n", "swordfish"),
    "in prose": ("the password for prod is: hunter-22x", "hunter-22x"),
    "key in prose": ("my api key is q1w2e3r4t5", "q1w2e3r4t5"),
    "token in prose": ("use token q1w2e3r4t5 please", "q1w2e3r4t5"),
    "docker env": ("ENV SECRET_TOKEN q1w2e3r4t5", "q1w2e3r4t5"),
    "pgpass in json": ('{"o": "db.example.org:5432:app:me:hunter22"}', "hunter22"),
    "flag": ("tool --password hunter22 --user me", "hunter22"),
    "flag quoted": ("tool --db-password 'hunter 22'", "hunter 22"),
    "flag equals": ("tool --token=abc123def", "abc123def"),
    "flag key": ("tool --api-key abc123def", "abc123def"),
    "mysql": ("mysql -u root -phunter22 app", "hunter22"),
    "curl": ("curl -s -u me:hunter22 https://x.example", "hunter22"),
    "sshpass": ("sshpass -p hunter22 ssh me@x", "hunter22"),
    "docker": ("docker login -u me -p hunter22 registry.example", "hunter22"),
    "openssl": ("openssl rsa -passin pass:hunter22", "hunter22"),
}  # fmt: skip

INNOCENT = [
    "token = get_token()",
    "token = await self.tokens.next(kind)",
    "password: string",
    "password: str | None = None",
    "    password: Optional[SecretStr]",
    "max_tokens=4096",
    "max_token = 4096",
    "api_key=None",
    "api_key = os.environ['API_KEY']",
    "api_key = os.environ.get('API_KEY')",
    'apiKey: process.env.OPENAI_API_KEY,',
    'key: "user.name"',
    'cache_key = "9f86d081884c7d659a2feaa0c55ad015"',
    'PRIMARY_KEY = "user_id2"',
    "TOKEN=$TOKEN",
    'TOKEN="${GITHUB_TOKEN:-}"',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "api_key: <your-key>",
    "API_KEY=your_api_key_here",
    "password=xxxxxxxx",
    'password: "********"',
    '"password": "Enter your password"',
    '"password": "Password"',
    'type="password" name="password"',
    "secret: my-app-secret",
    "password = forms.CharField(widget=PasswordInput)",
    "if token == tokens[i]:",
    "def check_password(user, password):",
    "self.password = password",
    "user.password = hash_password(password)",
    "const { token } = useAuth();",
    "token := lexer.Next()",
    "let secret: &str = args.secret;",
    "authorization: string;",
    'headers["Authorization"] = f"Bearer {token}"',
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Bearer authentication is described below",
    "The Authorization: header must be set",
    "document.cookie",
    "cookie: string",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-" + "Zm9vYmFyYmF6cXV4" * 5 + "==",
    "echo aGVsbG8gd29ybGQ= | base64 -d",
    "/usr/share/doc/python3.11/README.Debian",
    "src/auth/token.py:12:5: E501 Line too long",
    "see https://example.org:8080/path@v2 and ssh://git@example.org/x.git",
    "npm_config_cache=/tmp/x npm_lifecycle_event=test",
    "hf_hub_download(repo_id='x')",
    '<div class="sk-toggleable__content sk-estimator-doc-link">',
    "task-management-system-2024-overview",
    "pip install pypi-attestations",
    "grep -rn 'BEGIN RSA PRIVATE KEY' .",
    'if "-----BEGIN PRIVATE KEY-----" in text and "-----END PRIVATE KEY-----" in text:',
    "-----BEGIN PUBLIC KEY-----\n" + BODY + "\n-----END PUBLIC KEY-----",
    "pass --password to set it, or use the --token flag",
    "mkdir -p /tmp/a && mysql -u root -p app",
    "curl -u $USER:$PASS https://x.example",
    "next_page_token: CAUQAA12",
    "pad_token = '[PAD]'",
    "tokenizer.eos_token = '<|endoftext|>'",
    'const TOKEN_KEY = "auth_token";',
    "12:34:56:78:90:ab",
    "00:11:22:33:44:55",
    "the secret: simple, honest work",
    "passed: 12, failed: 0",
    "compass: north12west34",
    "from secrets import token_hex",
    "keyboard: qwerty12",
    "SELECT password FROM users WHERE token = ?",
    "author: jane99doe1",
    'Monkey = "banana1234"',
    "the token is checked before the password is hashed",
    "token refresh2 is broken; secret rotation for v2 is planned",
    "password=password,",
    "def read(self, name, pwd=None):",
    "provider = PrivateKeyJWTOAuthProvider(",
    "{'ABAccessToken', 'ABPersonViewControllerDelegate'}",
    'token = "someCamelCaseIdentifier"',
    "密码长度为 8-16 位，密码是必填项",
    "パスワードは8文字以上、パスワードは必須です",
    "비밀번호는 8자 이상",
    "Passwort: Pflichtfeld; das Passwort ist falsch",
    "le mot de passe est obligatoire",
    "пароль обязателен: см. раздел2",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_of_every_shape_are_masked(name: str) -> None:
    """G4: whole values, in every notation, cut off or not."""
    text, secret = SECRETS[name]
    clean, counts = redact(text)
    assert secret not in clean
    assert "[redacted:" in clean
    assert sum(counts.values()) >= 1


@pytest.mark.parametrize("name", SECRETS)
def test_redacting_again_changes_nothing(name: str) -> None:
    clean, _ = redact(SECRETS[name][0])
    assert redact(clean) == (clean, {})


@pytest.mark.parametrize("text", INNOCENT)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == (text, {})


def test_the_whole_header_value_is_masked_and_its_surroundings_stay() -> None:
    """G4."""
    clean, counts = redact("GET / HTTP/1.1\nAuthorization: Bearer abc\nAccept: */*\n")
    assert clean == "GET / HTTP/1.1\nAuthorization: [redacted:authorization]\nAccept: */*\n"
    assert counts == {"authorization": 1}


def test_what_surrounds_a_secret_stays() -> None:
    text = f'{{"a": 1, "password": "hunter22", "log": "ok {JWT}"}}'
    clean, counts = redact(text)
    assert json.loads(clean) == {
        "a": 1,
        "password": "[redacted:password]",
        "log": "ok [redacted:jwt]",
    }
    assert counts == {"password": 1, "jwt": 1}
    assert redact("https://me:s3cr3t@example.org/a")[0] == (
        "https://me:[redacted:url_password]@example.org/a"
    )


def test_all_shapes_in_one_text_are_masked() -> None:
    clean, counts = redact("\n\n".join(text for text, _ in SECRETS.values()))
    left = [name for name, (_, secret) in SECRETS.items() if secret in clean and name != "url"]
    # A cut key is not cut any more with text behind it; the rest must go.
    assert [name for name in left if "cut" not in name] == []
    assert len(counts) >= 25


@pytest.mark.parametrize(
    "name", [name for name in SECRETS if "pem" not in name and "cut" not in name]
)
def test_a_secret_in_the_middle_of_a_source_file_is_found(name: str) -> None:
    text, secret = SECRETS[name]
    code = "def f(x):\n    return x + 1\n\n"
    assert secret not in redact(f"{code}{text}\n{code}")[0]


def test_both_ends_of_a_private_key_are_recognised() -> None:
    """A key over several strings is followed from one to the next."""
    assert opens_private_key(f"a\n{BEGIN}\nMII")
    assert not opens_private_key(f"{BEGIN}\n{BODY}\n{END}")
    assert closes_private_key(f"+{END}")
    assert not closes_private_key(BODY)


pieces = st.sampled_from([text for text, _ in SECRETS.values()] + INNOCENT) | st.text(max_size=10)


@given(st.lists(pieces, max_size=5), st.sampled_from(["", " ", "\n", '"', "="]))
def test_redaction_is_idempotent_whatever_the_text(parts: list[str], glue: str) -> None:
    once, _ = redact(glue.join(parts))
    assert redact(once) == (once, {})


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    redact(text)
