"""What a broker can do to a dispatcher: end, refuse, cancel, block, fall silent. One dispatcher repeats nothing for it.

Most cases say `run.healed` and not `run.fault`: the dispatcher lives on, so the bound of repeats is zero. Only what is
in the delay queues may be repeated: the broker promises a delayed message at least once, and when it is killed, or a
confirm of it is lost, there may be two.
"""

import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path as FilePath
from urllib.parse import quote

from proxy.link import CUT, is_method

from faults.cases import case
from faults.cases.trust import forget_pushes, write_config
from faults.oracle.ledger import read_pushes
from faults.path import CONSUME, PUBLISH, Path
from faults.process import Process, eventually
from faults.product import RULES
from faults.run import Run
from faults.servers.cluster import Cluster, WithCluster

FAILED = "dispatch.brokerFailed"
CANCELLED = "dispatch.consumerCancelled"
BLOCKED = "dispatch.brokerBlocked"
UNBLOCKED = "dispatch.brokerUnblocked"
NOT_TAKEN = "dispatch.publicationFailed"
SLOW = "510e"  # device tokens that APNs answers late


def slow(milliseconds: int) -> dict:
    """The simulator's usual rules, and one for tokens that are answered late."""
    return {"rules": [{"token_prefix": SLOW, "delay_ms": milliseconds}, *RULES["rules"]]}


def evaluate(run: Run, code: str) -> str:
    """Runs Erlang in the broker."""
    return run.services.control("broker-control", "eval", code).strip()


def under_load(run: Run, break_it: Callable[[], object]) -> None:
    """Breaks something and repairs it while producers, who do not give up, publish."""
    run.producer.close()  # its connection would not live through this
    load = run.load(rate=300, stubborn=True, later=0.03)
    time.sleep(1 + run.random.uniform(0, 0.3))
    break_it()
    # An orderly stop, too, may take the confirm of a delayed retry with it.
    run.fault(allowance=run.deliveries.count_documents({"outcome": "deferred"}))
    run.healed()
    time.sleep(1)
    load.stop()
    run.recover_but_for_delayed()


@case("broker", repeat=5, quick=False, alone=True, fcm="full")
def broker_restarted(run: Run) -> None:
    """the broker is stopped in order and started again under load"""
    run.open()
    run.start()
    under_load(run, lambda: run.services.control("restart-broker"))
    assert run.says(FAILED), "the dispatcher did not notice"


@case("broker", repeat=10, alone=True, fcm="full")
def broker_killed(run: Run) -> None:
    """kill -9 of the broker under load, started again at once"""

    def act() -> None:
        run.services.control("kill-broker")
        run.services.control("start-broker")

    run.open()
    run.start()
    under_load(run, act)
    assert run.says(FAILED), "the dispatcher did not notice"


@case("broker", quick=False, alone=True)
def broker_away_for_minutes(run: Run) -> None:
    """the broker is away for three minutes (quick: ten seconds)"""

    def act() -> None:
        run.services.control("kill-broker")
        time.sleep(10 if run.quick else 180)
        run.services.control("start-broker")

    run.open()
    run.start()
    under_load(run, act)


def publish_retries_twice(run: Run, dispatchers: int) -> None:
    """Loses the confirms of delayed retries with their connections, when the broker has the retries."""
    run.open(simulator_options=("--latency", "800ms"))  # so that both copies are at work at once
    paths = [path for _, path in run.start_several(dispatchers)]
    for path in paths:
        path.broker.hold("down", PUBLISH)
    run.issue(4 * dispatchers, 50, later=0.2)
    queues = [f"{run.prefix}.delay.{step}" for step in ("1s", "3s")]  # FCM asks for more than the first
    eventually("the broker has the retries", lambda: sum(waiting(run, one) for one in queues) >= 4, 20)
    cut = sum(path.broker.reset_links(PUBLISH) for path in paths)
    assert cut, "no dispatcher has a connection to publish with"
    # Two copies of each retry are on their way now, and either may find that the other was put off again.
    run.fault(allowance=run.deliveries.count_documents({"outcome": "deferred"}))
    run.await_final()
    eventually("the last copies have come round", lambda: not any(waiting(run, one) for one in queues), 30, 0.2)


@case("broker", repeat=3, fcm="full", later=True)
def retry_published_twice(run: Run) -> None:
    """the confirm of a delayed retry is lost with its connection: the retry is published again, what it repeats is marked"""
    publish_retries_twice(run, 1)


@case("broker", repeat=3, quick=False)
def retry_published_twice_between_two(run: Run) -> None:
    """the same with two dispatchers, each of which may take one of the copies"""
    publish_retries_twice(run, 2)


@case("broker", repeat=3, fcm="full", later=True)
def retry_beside_its_message(run: Run) -> None:
    """a message whose retry is delayed comes again, its acknowledgement was lost: what both of them send is marked"""
    run.open(simulator_options=("--latency", "1500ms"))  # the retry comes round while the message waits for its answers
    run.start()
    eventually("the first load is acknowledged", run.is_acknowledged)
    trap = run.broker.trap(is_method("basic.ack", CONSUME, "up"), decision=CUT)
    run.issue(1, 50, later=0.5)
    if not trap.wait(20):
        raise TimeoutError("nothing was acknowledged")
    run.fault(allowance=run.deliveries.count_documents({"outcome": "deferred"}))
    run.await_final()
    time.sleep(1.2)  # the simulator writes its record once a second
    pushes = Counter(push.apns_id for push in read_pushes(run.simulator.records))
    assert max(pushes.values()) > 2, "the message and its retry have not met"


def waiting(run: Run, queue: str) -> int:
    """Messages in a queue, past every proxy."""
    connection = run.services.connect_broker()
    try:
        return connection.channel().queue_declare(queue, passive=True).method.message_count
    finally:
        connection.close()


# -- A cluster


def clustered(run: Run) -> Cluster:
    cluster = Cluster(run.servers_folder)
    run.at_close(cluster.stop)
    if run.quick:
        cluster.forward_again_after(5_000)
    run.use(WithCluster(run.services, cluster))
    run.open()
    return cluster


def kill_node(run: Run, cluster: Cluster, node: int, move_to: int | None) -> None:
    """Kills a node under load; the dispatcher's address then leads to another one, if it has to.

    Two go on without it, and it comes back: a delay queue may keep what it was forwarding to the lost leader until then.
    """

    def act() -> None:
        cluster.kill(node)
        if move_to is not None:
            run.broker.target = cluster.ports[move_to]
        before = run.final_count()
        eventually("two nodes go on", lambda: run.final_count() >= before + 200, 30, 0.2)
        cluster.start(node)

    under_load(run, act)


@case("broker", repeat=3, quick=False)
def cluster_leader_killed(run: Run) -> None:
    """three nodes: kill -9 of the one that leads the queue and serves the dispatcher, whose address moves to another"""
    cluster = clustered(run)
    run.start()
    leader = cluster.leader(f"{run.prefix}.dispatch")
    run.broker.target = cluster.ports[leader]
    run.broker.reset_links()
    kill_node(run, cluster, leader, (leader + 1) % len(cluster.ports))


@case("broker", repeat=3, quick=False)
def cluster_leader_killed_elsewhere(run: Run) -> None:
    """three nodes: kill -9 of the queue's leader while the dispatcher is connected to a follower"""
    cluster = clustered(run)
    run.start()
    leader = cluster.leader(f"{run.prefix}.dispatch")
    run.broker.target = cluster.ports[(leader + 1) % len(cluster.ports)]
    run.broker.reset_links()
    eventually("it consumes there", lambda: run.broker.link_count(CONSUME), 20)
    kill_node(run, cluster, leader, None)


@case("broker", repeat=3, quick=False)
def cluster_node_killed_of_three_named(run: Run) -> None:
    """three nodes, all of them in broker.url: kill -9 of the one that the dispatcher consumes from; it finds another"""
    cluster = clustered(run)
    paths = [run.path, run.new_path(), run.new_path()]
    for path, port in zip(paths, cluster.ports):
        path.broker.target = port
    amend_path(run.path, "amqp://guest:guest@" + ",".join(f"127.0.0.1:{path.broker.port}" for path in paths) + "/")
    run.start()
    serving = next(number for number, path in enumerate(paths) if path.broker.link_count(CONSUME))
    kill_node(run, cluster, serving, None)


# -- Queues that go


@case("broker", repeat=3, later=True)
def queue_deleted_while_consuming(run: Run) -> None:
    """the dispatch queue is deleted with everything handed out, and declared again by waybill init"""
    run.open(rules=slow(2_000))
    run.start()
    issued = len(run.issue(8, 50, prefix=SLOW, dead=0))
    eventually("all of it is handed out", lambda: run.path.unacknowledged() >= issued, 20, 0.02)
    delete_queue(run, "dispatch")
    run.await_words(CANCELLED)
    time.sleep(0.5 if run.quick else 60)
    run.declare()
    run.healed()


@case("broker", repeat=3, later=True)
def events_unroutable(run: Run) -> None:
    """the queue for dead tokens is gone: messages with dead tokens are not acknowledged until it is back"""
    run.open()
    run.start()
    dead = run.deliveries.count_documents({"status_code": 410})
    pruned = {"enabled": False}
    eventually("the first events are pruned", lambda: run.devices.count_documents(pruned) == dead, 20)
    delete_queue(run, "invalid-tokens")
    issued = len(run.issue(10, 50))
    run.await_final()
    run.await_words(NOT_TAKEN)
    time.sleep(0.5 if run.quick else 60)
    kept = run.path.unacknowledged()
    assert kept == issued, f"{kept} of {issued} are unacknowledged while their events cannot be routed"
    run.declare()
    run.healed()


def delete_queue(run: Run, name: str) -> None:
    connection = run.services.connect_broker()
    try:
        connection.channel().queue_delete(f"{run.prefix}.{name}")
    finally:
        connection.close()


# -- Alarms


def alarmed(run: Run, raise_it: tuple, clear_it: tuple) -> None:
    """Messages with dead tokens during an alarm: recorded, not acknowledged, and finished when it is over."""
    run.open()
    run.start()
    run.broker.hold("down", CONSUME)
    issued = len(run.issue(10 if run.quick else 60, 50))
    run.at_close(lambda: run.services.control("broker-control", *clear_it))
    run.services.control("broker-control", *raise_it)
    run.broker.release("down")
    run.await_final()
    run.await_words(BLOCKED)
    time.sleep(0.5 if run.quick else 60)
    kept = run.path.unacknowledged()
    assert kept == issued, f"{kept} of {issued} are unacknowledged while the broker takes no events"
    run.services.control("broker-control", *clear_it)
    run.healed()
    run.await_words(UNBLOCKED)


@case("broker", repeat=3, alone=True)
def memory_alarm(run: Run) -> None:
    """a memory alarm blocks what publishes: consuming goes on, nothing is acknowledged without its event"""
    alarmed(run, ("set_vm_memory_high_watermark", "0.0001"), ("set_vm_memory_high_watermark", "0.4"))


@case("broker", repeat=3, quick=False, alone=True)
def disk_alarm(run: Run) -> None:
    """a disk alarm blocks what publishes: consuming goes on, nothing is acknowledged without its event"""
    alarmed(run, ("set_disk_free_limit", "100000GB"), ("set_disk_free_limit", "50MB"))


@case("broker", alone=True, long=True, later=True)
def stopped_under_an_alarm(run: Run) -> None:
    """SIGTERM while an alarm keeps the broker from reading large retries: it ends within its grace time, and loses nothing"""
    run.open()
    grace = 5
    config = write_config(run, "alarm", dispatch={"grace": f"{grace}s"})
    tokens = [run.producer.token("5030") for _ in range(3000)]
    for start in range(0, len(tokens), 250):
        items = [{"device_token": token, "message": "x" * 3400} for token in tokens[start : start + 250]]
        run.producer.publish(json.dumps({"batch_id": f"alarm-{start}", "notifications": items}).encode())
    clear = ("broker-control", "set_vm_memory_high_watermark", "0.4")
    run.at_close(lambda: run.services.control(*clear))
    run.services.control("broker-control", "set_vm_memory_high_watermark", "0.0001")
    arguments = [run.programs.waybill, "dispatch", "--config", str(config)]
    dispatcher = Process("waybill dispatch", arguments, run.folder / "alarm.log")
    put_off = {"batch_id": {"$regex": "^alarm-"}, "outcome": "deferred"}
    # More than the broker's and the system's buffers for one connection hold is on its way by then.
    eventually("many are put off", lambda: run.deliveries.count_documents(put_off) >= 700, 60)
    began = time.monotonic()
    status = dispatcher.end(60)
    took = time.monotonic() - began
    run.notes.append(f"SIGTERM to the end {took:.1f} s, grace {grace} s")
    assert status == 0, f"SIGTERM ended the dispatcher with {status}"
    # What is beyond the grace time is a second or two of the product's own, and what a busy machine adds.
    assert took < grace + 8, f"it took {took:.1f} s with a grace time of {grace} s"
    run.services.control(*clear)
    again = Process("waybill dispatch", arguments, run.folder / "alarm-again.log")
    try:
        done = {"batch_id": {"$regex": "^alarm-"}, "outcome": "accepted"}
        eventually("all are accepted", lambda: run.deliveries.count_documents(done) == len(tokens), 120)
        assert again.end(30) == 0, again.words[-500:]
    finally:
        again.signal(signal.SIGKILL)
    run.forget_records()  # nobody's issue
    forget_pushes(run)
    run.start()


# -- Silence


@case("broker", repeat=3, alone=True, later=True)
def consumer_timeout(run: Run) -> None:
    """APNs answers later than the broker waits for an acknowledgement: its channel is closed, nothing is repeated"""
    timeout, tick = (2_000, 500) if run.quick else (60_000, 60_000)
    settings = "application:set_env(rabbit, consumer_timeout, {}), application:set_env(rabbit, channel_tick_interval, {})."
    run.open(
        rules=slow(6_000 if run.quick else 150_000),
        more={"dispatch": {"request_timeout": "60s" if run.quick else "5m", "grace": "10s"}},
    )
    run.at_close(lambda: evaluate(run, settings.format(1_800_000, 60_000)))
    evaluate(run, settings.format(timeout, tick))
    run.start()
    run.issue(4, 50, prefix=SLOW, dead=0)
    run.await_words("PRECONDITION_FAILED", 20 if run.quick else 200)
    evaluate(run, settings.format(1_800_000, 60_000))
    run.broker.reset_links()  # a channel keeps the timeout that it began with
    run.await_final(200)
    run.healed()


def half_open(run: Run, *directions: str) -> None:
    """Bytes of some directions go nowhere, and nobody is told, until the dispatcher has given up; then it heals."""
    run.open(simulator_options=("--latency", "20ms"))
    if run.quick:
        run.broker.heartbeat = 1  # both sides give up after two silent intervals
    run.start()
    run.issue(20, 100)
    time.sleep(run.random.uniform(0, 0.3))
    for direction in directions:
        run.broker.hold(direction)
    run.await_words(FAILED, 20 if run.quick else 90)
    time.sleep(1 if run.quick else 60)
    run.broker.heal()
    run.healed()


@case("broker", repeat=3, later=True)
def half_open_network(run: Run) -> None:
    """the way to the broker goes dead in both directions for longer than the heartbeat"""
    half_open(run, "up", "down")


@case("broker", repeat=3, quick=False)
def half_open_from_the_broker(run: Run) -> None:
    """nothing arrives from the broker for longer than the heartbeat, while all that is sent does"""
    half_open(run, "down")


@case("broker", repeat=3, quick=False)
def half_open_to_the_broker(run: Run) -> None:
    """nothing reaches the broker for longer than the heartbeat, while it is heard"""
    half_open(run, "up")


# -- Credentials


@case("broker", later=True)
def wrong_credentials_at_start(run: Run) -> None:
    """a wrong password, an unknown virtual host: exit 77 at start, without the password in its words"""
    run.open()
    run.start()
    for number, address in enumerate(("guest:Wr0ngSecret@{}/", "guest:guest@{}/nowhere")):
        config = amend(run, number, "amqp://" + address.format(f"127.0.0.1:{run.services.broker_port}"))
        log = run.folder / f"refused-{number}.log"
        refused = Process("waybill dispatch", [run.programs.waybill, "dispatch", "--config", str(config)], log)
        status = refused.wait(20)
        assert status == 77, f"it ended with {status}, should be 77: {refused.words[-300:]}"
        assert "Wr0ngSecret" not in refused.words, "the password is in the dispatcher's words"
    run.healed()


@case("broker", quick=False)
def wrong_credentials_later(run: Run) -> None:
    """the password is changed while a dispatcher works and its connections end: it waits until it is let in again"""
    user, right, wrong = f"{run.prefix}-user", "first-password", "second-password"
    control = run.services.control
    run.open()
    control("broker-control", "add_user", user, right)
    run.at_close(lambda: control("broker-control", "delete_user", user))
    control("broker-control", "set_permissions", user, ".*", ".*", ".*")
    url = f"amqp://{quote(user)}:{right}@127.0.0.1:{run.broker.port}/"
    amend_path(run.path, url)
    dispatcher = run.start()
    load = run.load(rate=200)
    time.sleep(0.5)
    control("broker-control", "change_password", user, wrong)
    run.broker.reset_links()
    run.await_words("ACCESS_REFUSED")
    time.sleep(1 if run.quick else 60)
    assert dispatcher.runs, "it has ended"
    assert right not in dispatcher.words, "the password is in the dispatcher's words"
    control("broker-control", "change_password", user, right)
    run.healed()
    load.stop()


def amend(run: Run, number: int, url: str) -> FilePath:
    """A configuration with another broker URL."""
    settings = json.loads(run.path.config.read_text())
    settings["broker"]["url"] = url
    file = run.folder / f"amended-{number}.yaml"
    file.touch(mode=0o600)  # it may hold a password
    file.write_text(json.dumps(settings, indent=1))
    return file


def amend_path(path: Path, url: str) -> None:
    settings = json.loads(path.config.read_text())
    settings["broker"]["url"] = url
    path.config.chmod(0o600)  # it may hold a password
    path.config.write_text(json.dumps(settings, indent=1))
