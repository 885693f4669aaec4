"""Does something in the middle of Python code, at each of its moments: what a signal or another thread may do there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def acted_at(moment: int, act: Callable[[], object], work: Callable[[], object]) -> bool:
    """Do some work, and `act` at its nth line, call or return; False: the work has fewer of them."""
    seen = 0

    def count(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal seen
        seen += 1
        if seen == moment:
            sys.settrace(None)
            act()
        return count

    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(None)
    return seen >= moment
