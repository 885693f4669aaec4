"""Keeps what studies showed of this machine in files of DBDYNO_HOME, one entry for each of the last twenty folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dbdyno.core import decode, json_value, read_input_text

if TYPE_CHECKING:
    from dbdyno.study import Study

_SCHEMA_VERSION = 1
_MOST_STUDIES = 20


@dataclass(frozen=True, slots=True)
class MachineKey:
    """Identifies a machine: a folder may be shared by several, and a disk may move to another."""

    hostname: str
    cpu_model: str
    logical_cpu_count: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> MachineKey:
        """Return that of a machine's facts, as a results folder has them."""
        return cls(str(facts["hostname"]), str(facts.get("cpu_model", "")), int(facts["logical_cpu_count"]))

    @classmethod
    def of_this_machine(cls, root: Path) -> MachineKey:
        """Return that of this machine; `root` is DBDYNO_HOME."""
        from dbdyno.hosts import LocalHost  # late: see _main

        return cls.of(asdict(LocalHost().facts(root)))


class StudyEntry(Protocol):
    """Describes what one study showed: `results` is the path of its folder, so that a study that is run on has one."""

    @property
    def results(self) -> str: ...

    @property
    def machine(self) -> MachineKey: ...


_Entry = TypeVar("_Entry", bound=StudyEntry)


def keep_entry(path: Path, entry: _Entry) -> None:
    """Add an entry to a file, in place of an earlier one of the same folder.

    Raises
    ------
    OSError : the file can't be written
    """
    from dbdyno.store import write_whole  # late: see _main

    others = [other for other in _read(path, type(entry)) if other.results != entry.results]
    rows = [asdict(kept) for kept in [*others, entry][-_MOST_STUDIES:]]  # type: ignore[call-overload]
    write_whole(path, json.dumps({"schema_version": _SCHEMA_VERSION, "studies": rows}, indent=1) + "\n")


def entries_of(path: Path, kind: type[_Entry], machine: MachineKey) -> list[_Entry]:
    """Return what the last studies of a machine showed."""
    return [entry for entry in _read(path, kind) if entry.machine == machine]


def has_own_servers_here(study: Study) -> bool:
    """Return whether all servers of a study are started by dbdyno, on this machine, with all of its processors."""
    are_ours = all(target.engine.source_kind != "server" and not target.throttled_share for target in study.targets)
    is_here = len(study.benches) < 2 and (study.bench is None or study.bench.server is None)
    return study.imported is None and are_ours and is_here


def _read(path: Path, kind: type[_Entry]) -> list[_Entry]:
    try:
        row = decode(dict[str, Any], json_value(read_input_text(path)))
        return decode(list[kind], row["studies"]) if row.get("schema_version") == _SCHEMA_VERSION else []  # type: ignore[valid-type]
    except (OSError, ValueError, KeyError):
        return []  # the next studies make it again
