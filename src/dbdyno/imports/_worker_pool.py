"""Spreads work on many files over the processors; does it at once where there is little."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from dbdyno.core import HostError
from dbdyno.worker_processes import process_pool

Item = TypeVar("Item")
Result = TypeVar("Result")
WORTH_BYTES = 48 << 20
_AHEAD = 3


class WorkerPool:
    """Processes that take over work, or none: then it is done here."""

    def __init__(self, pool: ProcessPoolExecutor | None, count: int) -> None:
        self._pool = pool
        self._count = count

    def each(self, work: Callable[[Item], Result], items: Sequence[Item], chunk: int = 8) -> Iterator[Result]:
        """Yield results in the order of the items. Only a few chunks are under way, so memory stays bounded.

        Raises
        ------
        HostError : one of the processes has died
        """
        if self._pool is None:
            yield from map(work, items)
            return
        try:
            yield from self._spread(self._pool, work, items, chunk)
        except BrokenProcessPool as error:
            raise HostError(
                "a process that reads the files has ended",
                "probably because memory ran out",
                "free memory, or use one processor, which takes less: taskset -c 0 dbdyno import ...",
                code="worker-died",
            ) from error

    def _spread(
        self, pool: ProcessPoolExecutor, work: Callable[[Item], Result], items: Sequence[Item], chunk: int
    ) -> Iterator[Result]:
        chunks = iter([items[start : start + chunk] for start in range(0, len(items), chunk)])
        pending: deque[Future[list[Result]]] = deque()
        for batch in chunks:
            pending.append(pool.submit(_apply_to_all, work, batch))
            if len(pending) > _AHEAD * self._count:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()


@contextmanager
def workers(total_bytes: int) -> Iterator[WorkerPool]:
    """Give workers for so much data; on the way out all of them have ended."""
    count = min(os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0)), 8)
    if total_bytes < WORTH_BYTES or count < 2:
        yield WorkerPool(None, 1)
        return
    with process_pool(count) as pool:
        yield WorkerPool(pool, count)


def _apply_to_all(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return [work(item) for item in items]
