"""Credentials of a cloud: found where the user keeps them, by a process that reads no variables."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from backstory.capture.providers import cloud
from backstory.capture.providers.base import Trouble
from tests.support.model_api import ModelApi, Request, Scripted, fails, observing, sends
from tests.support.provider_calls import make, question, trouble_of

BEDROCK = {"cloud": "bedrock", "cloud_region": "us-east-1", "api_key": ""}
VERTEX = {"cloud": "vertex", "cloud_project": "proj", "api_key": ""}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one's own, and none of the variables of this machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".aws").mkdir()
    return tmp_path


def aws_profile(home: Path, text: str) -> None:
    """Writes ~/.aws/config."""
    (home / ".aws" / "config").write_text(text)


def google_account(home: Path, token_uri: str) -> None:
    """Writes application default credentials that ask `token_uri` for a token."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    account = {
        "type": "service_account",
        "client_email": "me@proj.example",
        "private_key": key.decode(),
        "private_key_id": "1",
        "project_id": "proj",
        "token_uri": token_uri,
    }
    folder = home / ".config" / "gcloud"
    folder.mkdir(parents=True)
    (folder / "application_default_credentials.json").write_text(json.dumps(account))


def test_bedrock_is_asked_with_a_signature_of_the_profiles_keys(home: Path) -> None:
    """C15: the profile is a setting, its keys are the user's own."""
    aws_profile(
        home,
        "[profile work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = s\n"
        "aws_session_token = session-token\n",
    )
    with ModelApi(observing()) as api:
        asked = make("anthropic", base_url=api.url, cloud_project="work", **BEDROCK)
        asked.ask(question())
        asked.ask(question())
        for request in api.requests:
            headers = request.headers
            assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAWORK/")
            assert "/us-east-1/bedrock/aws4_request" in headers["authorization"]
            assert headers["x-amz-security-token"] == "session-token"
            assert headers["x-amz-date"]


def test_a_program_that_gives_credentials_is_run_once(home: Path) -> None:
    """They are kept until shortly before they end."""
    program = home / "give"
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    given = {"Version": 1, "AccessKeyId": "AKIAPROG", "SecretAccessKey": "s", "Expiration": ends}
    program.write_text(f"#!/bin/sh\necho x >> {home}/runs\necho '{json.dumps(given)}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    aws_profile(home, f"[default]\ncredential_process = {program}\n")
    with ModelApi(observing()) as api:
        asked = make("anthropic", base_url=api.url, **BEDROCK)
        for _ in range(3):
            asked.ask(question())
        assert len(api.requests) == 3
    runs = len((home / "runs").read_text().split())
    credentials = cloud.Credentials("aws")
    assert credentials.get()["access"] == "AKIAPROG"
    assert len((home / "runs").read_text().split()) == 2 * runs


def test_credentials_that_are_refused_are_asked_for_again(home: Path) -> None:
    """The user may have logged in again meanwhile."""
    aws_profile(home, "[default]\naws_access_key_id = AKIAOLD\naws_secret_access_key = s\n")

    def reply(request: Request) -> Scripted:
        is_old = "AKIAOLD" in request.headers["authorization"]
        return fails(401, "The security token is expired") if is_old else observing()(request)

    with ModelApi(reply) as api:
        asked = make("anthropic", base_url=api.url, **BEDROCK)
        trouble = trouble_of(asked)
        assert trouble.kind == "login"
        assert "aws sso login" in trouble.message
        aws_profile(home, "[default]\naws_access_key_id = AKIANEW\naws_secret_access_key = s\n")
        asked.ask(question())
        assert len(api.requests) == 2


@pytest.mark.parametrize(
    ("given", "kind", "word"),
    [
        ({**BEDROCK, "cloud_project": "other"}, "setup", "cloud_project"),
        ({**BEDROCK, "cloud_project": "sso"}, "login", "aws sso login --profile sso"),
        (VERTEX, "login", "gcloud auth application-default login"),
    ],
)
def test_credentials_that_are_missing_are_told_with_what_to_do(
    home: Path, given: dict[str, Any], kind: str, word: str
) -> None:
    """Before anything is sent."""
    aws_profile(
        home,
        "[profile sso]\nsso_start_url = https://x.example/start\nsso_region = us-east-1\n"
        "sso_account_id = 1\nsso_role_name = r\n",
    )
    with ModelApi(observing()) as api:
        trouble = trouble_of(make("anthropic", base_url=api.url, **given))
        assert trouble.kind == kind
        assert word in trouble.message
        assert not trouble.may_be_billed
        assert not api.requests


def test_vertex_is_asked_with_a_token_of_the_default_credentials(home: Path) -> None:
    """It is fetched once and kept until shortly before it ends."""
    token = json.dumps({"access_token": "ya29.mine", "expires_in": 3600, "token_type": "Bearer"})
    with ModelApi([sends(token)]) as google, ModelApi(observing()) as api:
        google_account(home, google.url + "/token")
        asked = make("anthropic", base_url=api.url + "/v1", **VERTEX)
        asked.ask(question())
        asked.ask(question())
        tokens = {request.headers["authorization"] for request in api.requests}
        assert tokens == {"Bearer ya29.mine"}
        assert len(api.requests) == 2
        assert len(google.requests) == 1


def test_the_process_reads_none_of_our_variables(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where the user's files are, the way to TLS, and whom to trust."""
    for name in ("AWS_PROFILE", "AWS_CONFIG_FILE", "PYTHONPATH", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.setenv(name, "/evil")
    monkeypatch.setenv("PATH", "/evil:" + os.environ["PATH"])
    monkeypatch.setenv("http_proxy", "http://evil.example")
    found = cloud.environment("/my/ca.pem")
    assert not [value for value in found.values() if "evil" in value]
    assert found["HOME"] == str(home)
    assert found["AWS_CA_BUNDLE"] == found["REQUESTS_CA_BUNDLE"] == "/my/ca.pem"


def test_a_program_that_hangs_is_ended_with_what_it_started(home: Path) -> None:
    """A login that waits for a browser must not hold a batch for ever."""
    os.mkfifo(home / "alive")
    alive = os.open(home / "alive", os.O_RDONLY | os.O_NONBLOCK)
    program = home / "hang"
    program.write_text(f"#!/bin/sh\ntouch {home}/ran\nexec sleep 100 > {home}/alive\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    aws_profile(home, f"[default]\ncredential_process = {program}\n")
    with pytest.raises(Trouble) as caught:
        cloud.Credentials("aws").get(6.0)
    assert caught.value.kind == "unreachable"
    assert (home / "ran").exists()
    os.set_blocking(alive, True)
    assert os.read(alive, 1) == b""  # comes when nobody holds the other end any more
    os.close(alive)


def test_a_broken_library_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed instead of credentials is never shown."""
    monkeypatch.setattr(cloud, "_LOGIN", home / "none.py")
    with pytest.raises(Trouble, match="libraries") as caught:
        cloud.Credentials("google").get()
    assert caught.value.kind == "setup"
