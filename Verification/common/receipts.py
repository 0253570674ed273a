"""The sections of a configuration with which devices are listened to, and capabilities made by hand."""

import base64
import hmac
import time
from pathlib import Path
from typing import Any

SECRETS = {"k2": "2" * 40, "k1": "1" * 40}


def settings(folder: Path, keys: dict[str, str] | None = None) -> dict[str, Any]:
    """The section `receipts`, with its key file in the folder; the first key makes capabilities."""
    file = folder / "receipts"
    file.touch(mode=0o600)
    file.write_text("".join(f"{id} {secret}\n" for id, secret in (keys or SECRETS).items()))
    return {"key_file": str(file), "keep_for": "30d"}


def capability(id: str, key: str = "k2", secret: str | None = None, lifetime: int = 3600) -> str:
    """As Waybill makes it, by an independent reading of the documentation."""
    head = f"v1.{key}.{int(time.time()) + lifetime}."
    code = hmac.digest((secret or SECRETS[key]).encode(), (head + id).encode(), "sha256")[:16]
    return head + base64.urlsafe_b64encode(code).decode().rstrip("=")
