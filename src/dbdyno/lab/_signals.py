"""Ctrl-C, SIGTERM, a terminal that goes away: the first stops the study in an orderly way, more are ignored meanwhile.

A lost connection to the machine must not leave a server behind. Who wants a study to outlive its terminal says so
(``nohup``, ``setsid``, ``tmux``), and is heard: a SIGHUP that is ignored already stays ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Each of the signals raises KeyboardInterrupt, once. Outside the main thread nothing is changed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    try:
        for number in before:
            signal.signal(number, _stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """The signals wait until the block is done: for the few steps that must not be cut in two.

    They are kept and sent again. Blocking them would not do: the kernel gives a process's signal to any of its threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    heard = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    try:
        for number in heard:
            signal.signal(number, lambda number, _frame: came.append(number))
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    for again in _ENDINGS:
        signal.signal(again, signal.SIG_IGN)  # an impatient second Ctrl-C must not leave a server behind
    raise KeyboardInterrupt
