"""Makes pools of worker processes that end with this process, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection


def process_pool(count: int, prepare: Callable[[], None] | None = None) -> ProcessPoolExecutor:
    """Return a pool of fresh processes, not forked ones: a fork would lack the threads that libraries started here.

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
        # A worker holds both ends of its work queue, so it would not notice that its parent has ended.
        threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True, name="dbdyno-parent").start()
    if prepare is not None:
        prepare()


def _exit_after(sentinel: int) -> None:
    """End this process once its parent has ended, for example killed because memory ran out."""
    connection.wait([sentinel])
    os._exit(1)
