"""Credentials of a cloud, asked for in a process of its own: python -I cloud_login.py aws|google.

The clouds' libraries read dozens of variables: files, commands, addresses and certificates. A
project can set all of them in ours, so they run where there are none but those of `environment`.
Standard input: {"profile": …}. Standard output: one JSON object, the credentials or a failure.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC
from typing import Any

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def aws(profile: str) -> dict[str, Any]:
    """Keys of a profile ("" is the default one), as the AWS CLI would find them."""
    import boto3
    from botocore import exceptions

    flag = f" --profile {profile}" if profile else ""
    try:
        found = boto3.Session(profile_name=profile or None).get_credentials()
        if found is None:
            return failure("login", f"no AWS credentials: `aws configure{flag}`")
        keys = found.get_frozen_credentials()
        ends = getattr(found, "_expiry_time", None)  # no public name tells it
    except exceptions.ProfileNotFound:
        return failure("setup", f"there is no AWS profile {profile!r}: setting cloud_project")
    except (exceptions.EndpointConnectionError, exceptions.ConnectionError):
        return failure("unreachable", "no connection to AWS for credentials")
    except exceptions.BotoCoreError as error:
        why = type(error).__name__
        return failure("login", f"AWS credentials ({why}): `aws sso login{flag}`")
    return {
        "access": keys.access_key,
        "secret": keys.secret_key,
        "token": keys.token or "",
        "ends": ends.timestamp() if ends else 0.0,
    }


def google() -> dict[str, Any]:
    """An access token of the application default credentials."""
    import google.auth
    from google.auth import exceptions
    from google.auth.transport.requests import Request

    again = "`gcloud auth application-default login`"
    try:
        found: Any = google.auth.default(scopes=[SCOPE])[0]
        found.refresh(Request())
    except exceptions.DefaultCredentialsError:
        return failure("login", f"no Google Cloud credentials: {again}")
    except exceptions.TransportError:
        return failure("unreachable", "no connection to Google Cloud for credentials")
    except exceptions.GoogleAuthError as error:
        return failure("login", f"Google Cloud credentials ({type(error).__name__}): {again}")
    ends = found.expiry.replace(tzinfo=UTC) if found.expiry else None
    return {"token": found.token, "ends": ends.timestamp() if ends else 0.0}


def failure(kind: str, message: str) -> dict[str, Any]:
    """A failure, in the words of base.Trouble."""
    return {"kind": kind, "message": message}


def main() -> int:
    """Prints what one cloud gives."""
    asked = json.load(sys.stdin)
    try:
        found = aws(str(asked["profile"])) if sys.argv[1] == "aws" else google()
    except ImportError as error:
        found = failure("setup", f"a library of the cloud is missing ({error.name})")
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
