"""The registry's documents, as an app's own service writes them (schemas/device.schema.json)."""

from datetime import datetime
from typing import Any


def device(app: str, token: str, registered_at: datetime, environment: str = "production") -> dict[str, Any]:
    """A device of APNs that may be pushed to."""
    return {
        "provider": "apns",
        "app": app,
        "environment": environment,
        "token": token,
        "kind": "token",
        "registered_at": registered_at,
        "enabled": True,
    }
