"""What a busy share is worth: the cost curve of one worker.

At low load each statement costs a sleep and a wake-up, at high load one wake-up serves many: a worker that is busy for
a third of the time does far less than a third of what it could. The curve, measured against the null server, says how
much less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class CostCurve:
    """Busy share of a worker -> share of its ceiling, both 0 to 1; neither falls.

    Parameters
    ----------
    busy, used : of the measured points, ascending, from (0, 0) to (1, 1)
    """

    busy: tuple[float, ...] = (0.0, 1.0)
    used: tuple[float, ...] = (0.0, 1.0)

    @classmethod
    def through(cls, points: Iterable[tuple[float, float]]) -> CostCurve:
        """The curve through measured points of busy share and share of the ceiling.

        A point that lies above a later one is noise: the curve is raised to it. None lies above the diagonal: a
        worker can't have done more of what it can do than it was busy.
        """
        inside = sorted((busy, min(used, busy)) for busy, used in points if 0.0 < busy < 1.0)
        busy = (0.0, *(point[0] for point in inside), 1.0)
        used = np.maximum.accumulate([0.0, *(point[1] for point in inside), 1.0])
        return cls(busy, tuple(float(share) for share in used))

    def used_share(self, busy_share: float) -> float:
        """Share of the ceiling.

        >>> CostCurve.through([(0.3, 0.1)]).used_share(0.3), CostCurve().used_share(0.3)
        (0.1, 0.3)
        """
        return float(np.interp(busy_share, self.busy, self.used))


DIAGONAL = CostCurve()
"""Without a calibration the busy share stands for itself: too high at low load, right at full load."""
