"""The messages that the probe is told to send."""

import json
import time
import uuid
from dataclasses import dataclass
from random import Random
from typing import Any

TOKEN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


@dataclass
class Item:
    position: int
    id: str
    token: str
    form: str  # ready or data
    content: str
    expiration: int | None
    leave: bool
    urgent: bool

    def line(self) -> str:
        expiration = "-" if self.expiration is None else str(self.expiration)
        columns = [self.id, self.token, self.form, self.content, expiration, str(int(self.leave)), str(int(self.urgent))]
        return "\t".join(columns) + "\n"

    def message(self) -> dict[str, Any]:
        """The message of a request for this item, without the time to live."""
        if self.form == "ready":
            return {"token": self.token, **json.loads(self.content)}
        words = self.content.split("\x1f")
        data = {"wb_id": self.id, **dict(zip(words[::2], words[1::2]))}
        return {"token": self.token, "data": data, "android": {"priority": "HIGH"}}

    def wrong_body(self, body: bytes) -> str | None:
        try:
            value = json.loads(body, object_pairs_hook=single)
        except ValueError as error:
            return f"the body is no good JSON: {error}"
        if not isinstance(value, dict) or value.keys() != {"message"}:
            return "the body is no message"
        message, expected = value["message"], self.message()
        own = "ttl" in expected.get("android", {})
        if self.expiration is not None and not own:
            life = message.get("android", {}).pop("ttl", None)
            problem = wrong_life(life, self.expiration)
            if problem:
                return problem
            if not message["android"] and "android" not in expected:
                del message["android"]
        if message != expected:
            return "the message is not what was asked for"
        return None


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def wrong_life(life: object, expiration: int) -> str | None:
    """What is wrong with a time to live that has to be counted when the request is written."""
    if not isinstance(life, str) or not life.endswith("s") or not life[:-1].isdigit():
        return f"ttl is {life!r}"
    # The request was written a little before it is read, and waited for nothing in between.
    if not -3 <= expiration - time.time() - int(life[:-1]) <= 3:
        return f"ttl is {life}, with {expiration - time.time():.0f} s to go"
    return None


def make(random: Random, count: int, *, leave: float = 0.3, urgent: float = 0.1) -> list[Item]:
    """Seeded messages: written by the client, and ready ones; a part of them with leave to be sent again."""
    items = []
    later = int(time.time()) + 7200
    for position in range(count):
        id = str(uuid.UUID(int=random.getrandbits(128), version=4))
        trace = f"{position}-{random.getrandbits(40):x}"
        if random.random() < 0.5:
            form, content = "data", f'title\x1fNúmero "{position}" \u2603\x1ftrace\x1f{trace}'
        else:
            value: dict[str, Any] = {"data": {"wb_id": id, "trace": trace, "p": "p" * random.choice([0, 100, 900, 3000])}}
            android = random.choice([None, {}, {"priority": "NORMAL"}, {"ttl": "77s", "collapse_key": "k"}])
            if android is not None:
                value["android"] = android
            if random.random() < 0.2:
                value["notification"] = {"title": "T", "body": f"B {position}"}
            form, content = "ready", json.dumps(value, ensure_ascii=random.random() < 0.5)
        items.append(
            Item(
                position=position,
                id=id,
                token="".join(random.choices(TOKEN, k=22)) + ":APA91b" + "".join(random.choices(TOKEN, k=120)),
                form=form,
                content=content,
                expiration=random.choice([None, None, later + position % 7]),
                leave=random.random() < leave,
                urgent=random.random() < urgent,
            )
        )
    return items
