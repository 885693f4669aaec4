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
    """Return whether a frame is of a file alone, because the file's functions have no names.

    >>> [is_unnamed(frame) for frame in ("[libc.so.6]", "log_write_up_to", "do_fsync_[k]")]
    [True, False, False]
    """
    return frame.startswith("[") and frame.endswith("]")


def function_name(words: str) -> str:
    """Return a function's name without parameters and template arguments, which differ between versions.

    >>> function_name("row_search_mvcc(unsigned char*, page_cur_mode_t)")
    'row_search_mvcc'
    >>> function_name("std::vector<char, A<int> >::push_back(char const&)")
    'std::vector::push_back'
    >>> function_name("(anonymous namespace)::Gate::operator()(int) const")
    '(anonymous namespace)::Gate::operator()'
    """
    kept_tokens, open_brackets, position = list[str](), [""], 0
    while position < len(words):
        token = next((token for token in _KEPT if words.startswith(token, position)), words[position])
        position += len(token)
        if token in _BRACKETS:
            open_brackets.append(_BRACKETS[token])
        elif token == open_brackets[-1]:
            open_brackets.pop()
        elif len(open_brackets) == 1:
            kept_tokens.append(token)
    name = "".join(kept_tokens).strip().removesuffix(" const").replace(";", ":")
    return name[:_LONGEST] or words[:_LONGEST].replace(";", ":")


def linker_name(symbol: str) -> str:
    """Return a function's name from the symbol that the linker knows it by, as far as it is a plain or nested C++ name.

    >>> linker_name("_ZN18Prepared_statement7executeEP6Stringb"), linker_name("_Z10do_commandP3THD")
    ('Prepared_statement::execute', 'do_command')
    >>> linker_name("pthread_cond_wait@GLIBC_2.3"), linker_name("_ZNSt6threadC1Ev")
    ('pthread_cond_wait', '_ZNSt6threadC1Ev')
    """
    unversioned = symbol.partition("@")[0]
    if not unversioned.startswith("_Z"):
        return function_name(unversioned)
    mangled, words = unversioned[2:].removeprefix("L"), list[str]()
    is_nested = mangled.startswith("N")
    if is_nested:
        mangled = mangled[1:].lstrip("rVK")
    while mangled[:1].isdigit() and (is_nested or not words):
        digits = mangled[: len(mangled) - len(mangled.lstrip("0123456789"))]
        name_end = len(digits) + int(digits)
        words.append(mangled[len(digits) : name_end])
        mangled = mangled[name_end:]
    return "::".join(words) or unversioned


def folded_stack(group: str, frames: Sequence[str]) -> Stack:
    """Return a stack with the group of its thread as the outermost frame; frames without names in a row count once.

    A thread that runs a client's command is a session, under any name; what called the command is left out.

    Parameters
    ----------
    frames : outermost first

    >>> folded_stack("one_connection", ["[libc.so.6]", "do_command", "[mariadbd]", "[mariadbd]", "fsync"])
    ('sessions', 'do_command', '[mariadbd]', 'fsync')
    """
    if _SESSION_ROOT in frames:
        group, frames = SESSIONS, frames[list(frames).index(_SESSION_ROOT) :]
    kept_frames: list[str] = []
    for frame in frames:
        if not (kept_frames and frame == kept_frames[-1] and is_unnamed(frame)):
            kept_frames.append(frame)
    return (group, *kept_frames)
