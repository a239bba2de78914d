"""Russian: uploads refused by a proxy; a limit in two places."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-ru-nginx", "/etc/nginx")
    s.ask("Пользователи не могут загрузить видео больше 100 МБ, получают 413. Разберись.")
    s.bash(
        "grep -rn 'client_max_body_size' /etc/nginx; tail -2 /var/log/nginx/error.log",
        """
/etc/nginx/nginx.conf:24:    client_max_body_size 100m;
/etc/nginx/sites-enabled/media.conf:17:        client_max_body_size 2g;
2026/03/01 12:40:03 [error] 771#771: *9912 client intended to send too large body: 188743680 bytes, client: 10.1.4.8, server: media.example.ru, request: "POST /api/v2/upload HTTP/2.0"
2026/03/01 12:41:17 [error] 771#771: *9920 client intended to send too large body: 220200960 bytes, client: 10.1.4.9, server: media.example.ru, request: "POST /api/v2/upload HTTP/2.0"
""",
    )
    s.read(
        "sites-enabled/media.conf",
        """
server {
    server_name media.example.ru;
    location /upload/ {
        client_max_body_size 2g;
        proxy_pass http://127.0.0.1:8093;
    }
    location /api/ {
        proxy_pass http://127.0.0.1:8090;
    }
}
""",
    )
    s.edit(
        "sites-enabled/media.conf",
        "    location /api/ {",
        "    location /api/v2/upload {\n        client_max_body_size 2g;\n        proxy_request_buffering off;\n        proxy_pass http://127.0.0.1:8090;\n    }\n    location /api/ {",
    )
    s.bash(
        "nginx -t && systemctl reload nginx && dd if=/dev/zero bs=1M count=300 2>/dev/null | curl -s -o /dev/null -w '%{http_code}\\n' --data-binary @- https://media.example.ru/api/v2/upload",
        "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful\n201",
    )
    s.done(
        "Лимит 2 ГБ был задан только для старого пути `/upload/`, а новый клиент шлёт файлы на `/api/v2/upload`, где действовал общий лимит 100m. Добавил отдельный location с 2g и `proxy_request_buffering off` (иначе nginx пишет всё тело во временный файл, а на /var свободно 3 ГБ). Загрузка 300 МБ проходит: 201."
    )
    s.fact(
        "почему ошибка 413 при загрузке видео",
        "/api/v2/upload",
        "100m|лимит",
        where="message",
        kind="cause",
    )
    s.fact("на какой порт идёт старый путь /upload/", "8093", where="output", kind="port")
    s.fact(
        "зачем отключили буферизацию запроса nginx",
        "proxy_request_buffering",
        where="message",
        kind="decision",
    )
    s.fact("порт бэкенда api media", "8090", where="output", kind="port")

    s.ask("общий лимит не трогай, он специально такой. и опиши это в wiki/nginx.md")
    s.write(
        "/srv/wiki/nginx.md",
        "# nginx\n\nОбщий лимит тела запроса 100m намеренный. Исключения: `/upload/` и `/api/v2/upload` (2g).\n",
    )
    s.done("Описал в `/srv/wiki/nginx.md`.")
    s.fact(
        "можно ли менять общий лимит тела запроса",
        "намеренн|специально",
        where="prompt",
        kind="preference",
    )
    return s.end()
