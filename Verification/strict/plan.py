"""What the probe is told to send: made here, so that what arrives is checked against somebody else's knowledge."""

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from strict.keys import BUNDLE

SUFFIX = {
    "alert": "", "background": "", "voip": ".voip", "complication": ".complication", "widgets": ".push-type.widgets",
    "liveactivity": ".push-type.liveactivity", "fileprovider": ".pushkit.fileprovider", "pushtotalk": ".voip-ptt",
    "controls": ".push-type.controls", "location": ".location-query",
}  # fmt: skip


@dataclass
class Item:
    position: int
    id: str
    token: str
    push_type: str
    topic: str | None
    priority: int | None
    expiration: int | None
    collapse: str | None
    leave: bool
    form: str  # json or alert
    content: str

    def line(self) -> str:
        def text(value: object) -> str:
            return "-" if value is None else str(value)

        columns = [self.id, self.token, self.push_type, text(self.topic), text(self.priority), text(self.expiration)]
        columns += [text(self.collapse), str(int(self.leave)), self.form, self.content]
        return "\t".join(columns) + "\n"

    def headers(self) -> dict[str, str]:
        """The headers that a request for this item has besides the pseudo-headers and authorization."""
        expected = {
            "apns-id": self.id,
            "apns-topic": self.topic or BUNDLE + SUFFIX.get(self.push_type, ""),
            "apns-push-type": self.push_type,
            "apns-priority": str(self.priority or (5 if self.push_type == "background" else 10)),
        }
        if self.expiration is not None:
            expected["apns-expiration"] = str(self.expiration)
        if self.collapse is not None:
            expected["apns-collapse-id"] = self.collapse
        return expected

    def wrong_body(self, body: bytes) -> str | None:
        if self.form == "json":
            return None if body == self.content.encode() else "the body is not the ready JSON, byte for byte"
        title, text, trace = self.content.split("\x1f")
        try:
            value = json.loads(body)
        except ValueError:
            return "the body is no JSON"
        if value != {"aps": {"alert": {"title": title, "body": text}}, "trace": trace}:
            return "the body does not say what was asked for"
        return None


def make(
    random: Random,
    count: int,
    *,
    leave: float = 0.3,
    size: Callable[[Random], int] | None = None,
    collapse: float = 0.3,
    topic: Callable[[int], str | None] | None = None,
) -> list[Item]:
    """Seeded notifications: typed and opaque, of several push types, a part of them with leave to be sent again.

    size: the bytes of an opaque body, as a function of the random source."""
    items = []
    later = int(time.time()) + 86_400
    for position in range(count):
        ready = random.random() < 0.6
        trace = f"{position}-{random.getrandbits(40):x}"
        if ready:
            push_type = random.choice(["alert", "alert", "alert", "background", "voip", "liveactivity", "widgets"])
            aps = {"content-available": 1} if push_type == "background" else {"alert": f"número {position} \u2603"}
            value = {"aps": aps, "x": trace}
            want = size(random) if size else random.choice([0, 0, 200, 900, 3800])
            spare = want - len(json.dumps(value, ensure_ascii=False).encode()) - 8
            if spare > 0:
                value["p"] = "p" * spare
            content = json.dumps(value, ensure_ascii=random.random() < 0.5)
            if len(content.encode()) > 4096:
                value.pop("p")
                content = json.dumps(value)
        else:
            push_type, content = "alert", f'Title {position}\x1fBödy "{position}"\x1f{trace}'
        items.append(
            Item(
                position=position,
                id=str(uuid.UUID(int=random.getrandbits(128), version=4)),
                token=f"{random.getrandbits(4 * 64):064x}" if random.random() < 0.9 else f"{random.getrandbits(640):0160x}",
                push_type=push_type,
                topic=topic(position) if topic else None,
                priority=random.choice([None, None, 5, 10]) if push_type == "alert" else None,
                expiration=random.choice([None, None, 0, later + position % 7]),
                collapse=f"c-{random.getrandbits(64):x}" if random.random() < collapse else None,
                leave=random.random() < leave,
                form="json" if ready else "alert",
                content=content,
            )
        )
    return items
