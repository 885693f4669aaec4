"""What a process uses of the memory that it is limited to, page cache included."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno.hosts import MemoryUse
from dbdyno.measure.telemetry._reading import Reading


class MemoryLimitSource:
    """``NAME.limit.*``: bytes used, of them page cache and anonymous memory; file pages read once more.

    Parameters
    ----------
    use : reads the control group
    """

    def __init__(self, name: str, use: Callable[[], MemoryUse]) -> None:
        self.name = f"{name}-limit"
        self._prefix = f"{name}.limit"
        self._use = use

    def read(self) -> Sequence[Reading]:
        """Read the group's counters."""
        use = self._use()
        return [
            Reading(f"{self._prefix}.used", use.used_bytes, "bytes", "gauge"),
            Reading(f"{self._prefix}.page_cache", use.page_cache_bytes, "bytes", "gauge"),
            Reading(f"{self._prefix}.anonymous", use.anonymous_bytes, "bytes", "gauge"),
            Reading(f"{self._prefix}.refaulted", use.refaulted_pages, "pages/s"),
        ]
