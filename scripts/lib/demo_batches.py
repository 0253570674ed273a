"""Makes what the demonstration sends: demo_batches.py FOLDER COUNT

Writes into FOLDER the notifications in the three forms of the dispatch message (array-*, envelope.ndjson, campaign-*), the
messages that `waybill send` itself would refuse (raw-*: invalid items, bodies that cannot be read), devices.json for the
registry, rules.json for the simulator, facts.json for the summary and facts.env for the shell. The same COUNT always makes
the same device tokens.
"""

import json
import random
import sys
import time
from pathlib import Path

DEAD = "dead"  # the simulator answers 410 for tokens that begin so
DAY = 86_400
TOPIC = "com.example.parcels"
INVALID_NEIGHBOURS = 95

INVALID_ITEMS = [
    {"device_token": "not-a-token", "message": "The token is no hexadecimal number"},
    {"device_token": "abc", "message": "The token has an odd number of digits"},
    {"device_token": "ab" * 32},
    {"device_token": "cd" * 32, "message": "The priority is none of Apple's", "priority": 7},
    {"device_token": "ef" * 32, "payload": {"aps": {"alert": "Too large for APNs"}, "filler": "x" * 5000}},
]
UNREADABLE = {
    "text": b"Dear Waybill, please tell everybody that the parcels are here.",
    "truncated": b'[{"device_token": "a1b2c3d4", "message": "This body ends too',
    "lane": b'{"lane": "no-such-lane", "notifications": [{"device_token": "a1b2c3d4", "message": "Where to?"}]}',
}


def make_tokens(count: int) -> list[str]:
    """Random tokens, one in a hundred of them dead, spread evenly."""
    generator = random.Random(2026)
    tokens = []
    for number in range(count):
        token = f"{generator.getrandbits(256):064x}"
        if number % 100 == 50:
            token = DEAD + token[4:]
        elif token.startswith(DEAD):
            token = "beef" + token[4:]
        tokens.append(token)
    return tokens


def dead_in(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token.startswith(DEAD)]


def choose_came_back(dead: list[str]) -> set[str]:
    """The dead tokens whose app has registered again since APNs' time of death."""
    return set(dead[-1:] if len(dead) < 6 else dead[-3:])


def make_devices(tokens: list[str], came_back: set[str], now: int) -> list[dict]:
    """What the registry knows before."""
    return [
        {
            "provider": "apns",
            "app": TOPIC,
            "environment": "production",
            "token": token,
            "kind": "token",
            "client": "acme",
            "enabled": True,
            "registered_at": now - 3600 if token in came_back else now - 90 * DAY,
        }
        for token in tokens
    ]


def chunks(items: list, size: int) -> list[list]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def write_array(folder: Path, tokens: list[str]) -> None:
    """The first form, a bare array; each file is one message."""
    items = [{"device_token": token, "message": f"Parcel {number} is here"} for number, token in enumerate(tokens)]
    for number, chunk in enumerate(chunks(items, 1000)):
        (folder / f"array-{number}.json").write_text(json.dumps(chunk))


def write_envelope(folder: Path, tokens: list[str]) -> None:
    """The second form: NDJSON, which `waybill send` puts into envelopes, and one message with the invalid items."""
    with (folder / "envelope.ndjson").open("w") as file:
        for number, token in enumerate(tokens[INVALID_NEIGHBOURS:]):
            item = {"device_token": token, "title": "On its way", "message": f"Parcel {number} left the depot"}
            file.write(json.dumps(item) + "\n")
    message = {
        "batch_id": "demo-mistakes",
        "client": "acme",
        "defaults": {"sound": "default", "badge": 1},
        "notifications": INVALID_ITEMS
        + [{"device_token": token, "message": "My neighbours are invalid"} for token in tokens[:INVALID_NEIGHBOURS]],
    }
    (folder / "raw-invalid-items").write_text(json.dumps(message))


def write_campaign(folder: Path, tokens: list[str]) -> None:
    """The third form, one payload for many tokens."""
    for number, chunk in enumerate(chunks(tokens, 10_000)):
        message = {
            "batch_id": "demo-campaign" + (f"-{number}" if number else ""),
            "client": "contoso",
            "payload": {"aps": {"alert": {"title": "Sale", "body": "Half price until Sunday"}}, "campaign": 42},
            "device_tokens": chunk,
        }
        (folder / f"campaign-{number}.json").write_text(json.dumps(message))


def main() -> None:
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    tokens = make_tokens(count - len(INVALID_ITEMS))
    dead = dead_in(tokens)
    third = len(tokens) // 3
    array, envelope, campaign = tokens[:third], tokens[third : 2 * third], tokens[2 * third :]
    write_array(folder, array)
    write_envelope(folder, envelope)
    write_campaign(folder, campaign)
    for name, body in UNREADABLE.items():
        (folder / f"raw-unreadable-{name}").write_bytes(body)

    came_back = choose_came_back(dead_in(envelope))
    now = int(time.time())
    devices = make_devices(envelope, came_back, now)
    (folder / "devices.json").write_text(json.dumps(devices))
    rule = {"token_prefix": DEAD, "status": 410, "reason": "Unregistered", "timestamp": (now - DAY) * 1000}
    (folder / "rules.json").write_text(json.dumps({"rules": [rule]}))
    expected = {"accepted": len(tokens) - len(dead), "token_invalid": len(dead), "invalid": len(INVALID_ITEMS)}
    (folder / "facts.json").write_text(json.dumps({"count": count, "expected": expected}))
    facts = {
        "IN_ARRAY": len(array),
        "IN_ENVELOPE": len(envelope) + len(INVALID_ITEMS),
        "IN_CAMPAIGN": len(campaign),
        "DEAD": len(dead),
        "REGISTERED": len(devices),
        "CAME_BACK": len(came_back),
        "DISABLED": len(dead) - len(came_back),
        "INVALID": len(INVALID_ITEMS),
        "UNREADABLE": len(UNREADABLE),
        "DEAD_TOKEN": dead_in(envelope)[1],
    }
    (folder / "facts.env").write_text("".join(f"{name}={value}\n" for name, value in facts.items()))


if __name__ == "__main__":
    main()
