"""Kubernetes: a certificate that was not renewed."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-helm-certs", "/home/ops/platform")
    s.ask(
        "https://status.acme.example has an expired cert again. cert-manager should have renewed it"
    )
    s.bash(
        "kubectl -n status get certificate,order,challenge",
        """
NAME                                     READY   SECRET       AGE
certificate.cert-manager.io/status-tls   False   status-tls   401d

NAME                                                STATE     AGE
order.acme.cert-manager.io/status-tls-1-3012771      pending   19d

NAME                                                          STATE     DOMAIN               AGE
challenge.acme.cert-manager.io/status-tls-1-3012771-88121     pending   status.acme.example  19d
""",
    )
    s.bash(
        "kubectl -n status describe challenge | tail -6",
        "Status:\n  Presented:   true\n  Processing:  true\n  Reason:      Waiting for HTTP-01 challenge propagation: wrong status code '403', expected '200'\n  State:       pending",
    )
    s.bash(
        "kubectl -n status get ingress status -o yaml | grep -A4 annotations",
        """
  annotations:
    cert-manager.io/cluster-issuer: letsencrypt
    nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8,192.168.0.0/16
    nginx.ingress.kubernetes.io/ssl-redirect: "true"
""",
    )
    s.edit(
        "charts/status/values.yaml",
        "    cert-manager.io/cluster-issuer: letsencrypt",
        "    cert-manager.io/cluster-issuer: letsencrypt-dns",
        before="ingress:\n  annotations:\n",
        after="\n",
    )
    s.bash(
        "helm upgrade status charts/status -n status 2>&1 | head -3 && sleep 90; kubectl -n status get certificate",
        'Release "status" has been upgraded. Happy Helming!\nREVISION: 27\nNAME         READY   SECRET       AGE\nstatus-tls   True    status-tls   401d',
    )
    s.done("""
Renewed. What happened:

- The ingress only lets internal networks in (`whitelist-source-range`), so Let's Encrypt's HTTP-01 check gets a **403** and the order has been pending for 19 days.
- I switched the issuer to `letsencrypt-dns` (DNS-01), which needs no inbound access. Helm revision 27.

We should alert on `certmanager_certificate_ready_status == 0`; nothing does today.
""")
    s.fact(
        "why wasn't the status page certificate renewed",
        "403",
        "HTTP-01|whitelist",
        where="message",
        kind="cause",
    )
    s.fact(
        "which networks may reach the status ingress", "10.0.0.0/8", where="output", kind="config"
    )
    s.fact(
        "which issuer for internal-only ingresses", "letsencrypt-dns", where="message", kind="fix"
    )
    s.fact(
        "missing alert for certificates",
        "certmanager_certificate_ready_status",
        where="message",
        kind="todo",
    )

    s.ask("add the alert, page after 24h")
    s.write(
        "charts/monitoring/rules/certs.yaml",
        """
groups:
  - name: certificates
    rules:
      - alert: CertificateNotReady
        expr: certmanager_certificate_ready_status{condition="True"} == 0
        for: 24h
        labels: { severity: page, team: platform }
""",
    )
    s.bash(
        "promtool check rules charts/monitoring/rules/certs.yaml",
        "Checking charts/monitoring/rules/certs.yaml\n  SUCCESS: 1 rules found",
    )
    s.done(
        "Added `CertificateNotReady` in `charts/monitoring/rules/certs.yaml`, paging the platform team after 24 h."
    )
    s.fact(
        "alert name for certificates not ready",
        "CertificateNotReady",
        "certs.yaml",
        where="diff",
        kind="where",
    )
    return s.end()
