"""Chinese: a refactoring with failing and passing tests."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-zh-refactor", "/home/li/code/pay-core")
    s.ask("把支付回调里的 if/else 拆成每个渠道一个类,行为不能变。")
    s.read(
        "paycore/callback.py",
        """
def handle(channel, body):
    if channel == "alipay":
        verify_rsa2(body)
        return body["out_trade_no"], body["trade_status"] == "TRADE_SUCCESS"
    elif channel == "wechat":
        verify_hmac(body)
        return body["out_trade_no"], body["result_code"] == "SUCCESS"
    raise ValueError(channel)
""",
    )
    s.write(
        "paycore/channels.py",
        '''
"""每个支付渠道一个类。"""


class Alipay:
    name = "alipay"

    def parse(self, body):
        verify_rsa2(body)
        return body["out_trade_no"], body["trade_status"] in ("TRADE_SUCCESS", "TRADE_FINISHED")


class Wechat:
    name = "wechat"

    def parse(self, body):
        verify_hmac(body)
        return body["out_trade_no"], body["result_code"] == "SUCCESS"


CHANNELS = {c.name: c() for c in (Alipay, Wechat)}
''',
    )
    s.edit(
        "paycore/callback.py",
        """
    if channel == "alipay":
        verify_rsa2(body)
        return body["out_trade_no"], body["trade_status"] == "TRADE_SUCCESS"
    elif channel == "wechat":
        verify_hmac(body)
        return body["out_trade_no"], body["result_code"] == "SUCCESS"
    raise ValueError(channel)
""",
        """
    try:
        return CHANNELS[channel].parse(body)
    except KeyError:
        raise ValueError(channel) from None
""",
    )
    s.bash(
        "pytest tests/test_callback.py -q 2>&1 | tail -6",
        """
FAILED tests/test_callback.py::test_missing_field - ValueError: alipay
1 failed, 17 passed in 0.66s
""",
        fail=1,
    )
    s.edit(
        "paycore/callback.py",
        """
    try:
        return CHANNELS[channel].parse(body)
    except KeyError:
        raise ValueError(channel) from None
""",
        """
    if channel not in CHANNELS:
        raise ValueError(channel)
    return CHANNELS[channel].parse(body)
""",
    )
    s.bash("pytest tests/test_callback.py -q 2>&1 | tail -1", "18 passed in 0.63s")
    s.done(
        "重构完成:`paycore/channels.py` 里每个渠道一个类,`callback.handle` 只负责查表。\n\n- 第一次写法用 `except KeyError`,把字段缺失的 KeyError 也吞掉了,`test_missing_field` 因此失败;改成先判断渠道是否存在。\n- 一处行为变化:支付宝的 `TRADE_FINISHED` 现在也算成功(按官方文档,它表示不可退款的完成)。如果不想要请告诉我。"
    )
    s.wrong("test_missing_field", "not resolved")
    s.fact(
        "test_missing_field 为什么失败", "KeyError", "吞掉|except", where="message", kind="cause"
    )
    s.fact(
        "TRADE_FINISHED 算支付成功吗",
        "TRADE_FINISHED",
        "退款|不能算|行为变化",
        where="message",
        kind="behaviour",
    )
    s.fact("支付渠道的类在哪个文件", "channels.py", where="message", kind="where")

    s.ask("TRADE_FINISHED 不能算,退款会出问题,改回去。以后这种行为变化先问我")
    s.edit(
        "paycore/channels.py",
        'body["trade_status"] in ("TRADE_SUCCESS", "TRADE_FINISHED")',
        'body["trade_status"] == "TRADE_SUCCESS"',
    )
    s.bash(
        "pytest -q 2>&1 | tail -1; git commit -qam '支付回调按渠道拆分' && git log --oneline -1",
        "96 passed in 4.01s\n31e7c9b 支付回调按渠道拆分",
    )
    s.done("已改回,96 个测试通过,提交 31e7c9b。")
    s.fact("行为变化之前要不要先问", "先问", where="prompt", kind="preference")
    s.fact("支付回调重构的提交", "31e7c9b", where="output", kind="commit")
    return s.end()
