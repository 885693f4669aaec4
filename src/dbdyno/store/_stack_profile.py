"""Keeps the stacks of a profiled run as folded text, packed: what flame graph programs and speedscope read.

::

    profile.json          what was profiled and how, and what a count of each file stands for
    on_cpu.folded.gz      a line a stack: frames from the outermost on, joined by semicolons; a blank; samples
    off_cpu.folded.gz     the same of waits; microseconds

Such runs are those of ``NAME/deep/DIGEST/``, results folders next to a study's own; none of them is ever judged.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import Stack, input_limit, read_input, unpacked_gzip, utf8_text
from dbdyno.store import _layout as layout
from dbdyno.store._damage import read_json, reading
from dbdyno.store._files import JsonValue, json_text


@dataclass(frozen=True, slots=True)
class StackProfile:
    """Describes where the threads of a server were in a run's window.

    Parameters
    ----------
    facts : ``window_s``, ``transactions``, ``samples``, ``cut_off`` (samples whose stack is not whole), ``rate_hz``,
        ``on_cpu_unit_ms`` and ``off_cpu_unit_ms`` (what a count stands for), ``perf`` (its version), ``command``, and
        ``missing``: by name what could not be had, and why
    on_cpu : stack -> samples
    off_cpu : stack -> microseconds that session threads were blocked
    """

    facts: Mapping[str, JsonValue] = field(default_factory=dict)
    on_cpu: Mapping[Stack, int] = field(default_factory=dict)
    off_cpu: Mapping[Stack, int] = field(default_factory=dict)


def deep_folder(results: Path, digest: str) -> Path:
    """Return where the profiled runs of a study with that digest are kept; its parent is made."""
    parent = results / layout.DEEP
    parent.mkdir(exist_ok=True)
    return parent / digest


def deep_folders(results: Path) -> list[Path]:
    """Return the folders with profiled runs of a study's results, those written last first."""
    folders = [path.parent for path in (results / layout.DEEP).glob(f"*/{layout.MANIFEST}")]
    return sorted(folders, key=lambda folder: (folder / layout.MANIFEST).stat().st_mtime_ns, reverse=True)


def folded_text(stacks: Mapping[Stack, int]) -> str:
    r"""Return stacks as folded text, sorted.

    >>> folded_text({("sessions", "do_command"): 3})
    'sessions;do_command 3\n'
    """
    return "".join(f"{';'.join(stack)} {count}\n" for stack, count in sorted(stacks.items()) if count)


def parse_folded(text: str) -> dict[Stack, int]:
    r"""Return the stacks of a folded text.

    >>> parse_folded("sessions;std::less <int> 3\n")
    {('sessions', 'std::less <int>'): 3}
    """
    lines = (line.rpartition(" ") for line in text.splitlines())
    return {tuple(stack.split(";")): int(count) for stack, _, count in lines}


def profile_files(profile: StackProfile) -> dict[str, bytes]:
    """Return the files of a profile."""
    stacks = {layout.ON_CPU: profile.on_cpu, layout.OFF_CPU: profile.off_cpu}
    packed_files = {
        name: gzip.compress(folded_text(stack_counts).encode(), mtime=0)
        for name, stack_counts in stacks.items()
        if stack_counts
    }
    return {layout.PROFILE: json_text(profile.facts).encode(), **packed_files}


def read_profile(run_folder: Path) -> StackProfile | None:
    """Return the profile of a stored run; None where it was not profiled.

    Raises
    ------
    DamageError : it is not what was written
    """
    path = run_folder / layout.PROFILE
    if not path.exists():
        return None
    stacks = [_read_stacks(run_folder / name) for name in (layout.ON_CPU, layout.OFF_CPU)]
    return StackProfile(read_json(path), *stacks)


def _read_stacks(path: Path) -> dict[Stack, int]:
    if not path.exists():
        return {}
    with reading(path):
        return parse_folded(utf8_text(unpacked_gzip(read_input(path), input_limit())))
