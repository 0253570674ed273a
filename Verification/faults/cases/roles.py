"""Every role is killed at random while a campaign goes and a service speaks: all accounts of it add up."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from common.certificates import Authority
from common.receiver import Receiver

from faults.app import App
from faults.cases import case
from faults.cases.api import listens
from faults.cases.audiences import judge
from faults.cases.campaigns import orders
from faults.cases.notifire import entered, heard
from faults.cases.trust import waybill, write_config
from faults.frontdoor import accounts
from faults.process import Process, eventually
from faults.product import BUNDLE, DEAD_PREFIX
from faults.run import Run
from faults.servers.ports import free_ports

ROLES = ("serve", "schedule", "fanout", "dispatch", "hooks", "prune")
CLIENT = "acme"
# What the campaign goes by: the phone of whoever the service speaks to does not have it.
TAG = "news"


@dataclass(frozen=True)
class Size:
    """How large a campaign is, how fast it may go, and what of it the endpoint is told."""

    living: int
    dead: int
    rate: tuple[str, ...] = ()
    events: tuple[str, ...] = ()  # all of them, if none is named
    patience: float = 300  # seconds

    @property
    def devices(self) -> int:
        return self.living + self.dead


SMALL = Size(4_500, 150, rate=("--per-minute", "9000"))
# What the endpoint here can take beside all else.
LARGE = Size(999_000, 1_000, events=("device.invalid",), patience=1_800)


class Town:
    """A process of each role, an endpoint that is told of the campaign, and a person whose service speaks."""

    def __init__(self, run: Run, size: Size) -> None:
        run.open()
        self.size = size
        self.run = run
        authority = Authority(run.folder / "authority")
        port, self.port = free_ports(2)
        self.receiver = Receiver(authority.issue("receiver"), port)
        run.at_close(self.receiver.stop)
        self.config = write_config(
            run,
            "roles",
            webhooks={"allow_networks": ["127.0.0.1/32"], "ca_file": str(authority.certificate)},
            serve={"listen": f"127.0.0.1:{self.port}", **accounts(run.folder)},
            clients={CLIENT: {"apps": [BUNDLE]}},
        )
        added = waybill(run, self.config, "webhooks", "add", f"https://localhost:{port}/ok", *client_and(size.events))
        assert added.returncode == 0, added.stderr.decode()
        self.roles: dict[str, Process] = {}
        self.kills: Counter[str] = Counter()
        for role in ROLES:
            self.start(role)
        self.app = App(self.port)
        eventually("serve listens", lambda: listens(self.port), 30)
        access = entered(run, self.app, "anna")
        assert self.app.device(access, run.producer.token(), True).status == 204
        self.key = self.app.create(access, "Jobs").json()["apiKey"]
        self.said: list[str] = []

    def start(self, role: str) -> None:
        if role == "dispatch":  # one that the frame knows
            self.roles[role] = self.run.start_dispatcher()
            return
        command = [self.run.programs.waybill, role, "--config", str(self.config)]
        self.roles[role] = Process(f"waybill {role}", command, self.run.folder / f"{role}.log")
        self.run.at_close(self.roles[role].kill)

    def kill(self, role: str) -> None:
        """kill -9, and another one in its place."""
        victim = self.roles[role]
        assert victim.runs, f"{role} has ended by itself: {victim.words[-500:]}"
        victim.kill()
        victim.wait()
        if role == "dispatch":
            self.run.dispatchers.remove(victim)
        self.kills[role] += 1
        self.start(role)

    def say(self) -> None:
        """The service says something, again and again under one name until it is taken."""
        text = f"job {len(self.said)}."
        self.said.append(text)
        body = json.dumps({"serviceKey": self.key, "level": 1, "body": text}).encode()

        def is_taken() -> bool:
            try:
                return self.app.ask("POST", "/notify", body, headers={"Idempotency-Key": text}).status == 204
            except OSError:
                return False

        eventually(f"{text} is taken", is_taken, 30, 0.05)

    def judge_service(self) -> None:
        """Each of what was said is one notification with one record, and a second push only with its mark."""
        for text in self.said:
            eventually(f"{text} is recorded", partial(self._is_final, text), 60)
        database = self.run.deliveries.database
        assert database["notifications"].count_documents({"body": {"$regex": "^job"}}) == len(self.said)
        records = list(self.run.deliveries.find({"client": "notices"}))
        assert len(records) == len(self.said), f"{len(records)} records of {len(self.said)}"
        eventually("they are written down", lambda: len(heard(self.run, "job")) >= len(self.said), 30)
        repeats = sum(record.get("repeat", False) for record in records)
        pushes = len(heard(self.run, "job"))
        assert pushes <= len(self.said) + repeats, f"{pushes} pushes of {len(self.said)}, {repeats} marked"

    def _is_final(self, text: str) -> bool:
        """Whether a notification with this body was handed over, and each of its devices has a final record."""
        one = self.run.deliveries.database["notifications"].find_one({"body": text, "state": "sent"})
        if not one:
            return False
        final = {"batch_id": one["_id"], "client": "notices", "outcome": {"$ne": "deferred"}}
        return self.run.deliveries.count_documents(final) == one["devices"]

    def judge_events(self) -> None:
        """The endpoint was told what it wants to hear of each device, each under an id and a number of its own."""
        each = {
            "notification.accepted": self.size.living,
            "notification.rejected": self.size.dead,
            "device.invalid": self.size.dead,
        }
        wanted = {kind: number for kind, number in each.items() if kind in (self.size.events or each)}
        count = sum(wanted.values())

        def told() -> dict[str, set[bytes]]:
            events: dict[str, set[bytes]] = {}
            for request in self.receiver.of("/ok"):
                events.setdefault(request.id, set()).add(request.body)
            return events

        try:
            eventually("the endpoint is told all", lambda: len(told()) >= count, 60, 0.2)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {len(told())} of {count}") from error
        events = told()
        assert all(len(bodies) == 1 for bodies in events.values()), "one id, one body"
        data = [json.loads(body) for (body,) in events.values()]
        # It counts what the endpoint does not want, too.
        numbers = {one["data"]["sequence"] for one in data}
        assert len(numbers) == count, "a number twice, or none"
        assert numbers <= set(range(1, sum(each.values()) + 1)), "a number of no event"
        kinds = Counter(one["type"] for one in data)
        assert kinds == wanted, kinds


@case("roles", repeat=3, quick=False)
def every_role_killed_in_a_campaign(run: Run) -> None:
    """serve, schedule, fanout, dispatch, hooks and prune are killed in turns while a campaign goes: every account adds up"""
    kill_every_role(run, SMALL)


@case("roles", quick=False, alone=True)
def every_role_killed_in_a_campaign_to_a_million(run: Run) -> None:
    """the same while a campaign goes to a million devices as fast as it can"""
    kill_every_role(run, LARGE)


def kill_every_role(run: Run, size: Size) -> None:
    town = Town(run, size)
    living = [run.producer.token() for _ in range(size.living)]
    dead = [run.producer.token(DEAD_PREFIX) for _ in range(size.dead)]
    register(run, living + dead)
    devices = size.devices
    audience = ("--client", CLIENT, "--app", BUNDLE, "--tag", TAG)
    orders(run, town.config, "create", "news", *audience, "--body", "News", *size.rate)
    orders(run, town.config, "start", "news", "--at-most", str(devices))
    kill_in_turns(run, town, lambda: shown(run, town.config)["state"] == "done")
    campaign = shown(run, town.config)
    assert campaign["handed_over"] == devices, f"{campaign}"
    eventually(
        "it knows its outcomes",
        lambda: sum(shown(run, town.config)["outcomes"].values()) == devices,
        max(60, size.patience / 5),
        0.5,
    )
    outcomes = shown(run, town.config)["outcomes"]
    assert outcomes == {"accepted": size.living, "token_invalid": size.dead}, f"{outcomes}"
    disabled = lambda: {one["token"] for one in run.devices.find({"enabled": False}, {"token": 1})}  # noqa: E731
    eventually("the dead are disabled", lambda: disabled() == set(dead), 60, 0.1)
    town.judge_service()
    town.judge_events()
    database = run.deliveries.database
    for role in ROLES:
        assert town.roles[role].end() == 0, f"{role}: {town.roles[role].words[-500:]}"
    findings = run.compare_statistics()
    assert not findings, f"{findings}"
    run.notes.append(", ".join(f"{role} {count}" for role, count in town.kills.items()) + " times killed")
    batch = database.notifications.find_one({"x-campaign": {"$exists": True}})["_id"]
    for collection in ("notifications", "campaigns"):
        database[collection].delete_many({})
    judge(run, living + dead, batch)


def kill_in_turns(run: Run, town: Town, is_over: Callable[[], bool]) -> None:
    """Until it is over, each role is killed at least three times, in another order each time."""
    end = time.monotonic() + town.size.patience
    while not is_over() or min(town.kills[role] for role in ROLES) < 3:
        assert time.monotonic() < end, f"it does not come to an end: {town.kills}"
        for role in run.random.sample(ROLES, len(ROLES)):
            time.sleep(run.random.uniform(0.1, 1.5))
            town.kill(role)
            town.say()


def client_and(events: tuple[str, ...]) -> list[str]:
    """How an endpoint says whose events it wants, and which."""
    return ["--client", CLIENT, *(word for event in events for word in ("--event", event))]


def shown(run: Run, config: Path) -> dict:
    found: dict = json.loads(orders(run, config, "show", "news", "--json"))
    return found


def register(run: Run, tokens: list[str]) -> None:
    """Devices of long ago: what APNs calls dead was registered before."""
    address = {"provider": "apns", "app": BUNDLE, "environment": "production", "kind": "token", "tags": [TAG]}
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    run.devices.insert_many(
        [address | {"token": token, "enabled": True, "registered_at": long_ago} for token in tokens], ordered=False
    )
