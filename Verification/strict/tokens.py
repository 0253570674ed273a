"""Provider tokens as a strict APNs would check them (Apple, "Establishing a token-based connection to APNs")."""

import base64
import json
import time
from collections.abc import Callable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

SHORTEST_INTERVAL = 20 * 60

Verdict = tuple[str | None, str | None, str | None]  # key id, team, what is wrong


def _decode(part: str) -> bytes:
    if "=" in part:
        raise ValueError("padding")
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class ProviderTokens:
    """Every provider token that was seen, checked once each."""

    def __init__(
        self, public_keys: dict[str, ec.EllipticCurvePublicKey], team: str, clock: Callable[[], float] = time.time
    ) -> None:
        self.public_keys, self.team, self.clock = public_keys, team, clock
        self.known: dict[str, Verdict] = {}  # by authorization
        self.first_seen: dict[str | None, list[tuple[float, str]]] = {}  # (time, authorization) by key id

    def check(self, authorization: str) -> Verdict:
        """Returns (key id, team, what is wrong or None)."""
        if authorization not in self.known:
            self.known[authorization] = self._check(authorization)
            key_id = self.known[authorization][0]
            self.first_seen.setdefault(key_id, []).append((self.clock(), authorization))
        return self.known[authorization]

    def _check(self, authorization: str) -> Verdict:
        key_id = team = None
        try:
            if not authorization.startswith("bearer "):
                return None, None, "authorization does not begin with 'bearer '"
            head, claims, signature = authorization[7:].split(".")
            header, payload, raw = json.loads(_decode(head)), json.loads(_decode(claims)), _decode(signature)
            key_id, team, issued = header.get("kid"), payload.get("iss"), payload.get("iat")
            if header.get("alg") != "ES256":
                return key_id, team, f"alg is {header.get('alg')}"
            if type(issued) is not int:
                return key_id, team, "iat is no integer"
            if not -60 <= self.clock() - issued <= 3600:
                return key_id, team, f"iat is {self.clock() - issued:.0f} s old"
            if team != self.team or key_id not in self.public_keys or len(raw) != 64:
                return key_id, team, "wrong team, key or length of the signature"
            r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
            signed = f"{head}.{claims}".encode()
            self.public_keys[key_id].verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return key_id, team, "the signature is wrong"
        except (ValueError, KeyError, AttributeError) as error:
            return key_id, team, f"malformed: {error}"
        return key_id, team, None

    def too_many(self) -> list[str]:
        """Keys that had two tokens within 20 minutes, over all connections."""
        findings = []
        for key_id, seen in self.first_seen.items():
            for (earlier, _), (later, _) in zip(seen, seen[1:]):
                if later - earlier < SHORTEST_INTERVAL:
                    findings.append(f"key {key_id}: two provider tokens within {later - earlier:.0f} s")
        return findings
