"""What somebody who reads mail sees: the files that `waybill hooks` writes to a folder."""

import email
import email.policy
from email.message import EmailMessage
from pathlib import Path

from faults.cases.trust import write_config
from faults.process import Process, eventually
from faults.run import Run


def opened(run: Run) -> Path:
    """The folder; whoever carries mails there is started with it, once."""
    folder = run.folder / "mails"
    if not folder.exists():
        folder.mkdir()
        config = write_config(run, "mailbox", mail={"from": "Waybill <no-reply@example.com>", "folder": str(folder)})
        carrier = Process("waybill hooks", [run.programs.waybill, "hooks", "--config", str(config)], run.folder / "mailbox.log")
        run.at_close(carrier.kill)
    return folder


def received(run: Run, address: str, count: int) -> list[EmailMessage]:
    """The mails to an address, which are so many when all have come, the latest last."""

    def found() -> list[EmailMessage]:
        files = sorted(opened(run).glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        mails = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [mail for mail in mails if isinstance(mail, EmailMessage) and mail["To"].addresses[0].addr_spec == address]

    eventually(f"{count} mails have come", lambda: len(found()) >= count, 30)
    mails = found()
    assert len(mails) == count, [mail["Subject"] for mail in mails]
    assert not any(mail.defects for mail in mails)
    return mails


def text_of(mail: EmailMessage, kind: str) -> str:
    """kind: plain or html."""
    body = mail.get_body((kind,))
    assert body is not None
    return body.get_content()
