#!/usr/bin/python3
"""Becomes a program under the system call filter of a unit, as systemd would start it.

filtered.py UNIT PROGRAM ARGUMENTS…    needs Debian's python3-seccomp, and systemd-analyze, which says what is in each group
"""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import seccomp  # type: ignore[import-not-found]


def expanded(group: str) -> set[str]:
    """The calls of a group, groups within it included."""
    done = subprocess.run(["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True, timeout=60)
    words = [line.strip() for line in done.stdout.splitlines()[1:]]
    return calls(word for word in words if word and not word.startswith("#"))


def calls(words: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        found |= expanded(word) if word.startswith("@") else {word}
    return found


def main() -> None:
    unit, program, *arguments = sys.argv[1:]
    text = Path(unit).read_text()
    allowed = expanded("@default")  # systemd adds it to every list of what is allowed
    for sign, words in re.findall(r"^SystemCallFilter=(~?)(.*)$", text, re.MULTILINE):
        allowed = allowed - calls(words.split()) if sign else allowed | calls(words.split())
    number = re.search(r"^SystemCallErrorNumber=(\w+)$", text, re.MULTILINE)
    denied = seccomp.ERRNO(getattr(errno, number[1])) if number else seccomp.KILL_PROCESS
    rules = seccomp.SyscallFilter(denied)
    for call in allowed:
        try:
            rules.add_rule(seccomp.ALLOW, call)
        except (RuntimeError, OSError):
            pass  # a call of another machine, or of a newer kernel than the library knows
    rules.load()
    os.execvp(program, [program, *arguments])


if __name__ == "__main__":
    main()
