"""Which variable shows a neutral parameter's effective value in which server, and its default there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.engines._tables import added_rows, cached, read_packaged
from dbdyno.engines._versions import within

Kind = Literal["size", "count", "flag", "enum", "string", "float"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Where one parameter is read in one server.

    Parameters
    ----------
    variable : row of SHOW GLOBAL VARIABLES
    default : its value where nothing sets it; empty when that is not known or computed only
    computed : the server works the default out at start, from processors, memory or limits
    scale : what the variable is multiplied by to give the parameter's unit
    """

    variable: str
    default: str
    computed: bool
    scale: float


@dataclass(frozen=True, slots=True)
class NeutralParameter:
    """One quantity that servers name, count or show differently.

    Parameters
    ----------
    kind : how its values are written: size, count, float, flag, enum, string
    build_dependent : a server may be built without it
    """

    parameter_id: str
    title: str
    unit: str
    kind: Kind
    build_dependent: bool
    rows: tuple[Mapping[str, Any], ...]

    def shown(self, family: str, version: str, storage_engine: str = "innodb") -> Shown | None:
        """Where a server shows it; None when it has no such quantity.

        A storage engine's own variable comes before the one of InnoDB or of the server.
        """
        row = next((r for r in self.rows if r.get("storage_engine") == storage_engine), None) or next(
            (r for r in self.rows if r.get("family") == family and within(version, r["since"], r["until"])), None
        )
        if row is None:
            return None
        return Shown(row["variable"], row.get("default", ""), row.get("computed", False), row.get("scale", 1.0))


def neutral_parameter(parameter_id: str) -> NeutralParameter:
    """One parameter by its id.

    >>> neutral_parameter("flush.dirty_max").shown("mariadb", "10.5.4").default
    '75'
    >>> neutral_parameter("trx.snapshot_isolation").shown("mariadb", "10.11.2") is None
    True
    """
    return neutral_parameters()[parameter_id]


@cached
def neutral_parameters() -> Mapping[str, NeutralParameter]:
    """All of them by id, grouped by subject."""
    document = json.loads(read_packaged("parameters.json"))
    added: dict[str, list[dict[str, Any]]] = {}
    for row in added_rows("shown"):
        added.setdefault(row["parameter"], []).append({"since": "", "until": "", **row})
    return {
        entry["id"]: NeutralParameter(
            parameter_id=entry["id"],
            title=entry["title"],
            unit=entry["unit"],
            kind=entry["kind"],
            build_dependent=entry.get("build_dependent", False),
            rows=(*added.get(entry["id"], ()), *entry["shown"]),
        )
        for entry in document["parameters"]
    }
