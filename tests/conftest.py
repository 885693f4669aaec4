"""Real engines for the tests that want them, see `laboratory`: one laboratory a session, whatever folders use it."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from typing import Any

import pytest

from chromium import browser
from laboratory import laboratory, laboratory_folders, load_generator, remove_abandoned, remove_templates, start
from one_converter import one_converter
from reruns import pytest_runtestloop, pytest_terminal_summary
from session_home import SessionHome
from workers import FilesFromBothEnds

__all__ = [
    "browser",
    "laboratory",
    "load_generator",
    "one_converter",
    "pytest_runtestloop",
    "pytest_terminal_summary",
    "start",
]
_HOME = pytest.StashKey[SessionHome]()


def pytest_configure(config: pytest.Config) -> None:
    """Have a home for the session, which the workers inherit.

    `dbdyno-load` prints the codes of its errors, so that no test reads sentences. Signals reach the programs that
    tests start, even where whoever started pytest ignores them (nohup, `&`).
    """
    os.environ["DBDYNO_ERROR_CODES"] = "1"
    if "PYTEST_XDIST_WORKER" not in os.environ and not config.option.collectonly:
        config.stash[_HOME] = SessionHome.make()
        remove_abandoned(laboratory_folders())  # here and not in the workers, who would be in each other's way
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_unconfigure(config: pytest.Config) -> None:
    remove_templates()
    if _HOME in config.stash:
        config.stash[_HOME].remove()


_ON_THE_MACHINE = frozenset({"truth", "server", "sysbench", "attack"})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Units do not wait for the disk: what a loss of power would leave is no matter of theirs."""
    if item.path.parent.name in _ON_THE_MACHINE:
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesFromBothEnds | None:
    """With ``--dist loadscope`` files are dealt as `workers` says."""
    return FilesFromBothEnds(config, log) if config.getoption("dist") == "loadscope" else None
