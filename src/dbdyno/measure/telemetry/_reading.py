"""One reading of one source, and what a source is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as the system gives it.

    Parameters
    ----------
    kind : a counter only grows and is stored as its rate per second; a gauge is stored as it is
    unit : of the stored value: of the rate for a counter
    """

    metric: str
    value: float
    unit: str
    kind: Literal["counter", "gauge"] = "counter"


class Source(Protocol):
    """Something that can be read once a second. Raises OSError, ValueError or a database error when it can't."""

    @property
    def name(self) -> str:
        """For caveats and for the lateness metric."""

    def read(self) -> Sequence[Reading]:
        """Read now."""
