"""What stands still without an end: a push service that answers nothing, and a dispatcher that was stopped. Both stay named."""

import signal
import time

from faults.cases import case
from faults.cases.disasters import DEGRADED, SETTINGS, await_healthy, status
from faults.process import eventually
from faults.rehearsals import UNANSWERED
from faults.run import Run

LANE_KINDS = {"push_service_silent", "push_service_unreached", "lane_not_open"}


def lane_findings(run: Run) -> list[dict]:
    _, answer = status(run)
    return [finding for finding in answer.get("findings", []) if finding.get("lane") == "parcels"]


@case("stuck", later=True)
def little_is_sent_over_a_silent_lane(run: Run) -> None:
    """a lane whose push service answers nothing has one finding until it answers, whatever is in hand, and is parked"""
    run.open(more={**SETTINGS, "dispatch": {"request_timeout": "6s", "unreachable": "4s"}})
    run.start()
    await_healthy(run)
    run.apns.hold("up")
    run.apns.hold("down")
    run.issue(1, 10, allowed=UNANSWERED)
    eventually("the lane is named", lambda: lane_findings(run), 30, 0.2)
    told: list[str] = []
    end = time.monotonic() + 40
    while time.monotonic() < end:
        found = lane_findings(run)
        assert len(found) == 1, f"{found} after {told}"
        assert found[0]["kind"] in LANE_KINDS, found
        if not told or told[-1] != found[0]["kind"]:
            told.append(found[0]["kind"])
        time.sleep(0.3)
    run.notes.append(f"told as {', '.join(told)}")
    assert "lane_not_open" in told, told
    run.fault(window=120, allowance=10_000)
    run.apns.release("up")
    run.apns.release("down")
    run.healed()
    await_healthy(run)


@case("stuck", later=True)
def a_stopped_dispatcher_beside_another(run: Run) -> None:
    """a dispatcher that was stopped with pushes in hand is named after another one was started, until its end"""
    run.open(more=SETTINGS)
    frozen = run.start()
    await_healthy(run)
    run.apns.hold("down")
    run.issue(6, 10, allowed=UNANSWERED)
    eventually("they are in its hands", lambda: any(p["status"]["in_flight"]["messages"] for p in processes(run)), 30, 0.2)
    began = int(time.time() * 1000)
    frozen.signal(signal.SIGSTOP)
    run.start_dispatcher(run.new_path())

    def is_named() -> bool:
        code, answer = status(run)
        texts = [finding["text"] for finding in answer["findings"] if finding["kind"] == "process_silent"]
        return code == DEGRADED and len(texts) == 1 and "may hold" in texts[0]

    eventually("the stopped one is named", is_named, 30, 0.2)
    allowance = run.path.unacknowledged()
    run.fault(began, window=120, allowance=max(allowance, 10_000))
    frozen.kill()
    run.crashed(frozen)
    run.apns.release("down")
    run.healed()
    await_healthy(run, 90)


def processes(run: Run) -> list[dict]:
    """Dispatchers as they say themselves."""
    _, answer = status(run)
    return [process for process in answer.get("processes", []) if process["role"] == "dispatch"]
