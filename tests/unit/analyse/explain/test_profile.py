"""Stacks of two servers compared: own times add up to the whole, whole times count each stack once."""

from __future__ import annotations

import random

import pytest

from dbdyno.analyse.explain import Frame, compare_stacks
from dbdyno.core import FURTHER, Stack

NAMES = ["do_command", "parse", "read_row", "[mysqld]", "[libc.so.6]", "do_syscall_64_[k]", "__x64_sys_read_[k]"]


def _stacks(seed: int) -> dict[Stack, float]:
    draw = random.Random(seed)
    return {("sessions", *draw.choices(NAMES, k=draw.randint(1, 6))): draw.random() for _ in range(60)}


def _frames(frame: Frame) -> list[Frame]:
    return [frame, *(one for child in frame.children.values() for one in _frames(child))]


@pytest.mark.parametrize("seed", range(5))
def test_own_times_add_up_to_the_whole_on_both_sides_and_at_every_frame(seed: int) -> None:
    left, right = _stacks(seed), _stacks(seed + 100)
    found = compare_stacks(left, right)
    assert sum(each.left_ms for each in found.functions) == pytest.approx(sum(left.values()))
    assert sum(each.right_ms for each in found.functions) == pytest.approx(sum(right.values()))
    gap = sum(right.values()) - sum(left.values())
    assert sum(each.own_difference_ms for each in found.functions) == pytest.approx(gap)
    for tree in (found.left, found.right):
        for frame in _frames(tree):
            inner = sum(child.total_ms for child in frame.children.values())
            assert frame.own_ms + inner == pytest.approx(frame.total_ms)
    for each in found.functions:
        assert each.left_total_ms >= each.left_ms - 1e-9
        assert each.left_total_ms <= sum(left.values()) + 1e-9


def test_a_function_that_calls_itself_is_counted_once() -> None:
    found = compare_stacks({("sessions", "f", "g", "f"): 2.0}, {}).by_name()["f"]
    assert (found.left_ms, found.left_total_ms) == (2.0, 2.0)


def test_time_in_the_kernel_is_the_system_calls() -> None:
    stack = ("sessions", "flush", "do_syscall_64_[k]", "__x64_sys_ppoll_[k]", "schedule_[k]")
    found = compare_stacks({stack: 1.0}, {(*stack[:3], "__x64_sys_poll_[k]"): 3.0})
    assert [(each.name, each.own_difference_ms) for each in found.functions if each.own_difference_ms] == [
        ("system call poll", 2.0)
    ]


def test_functions_without_a_name_are_one_on_both_servers_and_their_share_is_known() -> None:
    found = compare_stacks({("sessions", "f", "[mariadbd]"): 1.0}, {("sessions", "f", "[mysqld]"): 1.5})
    assert found.by_name()["[server]"].own_difference_ms == 0.5
    assert (found.left_unnamed_ms, found.right_unnamed_ms) == (1.0, 1.5)


def test_waits_whose_stack_was_not_kept_are_not_of_functions_without_a_name() -> None:
    found = compare_stacks({("sessions", "page read", FURTHER): 4.0}, {("sessions", "latch", "[mysqld]"): 1.0})
    assert (found.left_unnamed_ms, found.right_unnamed_ms) == (0.0, 1.0)


def test_a_wait_is_own_time_of_the_function_that_waits() -> None:
    """MySQL's commits and latches all end in `os_event::wait_low`, which was the first row of the table for both."""
    commit, latch = ("sessions", "redo flush", "log_write_up_to"), ("sessions", "latch", "rw_lock_x_lock_func")
    left = {(*commit, "os_event::wait_low"): 1.0, (*latch, "sync_array_wait_event", "os_event::wait_low"): 2.0}
    right = {(*commit, "os_event::wait_low"): 11.0, ("sessions", "latch", "[mysqld]", "os_event::wait_low"): 2.0}
    functions = compare_stacks(left, right).by_name()
    own = {
        name: (function.left_ms, function.right_ms)
        for name, function in functions.items()
        if function.own_difference_ms
    }
    assert own == {
        "log_write_up_to": (1.0, 11.0),
        "rw_lock_x_lock_func": (2.0, 0.0),
        "os_event::wait_low": (0.0, 2.0),
    }
