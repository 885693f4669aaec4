"""Makes pools of processes that take over work and end with this one, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection


def process_pool(count: int, prepare: Callable[[], None] | None = None) -> ProcessPoolExecutor:
    """Return a pool of fresh processes: threads that libraries have started here would not survive a fork.

    Parameters
    ----------
    prepare : called first in each process
    """
    return ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), initializer=_begin_work, initargs=(prepare,)
    )


def _begin_work(prepare: Callable[[], None] | None) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        # What it waits for work on is open for writing in itself: it would not see that nobody gives it any more.
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True, name="dbdyno-parent").start()
    if prepare is not None:
        prepare()


def _end_with(sentinel: int) -> None:
    """End this process with the one that has started it, such as one that is killed for want of memory."""
    connection.wait([sentinel])
    os._exit(1)
