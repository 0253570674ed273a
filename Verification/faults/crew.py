"""Worker processes, each of which does one task after another. Processes and not threads: proxies and ledgers are work, too."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from faults.oracle.verdict import Verdict
from faults.servers import ports


class Crew:
    """`size` processes, forked from this one; each calls execute(task, its number) and answers with a verdict.

    Tasks are handed out in their order, to whoever is free. What is reserved for number 0 goes there and to nobody else.
    """

    def __init__(self, size: int, tasks: list, execute: Callable[[Any, int], Verdict]) -> None:
        context = multiprocessing.get_context("fork")
        self._tasks, self._execute = tasks, execute
        self._processes: list[Any] = []
        self._pipes: list[Connection] = []
        for number in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=self._work, args=(number, size, theirs), name=f"worker-{number}")
            process.start()
            theirs.close()
            self._processes.append(process)
            self._pipes.append(ours)

    def run(self, is_reserved: Callable[[Any], bool]) -> Iterator[tuple[Any, Verdict]]:
        """Yields each task with its verdict when it is done."""
        reserved = [index for index, task in enumerate(self._tasks) if is_reserved(task)]
        common = [index for index, task in enumerate(self._tasks) if not is_reserved(task)]
        idle: list[Any] = list(self._pipes)
        busy: dict[Any, int] = {}  # pipe to the index of its task
        while True:
            for pipe in list(idle):
                queue = reserved if pipe is self._pipes[0] and reserved else common
                if queue:
                    idle.remove(pipe)
                    busy[pipe] = queue.pop(0)
                    pipe.send(busy[pipe])
            if not busy:
                break
            ready: list[Any] = wait(list(busy))
            for pipe in ready:
                index = busy.pop(pipe)
                try:
                    verdict = pipe.recv()
                    idle.append(pipe)
                except EOFError:
                    verdict = Verdict(findings=["its worker process has ended"])
                yield self._tasks[index], verdict
        for index in reserved + common:
            yield self._tasks[index], Verdict(findings=["not run: there is no worker process left for it"])

    def end(self) -> None:
        """Ends the workers; one that is at work ends what it has started first."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(30)
            if process.is_alive():
                process.kill()
                process.join()

    def _work(self, number: int, size: int, pipe: Connection) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        for other in self._pipes:  # those of the workers before this one: their ends must be ours alone to hold
            other.close()
        ports.take_part(number, size)
        try:
            while True:
                pipe.send(self._execute(self._tasks[pipe.recv()], number))
        except (EOFError, KeyboardInterrupt):
            os._exit(1)  # whoever gave us work is gone, or a person has interrupted all of us
