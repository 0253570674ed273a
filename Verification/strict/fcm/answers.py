"""What FCM answers, and what its sender has to make of it (Google, ErrorCode and "Scale FCM")."""

import json
from dataclasses import dataclass, field
from typing import Any

TYPE = "type.googleapis.com/"


def fcm_error(code: str) -> dict[str, Any]:
    return {"@type": TYPE + "google.firebase.fcm.v1.FcmError", "errorCode": code}


def error_info(reason: str) -> dict[str, Any]:
    return {"@type": TYPE + "google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def bad_request(where: str) -> dict[str, Any]:
    return {"@type": TYPE + "google.rpc.BadRequest", "fieldViolations": [{"field": where, "description": "no"}]}


def quota(whose: str) -> dict[str, Any]:
    text = f"Message rate limit exceeded for {whose}"
    return {"@type": TYPE + "google.rpc.QuotaFailure", "violations": [{"subject": "project:1", "description": text}]}


@dataclass(frozen=True)
class Answer:
    status: int
    action: str  # what the client has to make of it
    word: str | None = None  # FCM's own, or what stands in its place
    state: str = ""
    details: tuple = ()
    wait: int | None = None  # the least that the client has to wait, in seconds
    headers: tuple = ()
    html: bool = False
    again: bool = field(default=False)

    def body(self) -> bytes:
        if self.html:
            return b"<!DOCTYPE html><html lang=en><title>Error</title><p>Please try again in 30 seconds.</html>"
        error: dict[str, Any] = {"code": self.status, "message": "UNREGISTERED, says a text that nobody may read"}
        if self.state:
            error["status"] = self.state
        if self.details:
            error["details"] = list(self.details)
        return json.dumps({"error": error}, indent=2).encode()


INVALID = "INVALID_ARGUMENT"
TABLE = [
    Answer(400, "check", INVALID, INVALID, (fcm_error(INVALID), bad_request("message.token"))),
    Answer(400, "check", INVALID, INVALID, (bad_request("message.token"), fcm_error(INVALID))),
    Answer(400, "drop", INVALID, INVALID, (fcm_error(INVALID),)),
    Answer(400, "drop", INVALID, INVALID, (fcm_error(INVALID), bad_request("message.android.ttl"))),
    Answer(400, "drop", INVALID, INVALID, (bad_request("message.data[0].value"),)),
    Answer(400, "drop", INVALID, INVALID),
    Answer(400, "drop", "UNSPECIFIED_ERROR", INVALID, (fcm_error("UNSPECIFIED_ERROR"),)),
    Answer(400, "drop", "SOMETHING_NEW", INVALID, (fcm_error("SOMETHING_NEW"),)),
    Answer(404, "remove", "UNREGISTERED", "NOT_FOUND", (fcm_error("UNREGISTERED"),)),
    Answer(404, "remove", "UNREGISTERED", "NOT_FOUND", (error_info("X"), fcm_error("UNREGISTERED"))),
    Answer(404, "fix", "NOT_FOUND", "NOT_FOUND"),
    Answer(404, "fix", html=True),
    Answer(403, "check", "SENDER_ID_MISMATCH", "PERMISSION_DENIED", (fcm_error("SENDER_ID_MISMATCH"),)),
    Answer(403, "fix", "IAM_PERMISSION_DENIED", "PERMISSION_DENIED", (error_info("IAM_PERMISSION_DENIED"),)),
    Answer(403, "fix", "PERMISSION_DENIED", "PERMISSION_DENIED"),
    Answer(401, "drop", "THIRD_PARTY_AUTH_ERROR", "UNAUTHENTICATED", (fcm_error("THIRD_PARTY_AUTH_ERROR"),)),
    Answer(401, "drop", "SOMETHING_NEW", "UNAUTHENTICATED", (fcm_error("SOMETHING_NEW"),)),
    Answer(403, "drop", "SOMETHING_NEW", "PERMISSION_DENIED", (error_info("X"), fcm_error("SOMETHING_NEW"))),
    Answer(404, "drop", "SOMETHING_NEW", "NOT_FOUND", (fcm_error("SOMETHING_NEW"),)),
    Answer(403, "drop", "UNREGISTERED", "PERMISSION_DENIED", (fcm_error("UNREGISTERED"),)),
    Answer(429, "later-message", "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", (fcm_error("QUOTA_EXCEEDED"), quota("device")),
           60),
    Answer(429, "later-topic", "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", (quota("topic"), fcm_error("QUOTA_EXCEEDED")),
           7, (("retry-after", "7"),)),
    Answer(429, "later-project", "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", (fcm_error("QUOTA_EXCEEDED"),), 3600,
           (("retry-after", "1000000000"),)),
    Answer(429, "later-project", "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED", (), 60, (("retry-after", "soon"),)),
    Answer(500, "later-message", "INTERNAL", "INTERNAL", (fcm_error("INTERNAL"),), 10),
    Answer(503, "later-project", "UNAVAILABLE", "UNAVAILABLE", (fcm_error("UNAVAILABLE"),), 10),
    Answer(503, "later-project", "SOMETHING_NEW", "UNAVAILABLE", (fcm_error("SOMETHING_NEW"),), 42,
           (("retry-after", "42"),)),
    Answer(503, "later-project", "UNAVAILABLE", "UNAVAILABLE", (fcm_error("UNAVAILABLE"),), 3, (("retry-after", "3"),)),
    Answer(503, "later-project", "UNAVAILABLE", "UNAVAILABLE", (fcm_error("UNAVAILABLE"),), 10, (("retry-after", "0"),)),
    Answer(502, "later-project", html=True, wait=30),
    Answer(504, "later-project", html=True, wait=30),
    Answer(413, "drop", html=True),
]  # fmt: skip

REFUSED = Answer(401, "fix", "ACCESS_TOKEN_EXPIRED", "UNAUTHENTICATED", (error_info("ACCESS_TOKEN_EXPIRED"),), again=True)
