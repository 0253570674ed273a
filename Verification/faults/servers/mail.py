"""A mail server that a case plays: what it takes, refuses, or is silent about."""

import asyncio
import logging
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

# Its words are about clients that break off, which is what the cases want.
logging.getLogger("mail.log").setLevel(logging.CRITICAL + 1)
USER, PASSWORD = "waybill", "sécret of the mail server"


@dataclass
class Received:
    """One mail, as it came."""

    sender: str
    recipients: list[str]
    content: bytes


@dataclass
class MailServer:
    """Listens on loopback. `replies` go to the next recipients, in order; without any left, recipients are taken."""

    certificate: tuple[Path, Path] | None
    port: int
    replies: list[str] = field(default_factory=list)
    mails: list[Received] = field(default_factory=list)
    recipients_asked: int = 0
    logins: int = 0

    def __post_init__(self) -> None:
        self.silence = threading.Event()  # set: contents are taken and never answered
        context = None
        if self.certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*map(str, self.certificate))
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            tls_context=context,
            require_starttls=context is not None,
            auth_required=context is not None,
            authenticator=self._authenticate,
        )
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop(no_assert=True)

    def _authenticate(self, server: Any, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        self.logins += 1
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        # With handled=True the library would answer nothing at all.
        return AuthResult(success=right, handled=False)

    async def handle_RCPT(self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        self.recipients_asked += 1
        if self.replies:
            return self.replies.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str | None:
        content = envelope.original_content or b""
        self.mails.append(Received(envelope.mail_from or "", list(envelope.rcpt_tos), content))
        if self.silence.is_set():
            await asyncio.sleep(600)  # nobody hears whether it was taken
        return "250 taken"
