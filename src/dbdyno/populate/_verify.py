"""Whether the tables of a dataset are consistent with each other: asked by the load generator, told here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from dbdyno.core import PopulateError
from dbdyno.hosts import Completed, Host
from dbdyno.populate._dataset import Dataset
from dbdyno.populate._space import TableSpace
from dbdyno.store import JsonValue
from dbdyno.study import option_words

Moment = Literal["load", "run"]
"""What was done to the tables last: filled, or worked on."""
_TIMEOUT_S = 3600.0
_FLAGS = ("socket", "host", "port", "user", "password_file", "database", "tls", "tls_ca_file")


@dataclass(frozen=True, slots=True)
class ConditionAnswer:
    """A query that should return no row, and what it returned.

    Parameters
    ----------
    status : ``holds``; ``broken``; ``told`` when it is broken and need not hold at this moment
    quirks : of the imitated tool, that break it
    """

    name: str
    meaning: str
    status: str
    rows: int
    quirks: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """As it is stored."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether the tables of a dataset are consistent, and what they take."""

    answers: tuple[ConditionAnswer, ...] = ()
    space: tuple[TableSpace, ...] = ()


def verify(
    dataset: Dataset,
    target: Mapping[str, JsonValue],
    storage_engine: str,
    moment: Moment,
    host: Host,
    generator: Path,
) -> Verified:
    """Ask every condition of a dataset that has some, and what its tables take.

    Parameters
    ----------
    target : the ``target`` of a load order; names the password's file, holds no password
    storage_engine : of the tables; on some an imitated tool breaks more than on others

    Raises
    ------
    PopulateError : they could not be asked
    """
    words = verify_words(dataset, target, storage_engine, moment)
    done = host.run([str(generator), *words], timeout_s=_TIMEOUT_S, check=False)
    rows = _rows(done)
    if not rows or rows[-1].get("status") not in ("consistent", "inconsistent"):
        raise PopulateError(f"{dataset.title} could not be verified", done.stderr.strip()[-2000:])
    spaces = (table for row in rows if row["record"] == "space" for table in row["tables"])
    return Verified(
        tuple(_answer(row) for row in rows if row["record"] == "condition"),
        tuple(TableSpace.from_json(table) for table in spaces),
    )


def verify_words(dataset: Dataset, target: Mapping[str, JsonValue], storage_engine: str, moment: Moment) -> list[str]:
    """The words of ``dbdyno-load verify``.

    >>> verify_words(Dataset("tpcc", {"warehouses": 2}), {"socket": "/s", "port": None}, "rocksdb", "run")
    ['verify', 'tpcc', '--after=run', '--json', '--storage-engine=rocksdb', '--socket=/s', '--warehouses=2']
    """
    how = [f"--after={moment}", "--json", f"--storage-engine={storage_engine}"]
    return ["verify", dataset.workload, *how, *reach_words(target), *option_words(dataset.options)]


def reach_words(target: Mapping[str, JsonValue]) -> list[str]:
    """Options of the load generator that name a server.

    >>> reach_words({"socket": "/s", "port": None, "password_file": "/p"})
    ['--socket=/s', '--password-file=/p']
    """
    return [f"--{flag.replace('_', '-')}={target[flag]}" for flag in _FLAGS if target.get(flag) is not None]


def broken_words(answers: tuple[ConditionAnswer, ...]) -> str:
    """What must hold and does not, in words; empty when all does."""
    broken = [answer for answer in answers if answer.status == "broken"]
    return "; ".join(f"{answer.name} ({answer.meaning}) is broken in {answer.rows} rows" for answer in broken)


def _rows(done: Completed) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        return []


def _answer(row: Mapping[str, Any]) -> ConditionAnswer:
    return ConditionAnswer(row["name"], row["meaning"], row["status"], row["rows"], row.get("quirks", ""))
