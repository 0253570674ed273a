"""Mails that wait in the outbox, and the servers that take them, refuse them, or say nothing."""

import email
import email.policy
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Any

from common.certificates import Authority

from faults.cases import case
from faults.cases.trust import write_config
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.mail import PASSWORD, USER, MailServer
from faults.servers.ports import free_ports

LINK = "https://example.com/account/confirm/very-secret-token"
ADDRESS = "ada.lovelace@example.org"


class Outbox:
    """The collection, written as its table says (WaybillOutbox), and whoever sends what is in it."""

    def __init__(self, run: Run) -> None:
        run.open()
        self.run = run
        self.mails = run.deliveries.database.outbox_mail
        self.authority = Authority(run.folder / "authority")
        self.certificate = self.authority.issue("mail")
        (self.port,) = free_ports(1)
        self.password = run.folder / "mail-password"
        self.password.touch(mode=0o600)
        self.password.write_text(PASSWORD + "\n")
        self.words: list[Path] = []

    def server(self, certificate: tuple[Path, Path] | None = None, **more: Any) -> MailServer:
        server = MailServer(certificate or self.certificate, self.port, **more)
        self.run.at_close(server.stop)
        return server

    def put(self, name: str, **more: Any) -> None:
        now = datetime.now(UTC)
        self.mails.insert_one(
            {
                "_id": name,
                "to": ADDRESS,
                "subject": f"Bestätigung für {name}",
                "text": f"Hello,\n.\nopen:\n{LINK}\n",
                "html": f'<p><a href="{LINK}">open</a></p>\n',
                "state": "waiting",
                "created_at": now,
                "due": now,
                "attempts": 0,
            }
            | more
        )

    def start(self, name: str = "hooks", **smtp: Any) -> Process:
        settings = {
            "url": f"smtp://localhost:{self.port}",
            "user": USER,
            "password_file": str(self.password),
            "ca_file": str(self.authority.certificate),
        }
        config = write_config(
            self.run, name, mail={"from": "Waybill <no-reply@example.com>", "smtp": settings | smtp}, log={"level": "debug"}
        )
        log = self.run.folder / f"{name}.log"
        self.words.append(log)
        process = Process("waybill hooks", [self.run.programs.waybill, "hooks", "--config", str(config)], log)
        self.run.at_close(process.kill)
        return process

    def state(self, name: str) -> str:
        return str((self.mails.find_one({"_id": name}) or {}).get("state"))

    def is_(self, name: str, state: str) -> bool:
        return self.state(name) == state

    def until(self, what: str, condition: Callable[[], object]) -> None:
        try:
            eventually(what, condition, 30, 0.05)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {self.words[-1].read_text()[-600:]}") from error

    def says_nothing(self) -> None:
        """No log has an address, a link or a password."""
        for log in self.words:
            words = log.read_text()
            for secret in (ADDRESS, "ada.lovelace", LINK, "very-secret-token", PASSWORD):
                assert secret not in words, f"{log.name} says {secret}"


def says(process: Process, event: str) -> bool:
    return f'"{event}"' in process.words


def message(content: bytes) -> EmailMessage:
    read = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(read, EmailMessage)
    assert not read.defects, read.defects
    return read


@case("mail", long=True, later=True)
def mails_go_out(run: Run) -> None:
    """mails go once, over TLS and logged in, as Python's mail library reads them; 4xx later, 5xx never, forged headers never"""
    outbox = Outbox(run)
    server = outbox.server()
    outbox.put("plain")
    # What somebody else has written there.
    outbox.put("forged-to", to=f"{ADDRESS}\r\nBcc: eve@example.net")
    outbox.put("forged-subject", subject="x\r\nBcc: eve@example.net")
    outbox.put("too-late", not_after=datetime.now(UTC) - timedelta(seconds=1))
    hooks = outbox.start()
    outbox.until("it has gone", lambda: outbox.state("plain") == "sent")
    for name in ("forged-to", "forged-subject", "too-late"):
        outbox.until(f"{name} is given up", partial(outbox.is_, name, "failed"))
    (received,) = server.mails
    assert (received.sender, received.recipients) == ("no-reply@example.com", [ADDRESS]), received
    read = message(received.content)
    assert read["Subject"] == "Bestätigung für plain", read["Subject"]
    assert read["From"] == "Waybill <no-reply@example.com>" and read["To"] == ADDRESS, read.items()
    assert read["Auto-Submitted"] == "auto-generated" and read["Message-ID"].endswith("@example.com>"), read.items()
    assert abs(read["Date"].datetime - datetime.now(UTC)) < timedelta(minutes=10), read["Date"]
    # Lines end in CR and LF inside of base64, too (RFC 2045, 6.8).
    texts = {part.get_content_type(): part.get_content().replace("\r\n", "\n") for part in read.iter_parts()}
    assert texts["text/plain"] == f"Hello,\n.\nopen:\n{LINK}\n", texts
    assert f'<a href="{LINK}">' in texts["text/html"], texts
    left = outbox.mails.find_one({"_id": "plain"})
    assert left and not {"text", "html", "due", "lease"} & left.keys() and left["expires_at"] > left["done_at"], left

    server.replies += ["451 4.3.0 not now", "550 5.1.1 nobody of that name"]
    outbox.put("first-later")
    outbox.until("it was tried", lambda: (outbox.mails.find_one({"_id": "first-later"}) or {}).get("error"))
    outbox.put("never")
    outbox.until("it is given up", lambda: outbox.state("never") == "failed")
    outbox.until("it has gone", lambda: outbox.state("first-later") == "sent")
    attempts = {mail["_id"]: mail["attempts"] for mail in outbox.mails.find()}
    assert attempts["first-later"] == 2 and attempts["never"] == 1, attempts
    assert "550" in outbox.mails.find_one({"_id": "never"})["error"]
    assert len(server.mails) == 2, [mail.recipients for mail in server.mails]
    assert hooks.end() == 0, hooks.words[-500:]
    outbox.says_nothing()
    run.start()


@case("mail", long=True, later=True)
def mail_servers_that_are_not_to_be_trusted(run: Run) -> None:
    """a mail server without TLS, of a foreign authority, or that refuses the login hears no mail, and costs no attempt"""
    outbox = Outbox(run)
    outbox.put("waits")
    foreign = Authority(run.folder / "foreign")
    wrong = run.folder / "wrong-password"
    wrong.touch(mode=0o600)
    wrong.write_text("wrong\n")
    trials: list[tuple[str, Any, dict]] = [
        ("plain", None, {}),
        ("foreign", foreign.issue("mail"), {}),
        ("misnamed", outbox.authority.issue("other", host="DNS:elsewhere.example"), {}),
        ("refused", outbox.certificate, {"password_file": str(wrong)}),
    ]
    for name, certificate, smtp in trials:
        server = MailServer(certificate, outbox.port)
        hooks = outbox.start(name, **smtp)
        outbox.until(f"{name}: it says so", partial(says, hooks, "hooks.serverFailed"))
        assert hooks.end() == 0, hooks.words[-500:]
        server.stop()
        assert not server.mails and server.recipients_asked == 0, f"{name}: {server}"
        assert (server.logins > 0) == (name == "refused"), f"{name}: a password was shown: {server.logins}"
        mail = outbox.mails.find_one({"_id": "waits"})
        assert mail and mail["state"] == "waiting" and mail["attempts"] == 0, f"{name}: {mail}"
    # Nobody is there, and then somebody is.
    hooks = outbox.start("recovers")
    outbox.until("it says so", partial(says, hooks, "hooks.serverFailed"))
    server = outbox.server()
    outbox.until("it has gone", lambda: outbox.state("waits") == "sent")
    assert '"hooks.serverRecovered"' in hooks.words and len(server.mails) == 1, hooks.words[-500:]
    assert hooks.end() == 0, hooks.words[-500:]
    outbox.says_nothing()
    run.start()


@case("mail", repeat=5)
def hooks_killed_with_a_mail_in_hand(run: Run) -> None:
    """kill -9 while the server is silent about a mail: another one sends it again, the same bytes; the others go once"""
    outbox = Outbox(run)
    server = outbox.server()
    server.silence.set()
    outbox.put("in-hand")
    hooks = outbox.start("killed")
    outbox.until("the server has it", lambda: len(server.mails) == 1)
    hooks.kill()
    hooks.wait()
    server.silence.clear()
    for number in range(5):
        outbox.put(f"other-{number}")
    second, third = outbox.start("second"), outbox.start("third")
    outbox.until("the others have gone", lambda: outbox.mails.count_documents({"state": "sent"}) == 5)
    assert outbox.state("in-hand") == "waiting" and len(server.mails) == 6, "its lease holds still"
    # Two minutes later.
    outbox.mails.update_one({"_id": "in-hand"}, {"$set": {"due": datetime.now(UTC)}})
    outbox.until("it has gone", lambda: outbox.state("in-hand") == "sent")
    time.sleep(1.5)  # nobody takes it once more
    contents = [mail.content for mail in server.mails]
    assert len(contents) == 7 and contents[0] == contents[6], len(contents)
    assert len(set(contents)) == 6 and len({message(content)["Message-ID"] for content in contents}) == 6, "names differ"
    assert all(process.end() == 0 for process in (second, third)), second.words[-300:] + third.words[-300:]
    outbox.says_nothing()
    run.start()
