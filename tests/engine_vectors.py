"""Names that twelve servers and three versions of a plug-in showed, and what they made of options: `vectors`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "vectors"
ENGINES: dict[str, Any] = json.loads((FOLDER / "engines.json").read_text())
COUNTERS: dict[str, tuple[str, list[str]]] = json.loads((FOLDER / "counters.json").read_text())["counters"]
"""Kind and status rows, in lower case, of each counter."""
RULES: dict[str, Any] = json.loads((FOLDER / "rules.json").read_text())
SERVERS = tuple(ENGINES["servers"])
PLUGIN_VERSIONS = tuple(ENGINES["tidesdb"])
_STATES = {"a": "accepted", "d": "deprecated", "r": "refused or without effect"}


@dataclass(frozen=True)
class ServerNames:
    """The names that one server showed."""

    version: str
    version_comment: str
    variables: frozenset[str]
    status: frozenset[str]
    innodb_metrics: frozenset[str]

    @classmethod
    def of(cls, server: str) -> ServerNames:
        place = SERVERS.index(server)
        kinds = (ENGINES[kind].items() for kind in ("variables", "status", "innodb_metrics"))
        return cls(
            *ENGINES["servers"][server],
            *(frozenset(name for name, marks in kind if marks[place] == "x") for kind in kinds),
        )


def option_state(option: str, server: str) -> str | None:
    """Return what a server made of an option; None where it was not tried."""
    marks = ENGINES["options"].get(option)
    return _STATES.get(marks[SERVERS.index(server)]) if marks else None


def plugin_names(kind: str, version: str) -> frozenset[str]:
    return frozenset(ENGINES["tidesdb"][version][kind])
