"""How long the attacks go on: once in CI; `make attack` gives them a time, which the kinds of attack share.

There every attack is made once at first, as in CI. Further trials follow in rounds, one of each kind in a round, and
none begins once the time is up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

MINUTES = float(os.environ.get("DBDYNO_ATTACK_MINUTES", "0"))
ROUNDS = int(os.environ.get("DBDYNO_ATTACK_ROUNDS", "20" if MINUTES else "1"))
"""At most so many of each kind."""
SEED = int(os.environ.get("DBDYNO_ATTACK_SEED", "16"))
_UNTIL = "DBDYNO_ATTACK_UNTIL"


def begin() -> None:
    """Count the time from now on, for this process and those that it starts."""
    if MINUTES:
        os.environ.setdefault(_UNTIL, str(time.monotonic() + 60 * MINUTES))


def is_time_up() -> bool:
    """Whether no further trial begins."""
    return time.monotonic() > float(os.environ.get(_UNTIL, "inf"))


def repeats(count: int, share: float = 0.02) -> Iterator[int]:
    """Yield the numbers of repetitions of a test: `count` of them in CI, else more.

    Parameters
    ----------
    share : of the time of `make attack`, after which none beyond `count` begins
    """
    until = time.monotonic() + (60 * MINUTES * share if MINUTES else float("inf"))
    for number in range(count * ROUNDS):
        if number >= count and (time.monotonic() > until or is_time_up()):
            return
        yield number
