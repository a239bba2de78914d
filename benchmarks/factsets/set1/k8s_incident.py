"""Kubernetes and Terraform: restarts in production; a refused apply."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s1-k8s-incident", "/home/ops/infra")
    s.ask(
        "ingest-worker pods in prod keep restarting since this morning, find out why. read only please, don't touch the cluster!"
    )
    s.bash(
        "kubectl -n ingest get pods",
        """
NAME                             READY   STATUS             RESTARTS         AGE
ingest-worker-6c9f7b8d9c-2xk4p   0/1     CrashLoopBackOff   14 (2m11s ago)   57m
ingest-worker-6c9f7b8d9c-9wvlz   1/1     Running            13 (5m40s ago)   57m
ingest-api-7d5b8f6c4-qq8rt       1/1     Running            0                12d
""",
    )
    s.bash(
        "kubectl -n ingest describe pod ingest-worker-6c9f7b8d9c-2xk4p | sed -n '/Last State/,/Environment/p'",
        """
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Tue, 10 Mar 2026 08:51:02 +0000
      Finished:     Tue, 10 Mar 2026 08:55:37 +0000
    Ready:          False
    Restart Count:  14
    Limits:
      cpu:     1
      memory:  512Mi
    Requests:
      cpu:        250m
      memory:     256Mi
    Environment:
""",
    )
    s.bash(
        "kubectl -n ingest logs ingest-worker-6c9f7b8d9c-2xk4p --previous | tail -25",
        "\n".join(
            [
                f'{{"ts":"2026-03-10T08:5{i % 6}:{i * 7 % 60:02d}Z","level":"info","msg":"flushed batch","rows":{5000 + i * 13},"took_ms":{80 + i * 3}}}'
                for i in range(20)
            ]
            + [
                '{"ts":"2026-03-10T08:55:31Z","level":"warn","msg":"batch buffer grew","rows":250000,"rss_mb":498}',
                '{"ts":"2026-03-10T08:55:36Z","level":"warn","msg":"batch buffer grew","rows":262144,"rss_mb":511}',
            ]
        ),
    )
    s.bash(
        "git log --oneline -5 -- k8s/ingest/",
        """
e02b7aa ingest: raise BATCH_MAX_ROWS to 250k for the backfill
91dd03c ingest: bump image to 2026.03.1
4417f0e ingest: add pod disruption budget
""",
    )
    s.done("""
**Root cause:** the workers are OOM-killed (exit code 137). Commit `e02b7aa` ("raise BATCH_MAX_ROWS to 250k for the backfill") raised the batch buffer fifty-fold, but the memory limit stayed at 512Mi. A full 250,000-row buffer alone takes ~510 MB.

**Options**
1. Put `BATCH_MAX_ROWS` back to 5000 — safe, backfill gets slower.
2. Raise the memory limit to 1Gi and the batch to at most 100k.

I changed nothing. My recommendation is (2) for the duration of the backfill.
""")
    s.fact(
        "why were ingest-worker pods restarting",
        "OOM",
        "BATCH_MAX_ROWS",
        where="message",
        kind="cause",
    )
    s.fact(
        "how often had the ingest-worker restarted",
        "14",
        "ingest-worker",
        where="output",
        kind="measured",
    )
    s.fact("commit that raised the ingest batch size", "e02b7aa", where="output", kind="commit")

    s.ask(
        "ok do option 2 but in terraform (modules/ingest), not kubectl edit. we manage limits there"
    )
    s.read(
        "modules/ingest/main.tf",
        """
resource "kubernetes_deployment" "worker" {
  metadata {
    name      = "ingest-worker"
    namespace = "ingest"
  }
  spec {
    template {
      spec {
        container {
          name = "worker"
          resources {
            limits   = { cpu = "1", memory = "512Mi" }
            requests = { cpu = "250m", memory = "256Mi" }
          }
          env {
            name  = "BATCH_MAX_ROWS"
            value = "250000"
          }
        }
      }
    }
  }
}
""",
    )
    s.edit(
        "modules/ingest/main.tf",
        'limits   = { cpu = "1", memory = "512Mi" }',
        'limits   = { cpu = "1", memory = "1Gi" }',
    )
    s.edit("modules/ingest/main.tf", 'value = "250000"', 'value = "100000"')
    s.bash(
        "terraform plan -target=module.ingest -out=ingest.tfplan 2>&1 | tail -20",
        """
  # module.ingest.kubernetes_deployment.worker will be updated in-place
  ~ resource "kubernetes_deployment" "worker" {
        id = "ingest/ingest-worker"
      ~ spec {
          ~ template {
              ~ spec {
                  ~ container {
                      ~ resources {
                          ~ limits = {
                              ~ "memory" = "512Mi" -> "1Gi"
                            }
                        }
                    }
                }
            }
        }
    }

Plan: 0 to add, 1 to change, 0 to destroy.
""",
    )
    s.refused(
        "Bash",
        {"command": "terraform apply ingest.tfplan", "description": "Apply the plan"},
        "Permission to use Bash with command terraform apply ingest.tfplan has been denied.",
    )
    s.done(
        "The change is ready in `modules/ingest/main.tf` (memory limit 1Gi, `BATCH_MAX_ROWS` 100000) and the plan is saved as `ingest.tfplan`: 0 to add, 1 to change, 0 to destroy. `terraform apply` was denied by your permission rules, so you need to run it yourself: `terraform apply ingest.tfplan`."
    )
    s.wrong("ran terraform apply")
    s.wrong("apply complete")
    s.fact(
        "was the ingest memory change applied",
        "apply",
        "denied|refused|run it yourself",
        where="output",
        kind="refused",
    )
    s.fact("ingest worker memory limit now", "1Gi", "main.tf", where="diff", kind="config")
    s.fact(
        "where do we manage kubernetes resource limits",
        "terraform",
        "modules/ingest",
        where="prompt",
        kind="preference",
    )

    s.ask(
        "applied. 10 minutes and no restarts. thanks. note for the future: after the backfill (ends march 20) batch must go back to 5000"
    )
    s.done(
        "Noted: once the backfill ends on 20 March, `BATCH_MAX_ROWS` in `modules/ingest/main.tf` goes back to 5000 (and the limit can return to 512Mi)."
    )
    s.fact(
        "what to do when the backfill is finished",
        "5000",
        "BATCH_MAX_ROWS|batch",
        where="prompt",
        kind="todo",
    )
    return s.end()
