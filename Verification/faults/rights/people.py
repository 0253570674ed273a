"""Trials of the commands that change keys, accounts, services and orders."""

import json
import uuid

from faults.rights.trial import Trial


def keys(trial: Trial) -> bool:
    """A key is made, rotated and ended."""
    if not trial.succeeds("keys", "create", "--name", "trial", "--role", "reader", "--all-clients", "--json"):
        return False
    key = json.loads(trial.words.splitlines()[0])["id"]
    return trial.succeeds("keys", "rotate", key) and trial.succeeds("keys", "revoke", key) and trial.succeeds("keys")


def accounts(trial: Trial) -> bool:
    """Somebody's account is found, suspended and let in again, and what it owns is given away."""
    trial.people("trial", "other")
    try:
        trial.a_service("acc_trial")
        return (
            trial.succeeds("accounts")
            and trial.succeeds("accounts", "show", "trial")
            and trial.succeeds("accounts", "suspend", "acc_trial")
            and trial.succeeds("accounts", "resume", "acc_trial")
            and trial.succeeds("accounts", "transfer", "trial", "--to", "other")
        )
    finally:
        trial.nobody()


def services(trial: Trial) -> bool:
    """A service of somebody who has gone is found, suspended, let speak again and given to somebody else."""
    trial.people("trial")
    try:
        name = trial.a_service("acc_gone")
        return (
            trial.succeeds("services")
            and trial.succeeds("services", "show", name)
            and trial.succeeds("services", "suspend", name)
            and trial.succeeds("services", "resume", name)
            and trial.succeeds("services", "transfer", name, "--to", "trial")
        )
    finally:
        trial.nobody()


def lanes(trial: Trial) -> bool:
    """A lane is paused and opened, twice, and shown."""
    orders = [("pause", "parcels"), ("resume", "parcels")] * 2
    return all(trial.succeeds("lanes", *order) for order in orders) and trial.succeeds("lanes", "list")


def cancel(trial: Trial) -> bool:
    """A batch that the log does not know is cancelled, and once more, what is cancelled is listed, and it is lifted."""
    batch = f"trial-{uuid.uuid4()}"
    for _ in range(2):
        if trial.succeeds("cancel", batch) or "no record of it yet" not in trial.words:
            return False
    if not trial.succeeds("cancel", "--list") or batch not in trial.words:
        return False
    return trial.succeeds("cancel", "--lift", batch)
