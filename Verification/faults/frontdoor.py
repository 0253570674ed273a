"""The sections of `serve` with which people have accounts."""

import base64
import secrets
from pathlib import Path
from typing import Any

from faults.product import BUNDLE

BASE = "https://push.example.com"
APP_ID = "ABCDE12345.com.example.app"
MANY = {"burst": 100_000, "per_minute": 1_000_000, "per_day": 1_000_000_000}


def accounts(folder: Path, limit: int = 1000, queues: dict[str, str] | None = None) -> dict[str, Any]:
    """The sections of `serve` for accounts, with a root secret in the folder. `queues`: the settings of the thesis' queues."""
    root = folder / "root-secret"
    if not root.exists():
        root.touch(mode=0o600)
        root.write_text(base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
    return {
        "accounts": {
            "base_url": BASE,
            "root_secret_file": str(root),
            "password_hash": {"memory": 1024, "passes": 1},
            "limits": {"sign_ups_per_hour": limit, "log_ins_per_minute": limit, "checks_per_minute": limit},
            "apps": [APP_ID],
        },
        "notifire": {"services": {"app": BUNDLE, "lane": "parcels", "client": "notices", **MANY, **(queues or {})}},
    }
