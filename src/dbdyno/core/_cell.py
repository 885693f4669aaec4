"""Defines cells and runs: what is to be measured, in which order."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Literal, TypeAlias

Route: TypeAlias = str
"""How the client reaches the server: one of `ROUTES`, or the name that a study gives to a shaped network."""
ROUTES: tuple[Route, ...] = ("socket", "loopback", "network")
UNKNOWN_ROUTE: Route = "unknown"
"""Route of imported runs whose logs don't state it."""
RunStatus = Literal["good", "suspect", "failed", "skipped", "missing"]


def is_network_route(route: Route) -> bool:
    """Return whether clients reach the server over a network, shaped or not.

    >>> [is_network_route(route) for route in ("socket", "loopback", "network", "wan", "unknown")]
    [False, False, True, True, False]
    """
    return route not in ("socket", "loopback", UNKNOWN_ROUTE)


@dataclass(frozen=True, slots=True)
class Cell:
    """Describes one combination of target, tier, concurrency, workload and route.

    Parameters
    ----------
    tier_bytes : 0 where an imported log does not state it
    """

    target: str
    tier_bytes: int
    concurrency: int
    workload: str
    route: Route

    @property
    def cell_id(self) -> str:
        """Return an id that is readable, unique in a study and safe as a file name.

        >>> Cell("mariadb:11.8+rocksdb", 64 << 20, 16, "sysbench/oltp_read_write", "socket").cell_id
        'mariadb-11.8-rocksdb_64MiB_c16_oltp_read_write_socket-142e'
        """
        return _cell_id(self.target, self.tier_bytes, self.concurrency, self.workload, self.route)


@dataclass(frozen=True, slots=True)
class Run:
    """Describes one planned attempt at a cell.

    Parameters
    ----------
    order_index : place in the order of the study, from 0
    repeat : from 1
    seed : of the load's random numbers; the same for every target of a repeat, so all send the same statements
    reason : why it stands at this place, for `dbdyno plan`
    is_sentinel : driven again and again to watch the machine; no cell's level rests on it
    is_further : made because the level of its cell was not sure enough; it counts for the level and not for the spread
    """

    cell: Cell
    repeat: int
    order_index: int
    seed: int
    reason: str
    is_sentinel: bool = False
    is_further: bool = False

    @property
    def run_id(self) -> str:
        """Return the cell id and repeat: the name of the run's folder."""
        return f"{self.cell.cell_id}_{'s' if self.is_sentinel else 'r'}{self.repeat}"

    @property
    def repeat_words(self) -> str:
        """Return which run of its cell it is."""
        return f"{'sentinel' if self.is_sentinel else 'repeat'} {self.repeat}"


@functools.lru_cache(maxsize=16_384)
def _cell_id(target: str, tier_bytes: int, concurrency: int, workload: str, route: str) -> str:
    """Return the cell id; cached, because a report of a thousand runs asks for each dozens of times."""
    digest = hashlib.sha256(repr((target, tier_bytes, concurrency, workload, route)).encode()).hexdigest()[:4]
    target_slug, workload_slug = _slug(target, 60), _slug(workload.rsplit("/", 1)[-1], 40)
    return f"{target_slug}_{tier_bytes >> 20}MiB_c{concurrency}_{workload_slug}_{route}-{digest}"


def _slug(text: str, most: int) -> str:
    """Return a part of a file name: at most so many characters, and at most twice as many bytes."""
    readable = "".join(c if c.isalnum() or c in "._" else "-" for c in text)[:most]
    return readable.encode()[: 2 * most].decode(errors="ignore")
