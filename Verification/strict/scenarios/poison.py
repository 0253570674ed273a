"""Answers as odd as the wire allows."""

import json

from strict import wire
from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run
from strict.wire import Headers

END = wire.END_STREAM | wire.END_HEADERS


def _status(attempt: Attempt, status: int, *more: tuple[str, str]) -> Headers:
    return [(":status", str(status)), ("apns-id", attempt.id), *more]


def no_body(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=b"", reported=None)


def long_reason(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=json.dumps({"reason": "R" * 1_000_000}).encode(), reported=...)


def long_body(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 200, body=b"x" * 1_000_000, reported=None)


def broken_text(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=b'{"reason":"Bad\xff\xfe\xc3"}', reported=...)


def only_garbage(connection: Connection, attempt: Attempt) -> None:
    random = connection.server.random
    connection.answer(attempt, 410, body=random.randbytes(random.randrange(1, 3000)), reported=...)


def deep(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=b'{"a":' + b"[" * 200_000, reported=None)


def deeper(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=b'{"a":' * 300 + b'{"reason":"Hidden"}' + b"}" * 300, reported=...)


def not_an_object(connection: Connection, attempt: Attempt) -> None:
    body = connection.server.random.choice([b"[]", b"null", b'"reason"', b"17", b"{", b"}", b'{"reason"', b'{"reason":'])
    connection.answer(attempt, 400, body=body, reported=None)


def other_types(connection: Connection, attempt: Attempt) -> None:
    body = connection.server.random.choice(
        [b'{"reason":17}', b'{"reason":null}', b'{"reason":["BadTopic"]}', b'{"reason":true}']
    )
    connection.answer(attempt, 400, body=body, reported=None)


def bytes_around(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 400, body=b' \r\n\t{ "x" : { "reason" : "No" } , "reason" : "BadTopic" }\n', reported="BadTopic")


def huge_numbers(connection: Connection, attempt: Attempt) -> None:
    body = b'{"timestamp":99999999999999999999999999999,"reason":"Unregistered"}'
    connection.answer(attempt, 410, body=body, reported="Unregistered")


def no_timestamp(connection: Connection, attempt: Attempt) -> None:
    connection.answer(attempt, 410, "Unregistered")


def redirect(connection: Connection, attempt: Attempt) -> None:
    status = connection.server.random.choice([204, 301, 302, 304, 307])
    connection.answer(attempt, status, headers=[("location", "https://elsewhere.example/")], reported=None)


def no_id(connection: Connection, attempt: Attempt) -> None:
    connection.raw_answer(
        attempt, [wire.frame(wire.HEADERS, END, attempt.stream, connection.block_of([(":status", "200")]))], 200, None
    )


def other_id(connection: Connection, attempt: Attempt) -> None:
    fields = [(":status", "200"), ("apns-id", "00000000-0000-0000-0000-000000000000"), ("apns-unique-id", "u" * 5000)]
    connection.raw_answer(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, connection.block_of(fields))], 200, None)


def interim(connection: Connection, attempt: Attempt) -> None:
    frames = []
    for status in ("100", "103", "102") * connection.server.random.choice([1, 10]):
        block = connection.block_of([(":status", status), ("link", "</x>")])
        frames.append(wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, block))
    frames.append(wire.frame(wire.HEADERS, END, attempt.stream, connection.block_of(_status(attempt, 200))))
    connection.raw_answer(attempt, frames, 200, None)


def trailers(connection: Connection, attempt: Attempt) -> None:
    frames = [
        wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, connection.block_of(_status(attempt, 400))),
        wire.frame(wire.DATA, 0, attempt.stream, b'{"reason":'),
        wire.frame(wire.DATA, 0, attempt.stream, b'"BadTopic"}'),
        wire.frame(wire.HEADERS, END, attempt.stream, connection.block_of([("x-trailer", "1"), ("reason", "Other")])),
    ]
    connection.raw_answer(attempt, frames, 400, "BadTopic")


def crumbs(connection: Connection, attempt: Attempt) -> None:
    """Every byte in a frame of its own, empty frames between, padding around."""
    body = b'{"reason":"BadPriority"}'
    frames = [wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, connection.block_of(_status(attempt, 400)))]
    for byte in body:
        frames.append(wire.frame(wire.DATA, 0, attempt.stream))
        frames.append(wire.frame(wire.DATA, wire.PADDED, attempt.stream, b"\x05" + bytes([byte]) + b"\0" * 5))
    frames.append(wire.frame(wire.DATA, wire.END_STREAM, attempt.stream))
    connection.raw_answer(attempt, frames, 400, "BadPriority")


def continued(connection: Connection, attempt: Attempt) -> None:
    """Headers in several frames."""
    block = connection.block_of(_status(attempt, 200, *[(f"x-{n}", "v" * 40) for n in range(20)]))
    size = len(block) // 5 + 1
    parts = [block[start : start + size] for start in range(0, len(block), size)]
    frames = [wire.frame(wire.HEADERS, wire.END_STREAM, attempt.stream, parts[0])]
    frames += [wire.frame(wire.CONTINUATION, 0, attempt.stream, part) for part in parts[1:-1]]
    frames.append(wire.frame(wire.CONTINUATION, wire.END_HEADERS, attempt.stream, parts[-1]))
    connection.raw_answer(attempt, frames, 200, None)


def strangers(connection: Connection, attempt: Attempt) -> None:
    """Frames of unknown types, ALTSVC, ORIGIN, PRIORITY, and flags that mean nothing, around an answer."""
    around = [
        wire.frame(0xFA, 0xFF, attempt.stream, b"?" * 50),
        wire.frame(0x0A, 0, 0, b"\0\x01h" + b'h2=":1"'),
        wire.frame(0x0C, 0, 0, b"\0\x01h"),
        wire.frame(wire.PRIORITY, 0, attempt.stream, b"\0\0\0\0\x10"),
        connection.window_crumbs(1),
    ]
    answer = wire.frame(wire.HEADERS, END | 0xC2 & ~wire.PADDED & ~wire.PRIORITIZED, attempt.stream,
                        connection.block_of(_status(attempt, 200)))  # fmt: skip
    connection.raw_answer(attempt, [*around, answer, *around[:1]], 200, None)


MILD = [
    no_body,
    long_reason,
    long_body,
    broken_text,
    only_garbage,
    deep,
    deeper,
    not_an_object,
    other_types,
    bytes_around,
    huge_numbers,
    no_timestamp,
    redirect,
    no_id,
    other_id,
    interim,
    trailers,
    crumbs,
    continued,
    strangers,
]


class Poisoned(Behaviour):
    kinds = MILD

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() < 0.4:
            return connection.answer(attempt, 200)
        kind = random.choice(self.kinds)
        connection.ledger.count(kind.__name__)
        attempt.note = kind.__name__
        return kind(connection, attempt)


@scenario
async def poisoned_answers(run: Run) -> After:
    """No body, a megabyte, broken text, JSON bombs, 1xx, 3xx, trailers, crumbs, no apns-id, strange frames."""
    await run.start(1200, Poisoned())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


def no_status(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of([("apns-id", attempt.id)])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)])


def two_statuses(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of([(":status", "200"), (":status", "400")])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)], 200)


def odd_status(connection: Connection, attempt: Attempt) -> None:
    status = connection.server.random.choice(["20", "2000", "abc", "", "-20", "2x0", " 200"])
    block = connection.block_of([(":status", status)])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)])


def upper_case(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of([(":status", "200"), ("Apns-Id", attempt.id)])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)], 200)


def wrong_length(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of(_status(attempt, 200, ("content-length", "17")))
    frames = [wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, block)]
    frames.append(wire.frame(wire.DATA, wire.END_STREAM, attempt.stream, b"short"))
    connection.malformed(attempt, frames, 200)


def interim_end(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of([(":status", "103")])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)])


def body_first(connection: Connection, attempt: Attempt) -> None:
    connection.malformed(attempt, [wire.frame(wire.DATA, wire.END_STREAM, attempt.stream, b'{"reason":"BadTopic"}')])


def never_ends(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of(_status(attempt, 400))
    frames = [wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, block)]
    connection.malformed(attempt, [*frames, wire.frame(wire.DATA, 0, attempt.stream, b'{"reason":"BadTo')], 400)


def late_pseudo(connection: Connection, attempt: Attempt) -> None:
    block = connection.block_of([("apns-id", attempt.id), (":status", "200")])
    connection.malformed(attempt, [wire.frame(wire.HEADERS, END, attempt.stream, block)], 200)


class Malformed(Poisoned):
    kinds = [
        no_status,
        two_statuses,
        odd_status,
        upper_case,
        wrong_length,
        interim_end,
        never_ends,
        late_pseudo,
        body_first,
    ]

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < 0.9:
            return connection.answer(attempt, 200)
        return super().complete(connection, attempt)


@scenario
async def malformed_answers(run: Run) -> After:
    """Answers that break RFC 9113: each spoils its own stream, at the most its connection."""
    await run.start(1500, Malformed(), deadlines={"request": 1500})
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, unknown=True)


class HugeHeaders(Behaviour):
    """Answers with 8, 20, 60 and 300 KiB of headers."""

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() > 0.02 or connection.state.get("huge"):
            return connection.answer(attempt, 200)
        kibibytes = random.choice([8, 20, 60, 300])
        connection.ledger.count(f"{kibibytes} KiB")
        block = connection.block_of(_status(attempt, 200)) + b"".join(
            b"\x00\x04x-%02d\x7f\xd1\x06" % (n % 100) + b"v" * 976 for n in range(kibibytes)
        )
        parts = [block[start : start + 16_384] for start in range(0, len(block), 16_384)]
        last = wire.END_HEADERS if len(parts) == 1 else 0
        frames = [wire.frame(wire.HEADERS, wire.END_STREAM | last, attempt.stream, parts[0])]
        for part in parts[1:]:
            frames.append(wire.frame(wire.CONTINUATION, wire.END_HEADERS if part is parts[-1] else 0, attempt.stream, part))
        connection.malformed(attempt, frames, 200)
        return None


@scenario
async def huge_headers(run: Run) -> After:
    """Answers with up to 300 KiB of headers."""
    await run.start(1500, HugeHeaders(), deadlines={"request": 1500})
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, unknown=True)


class Early(Behaviour):
    """Answers before the request has ended, with windows so small that the rest of it waits."""

    window = 200

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() < 0.2:
            connection.answer(attempt, *random.choice([(413, "PayloadTooLarge"), (400, "BadTopic"), (200, None)]))


@scenario
async def early_answers(run: Run) -> After:
    """Whole answers before the request has ended."""
    await run.start(1500, Early())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class HeaderLimit(Behaviour):
    """Resets what has more headers than was announced."""

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        size = sum(len(name) + len(value) + 32 for name, value in attempt.headers)
        if size > 8000:
            return (
                connection.refuse(attempt, 11) if connection.server.random.random() < 0.5 else connection.answer(attempt, 431)
            )
        return connection.answer(attempt, 200)


@scenario
async def header_list_exceeded(run: Run) -> After:
    """A few topics of 9,000 characters, over the server's header list: they alone fail."""
    await run.start(900, HeaderLimit(), topic=lambda position: "t" * 9000 if position % 50 == 7 and position < 900 else None)
    run.server.many_constants = True
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, unknown=True)
