"""Compares stacks of two profiled servers: a tree of frames and a list of functions, milliseconds per transaction.

A frame's time is that of the stacks that pass through it at this place. A function's own time is that of the stacks
that end in it, its whole time that of all stacks in which it is, each counted once. Time in the kernel is the system
call's own, a wait for a condition that of the function that waits. The own times of all functions add up to the whole;
so do, at each frame, its own time and its callees'.

>>> differences = compare_stacks({("sessions", "f"): 1.0}, {("sessions", "f", "g"): 2.0, ("sessions", "f"): 0.5})
>>> [(each.name, each.left_ms, each.right_ms) for each in differences.functions]
[('g', 0.0, 2.0), ('f', 1.0, 0.5)]
>>> differences.left.total_ms, differences.right.total_ms, differences.right.children["sessions"].children["f"].own_ms
(1.0, 2.5, 0.5)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dbdyno.core import FURTHER, KERNEL_MARK, Stack, is_unnamed

_SYSTEM_CALL = "_sys_"
_KERNEL = "other kernel work"
_WAIT_PRIMITIVES = ("os_event", "sync_array_wait", "safe_cond_", "psi_cond_", "inline_mysql_cond_", "native_cond_")
"""Begin names of functions in which all kinds of waits end: their callers show what is waited for."""
_SAME = {"[mariadbd]": "[server]", "[mysqld]": "[server]", "ppoll": "poll", "pselect6": "select"}


@dataclass(slots=True)
class Frame:
    """Describes a function where it is called from one place, with what it calls.

    Parameters
    ----------
    total_ms : per transaction, callees included
    own_ms : without them
    """

    name: str
    total_ms: float = 0.0
    own_ms: float = 0.0
    children: dict[str, Frame] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunctionTimes:
    """Describes a function on both sides, for all its callers; milliseconds per transaction.

    Parameters
    ----------
    left_ms, right_ms : its own, without what it calls
    left_total_ms, right_total_ms : with what it calls
    """

    name: str
    left_ms: float
    right_ms: float
    left_total_ms: float
    right_total_ms: float

    @property
    def own_difference_ms(self) -> float:
        """Return the difference, right minus left, own time."""
        return self.right_ms - self.left_ms

    @property
    def difference_ms(self) -> float:
        """Return the difference, right minus left, callees included."""
        return self.right_total_ms - self.left_total_ms


@dataclass(frozen=True, slots=True)
class StackComparison:
    """Holds both sides' stacks.

    Parameters
    ----------
    left, right : trees, each below a root without a name
    functions : by the difference of their own times, the largest first
    left_unnamed_ms, right_unnamed_ms : that ends in functions without a name
    """

    left: Frame
    right: Frame
    functions: tuple[FunctionTimes, ...]
    left_unnamed_ms: float
    right_unnamed_ms: float

    def by_name(self) -> dict[str, FunctionTimes]:
        """Return functions by their names."""
        return {function.name: function for function in self.functions}


def compare_stacks(left: Mapping[Stack, float], right: Mapping[Stack, float]) -> StackComparison:
    """Compare milliseconds per transaction by stack."""
    sides = (left, right)
    own_times = [_time_by_function(stacks, lambda stack: (own_function(stack),)) for stacks in sides]
    total_times = [_time_by_function(stacks, _functions_in) for stacks in sides]
    functions = [
        FunctionTimes(name, own_times[0][name], own_times[1][name], total_times[0][name], total_times[1][name])
        for name in sorted({*own_times[0], *own_times[1], *total_times[0], *total_times[1]})
    ]
    functions.sort(key=lambda function: (-abs(function.own_difference_ms), -abs(function.difference_ms), function.name))
    unnamed_ms = [
        sum(ms for stack, ms in stacks.items() if is_unnamed(stack[-1]) and stack[-1] != FURTHER) for stacks in sides
    ]
    return StackComparison(frame_tree(left), frame_tree(right), tuple(functions), unnamed_ms[0], unnamed_ms[1])


def _functions_in(stack: Stack) -> set[str]:
    return {*map(same_function, stack[1:]), own_function(stack)}


def own_function(stack: Stack) -> str:
    """Return the function that a stack's time is the own time of.

    >>> own_function(("sessions", "fsync", "entry_SYSCALL_64_[k]", "__x64_sys_fdatasync_[k]", "schedule_[k]"))
    'system call fdatasync'
    >>> own_function(("sessions", "f", "asm_sysvec_apic_timer_interrupt_[k]"))
    'other kernel work'
    >>> own_function(("sessions", "redo flush", "log_write_up_to", "os_event::wait_low"))
    'log_write_up_to'
    """
    if not stack[-1].endswith(KERNEL_MARK):
        return same_function(_waiting_function(stack))
    calls = (frame for frame in stack if frame.endswith(KERNEL_MARK) and _SYSTEM_CALL in frame)
    call = next(calls, "")
    name = call.removesuffix(KERNEL_MARK).partition(_SYSTEM_CALL)[2]
    return f"system call {same_function(name)}" if name else _KERNEL


def _waiting_function(stack: Stack) -> str:
    """Return the last function, or the one that waits by it; without a name for that one, the last itself."""
    waiting = next((name for name in reversed(stack[1:]) if not name.startswith(_WAIT_PRIMITIVES)), stack[-1])
    return stack[-1] if is_unnamed(waiting) else waiting


def same_function(name: str) -> str:
    """Return the name under which a frame is compared: those without a name of either server are one, and so are twins.

    >>> same_function("[mysqld]"), same_function("filesort")
    ('[server]', 'filesort')
    """
    return _SAME.get(name, name)


def frame_tree(stacks: Mapping[Stack, float]) -> Frame:
    """Return the stacks as a tree, children by their time, the longest first."""
    root = Frame("")
    for stack, ms in stacks.items():
        frame = root
        root.total_ms += ms
        for name in stack:
            frame = frame.children.setdefault(name, Frame(name))
            frame.total_ms += ms
        frame.own_ms += ms
    _sort_frames(root)
    return root


def _sort_frames(frame: Frame) -> None:
    pending = [frame]
    while pending:
        node = pending.pop()
        node.children = dict(sorted(node.children.items(), key=lambda item: (item[0] == FURTHER, -item[1].total_ms)))
        pending += node.children.values()


def _time_by_function(
    stacks: Mapping[Stack, float], functions: Callable[[Stack], Iterable[str]]
) -> defaultdict[str, float]:
    times: defaultdict[str, float] = defaultdict(float)
    for stack, ms in stacks.items():
        for name in functions(stack):
            times[name] += ms
    return times
