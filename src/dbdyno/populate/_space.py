"""What tables take, as the server and its files tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dbdyno.core import decode
from dbdyno.store import JsonValue


@dataclass(frozen=True, slots=True)
class TableSpace:
    """What a table takes, all its partitions together.

    Parameters
    ----------
    data_bytes, index_bytes : by the server's own estimate
    file_bytes : length of its files; None where the storage engine tells of none
    allocated_bytes : what they take of the disk: less where there are holes in them
    """

    name: str
    data_bytes: int
    index_bytes: int
    file_bytes: int | None
    allocated_bytes: int | None

    def to_json(self) -> dict[str, JsonValue]:
        """As it is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TableSpace:
        """Of a record, or of what `to_json` gave."""
        return decode(cls, row)
