"""What a server does at each step; scenarios override single ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from h2.settings import SettingCodes

from strict.ledger import Attempt

if TYPE_CHECKING:
    from strict.connection import Connection


class Behaviour:
    """What a server does; the plain one does everything right. Scenarios override single steps."""

    streams = 200  # announced once a good token was seen
    first_streams = 1  # announced at the beginning
    window = 65_535
    settings: Mapping[SettingCodes, int] = MappingProxyType({})  # more of the first SETTINGS

    def accepted(self, connection: Connection) -> bool:
        """A TCP connection: `return False` goes no further."""
        return True

    def secured(self, connection: Connection) -> None:
        connection.start()

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        """Headers came, the end of the request not yet."""

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        """A part of a body came; whoever takes it opens the windows again."""
        connection.release(attempt.stream, size)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)

    def closed(self, connection: Connection) -> None:
        pass
