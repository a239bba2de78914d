"""Which files hold secrets."""

from __future__ import annotations

import pytest

from backstory.codenav.secret_files import by_name, by_text

SECRET = """
.env .env.local .env.production .ENV prod.env .envrc server.pem tls.key key.p8 cert.p12 cert.pfx
store.jks app.keystore passwords.kdbx putty.ppk a.gpg vpn.ovpn id_rsa id_rsa.bak id_ed25519
id_ecdsa_work ssh_host_rsa_key .netrc _netrc .pgpass .my.cnf .pypirc .git-credentials .htpasswd
.dockercfg .s3cfg .boto .vault-token vault_pass.txt .bash_history .zsh_history .python_history
.psql_history .claude.json kubeconfig client_secret.json client_secret_123.json
service-account.json my-service-account-prod.json x-firebase-adminsdk-1.json credentials
credentials.json credentials.yml aws_credentials aws-credentials.csv .credentials.json secrets.json
secrets.yaml secret.txt secrets.toml .secrets secrets my.secrets passwords.txt api_keys.json
private-key.txt access_token.txt terraform.tfstate terraform.tfstate.backup
.aws/config .aws/credentials .ssh/config .ssh/known_hosts .gnupg/pubring.kbx .kube/config
secrets-prod.yaml prod-secrets.yml app_secrets.json application-secrets.properties creds.json
terraform.tfvars prod.auto.tfvars token.json .env~ env.local .flaskenv .kubeconfig kubeconfig.yaml
passwords-old.txt secret_key.txt api_keys_prod.json users.htpasswd .pgpass.bak .config/hub
accessKeys.csv rootkey.csv access_keys.csv bob_accessKeys.csv prod.tfvars foo.env.bak
server.key.old key.pem.bak key.pem~ kaggle.json cookies.txt htpasswd dotenv .envs/local/django
keystore.properties terraform.tfvars.bak
.docker/config.json .azure/x.json .config/gcloud/x.db .config/gh/hosts.yml
"""
HARMLESS = """
secrets.py secret.go credentials.py credentials.ts Credentials.java credential_store.rs
test_secrets.py passwords.py password.tsx api_keys.rb secrets.md .env.example .env.sample
.env.template .env.dist .env.local.example env.py environment.py keys.py key.go keyboard.json
id_rsa.pub id_ed25519.pub id_rsa_parser.py token.py tokens.json monkey.txt public.crt ca.cer
dotenv.js .envoy.yaml history.py secretary.txt credentialing.txt secrets.example.yaml config.json
keys.csv example.tfvars.example app.py.bak access_log.csv cookies.ts messages.properties
envs/a.py
aws/config.py ssh/main.go kube/config docker/config.json package.json .npmrc.md
"""


@pytest.mark.parametrize("name", SECRET.split())
def test_a_keeper_of_secrets_is_known_by_its_name(name: str) -> None:
    assert by_name("/home/me/project/" + name)


@pytest.mark.parametrize("name", HARMLESS.split())
def test_source_code_about_secrets_is_none(name: str) -> None:
    assert not by_name("/home/me/project/" + name)


def test_a_private_key_is_known_whatever_its_name() -> None:
    for kind in ("RSA ", "OPENSSH ", "EC ", "ENCRYPTED ", ""):
        assert by_text("/p/deploy", f"\n-----BEGIN {kind}PRIVATE KEY-----\nAAAA")
    assert by_text("/p/putty", "PuTTY-User-Key-File-3: ssh-ed25519\n")
    pem = "-----BEGIN PRIVATE KEY-----\\nMII"
    assert by_text("/p/my-project-12345.json", f'{{"type": "x",\n "private_key": "{pem}"}}')
    assert by_text("/p/bag.txt", f"Bag Attributes\n    friendlyName: x\n{pem}")
    assert not by_text("/p/cert", "-----BEGIN CERTIFICATE-----\nAAAA")
    assert not by_text("/p/test.py", 'KEY = """-----BEGIN RSA PRIVATE KEY-----"""')


@pytest.mark.parametrize(
    ("name", "text", "is_secret"),
    [
        (".npmrc", "//registry.example/:_authToken=npm_abc\n", True),
        (".npmrc", "save-exact=true\n", False),
        (".npmrc.bak", "//registry.example/:_authToken=npm_abc\n", True),
        ("pip.conf", "index-url = https://me:pw@pypi.example/simple\n", True),
        ("pip.conf", "timeout = 60\n", False),
        (".git/config", "url = https://user:ghp_abc@github.com/a/b\n", True),
        (".git/config", "url = git@github.com:a/b\n", False),
        ("notes.txt", "token = abc\n", False),
        ("notes.txt", "aws_secret_access_key = " + "Ab1/" * 10 + "\n", True),
        ("deploy.yaml", "AWS_SECRET_ACCESS_KEY: '" + "Ab1/" * 10 + "'\n", True),
        ("deploy.py", "aws_secret_access_key = " + "Ab1/" * 10 + "\n", False),
        ("deploy.yaml", "AWS_SECRET_ACCESS_KEY: ${{ secrets.KEY }}\n", False),
    ],
)
def test_files_of_tools_are_secret_when_a_token_is_in_them(
    name: str, text: str, is_secret: bool
) -> None:
    assert by_text("/p/" + name, text) is is_secret
