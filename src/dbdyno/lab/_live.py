"""What is told of a run while it is driven: each second with its place in the run, and how far the verdict has come."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.core import Run
from dbdyno.lab import _events as events
from dbdyno.measure import LoadOrder
from dbdyno.stats import Course
from dbdyno.store import SecondRow


@dataclass(slots=True)
class SecondReporter:
    """Tells of the seconds of one run."""

    run: Run
    order: LoadOrder
    on_event: events.OnEvent
    course: Course | None = None

    def follow(self, course: Course) -> None:
        """Take in what the run has come to."""
        self.course = course

    def take(self, row: SecondRow) -> None:
        """Tell of a second: its number within its phase, and how many that has, at most where that is open."""
        first, count = self._place(row.phase)
        self.on_event(
            events.SecondMeasured(
                self.run,
                row.phase,
                row.second - first + 1,
                count,
                row.tps,
                row.p95_ns,
                row.errors or 0,
                row.client_use_share,
                self.course,
                row.qps,
                row.connections_live,
            )
        )

    def _place(self, phase: str) -> tuple[int, int]:
        if self.order.study.pacing.search is not None:
            return 0, 0
        if phase != "window":
            return 0, self.order.first_window_second
        warm_up_s = None if self.course is None else self.course.warm_up_s
        return self.order.first_window_second if warm_up_s is None else warm_up_s, self.order.window_seconds
