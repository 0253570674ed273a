"""Commands that become a program with less of something: descriptors, memory, processors, or with another clock."""

import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def descriptors(count: int) -> tuple:
    return ("prlimit", f"--nofile={count}:{count}")


def one_core() -> tuple:
    """The first core that we may use ourselves."""
    return ("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))))


def clock(seconds: int) -> tuple:
    """The calendar moved by so many seconds; the monotonic clock goes on as it is. Needs Debian's package libfaketime.

    The library itself: the command `faketime` stays as a parent that passes no signals on.
    """
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        raise AssertionError("there is no libfaketime: apt-get install libfaketime")
    # With shared memory of its own the library changes the environment early, and Swift then finds no arguments.
    shared = "FAKETIME_SHARED=/none /none"
    return ("env", f"LD_PRELOAD={library}", f"FAKETIME={seconds:+d}s", "DONT_FAKE_MONOTONIC=1", shared)


def forget_clock(pid: int) -> None:
    """Removes what the library keeps in shared memory for a process: one that was killed has left it there."""
    for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
        Path("/dev/shm", name).unlink(missing_ok=True)


class MemoryLimit:
    """So many bytes for a program, page cache included: a control group of our own, for which it takes root.

    Without one the limit is on private memory that is set aside (RLIMIT_DATA), which counts the threads' stacks, 8 MiB
    each and hardly used: they are added to it.
    """

    STACKS = 16 * (8 << 20)

    def __init__(self, size: int, name: str) -> None:
        self._group = None
        version_1 = (CGROUPS / "memory" / name, "memory.limit_in_bytes")
        version_2 = (CGROUPS / name, "memory.max")
        for group, limit in (version_1, version_2):
            try:
                group.mkdir()
                self._group = group
                (group / limit).write_text(str(size))
                self.through: tuple[str, ...] = ("sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group / "cgroup.procs"))
                return
            except OSError:
                self.close()
        self.through = ("prlimit", f"--data={size + self.STACKS}")

    def close(self) -> None:
        """Removes the group; nothing may run in it any more."""
        group, self._group = self._group, None
        if group is not None:
            group.rmdir()
