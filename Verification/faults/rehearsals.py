"""What schemas/rehearsals show, as troubles of a lane: the rules to start a simulator with, and what may come of a push."""

import json
from dataclasses import dataclass, field, replace

from common.places import ROOT

from faults.product import RULES

FOLDER = ROOT / "schemas/rehearsals"

ACCEPTED = frozenset({"accepted"})
UNANSWERED = ACCEPTED | {"unknown"}
PUT_OFF = ACCEPTED | {"rejected"}  # rejected: all attempts were used up
REFUSED = frozenset({"rejected"})
INVALID = frozenset({"token_invalid"})
ANY = UNANSWERED | REFUSED | INVALID


@dataclass(frozen=True)
class Trouble:
    """A rehearsal as a lane lives through it.

    prefixes: how device tokens begin, and the outcomes that are right for them. tokens: how many device tokens share the
    load; 0 is a new one for each notification. parks: the lane is parked, so that the end of the trouble shows only
    after the lane's pause. rate: notifications a second. changes: what is set otherwise than in the file, by section.
    """

    name: str
    prefixes: dict
    tokens: int = 0
    parks: bool = False
    rate: float = 400
    changes: dict = field(default_factory=dict)

    def rules(self) -> dict:
        """The rehearsal's rules, under which the tokens that the oracle calls dead stay dead."""
        rules = json.loads((FOLDER / f"{self.name}.json").read_text())
        rules = {**rules, "rules": RULES["rules"] + rules.get("rules", [])}
        for section, values in self.changes.items():
            rules[section] = {**rules[section], **values}
        return rules

    def or_unknown(self) -> "Trouble":
        """The same, where an answer may also come too late."""
        return replace(self, prefixes={prefix: allowed | {"unknown"} for prefix, allowed in self.prefixes.items()})


def every(allowed: frozenset) -> dict:
    """The same outcomes for every token."""
    return {"aa": allowed}


# Broadcasts and channels are no business of the dispatcher's, so broadcast-trouble is not among them.
# Nor is token-expired: every token is too old there, one refused twice is not sent again, and its successor is 20 minutes off.
TROUBLES = (
    Trouble("abrupt-restart", every(UNANSWERED)),
    Trouble("asked-to-wait", every(PUT_OFF)),
    Trouble("chaos", every(ANY)),
    Trouble("dead-tokens", {"0": INVALID, "1": INVALID, "2": INVALID, "3": INVALID, "aa": ACCEPTED}),
    Trouble("failing-handshake", every(ACCEPTED)),
    Trouble("flapping-connections", every(UNANSWERED)),
    Trouble("floods", every(UNANSWERED)),
    Trouble("half-open", every(UNANSWERED)),
    Trouble("hung-service", every(UNANSWERED)),
    Trouble("idle-timeout", every(ACCEPTED)),
    Trouble("lost-answers", every(UNANSWERED)),
    Trouble("moving-streams", every(ACCEPTED | INVALID)),
    Trouble("one-stream", every(ACCEPTED)),
    Trouble("outage-503", every(PUT_OFF)),
    Trouble("outage-half", every(PUT_OFF)),
    Trouble("outage-passing", every(ACCEPTED)),
    Trouble(
        "poisoned-answers",
        {
            **dict.fromkeys(("0", "5", "aa", "b"), ACCEPTED),
            "1": INVALID,
            # 2: a body of a quarter of a megabyte has no reason that anybody knows
            **dict.fromkeys(("2", "3", "4", "6", "8", "c", "dd"), REFUSED),
            "7": UNANSWERED,  # no client has to take 50,000 bytes of headers
            "9": PUT_OFF,
        },
        rate=100,  # one answer in eleven is large: more is a test of the simulator
    ).or_unknown(),  # dd closes the connection under whatever else is on it
    Trouble("refused-connections", every(ACCEPTED)),
    Trouble("resets", every(UNANSWERED)),
    Trouble("rolling-restart", every(ACCEPTED)),
    Trouble("silent-handshake", every(ACCEPTED)),
    Trouble("silent-settings", every(UNANSWERED)),
    Trouble("slow-answers", every(UNANSWERED)),  # they come a second before a request is given up
    Trouble("small-header-table", every(ACCEPTED)),
    Trouble("small-windows", every(UNANSWERED)),
    Trouble("token-refused", every(ACCEPTED), parks=True),
    Trouble("token-throttling", every(ACCEPTED)),
    Trouble("too-many-requests", every(PUT_OFF), tokens=20),
)
