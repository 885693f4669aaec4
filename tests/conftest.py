"""Real engines for the tests that want them, see `laboratory`: one laboratory a session, whatever folders use it."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest

from chromium import browser
from laboratory import laboratory, start

__all__ = ["browser", "laboratory", "start"]


def pytest_configure() -> None:
    """Signals reach the programs that tests start, even where whoever started pytest ignores them (nohup, `&`)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


_ON_THE_MACHINE = frozenset({"truth", "server", "sysbench", "attack"})
# They end what dead studies have left, wherever on the machine, as the start of every study does.
_CLEANING = frozenset({"test_orphan_cleanup.py", "test_clean.py", "test_memory_group.py"})


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """With several workers: a file is one worker's, and all that loads the machine or cleans it is the same worker's.

    Tests that drive real servers would take each other's processor time, if several workers had them. Such a test sees
    the machine as well as us (a mirror that changes, a burst of foreign load): where it fails, it is run once more, and
    the summary counts that.
    """
    for item in items:
        is_alone = item.path.parent.name in _ON_THE_MACHINE or item.path.name in _CLEANING
        if is_alone or item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        item.add_marker(pytest.mark.xdist_group("machine" if is_alone else str(item.path)))
