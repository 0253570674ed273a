"""What the server saw and did; the checker compares it with what the client says."""

from dataclasses import dataclass, field


@dataclass
class Attempt:
    """One request on one stream."""

    connection: "ConnectionLog"
    stream: int
    begun: float  # its headers came
    id: str = ""  # the apns-id; at FCM the id in the body
    headers: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)
    complete: float | None = None  # END_STREAM came
    # What the server did.
    answered: float | None = None  # the answer's last frame was written
    answer_begun: float | None = None
    status: int | None = None
    reason: object = None  # what the client must report; a set of what it may report; ... for anything
    timestamp: int | None = None
    reset: tuple | None = None  # (time, code)
    excluded: float | None = None  # a GOAWAY left it out
    again: bool = False  # the answer asks for the same request once more
    note: str = ""  # a scenario's own word for what it did
    # What the client did besides.
    client_reset: tuple | None = None

    def text(self) -> str:
        return f"{self.id} on {self.connection.number}/{self.stream}"


@dataclass
class ConnectionLog:
    number: int
    accepted: float
    secured: float | None = None
    attempts: list = field(default_factory=list)
    settings: list = field(default_factory=list)  # (time, values)
    goaways: list = field(default_factory=list)  # (time, last stream, code, debug data)
    hurt: tuple | None = None  # (time, how): cut or silenced by the server, so that answers may be lost
    unusable: tuple | None = None  # (time, how): no new request may be put on it once the client knows
    spoiled: float | None = None  # the server broke the protocol, for which the client may end the connection
    client_goaway: tuple | None = None  # (time, code, debug data)
    ended: tuple | None = None  # (time, how) by the client
    note: str = ""
    events: list = field(default_factory=list)


class Ledger:
    def __init__(self) -> None:
        self.connections: list[ConnectionLog] = []
        self.attempts: dict[str, list[Attempt]] = {}  # apns-id -> attempts
        self.violations: list[str] = []
        self.errors: list[str] = []  # of the server itself
        self.counters: dict[str, int] = {}

    def violation(self, text: str) -> None:
        if len(self.violations) < 2000:
            self.violations.append(text)

    def count(self, name: str, number: int = 1) -> None:
        self.counters[name] = self.counters.get(name, 0) + number
