"""Does what people and their phones do in the demonstration.

    demo_people.py enter BASE MAILS KEY_FILE TOKEN…   somebody signs up, and is told by a service on phones with these tokens
    demo_people.py phones RECORD SECONDS TOKEN…       waits until the simulator has shown each phone something, and prints it

MAILS is the folder of mails, RECORD the simulator's record. Only HTTP is spoken, as by an app.
"""

import email
import email.policy
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

ADDRESS = "ada@example.com"
PASSWORD = "correct horse battery"
# What is looked for was sent just now: it is at the record's end.
TAIL = 1 << 20


def ask(base: str, method: str, path: str, access: str | None = None, **members: Any) -> Any:
    request = urllib.request.Request(base + path, method=method, data=json.dumps(members).encode())
    request.add_header("Content-Type", "application/json")
    if access:
        request.add_header("Authorization", f"Bearer {access}")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
    except urllib.error.HTTPError as problem:
        sys.exit(f"{method} {path}: {problem.code} {problem.read().decode()}")
    return json.loads(text) if text else {}


def mailed_token(folder: Path) -> str:
    """What the link in the mail ends with; the mail comes as soon as `hooks` has taken it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for mail in folder.glob("*.eml"):
            message = email.message_from_bytes(mail.read_bytes(), policy=email.policy.default)
            text = message.get_body(("plain",))
            if text and (link := re.search(r"/account/confirm/(\S+)", text.get_content())):
                return link[1]
        time.sleep(0.1)
    sys.exit(f"no mail came into {folder}")


def enter(base: str, mails: str, key_file: str, *tokens: str) -> None:
    ask(base, "POST", "/v1/account", username="ada.l", email=ADDRESS, password=PASSWORD)
    ask(base, "PUT", "/v1/account/confirmation", token=mailed_token(Path(mails)))
    print(f"   Ada signs up, and opens the link in the mail to {ADDRESS}")
    session = ask(base, "POST", "/v1/account/sessions", username="ada.l", password=PASSWORD, name="demonstration")
    access = session["access_token"]
    for token in tokens:
        ask(base, "PUT", f"/v1/account/devices/{uuid.uuid4()}", access, token=token)
    print(f"   She logs in on {len(tokens)} phones")
    service = ask(base, "POST", "/v1/services", access, name="Backup")
    key = ask(base, "POST", f"/v1/services/{service['id']}/keys", access, name="cron", scopes=["notify", "read"])
    with open(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        print(key["secret"], file=file)
    print("   She makes a service, Backup, and a key for it")


def phones(record: str, seconds: str, *tokens: str) -> None:
    deadline, waiting, rest = time.monotonic() + float(seconds), list(tokens), ""
    with open(record) as file:
        file.seek(max(0, os.stat(record).st_size - TAIL))
        while waiting:
            if time.monotonic() > deadline:
                sys.exit(f"{len(waiting)} of {len(tokens)} phones were shown nothing")
            *lines, rest = (rest + file.read()).split("\n")
            for line in lines:
                if token := next((token for token in waiting if token in line), None):
                    alert = json.loads(json.loads(line)["payload"])["aps"]["alert"]
                    print(f"   Phone {tokens.index(token) + 1} shows   {alert['title']}: {alert['body']}")
                    waiting.remove(token)
            time.sleep(0.1)


if __name__ == "__main__":
    if sys.argv[1] == "enter":
        enter(*sys.argv[2:])
    else:
        phones(*sys.argv[2:])
