"""Parses what servers and tools print into rows: SHOW output in any form, pt-mysql-summary, JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from dbdyno.audit.dumps._stated import stated_facts
from dbdyno.core import json_value
from dbdyno.engines import dumped_rows, read_dump

Kind = Literal["variables", "status", "option_file", "summary", "fixture", "facts", "seconds", "unknown"]

_SUMMARY_WORDS = "Percona Toolkit MySQL Summary Report"
_GROUP_RE = re.compile(r"^\s*\[(mysqld|server|mariadb|mariadbd|client)[-_.\d]*\]\s*$", re.MULTILINE | re.IGNORECASE)
_COUNTER_RE = re.compile(r"^([A-Z]\w+)\s+(-?\d+)(?:\s|$)")
_FACT_GROUPS = ("session", "schema", "host", "run", "study", "text")
_FACT_KEYS = frozenset({*_FACT_GROUPS, "version", "storage_engine", "option_file"})


@dataclass(frozen=True, slots=True)
class Document:
    """Holds what one file holds.

    Parameters
    ----------
    rows : of SHOW output or of a summary, names in lower case; of an option file its text under ``text``
    content : of JSON documents
    """

    kind: Kind
    rows: dict[str, str] = field(default_factory=dict)
    content: dict[str, Any] = field(default_factory=dict)


def parse_document(text: str) -> Document:
    r"""Return what a text is, by what stands in it, and its rows.

    >>> parse_document("innodb_buffer_pool_size\t134217728\nversion\t8.4.8\n").kind
    'variables'
    >>> parse_document("| Uptime | 5 |\n| Threads_connected | 1 |\n").rows
    {'uptime': '5', 'threads_connected': '1'}
    >>> parse_document("[mysqld]\nlog_bin=0\n").kind
    'option_file'
    """
    if text.lstrip()[:1] in "{[" and (content := _parse_json(text)) is not None:
        return _json_document(content)
    if _SUMMARY_WORDS in text[:2000]:
        return Document("summary", parse_summary(text))
    if _GROUP_RE.search(text):
        return Document("option_file", {"text": text})
    rows = parse_rows(text)
    return Document(_kind_of_rows(rows), rows)


def _kind_of_rows(rows: dict[str, str]) -> Kind:
    if "innodb_buffer_pool_size" in rows or ("version" in rows and "uptime" not in rows):
        return "variables"
    return "status" if "uptime" in rows or "threads_connected" in rows or "com_select" in rows else "unknown"


def parse_rows(text: str) -> dict[str, str]:
    r"""Return rows of SHOW VARIABLES or STATUS in any form that clients print, names in lower case.

    >>> parse_rows("+---+---+\n| Variable_name | Value |\n| Sql_mode | A|B |\n")
    {'sql_mode': 'A|B'}
    >>> parse_rows("*** 1. row ***\nVariable_name: Uptime\n        Value: 7\n")
    {'uptime': '7'}
    """
    return {name.lower(): value.strip() for name, value in read_dump(text).values.items()}


def parse_summary(text: str) -> dict[str, str]:
    r"""Return counters per day and the host's name of a pt-mysql-summary.

    >>> parse_summary("    Hostname | box1\n# Status Counters (Wait 10 s)\nConnections    15000     1\n# Table cache")
    {'hostname': 'box1', 'connections': '15000'}
    """
    rows = {}
    if match := re.search(r"^\s*Hostname \| (\S+)\s*$", text, re.MULTILINE):
        rows["hostname"] = match[1]
    if match := re.search(r"^\s*Version \| (\S+) ?(.*)$", text, re.MULTILINE):
        rows |= {"version": match[1], "version_comment": match[2].strip()}
    _, _, counters = text.partition("# Status Counters")
    for line in counters.splitlines()[1:]:
        if line.startswith("#"):
            break
        if match := _COUNTER_RE.match(line):
            rows[match[1].lower()] = match[2]
    return rows


def _parse_json(text: str) -> Any:  # noqa: ANN401 - foreign data
    try:
        return json_value(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json_value(line) for line in lines] if len(lines) > 1 else None
        except ValueError:
            return None


def _json_document(content: Any) -> Document:  # noqa: ANN401 - foreign data
    if isinstance(content, list):
        return _json_rows(content)
    if not isinstance(content, dict):
        return Document("unknown")
    if isinstance(content.get("variables"), dict | list) or isinstance(content.get("status"), dict | list):
        return Document("fixture", content=stated_facts(content))
    if content and set(content) <= _FACT_KEYS and all(isinstance(content.get(key, {}), dict) for key in _FACT_GROUPS):
        return Document("facts", content=stated_facts(content))
    rows = plain_rows(content)
    return Document(_kind_of_rows(rows), rows)


def _json_rows(content: list[Any]) -> Document:
    if content and all(isinstance(entry, dict) and "Variable_name" in entry for entry in content):
        rows = plain_rows(content)
        return Document(_kind_of_rows(rows), rows)
    if len(content) > 1 and all(isinstance(entry, dict) and "uptime" in plain_rows(entry) for entry in content):
        return Document("seconds", content={"rows": [plain_rows(entry) for entry in content]})
    return Document("unknown")


def plain_rows(content: Any) -> dict[str, str]:  # noqa: ANN401 - foreign data
    """Return rows of a JSON object or of a list of pairs, names in lower case.

    >>> plain_rows({"Uptime": 5, "Log_bin": None}), plain_rows([["Uptime", "5"]])
    ({'uptime': '5', 'log_bin': ''}, {'uptime': '5'})
    """
    return {name.lower(): value for name, value in dumped_rows(content).items()}
