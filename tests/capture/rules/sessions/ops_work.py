"""Sessions around servers: containers, a pipeline, Terraform, a cron job, refused calls."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session


def containers() -> Told:
    """A container that restarts, an image that gets smaller, a port that is taken."""
    s = Session(root="/opt/ingest")
    s.prompt(
        "The ingest container keeps restarting on the edge box. Note: port 8443 is taken there by the VPN, don't use it."
    )
    s.bash(
        "docker ps -a --format '{{.Names}} {{.Status}}'",
        "ingest Restarting (137) 12 seconds ago\nredis Up 9 days\nvpn Up 41 days",
    )
    s.bash(
        "docker logs --tail 30 ingest",
        "2026-02-11T03:12:44Z INFO  worker started queue=frames\n2026-02-11T03:12:58Z WARN  rss=498MB limit=512MB\n2026-02-11T03:13:02Z ERROR OOM: killed while decoding 4096x2160 frame\n",
        about="Logs of the failing container",
    )
    s.files["docker-compose.yml"] = (
        'services:\n  ingest:\n    image: registry.local/ingest:1.8.2\n    mem_limit: 512m\n    environment:\n      FRAME_WORKERS: 8\n    ports:\n      - "9443:9443"\n'
    )
    s.read("docker-compose.yml")
    s.edit("docker-compose.yml", "    mem_limit: 512m", "    mem_limit: 1536m")
    s.edit("docker-compose.yml", "      FRAME_WORKERS: 8", "      FRAME_WORKERS: 2")
    s.bash(
        "docker compose up -d ingest && sleep 60 && docker ps --filter name=ingest --format '{{.Status}}'",
        " Container ingest  Recreated\n Container ingest  Started\nUp About a minute (healthy)",
    )
    first = s.done(
        "The container was OOM-killed (exit code 137): eight frame workers decode 4K frames at about 120 MB each, which does not fit into 512 MB. I set FRAME_WORKERS to 2 and the memory limit to 1536m; it has been healthy since."
    )
    s.prompt("Shrink the image, it's 2.4 GB.")
    s.files["Dockerfile"] = (
        'FROM python:3.12\nRUN apt-get update && apt-get install -y ffmpeg\nCOPY . /app\nRUN pip install -r /app/requirements.txt\nCMD ["python", "-m", "ingest"]\n'
    )
    s.read("Dockerfile")
    s.edit("Dockerfile", "FROM python:3.12\n", "FROM python:3.12-slim-bookworm\n")
    s.fail(
        "docker build -t ingest:dev .",
        "#9 [4/5] RUN pip install -r /app/requirements.txt\n#9 12.40 error: command 'gcc' failed: No such file or directory\n------\nERROR: failed to solve: process \"/bin/sh -c pip install -r /app/requirements.txt\" did not complete successfully: exit code: 1",
    )
    s.edit(
        "Dockerfile", "install -y ffmpeg", "install -y --no-install-recommends ffmpeg gcc libc6-dev"
    )
    s.bash(
        "docker build -t ingest:dev . && docker images ingest:dev --format '{{.Size}}'",
        "#12 naming to docker.io/library/ingest:dev done\n641MB",
    )
    second = s.done(
        "The image is 641 MB now: slim-bookworm as base, and no recommended packages. slim has no compiler, so gcc and libc6-dev are installed for the pyav wheel."
    )
    return Told(
        "containers",
        (first, second),
        (
            ask("ingest container restarting exit 137 reason", "OOM"),
            ask("which port is occupied on the edge machine", "8443"),
            ask("number of frame workers", "FRAME_WORKERS"),
            ask("memory limit of ingest service", "1536m"),
            ask("docker image size after slimming", "641"),
            ask("gcc failed in docker build", "gcc"),
        ),
    )


def pipeline() -> Told:
    """CI: a missing tool, a cache, and a rule about secrets."""
    s = Session(root="/home/dev/infra")
    s.prompt("The deploy job on GitHub fails. Always pin actions by full commit SHA in this repo.")
    s.fail("gh run view 991823 --log-failed | tail -5", "gh: command not found", 127)
    s.bash("apt-get install -y gh", "Setting up gh (2.45.0-1) ...")
    s.bash(
        "gh run view 991823 --log-failed | tail -5",
        "deploy\tApply\t2026-01-20T08:01:11Z Error: Error acquiring the state lock\ndeploy\tApply\t2026-01-20T08:01:11Z Lock Info: ID: 5b1c0a9e Who: runner@fv-az1 Operation: OperationTypeApply",
    )
    s.files[".github/workflows/deploy.yml"] = (
        "on: push\njobs:\n  deploy:\n    runs-on: ubuntu-22.04\n    steps:\n      - uses: actions/checkout@v4\n      - run: terraform apply -auto-approve\n"
    )
    s.read(".github/workflows/deploy.yml")
    s.edit(
        ".github/workflows/deploy.yml",
        "jobs:\n",
        "concurrency:\n  group: deploy-prod\n  cancel-in-progress: false\njobs:\n",
    )
    s.edit(
        ".github/workflows/deploy.yml",
        "terraform apply -auto-approve",
        "terraform apply -auto-approve -lock-timeout=10m",
    )
    s.refuse(
        "Bash",
        {"command": "terraform force-unlock -force 5b1c0a9e"},
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
    )
    s.bash("terraform plan -no-color | tail -3", "Plan: 2 to add, 1 to change, 0 to destroy.\n")
    first = s.done(
        "Two pushes ran `terraform apply` at once and the second could not get the state lock. The workflow now has a concurrency group `deploy-prod` and waits up to 10 minutes for the lock. The stale lock 5b1c0a9e is still there: force-unlock was not permitted, so please run it yourself."
    )
    return Told(
        "pipeline",
        (first,),
        (
            ask("terraform deploy job state lock failure", "state lock"),
            ask("concurrency group name of the deployment workflow", "deploy-prod"),
            ask("github actions pinning policy", "commit SHA"),
            ask("stale lock id that must be unlocked", "5b1c0a9e"),
            ask("gh command not found", "gh"),
            ask("force-unlock permission", "force-unlock"),
        ),
    )


def nightly() -> Told:
    """A cron job that did nothing for days, a backup policy, an nginx limit."""
    s = Session(root="/srv/backup")
    s.prompt("Backups stopped 9 days ago without any alert. Why?")
    s.bash(
        "crontab -l",
        'MAILTO=""\n15 2 * * * /srv/backup/run.sh >/dev/null 2>&1',
        about="Show the cron table",
    )
    s.bash(
        "cat run.sh",
        "#!/bin/sh\npg_dump -Fc shop | aws s3 cp - s3://acme-backups/shop-$(date +%F).dump\n",
    )
    s.fail(
        "env -i /bin/sh run.sh",
        "run.sh: 2: pg_dump: not found\nfatal error: Unable to locate credentials",
        1,
    )
    s.write(
        "run.sh",
        '#!/bin/bash\nset -euo pipefail\nexport PATH=/usr/lib/postgresql/16/bin:/usr/local/bin:/usr/bin:/bin\nexport AWS_PROFILE=backup\npg_dump -Fc shop | aws s3 cp - "s3://acme-backups/shop-$(date +%F).dump"\ncurl -fsS https://hc.example.org/ping/backup\n',
    )
    s.bash("env -i HOME=/root /bin/bash run.sh", "")
    first = s.done(
        "cron runs with a bare PATH, so `pg_dump` was not found after the move to PostgreSQL 16, and the pipe hid the exit code; MAILTO was empty, so nobody was told. run.sh sets PATH and AWS_PROFILE, fails on errors (`pipefail`) and pings a health check at the end.\n\nDecision: we keep 35 daily dumps and 12 monthly ones, because the auditors ask for a year."
    )
    s.prompt("uploads over 10 MB give 413, raise it to 64 MB")
    s.files["nginx/site.conf"] = (
        "server {\n  listen 443 ssl;\n  client_max_body_size 10m;\n  proxy_read_timeout 30s;\n}\n"
    )
    s.edit("nginx/site.conf", "client_max_body_size 10m;", "client_max_body_size 64m;")
    s.bash(
        "nginx -t -c nginx/site.conf && systemctl reload nginx",
        "nginx: configuration file nginx/site.conf test is successful",
    )
    second = s.done("nginx accepts bodies up to 64 MB and was reloaded.")
    return Told(
        "nightly",
        (first, second),
        (
            ask("why did database dumps silently stop", "PATH"),
            ask("backup retention policy", "35 daily"),
            ask("maximum upload size in nginx", "64"),
            ask("413 on uploads", "client_max_body_size"),
            ask("which postgres version broke the backup", "16"),
        ),
    )
