"""Real engines for the tests that want them, see `laboratory`: one laboratory a session, whatever folders use it."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest

from laboratory import laboratory, start

__all__ = ["laboratory", "start"]


def pytest_configure() -> None:
    """Ctrl-C reaches the programs that tests start, even where whoever started pytest ignores it (nohup, `&`)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_ONE_BY_ONE = frozenset({"truth", "server", "sysbench"})


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """With several workers: a file is one worker's, and so is each folder that loads the machine.

    Tests that drive real servers would take each other's processor time, if several workers had them.
    """
    for item in items:
        folder = item.path.parent.name
        item.add_marker(pytest.mark.xdist_group(folder if folder in _ONE_BY_ONE else str(item.path)))
