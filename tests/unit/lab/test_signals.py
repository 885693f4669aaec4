"""What ends a study in order: Ctrl-C, SIGTERM, and a terminal that goes away, unless the study was to outlive it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from dbdyno.lab import _signals
from dbdyno.lab._signals import OverdueError, interruptible, uninterrupted

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in ENDINGS}
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDINGS)
def test_each_interrupts_once_and_the_next_is_ignored(number: signal.Signals) -> None:
    interrupted = 0
    with interruptible():
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            interrupted += 1
        for again in ENDINGS:
            os.kill(os.getpid(), again)
    assert interrupted == 1


def test_under_nohup_a_terminal_may_go_away() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with interruptible():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("number", ENDINGS)
def test_what_must_not_be_cut_in_two_is_done_first_also_beside_other_threads(number: signal.Signals) -> None:
    done, over = False, threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt), interruptible(), uninterrupted():
            os.kill(os.getpid(), number)
            done = True
    finally:
        over.set()
        other.join()
    assert done


def test_without_a_signal_nothing_is_raised_and_all_is_as_before() -> None:
    before = [signal.getsignal(number) for number in ENDINGS]
    with uninterrupted():
        pass
    assert [signal.getsignal(number) for number in ENDINGS] == before


@pytest.mark.parametrize("is_held", [False, True])
def test_what_follows_the_first_signal_is_cut_off_when_it_hangs(is_held: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_signals, "END_S", 0.3)
    hung = []
    with pytest.raises(OverdueError), interruptible():
        if is_held:
            with uninterrupted():
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(30)
                hung.append("in what was held")
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            time.sleep(30)
            hung.append("in what follows")
    assert hung == []


def test_no_alarm_comes_after_the_end() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyboardInterrupt), interruptible():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
