"""Which of several pytest workers runs which tests: a file is one worker's, and so are all known truths together.

What a file's tests share is made once so, and no two truths, which are times, disturb each other. The queue begins with
what drives real servers and mostly waits and ends with what computes; the last worker takes from its end, so that both
kinds are under way side by side, and whoever is done helps the others.

xdist's own ``--dist loadgroup`` hands over its groups in the names of tests, which pytest 9.2 no longer lets it change:
each test goes to any worker then, and nothing says so.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_TOGETHER = "tests/truth/"


class FilesFromBothEnds(LoadScopeScheduling):
    """One file after another, in the order of the command line; the last worker begins with the last file."""

    def __init__(self, config: Any, log: Any = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return _TOGETHER if nodeid.startswith(_TOGETHER) else nodeid.partition("::")[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        if len(self.nodes) > 1 and node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
