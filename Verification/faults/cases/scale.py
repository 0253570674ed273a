"""Several dispatchers at one queue, several queues, several deployments."""

import time
from typing import Any

from faults.cases import case
from faults.oracle.identity import digest_text
from faults.process import eventually
from faults.product import DEAD_PREFIX, DEAD_SINCE
from faults.run import Run


@case("scale", repeat=3, later=True)
def four_share_a_queue(run: Run) -> None:
    """four dispatchers at one queue: each does a part of the work"""
    run.open(more={"broker": {"max_in_flight": 500}})
    several = run.start_several(4)
    before = [path.audit.acknowledged for _, path in several]
    run.issue(60 if run.quick else 400, 50)
    run.await_final()
    shares = [path.audit.acknowledged - count for (_, path), count in zip(several, before)]
    assert min(shares) * 8 >= sum(shares) / 4, f"the work is shared unevenly: {shares} messages"


@case("scale", later=True)
def added_and_killed_under_load(run: Run) -> None:
    """dispatchers come and are killed under load, one to four at a time"""
    run.open()
    several = run.start_several(2)
    load = run.load(rate=400, later=0.02)
    end = time.monotonic() + (3 if run.quick else 180)
    while time.monotonic() < end:
        time.sleep(run.random.uniform(0.2, 1))
        if len(several) < 2 or (len(several) < 4 and run.random.random() < 0.5):
            path = run.new_path()
            several.append((run.start_dispatcher(path), path))
        else:
            dispatcher, path = several.pop(run.random.randrange(len(several)))
            dispatcher.kill()
            run.crashed(dispatcher, path, window=60)
    load.stop()


@case("scale", quick=False)
def killed_in_turns(run: Run) -> None:
    """two dispatchers under load, killed in turns"""
    run.open()
    several = run.start_several(2)
    load = run.load(rate=400)
    for turn in range(40):
        time.sleep(run.random.uniform(0.3, 1))
        dispatcher, path = several[turn % 2]
        dispatcher.kill()
        run.crashed(dispatcher, path, window=60)
        several[turn % 2] = (run.start_dispatcher(path), path)
    load.stop()


@case("scale", repeat=10, later=True)
def one_of_two_loses_the_broker(run: Run) -> None:
    """two dispatchers; one loses its broker connections in mid batch, the other gets its messages while they are sent"""
    run.open(simulator_options=("--latency", "800ms"))
    several = run.start_several(2)
    run.issue(30, 100)
    path = several[run.random.randrange(2)][1]
    eventually("it has work", path.unacknowledged, 10, 0.01)
    time.sleep(run.random.uniform(0, 0.5))
    began = int(time.time() * 1000)
    allowance = path.unacknowledged()
    path.broker.reset_links()
    run.fault(began, allowance=allowance)


@case("scale", repeat=3, later=True)
def several_queues(run: Run) -> None:
    """dispatch.0 to .2 beside the plain queue, two dispatchers under load at all four; one is killed"""
    run.open(more={"broker": {"dispatch_queues": 3}})
    several = run.start_several(2)
    producers = [run.new_producer(number=number) for number in (None, 0, 1, 2)]
    for producer in producers:
        producer.issue(5, 50)
    run.await_final()
    loads = [run.load(rate=150, producer=producer, later=0.02) for producer in producers]
    for _ in range(1 if run.quick else 10):
        time.sleep(run.random.uniform(0.5, 1.5))
        victim = run.random.randrange(2)
        dispatcher, path = several[victim]
        dispatcher.kill()
        run.crashed(dispatcher, path, window=60)
        several[victim] = (run.start_dispatcher(path), path)
    time.sleep(1)
    for load in loads:
        load.stop()


@case("scale", repeat=3, later=True)
def copies_of_retries_between_two(run: Run) -> None:
    """two dispatchers are handed unmarked copies of delayed retries at the same time: what both of them send is marked"""
    run.open(simulator_options=("--latency", "800ms"))  # so that both copies are at work at once
    run.start_several(2)
    size = 20
    items = ",".join(str(index) for index in range(size))
    first = {"x-waybill-attempt": 2, "x-waybill-items": items, "x-waybill-first-seen": int(time.time() * 1000)}
    producer = run.new_producer()
    producer.exchange, producer.queue = "", f"{run.prefix}.retry"  # where alone such headers count
    publish = producer.publish

    def publish_twice(body: bytes, **properties: Any) -> None:
        digest = digest_text(properties["message_id"], body)
        headers = {**first, "x-waybill-digest": digest, "x-waybill-time": properties["timestamp"] * 1000}
        for _ in range(2):
            publish(body, headers=headers, **properties)

    producer.publish = publish_twice  # type: ignore[method-assign]
    producer.issue(6, size, dead=0, form="campaign")
    run.fault(allowance=6 * size)
    run.await_final()
    producer.close()


@case("scale", later=True)
def several_deployments(run: Run) -> None:
    """three deployments by queue prefix, one log: each takes its own queue, one of them is killed"""
    run.open()
    prefixes = [f"{run.prefix}.{number}" for number in range(3)]
    paths = [run.new_path(prefix) for prefix in prefixes]
    run.start()
    dispatchers = [run.start_dispatcher(path) for path in paths]
    producers = [run.new_producer(prefix) for prefix in prefixes]
    for producer in producers:
        producer.issue(3, 50, dead=0)
    run.await_final()
    for producer in producers:
        producer.issue(10, 50, dead=0)
    time.sleep(run.random.uniform(0, 0.2))
    dispatchers[1].kill()
    run.crashed(dispatchers[1], paths[1])
    run.start_dispatcher(paths[1])
    producers[1].issue(1, 10, dead=0)  # which only the new one can do: nobody stops it before it has begun
    for producer in producers:
        producer.close()


@case("scale", repeat=3, long=True, later=True)
def cut_off_with_dead_tokens(run: Run) -> None:
    """a dispatcher without a broker records dead tokens and ends; whoever has their message now reports them"""
    dead = {"token_prefix": DEAD_PREFIX, "status": 410, "reason": "Unregistered", "timestamp": DEAD_SINCE}
    once, then_silent = {**dead, "times": 1, "delay_ms": 3_000}, {"token_prefix": DEAD_PREFIX, "delay_ms": 60_000}
    run.open(rules={"rules": [once, then_silent]}, more={"dispatch": {"request_timeout": "5s", "grace": "3s"}})
    first = run.start()
    eventually("the first load is acknowledged", run.is_acknowledged)
    known, sent = run.deliveries.count_documents({"status_code": 410}), run.apns.bytes_passed("up")
    # Few: the second dispatcher has one stream until it has an answer.
    tokens = [(run.producer.token(DEAD_PREFIX), frozenset({"token_invalid"})) for _ in range(3)]
    run.producer.issue_to(tokens, defaults={"on_unknown": "record"}, form="array")
    eventually("they are sent", lambda: run.apns.bytes_passed("up") > sent and run.apns.quiet_for() > 0.1, 20, 0.01)
    run.broker.refusing = True
    run.broker.reset_links()
    run.start_dispatcher(run.new_path())
    recorded = known + len(tokens)
    eventually("they are recorded", lambda: run.deliveries.count_documents({"status_code": 410}) >= recorded, 20, 0.05)
    status = first.end(25)
    assert status == 0, f"SIGTERM ended the dispatcher with {status}"
    run.fault(allowance=len(tokens))
    run.healed()
