"""Files are dealt to the workers of `make test` so that none waits for a long one at the end, see `workers`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from workers import LONGEST_FIRST, FilesFromBothEnds

ROOT = Path(__file__).parents[2]
TRUTHS = ["tests/truth/test_one.py::test_a", "tests/server/test_network_share.py::test_b"]
OTHERS = ["tests/server/test_short.py::test_a", f"{LONGEST_FIRST[1]}::test_a", f"{LONGEST_FIRST[1]}::test_b"]
UNITS = ["tests/unit/test_c.py::test_a", "tests/unit/test_d.py::test_a", "tests/unit/test_e.py::test_a"]


class Node:
    """A worker, which is told numbers of tests."""

    shutting_down = False
    gateway = SimpleNamespace(id="gw")

    def __init__(self) -> None:
        self.told: list[int] = []

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.told += numbers

    def shutdown(self) -> None:
        self.shutting_down = True


def dealt(tests: list[str], workers: int) -> tuple[FilesFromBothEnds, list[Any]]:
    option = SimpleNamespace(loadscopereorder=True)
    config: Any = SimpleNamespace(option=option, getvalue=lambda name: ["popen"] * workers)
    scheduler, nodes = FilesFromBothEnds(config), [Node() for _ in range(workers)]
    for node in nodes:
        scheduler.add_node(node)  # type: ignore[arg-type]
        scheduler.add_node_collection(node, tests)  # type: ignore[arg-type]
    scheduler.schedule()
    return scheduler, nodes


def test_every_long_file_is_there() -> None:
    assert [name for name in LONGEST_FIRST if not (ROOT / name).exists()] == []


def test_long_files_come_first_all_truths_are_one_worker_s_and_the_last_worker_begins_at_the_end() -> None:
    tests = [*OTHERS[:1], *TRUTHS, *OTHERS[1:], *UNITS]
    _, (first, second, last) = dealt(tests, 3)
    assert [tests[number] for number in first.told] == TRUTHS
    assert [tests[number] for number in second.told] == OTHERS[1:]
    assert [tests[number] for number in last.told] == [UNITS[2], UNITS[1]], "one more, so that it can begin"


def test_a_worker_has_its_next_file_when_it_comes_to_its_last_test() -> None:
    tests = [*TRUTHS, *OTHERS, *UNITS]
    scheduler, (first, _, _) = dealt(tests, 3)
    assert len(first.told) == 2
    scheduler.mark_test_complete(first, 0)
    assert [tests[number] for number in first.told] == [*TRUTHS, OTHERS[0]]


def test_a_worker_without_a_further_file_ends() -> None:
    scheduler, nodes = dealt([*TRUTHS, *OTHERS], 2)
    while scheduler.has_pending:
        for node in nodes:
            done = sum(list(unit.values()).count(True) for unit in scheduler.assigned_work[node].values())
            if done < len(node.told):
                scheduler.mark_test_complete(node, node.told[done])
    assert all(node.shutting_down for node in nodes)
    assert sorted(number for node in nodes for number in node.told) == list(range(5))
