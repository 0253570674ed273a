"""A service account, and what its assertions buy (Google, "Using OAuth 2.0 for Server to Server Applications")."""

import base64
import json
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
PROJECT = "strict-project"


class Account:
    """A key, its file, and the project that it may send for."""

    def __init__(self, name: str, folder: Path, token_uri: str) -> None:
        self.email = f"{name}@{PROJECT}.iam.gserviceaccount.com"
        self.key_id = secrets.token_hex(20)
        self.token_uri = token_uri
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.public = self._key.public_key()
        form = serialization.PrivateFormat.PKCS8
        pem = self._key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        self.file = folder / f"{name}.json"
        self.file.write_text(
            json.dumps(
                {
                    "type": "service_account",
                    "project_id": PROJECT,
                    "private_key_id": self.key_id,
                    "private_key": pem.decode(),
                    "client_email": self.email,
                    "client_id": "1",
                    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
                    "token_uri": token_uri,
                    "universe_domain": "googleapis.com",
                },
                indent=2,
            )
        )


class Sold:
    """An access token that was sold."""

    def __init__(self, account: Account, life: float) -> None:
        self.text = "ya29.c." + secrets.token_urlsafe(760)
        self.account, self.end = account, time.monotonic() + life
        self.revoked = False


class Office:
    """Checks assertions, sells access tokens, and knows those that it sold."""

    def __init__(self, violation: Callable[[str], None]) -> None:
        self.violation = violation
        self.accounts: dict[str, Account] = {}  # by client_email
        self.sold: dict[str, Sold] = {}  # by text
        self.seen: dict[str, float] = {}  # assertions, and when each came first
        self.life = 3599.0
        self.exchanges: list[float] = []

    def too_many(self) -> list[str]:
        """Nothing: what is too many, a scenario says."""
        return []

    def exchange(self, form: bytes) -> Sold:
        """Judges a form as strictly as can be: every fault is a violation of the client's."""
        self.exchanges.append(time.monotonic())
        fields = parse_qsl(form.decode(), keep_blank_values=True, strict_parsing=True)
        if sorted(name for name, _ in fields) != ["assertion", "grant_type"] or dict(fields)["grant_type"] != GRANT:
            self.violation(f"the form has {[name for name, _ in fields]}")
        assertion = dict(fields)["assertion"]
        now = time.monotonic()
        # RS256 is deterministic: two that are signed in one second are the same.
        if now - self.seen.setdefault(assertion, now) > 2:
            self.violation("an assertion was used again")
        head, claims, signature = assertion.split(".")
        header, payload = json.loads(_decode(head)), json.loads(_decode(claims))
        account = self.accounts[payload["iss"]]
        if header != {"alg": "RS256", "typ": "JWT", "kid": account.key_id}:
            self.violation(f"the assertion's header is {header}")
        if payload.keys() != {"iss", "scope", "aud", "iat", "exp"}:
            self.violation(f"the claims are {sorted(payload)}")
        if payload["scope"] != SCOPE or payload["aud"] != account.token_uri:
            self.violation(f"scope or aud: {payload['scope']} {payload['aud']}")
        issued, end = payload["iat"], payload["exp"]
        if type(issued) is not int or type(end) is not int or not 0 < end - issued <= 3600:
            self.violation(f"iat {issued}, exp {end}")
        # Ahead of the clock is refused by Google; a little behind is what its own libraries do.
        elif not 0 <= time.time() - issued <= 60:
            self.violation(f"iat is {time.time() - issued:.0f} s old")
        try:
            account.public.verify(_decode(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            self.violation("the assertion's signature is wrong")
        sold = Sold(account, self.life)
        self.sold[sold.text] = sold
        return sold

    def revoke(self) -> None:
        """Every token that was sold so far is refused from now on."""
        for sold in self.sold.values():
            sold.revoked = True

    def refuses(self, authorization: str) -> bool:
        """Whether a request's token is not good; one that was never sold is a violation."""
        sold = self.sold.get(authorization.removeprefix("Bearer "))
        if not authorization.startswith("Bearer ") or sold is None:
            self.violation("an access token that was never sold")
            return True
        return sold.revoked or sold.end <= time.monotonic()


def _decode(part: str) -> bytes:
    if "=" in part:
        raise ValueError("padding")
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
