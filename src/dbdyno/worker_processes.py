"""Makes pools of worker processes that end with this process, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection
from types import TracebackType


class ProcessPool(ProcessPoolExecutor):
    """Ends with its block. An error, such as an interruption, ends its processes in the middle of their work."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for the processes. What is not begun by then is not done."""
        if kind is not None:
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(cancel_futures=True)


def process_pool(count: int, prepare: Callable[[], None] | None = None) -> ProcessPool:
    """Return a pool of fresh processes, not forked ones: a fork would lack the threads that libraries started here.

    Parameters
    ----------
    prepare : called first in each process
    """
    return ProcessPool(count, multiprocessing.get_context("spawn"), initializer=_begin_work, initargs=(prepare,))


def _begin_work(prepare: Callable[[], None] | None) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        # A worker holds both ends of its work queue, so it would not notice that its parent has ended.
        threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True, name="dbdyno-parent").start()
    if prepare is not None:
        prepare()


def _exit_after(sentinel: int) -> None:
    """End this process once its parent has ended, for example killed because memory ran out."""
    connection.wait([sentinel])
    os._exit(1)
