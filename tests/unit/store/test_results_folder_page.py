"""docs/reference/results-folder.md and its JSON schema are written from the classes that the store writes."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dbdyno.core import Cell, LatencyNs, Run, RunRecord, TotalFigures, is_flat, stored_fields
from dbdyno.store import _layout as layout
from dbdyno.store._manifest import Manifest
from dbdyno.store._records import record_to_json
from dbdyno.store._runs import SettingRow
from dbdyno.store._series import IntervalRow, SecondRow, TelemetryRow, kinds_of

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
PAGE = REFERENCE / "results-folder.md"
SCHEMA = REFERENCE / "record.schema.json"
HEAD = """\
# The results folder

Written from the store's classes by `DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/store/test_results_folder_page.py`.

A study writes one folder. Everything in it is only ever added, and every page is rebuilt from it. `manifest.json` lists
each file with size and SHA-256. The unit of a number is the end of its name: `_ns` nanoseconds, `_s` seconds, `_bytes`
bytes, `_share` 0 to 1, `_per_s` per second. A value that is not known is null, never 0.

Tables are Parquet, packed by zstd. DuckDB, pandas, Polars and Spark read them:
`SELECT run_id, avg(tps) FROM 'results/first/runs/*/seconds.parquet' GROUP BY run_id`. With the extra `sql`
(`pip install 'dbdyno[sql]'`), `dbdyno.store.Results.open(path).connect()` is a DuckDB with the views `runs`, `seconds`,
`intervals`, `telemetry`, `settings` and `counters`.
"""
TOP = {
    layout.STUDY: "the study as it was run",
    layout.PLAN: "the runs in their order, with seeds and reasons",
    layout.HOST: "processor, memory, kernel and disk of the machine",
    layout.JOURNAL: "what happened, one JSON object per line; each names the digest of the line before",
    layout.MANIFEST: "study, versions, command lines, and every file with size and SHA-256",
    layout.LOCK: "held while a study writes here",
    layout.LIVE: "the run under way, second by second; only while one runs",
    f"{layout.ENGINES}/TARGET.json": "what was installed for a target",
    f"{layout.DATASETS}/TARGET.json": "the snapshot that the target's runs start from, with checksums of its tables",
    f"{layout.FINGERPRINTS}/TARGET.json": "results of the events that every target was sent, to show that they agree",
    f"{layout.LOOKS}/TARGET/": "variables, status and settings of the target's server before the first run",
    f"{layout.RUNS}/RUN_ID/": "one folder per finished run, see below",
    f"{layout.SET_ASIDE}/RUN_ID.N/": "failed runs that were repeated; kept, not read",
    f"{layout.PROOFS}/ALTERATION-DIGEST/": "study of `dbdyno explain --prove`, a results folder; never judged here",
    f"{layout.PROOFS}/ALTERATION-DIGEST.json": "what it is to prove",
    f"{layout.DEEP}/DIGEST/": "study of `dbdyno explain --deep`, a results folder with profiles; never judged here",
}
OF_A_RUN = {
    layout.RECORD: "identity, status and figures of the run, see below",
    layout.SECONDS: "one row per second, see below",
    layout.INTERVALS: "one row per second and type, with histograms, see below",
    layout.TELEMETRY: "one row per reading of machine and server, see below",
    layout.VARIABLES: "SHOW GLOBAL VARIABLES before the load",
    layout.VARIABLES_AFTER: "the same after the load",
    layout.SETTINGS: "each option: asked value, effective value and reason, see below",
    layout.STATUS_BEFORE: "SHOW GLOBAL STATUS before the load",
    layout.STATUS_AFTER: "the same after the load",
    layout.ORDER: "the order that the load generator was given; it holds no password",
    layout.START: "the load generator's start record: facts of its sessions",
    layout.END: "its end record: unsent transactions, outages, probes of a rate search",
    layout.CONDITIONS: "consistency conditions between the tables, asked after the run",
    layout.COUNTERS: "growth of the server's and the disk's counters over the window",
    layout.SPACE: "bytes of each table after the run",
    layout.SCHEMA: "definitions and columns of the tables, bytes of their files before the load",
    layout.PROCESS: "limits, control group, allocator and memory policy of the server's process",
    layout.LIFE: "start, shutdown and recovery times of the server, its memory limit, and how it died",
    layout.TELEMETRY_FACTS: "counters that the server lacks, the device that was watched, the client's cost curve, "
    "how the network was shaped, stacks of waits that could not be named",
    layout.ORIGIN: "of an imported run: the files it was made from",
    layout.PROFILE: "of a profiled run: window, transactions, samples, command, and what a count of a stack stands for",
    layout.ON_CPU: "of a profiled run: stacks of the server's threads on a processor, folded text, samples",
    layout.OFF_CPU: "the same of session threads that were blocked, microseconds",
    layout.SERVER_CNF: "the option file that the server was started with",
    layout.SERVER_LOG: "the end of the server's log",
}
NOT_FILES = {
    *("SCHEMA_VERSION", "WRITING_PREFIX", "CREATED_BY_US", "OF_TARGETS", "LIVE_BENCHES"),
    *("ENGINES", "DATASETS", "FINGERPRINTS", "LOOKS", "RUNS", "SET_ASIDE", "PROOFS", "DEEP"),
}
MEANINGS = {
    "run_id": "the run, so that tables of many runs can be joined",
    "phase": "see above",
    "family": "such as mysql or mariadb",
    "storage_engine": "such as innodb or rocksdb",
    "reason": "why the run is suspect, failed or skipped",
    "option": "name of the server's option",
    "asked": "value that dbdyno wrote",
    "reason of a setting": "why it was asked",
    "qps_mean": "statements per second over the whole window",
    "transactions": "committed transactions in the window",
    "statements": "statements in the window",
    "caveats": "code and text of each",
    "run": "target, tier, concurrency, workload, route, repeat, seed and place in the order",
    "version": "of the server",
}


def documented(cls: type) -> dict[str, str]:
    """Meaning by field, from the Parameters of a class's docstring; ``a to b`` names the fields from a to b."""
    text = (cls.__doc__ or "").partition("----------\n")[2]
    names = [field.name for field in dataclasses.fields(cls)]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \w)", "\n" + text.rstrip()):
        head, _, meaning = entry.strip().partition(" : ")
        for part in head.split(", "):
            first, _, last = part.partition(" to ")
            span = names[names.index(first) : names.index(last) + 1] if last else [first]
            found |= dict.fromkeys(span, " ".join(meaning.split()))
    return found


def stored_meanings(cls: type) -> dict[str, str]:
    """As `documented`, with what the parts that are stored flat say of their fields."""
    hints = typing.get_type_hints(cls)
    parts = [hints[field.name] for field in dataclasses.fields(cls) if is_flat(field)]
    return {name: meaning for kind in (cls, *parts) for name, meaning in documented(kind).items()}


def plain(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def table(columns: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    yield from ("| column | type | meaning |", "|---|---|---|")
    yield from (f"| `{name}` | {kind} | {plain(meaning)} |" for name, (kind, meaning) in columns.items())


def parquet_section(file: str, row: type) -> str:
    meanings = {**MEANINGS, **documented(row)}
    columns = {name: (kind, meanings[name]) for name, kind in kinds_of(row).items()}
    return "\n".join((f"## {file}", "", *table(columns)))


def record_section() -> str:
    meanings = {**MEANINGS, **stored_meanings(RunRecord)}
    head = "The figures of a run; [record.schema.json](record.schema.json) is the JSON schema of all of it."
    columns = {field.name: (json_kind(kind), meanings[field.name]) for field, kind in stored_fields(RunRecord)}
    return "\n".join((f"## {layout.RECORD}", "", head, "", *table(columns)))


def settings_section() -> str:
    meanings = {**MEANINGS, **documented(SettingRow), "reason": MEANINGS["reason of a setting"]}
    columns = {
        field.name: (str(field.type).replace("|", "or"), meanings[field.name])
        for field in dataclasses.fields(SettingRow)
    }
    return "\n".join((f"## {layout.SETTINGS}", "", *table(columns)))


def manifest_section() -> str:
    meanings = {**MEANINGS, "study_name": "name of the study", "dbdyno_version": "version that created the folder"}
    meanings |= {"schema_version": "version of this layout", **documented(Manifest)}
    hints = typing.get_type_hints(Manifest)
    columns = {name: (json_kind(hints[name]), meanings[name]) for name in hints}
    return "\n".join((f"## {layout.MANIFEST}", "", *table(columns)))


def json_kind(annotation: Any) -> str:
    """The kind of JSON value, for a table."""
    shape = json_shape(annotation, {})
    kinds = [part.get("type", "object") for part in shape.get("anyOf", [shape])]
    return " or ".join(dict.fromkeys(kinds)) if "enum" not in shape else "string"


def json_shape(annotation: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """JSON schema of a type: dataclasses, literals, unions, tuples, mappings and plain values."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        if annotation.__name__ not in definitions:
            definitions[annotation.__name__] = {}
            definitions[annotation.__name__] |= class_shape(annotation, definitions)
        return {"$ref": f"#/$defs/{annotation.__name__}"}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [json_shape(part, definitions) for part in arguments]}
    if origin is tuple:
        return {"type": "array", "items": json_shape(arguments[0], definitions)}
    if origin is not None:
        return {"type": "object", "additionalProperties": json_shape(arguments[1], definitions)}
    plain_types = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    return {"type": plain_types[annotation]}


def class_shape(cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    meanings = stored_meanings(cls)
    properties = {
        field.name: {**json_shape(kind, definitions), **described(meanings.get(field.name, ""))}
        for field, kind in stored_fields(cls)
    }
    needed = [f.name for f, _ in stored_fields(cls) if f.default is f.default_factory is dataclasses.MISSING]
    return {"type": "object", "properties": properties, "required": needed}


def described(meaning: str) -> dict[str, str]:
    return {"description": meaning.replace("``", "`")} if meaning else {}


def record_schema() -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    shape = class_shape(RunRecord, definitions)
    names = {name: {"type": "string"} for name in ("run_id", "cell_id")}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"runs/RUN_ID/{layout.RECORD}",
        **shape,
        "properties": {**names, **shape["properties"]},
        "$defs": definitions,
    }


def page() -> str:
    def files(meanings: Mapping[str, str]) -> list[str]:
        return ["| file | holds |", "|---|---|", *(f"| `{name}` | {meaning} |" for name, meaning in meanings.items())]

    tables = ((layout.SECONDS, SecondRow), (layout.INTERVALS, IntervalRow), (layout.TELEMETRY, TelemetryRow))
    sections = (
        HEAD,
        *("## Files", "", *files(TOP), ""),
        *("## Files of a run", "", "A file that would hold nothing is left out.", "", *files(OF_A_RUN), ""),
        f"{manifest_section()}\n",
        f"{record_section()}\n",
        *(f"{parquet_section(file, row)}\n" for file, row in tables),
        settings_section(),
    )
    return "\n".join(sections) + "\n"


def test_every_file_of_the_layout_is_on_the_page() -> None:
    named = {value for name, value in vars(layout).items() if name.isupper() and name not in NOT_FILES}
    assert named == {name for name in {**TOP, **OF_A_RUN} if "/" not in name}


@pytest.mark.parametrize("row", [SecondRow, IntervalRow, TelemetryRow, SettingRow, RunRecord])
def test_every_column_has_a_meaning(row: type) -> None:
    known = {**MEANINGS, **stored_meanings(row)}
    assert [field.name for field, _ in stored_fields(row) if not known.get(field.name)] == []


def test_the_page_and_the_schema_are_those_of_the_classes() -> None:
    schema = json.dumps(record_schema(), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(page())
        SCHEMA.write_text(schema)
    assert PAGE.read_text() == page()
    assert SCHEMA.read_text() == schema


def test_a_record_is_of_the_schema_and_a_damaged_one_is_not() -> None:
    run = Run(Cell("mysql:9.7", 64 << 20, 4, "tpcc", "socket"), 1, 0, 7, "block 1")
    record = RunRecord(
        run, "mysql", "9.7.4", "innodb", "good", figures=TotalFigures(latency_ns=LatencyNs(1, 2, 3, 4, 5))
    )
    row = json.loads(json.dumps(record_to_json(record)))
    validator = jsonschema.Draft202012Validator(record_schema())
    validator.validate(row)
    assert not validator.is_valid({**row, "status": "splendid"})
    assert not validator.is_valid({**row, "latency_ns": 7})
