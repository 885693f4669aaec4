"""What a server makes of events that other servers are sent, too: asked by the load generator, told here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.core import Fingerprint, HostError, PopulateError, decode, json_value
from dbdyno.hosts import Host
from dbdyno.populate._records import TableSums
from dbdyno.populate._server import FillServer, ServerCheck
from dbdyno.populate._verify import reach_words
from dbdyno.store import JsonValue
from dbdyno.study import Study, WorkloadChoice, option_words

_TIMEOUT_S = 3600.0


def fingerprint(
    study: Study, choice: WorkloadChoice, server: FillServer, schema: str, host: Host, generator: Path
) -> Fingerprint:
    """Send the study's number of events and sum up the tables, which are changed by it.

    Parameters
    ----------
    schema : of its tables

    Raises
    ------
    PopulateError : the server or the load generator failed
    """
    words = fingerprint_words(study, choice, server.order_target(schema))
    try:
        done = host.run([str(generator), *words], timeout_s=_TIMEOUT_S, check=False, tick=ServerCheck(server))
    except HostError as error:
        raise PopulateError(f"results of {choice.label} could not be compared", str(error)) from error
    try:
        row = decode(_Row, json_value(done.stdout))
        tables = [TableSums.from_json(table) for table in row.tables]
    except ValueError as error:
        raise PopulateError(
            f"results of {choice.label} could not be compared", done.stderr.strip()[-2000:] or str(error)
        ) from error
    sums = {table.name: {"rows": table.rows, **table.sums} for table in tables}
    return Fingerprint(row.events, row.failed, row.statements_sha256 or "", row.content_sha256, sums)


@dataclass(frozen=True, slots=True)
class _Row:
    events: int
    failed: int
    content_sha256: str
    tables: tuple[dict[str, Any], ...]
    statements_sha256: str | None = None


def fingerprint_words(study: Study, choice: WorkloadChoice, target: Mapping[str, JsonValue]) -> list[str]:
    """The words of ``dbdyno-load fingerprint``."""
    how = [f"--events={study.equivalence_events}", f"--protocol={study.protocol}"]
    how += [f"--rng={study.rng}", f"--seed={study.seed}", "--json", *study.timeouts.check_words()]
    return ["fingerprint", choice.name, *how, *reach_words(target), *option_words(choice.options)]
