"""The registry that a run with dead tokens needs: the same tokens as waybill-bench load makes, computed a second time."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from common.registry import device

from bench.records import Records

MASK = (1 << 64) - 1
DEAD = 0xDEAD
APP = "com.example.parcels"


def words(seed: int) -> Iterator[int]:
    """SplitMix64 from the seed of a token sequence."""
    state = seed * 0xD1B54A32D192ED03 & MASK
    while True:
        state = state + 0x9E3779B97F4A7C15 & MASK
        word = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
        yield word ^ word >> 31


def dead_tokens(seed: int, count: int, dead_share: float) -> Iterator[str]:
    """The dead among the first so many tokens."""
    source, dead = words(seed), 0
    for index in range(1, count + 1):
        token = [next(source) for _ in range(4)]
        if int(index * dead_share) > dead:
            dead += 1
            token[0] = DEAD << 48 | token[0] >> 16
            yield "".join(f"{word:016x}" for word in token)


def register(records: Records, seed: int, count: int, dead_share: float) -> None:
    """Registers the dead tokens as devices of yesterday."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    tokens = dead_tokens(seed, count, dead_share)
    records.devices.insert_many([device(APP, token, yesterday) for token in tokens])
