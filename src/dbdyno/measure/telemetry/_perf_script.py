"""Reads what ``perf script`` prints of samples, and folds it: how often each stack was on a processor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from dbdyno.core import KERNEL_MARK, Stack, folded_stack, function_name

FIELDS = "comm,tid,time,ip,sym,dso"
"""Of a sample, in the order in which they are printed."""
_HEAD = re.compile(r"(\S.*?)\s+(\d+)\s+(\d+)\.(\d+):\s*$")
_FRAME = re.compile(r"\s+[0-9a-f]+ (.*) \((.*)\)$")
_UNKNOWN = "[unknown]"
_PROGRAM_LOADERS = ("ld-linux", "ld.so")


@dataclass(slots=True)
class FoldedSamples:
    """Holds stacks of the samples of a time.

    Parameters
    ----------
    samples : all, those without a stack, too
    cut_off : samples of sessions or other threads whose stack does not lead back to where threads begin
    """

    stacks: Counter[Stack] = field(default_factory=Counter)
    samples: int = 0
    cut_off: int = 0


def fold_samples(lines: Iterable[str], first_ns: int, end_ns: int) -> FoldedSamples:
    r"""Return samples from `first_ns` on and before `end_ns`, Unix time.

    >>> lines = ["one_connection 7 12.5: ", "\tffff do_fsync ([kernel.kallsyms])", "\t12a do_command (/bin/mariadbd)",
    ...     "\t928b [unknown] (/lib/libc.so.6)", ""]
    >>> fold_samples(lines, 12 * 10**9, 13 * 10**9).stacks
    Counter({('sessions', 'do_command', 'do_fsync_[k]'): 1})
    """
    folded = FoldedSamples()
    for thread, at_ns, frames in _samples(lines):
        if first_ns <= at_ns < end_ns:
            names = [_frame_name(symbol, file) for symbol, file in reversed(frames)]
            folded.stacks[folded_stack(_thread_group(thread), names)] += 1
            folded.samples += 1
            folded.cut_off += not _has_thread_entry(frames)
    return folded


def _samples(lines: Iterable[str]) -> Iterator[tuple[str, int, list[tuple[str, str]]]]:
    """Yield thread, time and frames (innermost first) of each sample."""
    thread, at_ns, frames = "", -1, list[tuple[str, str]]()
    for line in lines:
        if header := _HEAD.match(line):
            if at_ns >= 0:
                yield thread, at_ns, frames
            thread, at_ns, frames = header[1], int(header[3]) * 10**9 + int(header[4].ljust(9, "0")[:9]), []
        elif frame := _FRAME.match(line):
            frames.append((frame[1], frame[2]))
    if at_ns >= 0:
        yield thread, at_ns, frames


def _frame_name(symbol: str, file: str) -> str:
    if symbol == _UNKNOWN:
        return f"[{PurePosixPath(file.strip('[]')).name.removesuffix(' (deleted)')}]"
    return function_name(symbol) + (KERNEL_MARK if file.startswith("[") else "")


def _thread_group(thread: str) -> str:
    """Return one name for threads of one purpose: ``ib_io_rd-3`` is one of many. The loader's name means nothing."""
    name = "other threads" if thread.startswith(_PROGRAM_LOADERS) else thread
    return name.rstrip("0123456789").rstrip("-_/#") or name


def _has_thread_entry(frames: list[tuple[str, str]]) -> bool:
    """Return whether the outermost frame begins a thread: one of the C library, the loader, or the kernel."""
    if not frames:
        return False
    symbol, file = frames[-1]
    name = PurePosixPath(file).name
    is_library = name.startswith(("libc.", "libc-", "libpthread", *_PROGRAM_LOADERS))
    return is_library or file.startswith("[") or symbol in ("start_thread", "clone", "clone3", "main", "_start")
