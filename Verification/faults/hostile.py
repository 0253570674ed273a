"""Messages that no producer means, and what must become of each: a list, without any server.

An item is (token, outcome): the token that its record must hold (None for one that is no token), and the outcome.
"""

import gzip
import json
from dataclasses import dataclass, field
from typing import Any

GOOD = "aa" + "0" * 62
DEPTH = 100_000


@dataclass
class Hostile:
    """One message. Either the whole body is rejected for a reason, or each item has an outcome."""

    name: str
    body: bytes
    rejected: str | None = None
    items: list[tuple[str | None, str]] = field(default_factory=list)
    properties: dict = field(default_factory=dict)
    queue: str = "dispatch"


def _rejected(name: str, body: bytes | str, reason: str, queue: str = "dispatch", **properties: Any) -> Hostile:
    body = body.encode() if isinstance(body, str) else body
    return Hostile(name, body, rejected=reason, properties=properties, queue=queue)


def _batch(name: str, entries: list, items: list, queue: str = "dispatch", **properties: Any) -> Hostile:
    """An envelope of that batch_id; an entry is JSON text, or data to be written as JSON."""
    texts = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    body = '{"batch_id":"%s","notifications":[%s]}' % (name, ",".join(texts))
    return Hostile(name, body.encode(), items=items, properties=properties, queue=queue)


def _token(name: str, number: int = 0, prefix: str = "aa") -> str:
    """A token of its own for each message, so that its pushes can be told apart."""
    return (prefix + name.encode().hex() + f"{number:02x}").ljust(64, "0")[:64]


def bodies(quick: bool) -> list[Hostile]:
    """Bodies that are unreadable as a whole."""
    good = json.dumps([{"device_token": GOOD, "message": "hi"}]).encode()
    tokens = ",".join(['"aa"'] * 1_000_000)
    bomb = gzip.compress(b" " * ((64 if quick else 512) << 20), 9)
    return [
        _rejected("text", "hello", "not_json"),
        _rejected("empty", b"", "empty"),
        _rejected("cut", good[:-3], "not_json"),
        _rejected("two-texts", good + good, "not_json"),
        _rejected("number", "7", "bad_value"),
        _rejected("no-items", "[]", "no_notifications"),
        _rejected("not-utf8", good.replace(b"hi", b"\xff\xfe"), "not_utf8"),
        _rejected("overlong-utf8", good.replace(b"hi", b"\xc0\xaf"), "not_utf8"),
        _rejected("surrogate-in-utf8", good.replace(b"hi", b"\xed\xa0\x80"), "not_utf8"),
        _rejected("utf16", good.decode().encode("utf-16"), "not_json"),
        _rejected("byte-order-mark", b"\xef\xbb\xbf" + good, "not_json"),
        _rejected("control-character", good.replace(b"hi", b"h\ni"), "not_json"),
        _rejected("unknown-field", '{"notification":[],"notifications":[7]}', "unknown_field"),
        _rejected("duplicate-field", '{"client":"a","client":"b","notifications":[7]}', "duplicate_field"),
        _rejected("both-forms", '{"notifications":[7],"device_tokens":["aa"]}', "ambiguous_form"),
        _rejected("neither-form", '{"batch_id":"b"}', "missing_field"),
        _rejected("wrong-type", '{"notifications":{"0":1}}', "bad_value"),
        _rejected("batch-id-with-newline", '{"batch_id":"a\\nb","notifications":[7]}', "bad_value"),
        _rejected("batch-id-lone-surrogate", '{"batch_id":"\\ud83d","notifications":[7]}', "bad_value"),
        _rejected("unknown-lane", '{"lane":"nobody","notifications":[7]}', "unknown_lane"),
        _rejected("deep-arrays", "[" * DEPTH, "too_deep"),
        _rejected("deep-objects", '{"a":' * DEPTH, "too_deep"),
        _rejected("deep-payload", '[{"device_token":"aa","payload":' + '{"a":' * DEPTH + "1" + "}" * DEPTH + "}]", "too_deep"),
        _rejected("large", b" " * (16 << 20), "too_large"),
        _rejected("million-tokens", '{"payload":{},"device_tokens":[%s]}' % tokens, "too_large"),
        _rejected("many-tokens", '{"payload":{},"device_tokens":[%s]}' % tokens[: 5 * 200_000 - 1], "too_many_notifications"),
        _rejected("gzip-bomb", bomb, "too_large", content_encoding="gzip"),
        _rejected("gzip-members-bomb", gzip.compress(b" " * (1 << 20)) * 500, "too_large", content_encoding="gzip"),
        _rejected("gzip-empty-members", gzip.compress(b"") * 50_000, "not_json", content_encoding="gzip"),
        _rejected("gzip-nested", gzip.compress(gzip.compress(good)), "not_json", content_encoding="gzip"),
        _rejected("gzip-truncated", gzip.compress(good)[:-9], "bad_encoding", content_encoding="gzip"),
        _rejected("gzip-promised", good, "bad_encoding", content_encoding="gzip"),
        _rejected("gzip-not-promised", gzip.compress(good), "not_json"),
        _rejected("deflate", good, "bad_encoding", content_encoding="deflate"),
    ]


def items() -> list[Hostile]:
    """Notifications that cannot be sent, beside one that can."""
    found = []

    def add(name: str, entry: object, token: str | None = None) -> None:
        neighbour = _token(name, 1)
        found.append(
            _batch(
                name,
                [entry, {"device_token": neighbour, "message": "neighbour"}],
                [(token, "invalid"), (neighbour, "accepted")],
            )
        )

    def member(name: str, text: str) -> None:
        token = _token(name)
        add(name, '{"device_token":"%s",%s}' % (token, text), token)

    for name, token in {
        "crlf": "aa\r\nx-injected: 1",
        "dots": "/../",
        "percent": "%2f%2e",
        "nul": "aa\0aa",
        "empty": "",
        "odd": "aaa",
        "long": "a" * 402,
        "fullwidth": "ａａ",
        "space": "aa aa",
    }.items():
        # The record keeps it as it was given, cut after 400 bytes.
        add(f"token-{name}", {"device_token": token, "message": "x"}, token.encode()[:400].decode() or None)
    wrong_types: dict[str, Any] = {"number": 7, "null": None, "object": {"a": 1}, "array": ["aa"]}
    for name, value in wrong_types.items():
        add(f"token-{name}", {"device_token": value, "message": "x"})
    add("token-missing", {"message": "x"})
    add("item-number", "7")
    for field_name in ("topic", "collapse_id", "push_type", "apns_id"):
        for name, text in {"newline": "a\\r\\nx: 1", "nul": "a\\u0000b", "empty": "", "umlaut": "\\u00e9"}.items():
            member(f"{field_name}-{name}", f'"message":"x","{field_name}":"{text}"')
    member("topic-long", '"message":"x","topic":"%s"' % ("t" * 256))
    member("collapse-long", '"message":"x","collapse_id":"%s"' % ("c" * 65))
    member("badge-1e999", '"message":"x","badge":1e999')
    member("expiration-huge", '"message":"x","expiration":9223372036854775808')
    member("priority-text", '"message":"x","priority":"10"')
    member("message-number", '"message":7')
    member("message-lone-surrogate", '"message":"\\ud83d"')
    member("payload-lone-surrogate", '"payload":{"a":"\\udc4b"}')
    member("payload-text", '"payload":"{}"')
    member("payload-large", '"payload":{"a":"%s"}' % ("x" * 5000))
    member("both-contents", '"message":"x","payload":{}')
    member("unknown-field", '"message":"x","sounds":"y"')
    member("duplicate-field", '"message":"x","message":"y"')
    return found


ONE = '{"notifications":[{"device_token":"5030","message":"x"}]}'


def properties() -> list[Hostile]:
    """AMQP properties that nobody means. The first pass is answered with 503, so that the message also comes back.

    What Waybill writes for itself is read on the retry queue, and says nothing on a dispatch queue.
    """

    def sent(name: str, **wrong: Any) -> Hostile:
        token = _token(name, prefix="5030")
        return _batch(name, [{"device_token": token, "message": "x"}], [(token, "accepted")], **wrong)

    def refused(name: str, reason: str = "not_json", queue: str = "dispatch", **wrong: Any) -> Hostile:
        return _rejected(name, "hello", reason, queue, **wrong)

    deep: list = []
    for _ in range(20_000):
        deep = [deep]
    digest = {"x-waybill-digest": "0" * 32}
    return [
        _rejected("timestamp-wraps", ONE, "bad_value", "dispatch", timestamp=9223372036854776),
        _rejected("timestamp-greatest", ONE, "bad_value", "dispatch", timestamp=2**63 - 1),
        _rejected("timestamp-in-milliseconds", ONE, "bad_value", "dispatch", timestamp=1795374979000),
        sent("first-seen-smallest", queue="retry", headers={"x-waybill-first-seen": -(2**63)}),
        sent("first-seen-greatest", queue="retry", headers={"x-waybill-first-seen": 2**63 - 1}),
        sent("first-seen-text", queue="retry", headers={"x-waybill-first-seen": "yesterday"}),
        sent("forged-first-seen", headers={"x-waybill-first-seen": 1}),
        sent("forged-attempt", headers={"x-waybill-attempt": 2**63 - 1, "x-waybill-items": "7", "x-waybill-copy": True}),
        sent("forged-nonsense", headers={"x-waybill-attempt": "2", "x-waybill-items": 0}),
        _rejected("id-not-utf8", ONE, "not_utf8", message_id=b"\xff" * 255),
        _rejected("type-not-utf8", ONE, "not_utf8", type=b"\xff" * 255, app_id=b"\xfe" * 255, correlation_id=b"\xff" * 255),
        sent("headers-deep", headers={"deep": deep}),
        sent("headers-large", headers={f"h{n}": "x" * 1000 for n in range(120)}),
        refused("refused-id-not-utf8", "not_utf8", message_id=b"\xff" * 255),
        refused("refused-type-not-utf8", "not_utf8", type=b"\xff" * 255, app_id=b"\xfe" * 255, correlation_id=b"\xff" * 255),
        refused("refused-headers-deep", headers={"deep": deep}),
        refused("refused-headers-large", headers={f"h{n}": "x" * 1000 for n in range(120)}),
        # Long enough that the dispatcher has it before the broker expires it by itself, which gives no sentence.
        refused("refused-expiration", expiration="600000"),
        refused(
            "attempt-text", "bad_retry_header", "retry", headers={"x-waybill-attempt": "2", "x-waybill-items": "0", **digest}
        ),
        refused(
            "attempt-greatest",
            "bad_retry_header",
            "retry",
            headers={"x-waybill-attempt": 2**63 - 1, "x-waybill-items": "0", **digest},
        ),
        refused(
            "attempt-negative", "bad_retry_header", "retry", headers={"x-waybill-attempt": -1, "x-waybill-items": "0", **digest}
        ),
        refused(
            "items-descending",
            "bad_retry_header",
            "retry",
            headers={"x-waybill-attempt": 2, "x-waybill-items": "1,0", **digest},
        ),
        refused("items-number", "bad_retry_header", "retry", headers={"x-waybill-attempt": 2, "x-waybill-items": 0, **digest}),
        refused("digest-missing", "bad_retry_header", "retry", headers={"x-waybill-attempt": 2, "x-waybill-items": "0"}),
        refused("encoding-not-utf8", "not_utf8", content_encoding=b"\xff" * 255),
    ]
