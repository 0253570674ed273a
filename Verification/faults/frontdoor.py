"""The sections of `serve` with which people have accounts, for the app and the lane of the cases."""

from pathlib import Path
from typing import Any

from common import frontdoor
from common.frontdoor import BASE

from faults.product import BUNDLE

__all__ = ["APP_ID", "BASE", "accounts"]

APP_ID = "ABCDE12345.com.example.app"


def accounts(folder: Path, limit: int = 1000, queues: dict[str, str] | None = None) -> dict[str, Any]:
    """The sections of `serve` for accounts, with a root secret in the folder. `queues`: the settings of the thesis' queues."""
    services = {"app": BUNDLE, "lane": "parcels", "client": "notices", **(queues or {})}
    return frontdoor.accounts(folder, [APP_ID], services, limit)
