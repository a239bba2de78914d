"""Short turns of many kinds, terse as sessions are; facts often stand only in an output."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session


def cluster() -> Told:
    """Kubernetes: a crash loop, a changed manifest, an HTTP status."""
    s = Session(root="/home/q/k8s")
    s.prompt("checkout pods keep dying, have a look")
    s.bash(
        "kubectl -n shop get pods",
        "NAME                        READY   STATUS             RESTARTS   AGE\ncheckout-6d5c9-x2kqp        0/1     CrashLoopBackOff   17         62m\ncart-7f9bb-8sldk            1/1     Running            0          9d",
    )
    s.bash(
        "kubectl -n shop logs checkout-6d5c9-x2kqp --previous | tail -4",
        "INFO starting checkout 4.2.0\nFATAL cannot reach kafka broker kafka-2.internal:9092: i/o timeout",
    )
    s.bash(
        "kubectl -n shop get svc | grep kafka",
        "kafka-0   ClusterIP   10.0.3.11   9092/TCP\nkafka-1   ClusterIP   10.0.3.12   9092/TCP",
    )
    first = s.done(
        "checkout still lists kafka-2 as a broker, but that node was retired. I have not changed anything."
    )
    s.prompt("remove it and scale to 4 replicas")
    s.files["checkout.yaml"] = (
        "spec:\n  replicas: 2\n  env:\n    KAFKA_BROKERS: kafka-0:9092,kafka-1:9092,kafka-2:9092\n"
    )
    s.tool(
        "MultiEdit",
        {
            "file_path": "/home/q/k8s/checkout.yaml",
            "edits": [
                {"old_string": "replicas: 2", "new_string": "replicas: 4"},
                {"old_string": ",kafka-2:9092", "new_string": ""},
            ],
        },
        {"filePath": "/home/q/k8s/checkout.yaml", "originalFile": s.files["checkout.yaml"]},
    )
    s.bash(
        "kubectl apply -f checkout.yaml && kubectl -n shop rollout status deploy/checkout",
        'deployment.apps/checkout configured\ndeployment "checkout" successfully rolled out',
    )
    s.bash(
        "curl -s -o /dev/null -w '%{http_code}' http://localhost:8080/healthz",
        "200",
        about="Health of checkout",
    )
    second = s.done("Rolled out.")
    return Told(
        "cluster",
        (first, second),
        (
            ask("why was checkout crashlooping", "kafka-2"),
            ask("how many checkout replicas", "replicas", "4"),
            ask("checkout kafka broker timeout", "kafka-2.internal:9092"),
            ask("which version of checkout is running", "4.2.0"),
        ),
    )


def schema() -> Told:
    """Alembic: a migration that is refused, a stamp, a new column."""
    s = Session(root="/home/q/api")
    s.prompt("add a nullable `vat_id` column to companies")
    s.fail(
        "alembic revision --autogenerate -m 'company vat id'",
        "INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.\nERROR [alembic.util.messaging] Target database is not up to date.\nFAILED: Target database is not up to date.",
    )
    s.bash("alembic current", "a81f0c2d9b11")
    s.bash(
        "alembic upgrade head",
        "INFO  [alembic.runtime.migration] Running upgrade a81f0c2d9b11 -> c3d4417e20aa, add invoices.due_on",
    )
    s.bash(
        "alembic revision --autogenerate -m 'company vat id'",
        "Generating /home/q/api/migrations/versions/e55d90ab1c77_company_vat_id.py ...  done",
    )
    s.files["migrations/versions/e55d90ab1c77_company_vat_id.py"] = "def upgrade():\n    pass\n"
    s.edit(
        "migrations/versions/e55d90ab1c77_company_vat_id.py",
        "    pass",
        "    op.add_column('companies', sa.Column('vat_id', sa.String(20), nullable=True))",
    )
    s.bash(
        "alembic upgrade head && git add -A && git commit -m 'companies: add vat_id'",
        "INFO  [alembic.runtime.migration] Running upgrade c3d4417e20aa -> e55d90ab1c77, company vat id\n[main 5fe21aa] companies: add vat_id\n 1 file changed, 22 insertions(+)",
    )
    first = s.done("Done, revision e55d90ab1c77.")
    return Told(
        "schema",
        (first,),
        (
            ask("alembic target database not up to date", "not up to date"),
            ask("vat id column", "vat_id"),
            ask("latest migration revision companies", "e55d90ab1c77"),
        ),
    )


def shell_edits() -> Told:
    """Files changed by the shell alone."""
    s = Session(root="/home/q/edge")
    s.prompt(
        "Move the proxy to port 7443 and turn on brotli. Deployments only happen on Thursdays, so leave it on the branch."
    )
    s.bash("git switch -c edge/brotli")
    s.bash(
        "sed -i 's/listen 8080/listen 7443/' conf/proxy.conf && cat >> conf/proxy.conf <<'EOF'\nbrotli on;\nbrotli_comp_level 5;\nEOF"
    )
    s.bash("mkdir -p conf/old && mv conf/legacy.conf conf/old/ && rm conf/unused.conf")
    s.bash("echo 'PROXY_WORKERS=6' >> .env")
    s.bash(
        "git add -A; git commit -m 'proxy: 7443 and brotli' -q; git log --oneline -1",
        "0b7d3c4 proxy: 7443 and brotli",
    )
    first = s.done("The proxy listens on 7443 with brotli level 5, committed on edge/brotli.")
    s.prompt("tag it v2.1.0-rc1 and push")
    s.bash(
        "git tag v2.1.0-rc1 && git push origin edge/brotli v2.1.0-rc1",
        "To git.example.org:q/edge.git\n * [new branch]      edge/brotli -> edge/brotli\n * [new tag]         v2.1.0-rc1 -> v2.1.0-rc1",
    )
    second = s.done("Pushed.")
    return Told(
        "shell_edits",
        (first, second),
        (
            ask("proxy port", "7443"),
            ask("brotli compression level", "brotli_comp_level"),
            ask("where did legacy.conf go", "conf/old/legacy.conf"),
            ask("was unused.conf deleted", "conf/unused.conf"),
            ask("deployment day", "Thursdays"),
            ask("release candidate tag", "v2.1.0-rc1"),
            ask("proxy workers setting", "PROXY_WORKERS"),
        ),
    )


def bench() -> Told:
    """Measurements, with hardly a word in the closing message."""
    s = Session(root="/home/q/codec")
    s.prompt("bench json vs msgpack for our payloads")
    s.write(
        "bench/serde.py",
        "import json\nimport msgpack\n\nROUNDS = 10_000\n\n\ndef main():\n    ...\n",
    )
    s.fail(
        "python bench/serde.py",
        "Traceback (most recent call last):\n  File \"/home/q/codec/bench/serde.py\", line 2, in <module>\n    import msgpack\nModuleNotFoundError: No module named 'msgpack'",
    )
    s.bash("pip install msgpack==1.0.8", "Successfully installed msgpack-1.0.8")
    s.bash(
        "python bench/serde.py",
        "payloads: 10000\njson     encode  41.2 us  decode  38.9 us  size 1843 B\nmsgpack  encode  12.7 us  decode  15.1 us  size 1210 B",
        about="Compare json and msgpack",
    )
    first = s.done("msgpack wins.")
    s.prompt("ok use msgpack for the cache, json stays on the public API because browsers need it")
    s.files["codec/cache.py"] = (
        "import json\n\n\ndef pack(value):\n    return json.dumps(value).encode()\n"
    )
    s.read("codec/cache.py")
    s.edit("codec/cache.py", "import json", "import msgpack")
    s.edit(
        "codec/cache.py", "json.dumps(value).encode()", "msgpack.packb(value, use_bin_type=True)"
    )
    s.bash("python -m pytest -q", "26 passed in 0.92s")
    second = s.done("The cache packs with msgpack now.")
    return Told(
        "bench",
        (first, second),
        (
            ask("msgpack encode time", "12.7 us"),
            ask("size of payload json compared to msgpack", "1843", "1210"),
            ask("why does the public API keep json", "browsers"),
            ask("No module named msgpack", "msgpack"),
        ),
    )


def regress() -> Told:
    """A regression found by bisecting, reverted, noted for later."""
    s = Session(root="/home/q/mailer")
    s.prompt("emails have no footer since last week")
    s.bash(
        "git bisect start HEAD v3.4 && git bisect run ./check_footer.sh",
        "running './check_footer.sh'\n4e1a77c9d2 is the first bad commit\ncommit 4e1a77c9d2\nAuthor: Ben\n\n    templates: switch to mjml 5\n",
    )
    s.bash(
        "git bisect reset && git show 4e1a77c --stat | tail -3",
        " templates/base.mjml | 12 ++++--------\n 1 file changed",
    )
    s.bash(
        "git revert --no-edit 4e1a77c",
        '[main 91d0e5f] Revert "templates: switch to mjml 5"\n 1 file changed, 8 insertions(+), 4 deletions(-)',
    )
    s.bash(
        "npm test 2>&1 | tail -6",
        "Tests:       44 passed, 44 total\nSnapshots:   3 passed, 3 total",
    )
    first = s.done(
        "mjml 5 dropped the mj-include path we rely on. I reverted it. To do: migrate the includes to mj-attributes before trying mjml 5 again."
    )
    return Told(
        "regress",
        (first,),
        (
            ask("which commit removed the email footer", "4e1a77c"),
            ask("before upgrading mjml again what must be migrated", "mj-attributes"),
            ask("mj-include", "mj-include"),
        ),
    )


def notes() -> Told:
    """Turns without any work: things to remember, in several languages."""
    s = Session(root="/home/q/shop")
    s.prompt(
        "Remember: the sandbox Stripe account is acct_1NvTest and refunds there take 3 days. Never run the seed script against prod."
    )
    first = s.done("Noted.")
    s.prompt(
        "Pour la facturation on garde PostgreSQL plutôt que MongoDB, parce que les exports comptables ont besoin de transactions."
    )
    second = s.done("D'accord.")
    s.prompt(
        "A partir de ahora los nombres de rama empiezan por el número de ticket, p. ej. 1234-arreglo."
    )
    third = s.done("Entendido.")
    s.prompt(
        "Decidimos que o cache expira em 15 minutos porque os preços mudam a cada quarto de hora."
    )
    fourth = s.done("Certo.")
    s.prompt("앞으로 API 응답은 항상 snake_case로 통일해줘. 프론트엔드가 그렇게 파싱하기 때문이야.")
    fifth = s.done("네, 알겠습니다.")
    return Told(
        "notes",
        (first, second, third, fourth, fifth),
        (
            ask("stripe sandbox account id", "acct_1NvTest"),
            ask("how long do refunds take", "3 days"),
            ask("seed script production", "seed script"),
            ask("pourquoi PostgreSQL pour la facturation", "transactions"),
            ask("nombres de rama ticket", "ticket"),
            ask("cache expira minutos", "15 minutos"),
            ask("snake_case", "snake_case"),
        ),
    )


def notebook() -> Told:
    """A notebook cell, an audit, an agent that also writes."""
    s = Session(root="/home/q/ml")
    s.prompt(
        "set the learning rate to 3e-4 in the training notebook and check our dependencies for known holes"
    )
    s.tool(
        "NotebookEdit",
        {
            "notebook_path": "/home/q/ml/train.ipynb",
            "cell_id": "c4",
            "new_source": "LEARNING_RATE = 3e-4\nEPOCHS = 12\n",
            "edit_mode": "replace",
        },
        {"new_source": "LEARNING_RATE = 3e-4\nEPOCHS = 12\n", "cell_id": "c4"},
    )
    s.fail(
        "pip-audit",
        "Found 1 known vulnerability in 1 package\nName    Version ID             Fix Versions\npillow  10.2.0  CVE-2024-28219 10.3.0",
    )
    s.bash("pip install pillow==10.3.0", "Successfully installed pillow-10.3.0")
    s.bash("pip-audit", "No known vulnerabilities found")
    first = s.done(
        "LEARNING_RATE is 3e-4. pillow 10.2.0 had CVE-2024-28219 (buffer overflow in _imagingcms.c); upgraded to 10.3.0."
    )
    return Told(
        "notebook",
        (first,),
        (
            ask("learning rate", "3e-4"),
            ask("CVE-2024-28219", "CVE-2024-28219", "pillow"),
            ask("pillow version after the audit", "10.3.0"),
            ask("number of epochs", "EPOCHS"),
        ),
    )


def config_reading() -> Told:
    """Reads alone, and a terse answer; the facts are in the files."""
    s = Session(root="/home/q/pay")
    s.prompt("where are the payment retries configured and how many are there?")
    s.tool(
        "Glob",
        {"pattern": "**/*.yml"},
        {
            "filenames": ["/home/q/pay/config/queue.yml", "/home/q/pay/config/app.yml"],
            "numFiles": 2,
            "truncated": False,
        },
    )
    s.read("config/app.yml", "name: pay\nlog_level: info\nsentry_dsn: [redacted:url]\n")
    s.read(
        "config/queue.yml",
        "queues:\n  payments:\n    retries: 7\n    backoff_seconds: 45\n    dead_letter: payments.dlq\n  mails:\n    retries: 2\n",
    )
    s.read(
        "src/worker.kt",
        "class Worker(val queue: Queue) {\n    fun run() = queue.consume(retries = config.payments.retries)\n}\n",
    )
    first = s.done("In config/queue.yml.")
    s.prompt("thanks")
    second = s.done("You're welcome!")
    return Told(
        "config_reading",
        (first, second),
        (
            ask("payment retries count", "7"),
            ask("payments queue retries config file", "config/queue.yml"),
        ),
    )
