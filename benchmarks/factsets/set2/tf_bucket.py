"""Terraform: a held state lock, a bucket's lifecycle; commands refused."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s2-tf-bucket", "/home/ops/tf/media")
    s.ask(
        "s3 bill for media-archive doubled. check the lifecycle rules in our terraform, and tell me what we'd save"
    )
    s.read(
        "s3.tf",
        """
resource "aws_s3_bucket" "archive" {
  bucket = "acme-media-archive"
}

resource "aws_s3_bucket_versioning" "archive" {
  bucket = aws_s3_bucket.archive.id
  versioning_configuration { status = "Enabled" }
}

resource "aws_s3_bucket_lifecycle_configuration" "archive" {
  bucket = aws_s3_bucket.archive.id
  rule {
    id     = "to-glacier"
    status = "Enabled"
    transition {
      days          = 90
      storage_class = "GLACIER"
    }
  }
}
""",
    )
    s.bash(
        "aws cloudwatch get-metric-statistics --namespace AWS/S3 --metric-name BucketSizeBytes --dimensions Name=BucketName,Value=acme-media-archive Name=StorageType,Value=StandardStorage --statistics Average --period 86400 --start-time 2026-01-01 --end-time 2026-01-02 --query 'Datapoints[0].Average'; aws s3api list-object-versions --bucket acme-media-archive --query 'length(Versions[?IsLatest==`false`])' --max-items 1000000",
        "38512881238110.0\n918223",
    )
    s.done("""
Nothing ever expires **noncurrent versions**: versioning is on, the nightly re-encode overwrites every clip, and 918,223 old versions sit in Standard. Of the 38.5 TB in Standard about 29 TB are noncurrent.

Adding `noncurrent_version_expiration { noncurrent_days = 14 }` would save roughly **$670 a month**.
""")
    s.fact(
        "why did the s3 archive bill double",
        "noncurrent",
        "versions",
        where="message",
        kind="cause",
    )
    s.fact(
        "estimated saving from expiring old object versions",
        "670",
        where="message",
        kind="measured",
    )

    s.ask("do it, but 30 days, legal wants 30. plan only")
    s.edit(
        "s3.tf",
        """
      storage_class = "GLACIER"
    }
  }
""",
        """
      storage_class = "GLACIER"
    }
  }
  rule {
    id     = "expire-old-versions"
    status = "Enabled"
    filter {}
    noncurrent_version_expiration { noncurrent_days = 30 }
  }
""",
    )
    s.bash(
        "terraform plan 2>&1 | tail -14",
        """
╷
│ Error: Error acquiring the state lock
│
│ Error message: ConditionalCheckFailedException: The conditional request failed
│ Lock Info:
│   ID:        6f1c0f0e-3a77-9d2c-b0c4-0f0d6f0c9a11
│   Path:      acme-tfstate/media/terraform.tfstate
│   Operation: OperationTypeApply
│   Who:       jenkins@ci-agent-7
│   Created:   2026-01-11 02:13:55 UTC
╵
""",
        fail=1,
    )
    s.refused(
        "Bash",
        {"command": "terraform force-unlock -force 6f1c0f0e-3a77-9d2c-b0c4-0f0d6f0c9a11"},
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
    )
    s.done(
        "The rule is in `s3.tf` (30 days, as legal wants), but I could not plan: the state is locked by `jenkins@ci-agent-7` since 02:13 UTC, and you declined the force-unlock."
    )
    s.fact(
        "retention of old versions required by legal", "30", "legal", where="prompt", kind="limit"
    )
    s.fact(
        "path of the terraform state for media",
        "acme-tfstate/media/terraform.tfstate",
        where="output",
        kind="where",
    )
    s.fact("who holds the terraform state lock", "ci-agent-7", where="output", kind="unresolved")
    s.wrong("unlocked the state")
    s.wrong("terraform passed", "expire-old-versions")
    s.fact(
        "may I force-unlock the state",
        "force-unlock",
        "declin|refus|reject|denied",
        where="output",
        kind="refused",
    )

    s.ask("the jenkins job was dead, I've unlocked it myself. plan again")
    s.bash("terraform plan 2>&1 | tail -3", "Plan: 0 to add, 1 to change, 0 to destroy.")
    s.done("Plan is clean: 0 to add, 1 to change, 0 to destroy. Ready for your pipeline.")
    return s.end()
