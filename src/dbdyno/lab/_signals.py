"""Ends a study in order at the first SIGINT, SIGQUIT, SIGTERM or SIGHUP, and ignores further ones meanwhile.

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

END_S = 4.0
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class OverdueError(KeyboardInterrupt):
    """Describes what was to be done after the first signal took too long, and is cut off."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Make each of the signals raise KeyboardInterrupt, once. Outside the main thread nothing is changed.

    What follows it, to the end of the block, has `END_S`; then it is cut off by `OverdueError`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous_handlers = {number: signal.getsignal(number) for number in _ENDINGS}
    if previous_handlers[signal.SIGHUP] is signal.SIG_IGN:
        del previous_handlers[signal.SIGHUP]
    alarm = signal.signal(signal.SIGALRM, _handle_cleanup_timeout)
    try:
        for number in previous_handlers:
            signal.signal(number, _handle_stop_signal)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay the signals until the block is done, or until `END_S` has passed: for steps that must not be cut in two.

    They are kept and sent again. Blocking them would not do: the kernel gives a process's signal to any of its threads.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received_signals: list[int] = []

    def keep(number: int, _frame: FrameType | None) -> None:
        received_signals.append(number)
        _start_cleanup_timer()

    previous_handlers = {number: signal.getsignal(number) for number in _ENDINGS}
    replaced_handlers = {
        number: handler for number, handler in previous_handlers.items() if handler is not signal.SIG_IGN
    }
    is_overdue = False
    try:
        for number in replaced_handlers:
            signal.signal(number, keep)
        yield
    except OverdueError:
        is_overdue = True
        raise
    finally:
        for number, handler in replaced_handlers.items():
            signal.signal(number, signal.SIG_IGN if is_overdue else handler)
        if received_signals and not is_overdue:
            signal.raise_signal(received_signals[0])


def _handle_stop_signal(number: int, frame: FrameType | None) -> NoReturn:
    for ignored_signal in _ENDINGS:
        signal.signal(ignored_signal, signal.SIG_IGN)  # an impatient second Ctrl-C must not leave a server behind
    _start_cleanup_timer()
    raise KeyboardInterrupt


def _start_cleanup_timer() -> None:
    """Start the clock, unless it runs already or nobody would hear it."""
    if signal.getsignal(signal.SIGALRM) is _handle_cleanup_timeout and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        signal.setitimer(signal.ITIMER_REAL, END_S)


def _handle_cleanup_timeout(number: int, frame: FrameType | None) -> NoReturn:
    raise OverdueError
