"""The sections of `serve` with which people have accounts."""

import base64
import secrets
from pathlib import Path
from typing import Any

BASE = "https://push.example.com"
# No service here is to be told that it says too much.
MANY = {"burst": 100_000, "per_minute": 1_000_000, "per_day": 1_000_000_000}


def accounts(folder: Path, apps: list[str], services: dict[str, Any], limit: int = 1000) -> dict[str, Any]:
    """The sections for accounts and for services, with a root secret in the folder.

    apps: the app ids that the links belong to. services: `notifire.services` beside its limits. limit: of what strangers ask.
    """
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
            "apps": apps,
        },
        "notifire": {"services": {**MANY, **services}},
    }
