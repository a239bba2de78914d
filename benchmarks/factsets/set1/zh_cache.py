"""Chinese: reading only, about a cache; then a limit."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s1-zh-cache", "/home/wei/项目/mall-api")
    s.ask("帮我看一下商品详情的缓存是怎么实现的,过期时间是多少?只读,不要改代码")
    s.bash(
        "grep -rn 'redis' --include=*.py app | head -20",
        """
app/cache/product.py:3:import redis
app/cache/product.py:18:client = redis.Redis.from_url(settings.REDIS_URL, db=3)
app/api/product.py:22:    cached = product_cache.get(product_id)
app/tasks/sync.py:40:    product_cache.invalidate(product_id)
""",
    )
    s.read(
        "app/cache/product.py",
        '''
"""商品详情缓存。"""
import json
import random

import redis

from app import settings

TTL = 1800
JITTER = 300
NEGATIVE_TTL = 30

client = redis.Redis.from_url(settings.REDIS_URL, db=3)


def get(product_id):
    raw = client.get(f"product:v4:{product_id}")
    return json.loads(raw) if raw else None


def put(product_id, value):
    ttl = TTL + random.randint(0, JITTER) if value else NEGATIVE_TTL
    client.set(f"product:v4:{product_id}", json.dumps(value), ex=ttl)


def invalidate(product_id):
    client.delete(f"product:v4:{product_id}")
''',
    )
    s.read(
        "app/api/product.py",
        """
@router.get("/products/{product_id}")
def detail(product_id: int):
    cached = product_cache.get(product_id)
    if cached is not None:
        return cached
    value = load_from_db(product_id)
    product_cache.put(product_id, value)
    return value
""",
        offset=18,
        total=64,
    )
    s.done("""
商品详情缓存在 `app/cache/product.py`,用的是 Redis 的 **db 3**,键名是 `product:v4:<id>`。

- 正常数据的过期时间:**1800 秒**,再加 0–300 秒的随机抖动,目的是避免缓存雪崩。
- 空结果(商品不存在)只缓存 **30 秒**,用来防止缓存穿透。
- 后台同步任务 `app/tasks/sync.py` 更新商品后会主动调用 `invalidate`。

注意:没有做击穿保护,热点商品过期的瞬间会有多个请求同时查数据库。
""")
    s.fact("商品缓存过期时间", "1800", "过期|TTL", where="message", kind="config")
    s.fact("空结果 缓存穿透 多久", "30", "穿透", where="message", kind="config")
    s.fact("product cache which redis db", "db 3|db=3", where="message", kind="config")

    s.ask("那给热点商品加一个互斥锁吧,锁的超时用5秒")
    s.edit(
        "app/cache/product.py",
        "def invalidate(product_id):",
        '''
def lock(product_id):
    """击穿保护:同一商品只允许一个请求回源。"""
    return client.lock(f"lock:product:{product_id}", timeout=5, blocking_timeout=1)


def invalidate(product_id):
''',
    )
    s.bash(
        "pytest tests/cache -q 2>&1 | tail -5",
        "........                                                                 [100%]\n8 passed in 1.12s",
    )
    s.done(
        "已加上互斥锁(`lock:product:<id>`,超时 5 秒,等待最多 1 秒)。没有用本地锁(threading.Lock),因为线上有 6 个进程,本地锁只能挡住同一进程里的请求。测试 8 个全部通过。"
    )
    s.fact(
        "缓存击穿 为什么不用本地锁",
        "threading.Lock|本地锁",
        "进程",
        where="message",
        kind="rejected",
    )
    return s.end()
