"""Whom the providers trust and which way they go, whatever the environment says."""

from __future__ import annotations

import datetime
import ipaddress
import json
import os
import ssl
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backstory.capture.providers.base import Trouble
from backstory.capture.providers.http_client import Line, is_loopback, proxy_for
from tests.support.model_api import ModelApi, observing
from tests.support.provider_calls import make, question, trouble_of

BOTH = pytest.mark.parametrize("name", ["anthropic", "openai"])
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PEM file with a key, and with a certificate of this machine that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stub")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "stub.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    """A server's side of that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@BOTH
def test_the_users_certificates_are_trusted(
    name: str, certificate: Path, tls: ssl.SSLContext
) -> None:
    """A company's proxy or gateway has its own."""
    with ModelApi(observing(), tls) as api:
        make(name, base_url=api.url, ca_file=str(certificate)).ask(question())
        assert len(api.requests) == 1


@BOTH
def test_certificates_that_a_variable_names_are_not(
    name: str, certificate: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project could set it."""
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(variable, str(certificate))
    monkeypatch.setenv("SSL_CERT_DIR", str(certificate.parent))
    with ModelApi(observing(), tls) as api:
        trouble = trouble_of(make(name, base_url=api.url))
        assert trouble.kind == "unreachable"
        assert "ca_file" in trouble.message
        assert not trouble.may_be_billed
        assert not api.requests


@BOTH
def test_no_key_of_a_connection_is_written_down(
    name: str,
    certificate: Path,
    tls: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """SSLKEYLOGFILE would let anyone read along."""
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    with ModelApi(observing(), tls) as api:
        make(name, base_url=api.url, ca_file=str(certificate)).ask(question())
    assert not (tmp_path / "keys").exists()


def test_a_file_without_certificates_is_told(tmp_path: Path) -> None:
    """With the setting's name."""
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(Trouble, match="ca_file") as caught:
        Line("https://x.example", str(tmp_path / "ca.pem"))
    assert caught.value.kind == "setup"


@BOTH
def test_this_machine_is_reached_without_a_proxy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch for a local model must not leave the machine."""
    with ModelApi(observing()) as proxy, ModelApi(observing()) as api:
        for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
            monkeypatch.setenv(variable, proxy.url)
        make(name, base_url=api.url).ask(question())
        assert len(api.requests) == 1
        assert not proxy.requests


@pytest.mark.parametrize(
    ("scheme", "host", "proxy"),
    [
        ("https", "api.anthropic.com", "http://proxy.example:3128"),
        ("https", "inside.example", None),
        ("http", "192.0.2.7", None),
        ("https", "localhost", None),
        ("https", "127.8.8.8", None),
        ("https", "::1", None),
        ("https", "gw.localhost", None),
    ],
)
def test_a_proxy_is_the_way_to_what_it_cannot_read(
    scheme: str, host: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TLS goes through it, plain http and this machine do not."""
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    monkeypatch.setenv("http_proxy", "proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_for(scheme, host) == proxy


def test_a_proxy_that_is_not_spoken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """And how to do without it."""
    monkeypatch.setenv("https_proxy", "socks5://proxy.example:1080")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(Trouble, match="NO_PROXY") as caught:
        proxy_for("https", "api.anthropic.com")
    assert caught.value.kind == "setup"


@pytest.mark.parametrize("host", ["example.com", "10.0.0.1", "127.evil.example", "localhost.evil"])
def test_a_name_that_looks_like_this_machine_is_not(host: str) -> None:
    """Only what is one."""
    assert not is_loopback(host)


CALL = """
    import sys
    from backstory.capture import providers
    from tests.support.provider_calls import question, settings
    name, url, more = sys.argv[1], sys.argv[2], dict(a.split("=", 1) for a in sys.argv[3:])
    given = settings(base_url=url, model="small-1", **more)
    print(providers.create(name, given).ask(question()).text)
"""


def hostile(decoy: str, folder: Path) -> dict[str, str]:
    """Every variable that a library behind us is known to read, set against us."""
    config = folder / "configs"
    config.mkdir(parents=True)
    profile = {"base_url": decoy, "api_key": "sk-evil"}
    (config / "evil.json").write_text(json.dumps(profile))
    (folder / "active_config").write_text("evil")
    (folder / "aws").write_text(
        "[default]\naws_access_key_id = AKIAEVIL\naws_secret_access_key = evil\n"
        f"endpoint_url = {decoy}\n"
    )
    headers = "Authorization: Bearer sk-evil\nX-Evil: 1\nHost: evil.example\nanthropic-beta: evil"
    names = {
        "ANTHROPIC": "API_KEY AUTH_TOKEN IDENTITY_TOKEN FEDERATION_RULE_ID ORGANIZATION_ID",
        "AWS": "ACCESS_KEY_ID SECRET_ACCESS_KEY SESSION_TOKEN BEARER_TOKEN_BEDROCK PROFILE",
    }
    evil = {f"{head}_{tail}": "sk-evil" for head in names for tail in names[head].split()}
    return evil | {
        "ANTHROPIC_BASE_URL": decoy,
        "ANTHROPIC_BEDROCK_BASE_URL": decoy,
        "ANTHROPIC_VERTEX_BASE_URL": decoy,
        "ANTHROPIC_CUSTOM_HEADERS": headers,
        "ANTHROPIC_CONFIG_DIR": str(folder),
        "ANTHROPIC_PROFILE": "evil",
        "ANTHROPIC_LOG": "debug",
        "ANTHROPIC_MODEL": "evil",
        "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
        "OPENAI_API_KEY": "sk-evil",
        "OPENAI_BASE_URL": decoy,
        "AWS_ENDPOINT_URL": decoy,
        "AWS_REGION": "evil-1",
        "AWS_CONFIG_FILE": str(folder / "aws"),
        "AWS_SHARED_CREDENTIALS_FILE": str(folder / "aws"),
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": decoy,
        "AWS_CA_BUNDLE": str(folder / "aws"),
        "GOOGLE_APPLICATION_CREDENTIALS": str(folder / "active_config"),
        "CLOUD_ML_REGION": "evil",
        "ANTHROPIC_VERTEX_PROJECT_ID": "evil",
        "HTTP_PROXY": decoy,
        "HTTPS_PROXY": decoy,
        "ALL_PROXY": decoy,
        "http_proxy": decoy,
    }


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("anthropic", []),
        ("anthropic", ["api_key=sk-mine"]),
        ("anthropic", ["auth_token=sk-mine"]),
        ("anthropic", ["cloud=bedrock", "cloud_region=us-east-1", "api_key=sk-mine"]),
        ("anthropic", ["cloud=bedrock", "cloud_region=us-east-1"]),
        ("anthropic", ["cloud=vertex", "cloud_project=p", "auth_token=sk-mine"]),
        ("openai", []),
        ("openai", ["api_key=sk-mine"]),
    ],
)
def test_no_variable_decides_where_a_batch_goes_or_with_whose_key(
    name: str, given: list[str], tmp_path: Path
) -> None:
    """A project can set all of them in the session that starts the worker."""
    (tmp_path / ".aws").mkdir()
    keys = "[default]\naws_access_key_id = AKIAMINE\naws_secret_access_key = mine\n"
    (tmp_path / ".aws" / "credentials").write_text(keys)
    with ModelApi(observing()) as decoy, ModelApi(observing()) as api:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(CALL), name, api.url, *given],
            env={
                **os.environ,
                **hostile(decoy.url, tmp_path / "evil"),
                "HOME": str(tmp_path),
                "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            },
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert '"observations"' in done.stdout
        assert not decoy.requests
        [request] = api.requests
    sent = str(request.headers) + request.path + str(request.body)
    assert "evil" not in sent.lower()
    assert request.headers["host"] == api.url.removeprefix("http://")
    if any("sk-mine" in word for word in given):
        assert request.headers["authorization"] == "Bearer sk-mine"
    elif "cloud=bedrock" in given:
        assert "AKIAMINE/" in request.headers["authorization"]
    else:
        assert "authorization" not in request.headers
    assert "zebra" not in done.stderr
    assert "sk-mine" not in done.stderr
