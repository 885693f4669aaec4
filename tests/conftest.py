"""Real engines for the tests that want them, see `laboratory`: one laboratory a session, whatever folders use it."""

from __future__ import annotations

import signal

from laboratory import laboratory, start

__all__ = ["laboratory", "start"]


def pytest_configure() -> None:
    """Ctrl-C reaches the programs that tests start, even where whoever started pytest ignores it (nohup, `&`)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
