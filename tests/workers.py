"""Which of several pytest workers runs which tests: a file is one worker's, and so are all known truths together.

What a file's tests share is made once so, and no two truths, which are times, disturb each other. The queue begins with
the files that take longest, so that none of them is left alone at the end. What else drives real servers follows; all
of these mostly wait. The queue ends with what computes, and the last worker takes from its end, so that both kinds are
under way side by side, and whoever is done helps the others.

xdist's own ``--dist loadgroup`` hands over its groups in the names of tests, which pytest 9.2 no longer lets it change:
each test goes to any worker then, and nothing says so.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_TRUTHS = "tests/truth/"
_TOGETHER = (_TRUTHS, "tests/server/test_network_share.py")
LONGEST_FIRST = (
    _TRUTHS,
    "tests/server/test_remote_study.py",
    "tests/attack/test_remote_faults.py",
    "tests/server/test_settings.py",
    "tests/server/test_ci_examples.py",
    "tests/server/test_shaped_client_hosts.py",
    "tests/server/test_client_hosts.py",
    "tests/server/test_open_lengths.py",
    "tests/server/test_fleet.py",
    "tests/server/test_lab.py",
    "tests/server/test_prove.py",
    "tests/server/test_shaped_routes.py",
    "tests/attack/test_faults_by_phase.py",
    "tests/attack/test_first_signal.py",
    "tests/server/test_aligned.py",
    "tests/server/test_rust_clients.py",
    "tests/server/test_wheels.py",
    "tests/server/test_images.py",
    "tests/server/test_endings.py",
    "tests/server/test_restarts.py",
    "tests/server/test_deep.py",
)
"""Files of a minute and more, by how long they take on two processors. One that is missing here is taken later."""


class FilesFromBothEnds(LoadScopeScheduling):
    """One file after another, the longest first; the last worker begins with the last file."""

    def __init__(self, config: Any, log: Any = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._is_sorted = False

    def _split_scope(self, nodeid: str) -> str:
        return _TRUTHS if nodeid.startswith(_TOGETHER) else nodeid.partition("::")[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        if not self._is_sorted:
            self._is_sorted = True
            for scope in reversed(LONGEST_FIRST):
                if scope in self.workqueue:
                    self.workqueue.move_to_end(scope, last=False)
        if len(self.nodes) > 1 and node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        """Give a worker its next file when it comes to the last test of one, and not before: others may be free sooner.

        It begins a test once it knows the next one, so it must not wait for the end of the last.
        """
        if not self.workqueue or self._pending_of(self.assigned_work[node]) <= 1:
            super()._reschedule(node)
