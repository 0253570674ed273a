"""Hostile messages between good ones: each ends as a record `invalid` or as a rejected body with its reason, its
neighbours are sent, and the dispatcher is the same process all the time.
"""

import hashlib
import sys
import time

import pika
from proxy.link import Trap

from faults import hostile
from faults.cases import case
from faults.oracle.identity import derive_apns_id
from faults.oracle.ledger import Issued
from faults.process import eventually
from faults.producer import Producer
from faults.product import BUNDLE
from faults.run import Run

PROBATION_RESTARTS = 40  # the queue allows 20 deliveries; twice as many without an end would be a loop


sys.setrecursionlimit(100_000)  # pika writes nested header tables by recursion


def publish(run: Run, messages: list[hostile.Hostile]) -> None:
    """Publishes them with confirms, and a batch of good ones after every few."""
    connection = run.services.connect_broker()
    channel = connection.channel()
    channel.confirm_delivery()
    for number, message in enumerate(messages):
        channel.basic_publish(
            f"{run.prefix}.in" if message.queue == "dispatch" else "",
            f"{run.prefix}.{message.queue}",
            message.body,
            pika.BasicProperties(delivery_mode=2, **message.properties),
            mandatory=True,
        )
        for index, (token, outcome) in enumerate(message.items):
            apns_id = derive_apns_id(message.name, message.body, index, None)
            run.ledgers.issued[apns_id] = Issued(apns_id, token, frozenset({outcome}), BUNDLE)
        run.ledgers.ordered_rejects += message.rejected is not None
        if number % 8 == 0:
            run.issue(1, 20)
    connection.close()


def check_rejected(run: Run, messages: list[hostile.Hostile]) -> None:
    """Every unreadable body stands in the rejected queue once, untouched, with its reason."""
    wanted = {hashlib.sha256(message.body).digest(): message for message in messages if message.rejected}
    expected = sorted((m.name, m.rejected) for m in messages if m.rejected)
    connection = run.services.connect_broker()
    channel = connection.channel()
    queue = f"{run.prefix}.rejected"
    eventually(
        "every unreadable body is rejected",
        lambda: channel.queue_declare(queue, passive=True).method.message_count >= len(expected),
        60,
    )
    reasons: dict[bytes, list[str]] = {}
    while True:
        method, properties, body = channel.basic_get(queue)
        if method is None:
            break
        assert properties.expiration is None, "a rejected body expires"
        assert properties.delivery_mode == 2, "a rejected body is not persistent"
        assert properties.headers["x-waybill-detail"], "a rejected body without a sentence"
        reasons.setdefault(hashlib.sha256(body).digest(), []).append(str(properties.headers["x-waybill-reason"]))
    connection.close()
    for digest, message in wanted.items():
        same = sorted(m.rejected for m in messages if m.rejected and hashlib.sha256(m.body).digest() == digest)
        assert sorted(reasons.get(digest, [])) == same, f"{message.name}: {reasons.get(digest)}, not {same}"


def pass_through(run: Run, messages: list[hostile.Hostile]) -> None:
    run.open()
    dispatcher = run.start()
    publish(run, messages)
    run.recover()
    check_rejected(run, messages)
    assert dispatcher.runs, "the dispatcher has ended"


@case("input")
def hostile_bodies(run: Run) -> None:
    """not JSON, wrong types, depth 100,000, 16 MiB, a million tokens, gzip bombs: each rejected with its reason"""
    pass_through(run, hostile.bodies(run.quick))


@case("input", later=True)
def hostile_items(run: Run) -> None:
    """tokens and header values with CRLF, NUL, /../, wrong types, 1e999: each `invalid`, its neighbour sent"""
    pass_through(run, hostile.items())


@case("input", later=True)
def hostile_properties(run: Run) -> None:
    """times, attempts, texts and header tables that nobody means: sent, retried or rejected, never in the way"""
    pass_through(run, hostile.properties())


@case("input", later=True)
def further_queues(run: Run) -> None:
    """a CC header on an unreadable body does not lead it back into the dispatch queue"""
    run.open()
    dispatcher = run.start()
    queue = f"{run.prefix}.dispatch"
    message = hostile.Hostile("cc", b"hello", rejected="not_json", properties={"headers": {"CC": [queue]}})
    publish(run, [message])
    wanted = run.ledgers.ordered_rejects
    connection = run.services.connect_broker()
    channel = connection.channel()

    def rejected() -> int:
        return channel.queue_declare(f"{run.prefix}.rejected", passive=True).method.message_count

    eventually("the body is rejected", lambda: rejected() >= wanted, 20)
    run.issue(2, 20)
    run.recover()
    assert rejected() == wanted, f"{rejected()} rejected bodies of {wanted}: they go round"
    connection.close()
    assert dispatcher.runs, "the dispatcher has ended"


@case("input", later=True)
def poison_that_crashes(run: Run) -> None:
    """a message on which the dispatcher dies each time ends in the rejected queue, its neighbours do not"""
    run.open()
    crash_until_rejected(run, run.producer, before=[run.producer], after=[run.producer])


@case("input", long=True, later=True)
def poison_among_several_queues(run: Run) -> None:
    """the same in one of several queues: what waits at the heads of the others is not rejected along with it"""
    # With a slow APNs nothing that is handed out along with the poison is done before the dispatcher dies.
    run.open(simulator_options=("--latency", "300ms"), more={"broker": {"dispatch_queues": 2}})
    first, second = (run.new_producer(number=number) for number in range(2))
    # Nothing stands before the poison in its own queue: each life of the dispatcher is too short for a neighbour's answer.
    crash_until_rejected(run, first, before=[run.producer, second], after=[first, run.producer, second])
    for producer in (first, second):
        producer.close()


def crash_until_rejected(run: Run, poisoner: Producer, before: list, after: list) -> None:
    """Has `poisoner` publish poison, and others good messages before and after it; restarts the dispatcher, which dies on
    the poison, until the broker has put it aside."""
    dispatcher = run.start()
    marker = b"poison-that-crashes"

    def arm() -> Trap:
        dies = lambda link, way, unit: way == "down" and unit.kind == "body" and marker in unit.data  # noqa: E731
        # The body is kept back, so that the dispatcher cannot have done anything with it; for the broker it is delivered.
        return run.broker.trap(dies, lambda: run.dispatchers[-1].kill())

    trap = arm()
    for producer in before:
        producer.issue(3, 20)
    poisoner.publish(b'{"x-a":"%s","notifications":[]}' % marker, message_id="poison")
    for producer in after:
        producer.issue(10, 20)
    run.ledgers.ordered_rejects += 1
    connection = run.services.connect_broker()
    channel = connection.channel()

    def rejected() -> int:
        return channel.queue_declare(f"{run.prefix}.rejected", passive=True).method.message_count

    deaths = 0
    while not rejected():
        assert deaths < PROBATION_RESTARTS, f"after {deaths} deaths the message is still there"
        eventually("the dispatcher dies or is rid of the message", lambda: trap.fired or rejected(), 40)
        if not trap.fired:
            break
        deaths += 1
        run.crashed(dispatcher)
        trap = arm()
        dispatcher = run.start_dispatcher()
    method, properties, body = channel.basic_get(f"{run.prefix}.rejected")
    assert marker in body, "the wrong message was rejected"
    assert properties.headers.get("x-first-death-reason") == "delivery_limit", properties.headers
    assert deaths > 2, f"{deaths} deaths"
    connection.close()
    time.sleep(0.1)
    run.recover()
