"""What a server makes of events that other servers are sent, too: asked by the load generator, told here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbdyno.core import Fingerprint, PopulateError
from dbdyno.hosts import Host
from dbdyno.populate._records import TableSums
from dbdyno.populate._verify import reach_words
from dbdyno.store import JsonValue
from dbdyno.study import Study, WorkloadChoice, option_words

_TIMEOUT_S = 3600.0


def fingerprint(
    study: Study, choice: WorkloadChoice, target: Mapping[str, JsonValue], host: Host, generator: Path
) -> Fingerprint:
    """Send the study's number of events and sum up the tables, which are changed by it.

    Parameters
    ----------
    target : the ``target`` of a load order; names the password's file, holds no password

    Raises
    ------
    PopulateError : the server or the load generator failed
    """
    done = host.run([str(generator), *fingerprint_words(study, choice, target)], timeout_s=_TIMEOUT_S, check=False)
    try:
        row: Mapping[str, Any] = json.loads(done.stdout)
        tables = [TableSums.from_json(table) for table in row["tables"]]
        return Fingerprint(
            row["events"],
            row["failed"],
            row["statements_sha256"] or "",
            row["content_sha256"],
            {table.name: {"rows": table.rows, **table.sums} for table in tables},
        )
    except (ValueError, KeyError, TypeError) as error:
        raise PopulateError(
            f"results of {choice.label} could not be compared", done.stderr.strip()[-2000:] or str(error)
        ) from error


def fingerprint_words(study: Study, choice: WorkloadChoice, target: Mapping[str, JsonValue]) -> list[str]:
    """The words of ``dbdyno-load fingerprint``."""
    how = [f"--events={study.equivalence_events}", f"--protocol={study.protocol}"]
    how += [f"--rng={study.rng}", f"--seed={study.seed}", "--json"]
    return ["fingerprint", choice.name, *how, *reach_words(target), *option_words(choice.options)]
