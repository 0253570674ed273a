"""Several dispatchers at one queue, and several queues."""

import time

from faults.cases import case
from faults.process import eventually


@case("scale", repeat=3)
def four_share_a_queue(run):
    """four dispatchers at one queue: each does a part of the work"""
    run.open(more={"broker": {"max_in_flight": 500}})
    several = run.start_several(4)
    before = [path.audit.acknowledged for _, path in several]
    run.issue(60 if run.quick else 400, 50)
    run.await_final()
    shares = [path.audit.acknowledged - count for (_, path), count in zip(several, before)]
    assert min(shares) * 8 >= sum(shares) / 4, f"the work is shared unevenly: {shares} messages"


@case("scale")
def added_and_killed_under_load(run):
    """dispatchers come and are killed under load, one to four at a time"""
    run.open()
    several = run.start_several(2)
    load = run.load(rate=400, later=0.02)
    end = time.monotonic() + (3 if run.quick else 180)
    while time.monotonic() < end:
        time.sleep(run.random.uniform(0.2, 1))
        if len(several) < 2 or len(several) < 4 and run.random.random() < 0.5:
            path = run.new_path()
            several.append((run.start_dispatcher(path), path))
        else:
            dispatcher, path = several.pop(run.random.randrange(len(several)))
            dispatcher.kill()
            run.crashed(dispatcher, path, window=60)
    load.stop()


@case("scale", quick=False)
def killed_in_turns(run):
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


@case("scale", repeat=10)
def one_of_two_loses_the_broker(run):
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


@case("scale")
def several_queues(run):
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
    for producer in producers:
        producer.close()
