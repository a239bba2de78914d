"""Passwords told in sentences are masked, and what is told of passwords every day is not."""

from __future__ import annotations

import pytest

from backstory.sanitize.secrets import redact

EVERYDAY = """\
密码是 sha256 加密存储的
密码：bcrypt
密码: pbkdf2_sha256
パスワードは argon2id でハッシュしている
비밀번호는 sha256으로 저장
密钥是 ed25519
密钥: rsa-4096
密钥为 AES256-GCM
令牌为 OAuth2.0
最大トークン: 128000
トークン：128000
最大令牌: 4096
토큰: 12000
令牌=2048
トークン: gpt-4o-mini
令牌: llama3.1-70b
トークン: claude-3-5-sonnet-20241022
Das Passwort ist PBKDF2-gehasht
Das Passwort ist bcrypt-gehasht (Kosten 12)
Das Passwort ist PBKDF2-HMAC-SHA256
Kennwort: min. 8 Zeichen
Passwort: siehe Vault
mot de passe: au moins 8 caractères
mot de passe: 'Mot de passe oublié ?'
senha: 'Senha inválida'
'password': '密码',
密码: { type: String, required: true }
密码:user.password
密码：${password}
密码错误: ERR_AUTH_401
密码是 passwordHash1 字段
密码是 password_hash_v2 列
トークンは auth.ts:42 で検証
密码是 users.py:118 里检查的
密码是 src/auth/users2.py 里检查的
密码: users.py:118-120
令牌是 v2.1.0 引入的
口令是 2026-11-30 改的
密码 は 必須
密码是 64bytes 以内
密码是 https://example.com/docs/2 里说明的
密钥: id_ed25519.pub
hasło: 'Hasło'
şifre: 'Şifre'
contraseña: 'Contraseña olvidada?'
비밀번호: yup.string().min(8)
"""

TOLD = {
    "пароль - 20260101": "20260101",
    "パスワード: hunter2hunter2": "hunter2hunter2",
    "密码是 hunter2": "hunter2",
    "密码：sommer2024": "sommer2024",
    "Das Passwort ist Sommer2Grün": "Sommer2Grün",
    "Passwort: Grün3Wald!": "Grün3Wald",
    "密码是 myPassword1": "myPassword1",
    "密码: sha256Hunter2": "sha256Hunter2",
    "令牌是 9f8e7d6c5b4a": "9f8e7d6c5b4a",
    "トークンは tk7Qm2xV9LwR4 です": "tk7Qm2xV9LwR4",
    "密钥：A8f3Kd92LmQ0": "A8f3Kd92LmQ0",
}


@pytest.mark.parametrize("line", EVERYDAY.splitlines())
def test_what_is_told_of_passwords_every_day_stays(line: str) -> None:
    """Algorithms, places in the source, names in code, versions, amounts, models."""
    assert redact(line) == (line, {})


@pytest.mark.parametrize("line", TOLD)
def test_a_password_is_masked_whole(line: str) -> None:
    """G4: letters with marks are letters: nothing of it is left."""
    clean, counts = redact(line)
    head = line[: line.index(TOLD[line])]
    assert clean.startswith(head + "[redacted:")
    assert TOLD[line][-3:] not in clean
    assert sum(counts.values()) == 1
    assert redact(clean) == (clean, {})


def test_what_stands_behind_a_masked_password_is_no_surprise_the_next_time() -> None:
    """G4: two that were glued together."""
    clean, counts = redact("Kennwort: Hunter2x9Kennwort: Hunter2x9")
    assert "Hunter2" not in clean
    assert sum(counts.values()) == 2
    assert redact(clean) == (clean, {})


@pytest.mark.timeout(20)
@pytest.mark.parametrize("many", [" ", "-aa", "-1a", ".a1", "a"])
def test_long_values_are_looked_at_once(many: str) -> None:
    """G9: no shape is tried in every way that it could be read."""
    for head in ("密码是", "密码: sha256", "令牌 "):
        redact(head + many * 20_000 + "!\n密码")
