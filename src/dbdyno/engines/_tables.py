"""Loads the tables on engines: the packaged ones, and rows that a user adds to them.

An engine, a storage engine or a version that dbdyno has never heard of is a few rows more, never code. Rows come as
the text of a TOML file whose tables bear the names of the packaged ones: ``family``, ``storage_engine``,
``parameter`` (of the options), ``shown`` (which variable shows a quantity), ``counter``, ``engine`` (of the catalogue).
"""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from dbdyno.core import DecodeError, StudyError, decode, toml_document
from dbdyno.engines._row_types import ROW_TYPES
from dbdyno.engines._versions import parse_version

Kind = Literal["family", "storage_engine", "parameter", "shown", "counter", "engine"]
Row = dict[str, Any]
_Value = TypeVar("_Value")
_FILES: Mapping[str, str] = MappingProxyType(
    {
        "family": "families.toml",
        "storage_engine": "storage_engines.toml",
        "parameter": "written_options.toml",
        "shown": "options_by_version.json",
        "counter": "counters.json",
        "engine": "catalogue.toml",
    }
)
# The keys that a row must have, and those that hold nested rows with required keys.
_NEEDED: Mapping[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = MappingProxyType(
    {
        "family": (("name", "ranges"), "ranges", ("since", "initialise", "auth")),
        "storage_engine": (("name", "title"), "", ()),
        "parameter": (("id", "unit", "reason", "options"), "options", ("families", "name", "form")),
        "shown": (("parameter", "variable"), "", ()),
        "counter": (("id", "kind", "unit", "sources"), "sources", ("families",)),
        "engine": (("family", "version", "source", "bytes", "sha256"), "", ()),
    }
)
_digests: dict[str, str] = {}
_added: dict[str, dict[str, list[Row]]] = {}
_caches: list[Callable[[], None]] = []
_computed: list[Callable[[], object]] = []


def cached(compute: Callable[[], _Value]) -> Callable[[], _Value]:
    """Return a value made of tables: computed once, and anew when rows were added."""
    memoized = functools.cache(compute)
    _computed.append(memoized)
    _caches.append(memoized.cache_clear)
    return memoized


def read_packaged(name: str) -> str:
    """Read a data file of this package."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")


def use_tables(texts: Mapping[str, str]) -> None:
    """Use these rows in addition to the packaged ones, instead of those set before; file's name -> its text.

    Raises
    ------
    StudyError : a text is not TOML, or a row lacks something; file and row are named
    """
    checked_rows = {file: _parse_tables(file, text) for file, text in sorted(texts.items())}
    _digests.clear()
    _digests.update({file: hashlib.sha256(text.encode()).hexdigest() for file, text in sorted(texts.items())})
    _added.clear()
    _added.update(checked_rows)
    for clear in _caches:
        clear()
    if checked_rows:
        _check_all_tables(", ".join(checked_rows))


def used_tables() -> Mapping[str, str]:
    """Return what `use_tables` was given last: file's name -> SHA-256 of its text."""
    return MappingProxyType(dict(_digests))


def packaged_rows(kind: Kind) -> list[Row]:
    """Return rows that dbdyno brings."""
    text = read_packaged(_FILES[kind])
    document: dict[str, list[Row]] = json.loads(text) if _FILES[kind].endswith(".json") else tomllib.loads(text)
    rows = document["counters" if kind == "counter" else kind]
    if kind == "parameter":
        default_options = tomllib.loads(read_packaged("server_default_options.toml"))["parameter"]
        rows += [{**row, "optional": True} for row in default_options]
    return rows


def added_rows(kind: Kind) -> list[Row]:
    """Return rows that the user adds, files in the order of their names."""
    return [row for tables in _added.values() for row in tables.get(kind, [])]


def joined_rows(kind: Kind, key: Callable[[Row], object], inner: str) -> list[Row]:
    """Return all rows. One whose key is there already brings its inner rows to it, before those that are there."""
    rows = packaged_rows(kind)
    for row in added_rows(kind):
        place = next((index for index, candidate in enumerate(rows) if _is_same(key, row, candidate)), None)
        if place is None:
            rows.append(row)
        else:
            existing = rows[place]
            rows[place] = {**existing, **row, inner: [*row[inner], *existing[inner]]} if inner else row
    return rows


def _is_same(key: Callable[[Row], object], row: Row, existing: Row) -> bool:
    """Return whether a row adds to one that is there; several there may have one key, each for a storage engine."""
    is_other_engine = row.get("storage_engine", existing.get("storage_engine")) != existing.get("storage_engine")
    return key(row) == key(existing) and not is_other_engine


def _check_all_tables(files: str) -> None:
    """Make everything that is made of tables: a row that is well by itself can still not fit those that are there."""
    for compute in _computed:
        try:
            compute()
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            why = f"a row lacks {error}" if isinstance(error, KeyError) else str(error)
            remedy = "see docs/guides/add-an-engine.md"
            raise StudyError(f"the engine tables of {files} can't be used", why, remedy) from error


def _parse_tables(file: str, text: str) -> dict[str, list[Row]]:
    try:
        document = toml_document(text)
    except ValueError as error:
        raise StudyError(f"the engine tables of {file} are not TOML", str(error), "correct the file") from error
    for kind, rows in document.items():
        if kind not in _FILES:
            raise StudyError(f"{file}: no engine table is called '{kind}'", f"known: {', '.join(_FILES)}", "correct it")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise StudyError(f"{file}: '{kind}' is not a list of tables", "", f"write [[{kind}]] and its keys below")
        for row in rows:
            _check_row(file, kind, row)
    return document


def _check_row(file: str, kind: str, row: Row) -> None:
    needed_keys, inner, inner_needed = _NEEDED[kind]
    title = next((f" {row[key]}" for key in ("name", "id", "version") if key in row), "")
    rows = row.get(inner, []) if inner else []
    if not isinstance(rows, list) or not all(isinstance(part, dict) for part in rows):
        raise StudyError(f"{file}: '{inner}' of the {kind}{title} is not a list of tables", "", "write [{...}, {...}]")
    missing_keys = [key for key in needed_keys if key not in row]
    missing_keys += [f"{inner}.{key}" for part in rows for key in inner_needed if key not in part]
    if missing_keys:
        missing_words = ", ".join(dict.fromkeys(missing_keys))
        raise StudyError(f"{file}: the {kind}{title} lacks {missing_words}", "", "see docs/guides/add-an-engine.md")
    try:
        decode(ROW_TYPES[kind], row)
    except DecodeError as error:
        raise StudyError(f"{file}: the {kind}{title}: {error}", "", "see docs/guides/add-an-engine.md") from error
    for part in (row, *rows):
        for key in ("since", "until", "plugin_since", "plugin_until"):
            if part.get(key):
                parse_version(str(part[key]))
