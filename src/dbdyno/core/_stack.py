"""Names the frames of call stacks, so that the same function of two builds has one name.

A stack is a tuple of frames, outermost first: the group of threads, then functions. As text its frames are joined by
semicolons ("folded", as flame graphs and speedscope read it).

>>> stack = ("sessions", "do_command", "ha_commit_trans", "[mariadbd]")
>>> is_unnamed(stack[-1]), is_unnamed(stack[-2])
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Stack: TypeAlias = tuple[str, ...]
SESSIONS = "sessions"
"""Threads that serve a connection."""
KERNEL_MARK = "_[k]"
"""End of the name of a function of the kernel."""
FURTHER = "[calls on files, rarer stacks]"
"""Time of waits whose stack was not kept: a call on a file is named by the file alone."""
_BRACKETS: Mapping[str, str] = {"(": ")", "<": ">"}
_KEPT = ("(anonymous namespace)", "operator()", "operator<<", "operator<", "operator->", "operator>>", "operator>")
_SESSION_ROOT = "do_command"
_LONGEST = 200


def is_unnamed(frame: str) -> bool:
    """Whether a frame is of a file alone, because the file's functions have no names.

    >>> [is_unnamed(frame) for frame in ("[libc.so.6]", "log_write_up_to", "do_fsync_[k]")]
    [True, False, False]
    """
    return frame.startswith("[") and frame.endswith("]")


def function_name(words: str) -> str:
    """A function's name without parameters and template arguments, which differ between versions.

    >>> function_name("row_search_mvcc(unsigned char*, page_cur_mode_t)")
    'row_search_mvcc'
    >>> function_name("std::vector<char, A<int> >::push_back(char const&)")
    'std::vector::push_back'
    >>> function_name("(anonymous namespace)::Gate::operator()(int) const")
    '(anonymous namespace)::Gate::operator()'
    """
    kept, closing, at = list[str](), [""], 0
    while at < len(words):
        token = next((token for token in _KEPT if words.startswith(token, at)), words[at])
        at += len(token)
        if token in _BRACKETS:
            closing.append(_BRACKETS[token])
        elif token == closing[-1]:
            closing.pop()
        elif len(closing) == 1:
            kept.append(token)
    name = "".join(kept).strip().removesuffix(" const").replace(";", ":")
    return name[:_LONGEST] or words[:_LONGEST].replace(";", ":")


def linker_name(symbol: str) -> str:
    """A function's name from the symbol that the linker knows it by, as far as it is a plain or nested C++ name.

    >>> linker_name("_ZN18Prepared_statement7executeEP6Stringb"), linker_name("_Z10do_commandP3THD")
    ('Prepared_statement::execute', 'do_command')
    >>> linker_name("pthread_cond_wait@GLIBC_2.3"), linker_name("_ZNSt6threadC1Ev")
    ('pthread_cond_wait', '_ZNSt6threadC1Ev')
    """
    plain = symbol.partition("@")[0]
    if not plain.startswith("_Z"):
        return function_name(plain)
    rest, words = plain[2:].removeprefix("L"), list[str]()
    is_nested = rest.startswith("N")
    if is_nested:
        rest = rest[1:].lstrip("rVK")
    while rest[:1].isdigit() and (is_nested or not words):
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        end = len(digits) + int(digits)
        words.append(rest[len(digits) : end])
        rest = rest[end:]
    return "::".join(words) or plain


def folded_stack(group: str, frames: Sequence[str]) -> Stack:
    """A stack with the group of its thread for the outermost frame, and frames without names once where several follow.

    A thread that runs a client's command is a session, whatever its name is; what called the command is left out.

    Parameters
    ----------
    frames : outermost first

    >>> folded_stack("one_connection", ["[libc.so.6]", "do_command", "[mariadbd]", "[mariadbd]", "fsync"])
    ('sessions', 'do_command', '[mariadbd]', 'fsync')
    """
    if _SESSION_ROOT in frames:
        group, frames = SESSIONS, frames[list(frames).index(_SESSION_ROOT) :]
    kept: list[str] = []
    for frame in frames:
        if not (kept and frame == kept[-1] and is_unnamed(frame)):
            kept.append(frame)
    return (group, *kept)
