"""Inputs spoilt by seeded chance: types swapped, endless nesting, numbers that are none, parts lost, bits turned."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Mutation = Callable[[random.Random, bytes], bytes]
_RAW = {
    "@deep list@": "[" * 30_000 + "]" * 30_000,
    "@deep table@": '{"a":' * 30_000 + "1" + "}" * 30_000,
    "@just below@": "[" * 60 + "]" * 60,
    "@infinite@": "1e400",
    "@nan@": "NaN",
    "@minus infinity@": "-Infinity",
    "@digits@": "9" * 6000,
    "@huge@": "1" + "0" * 400,
    "@64 bits@": "18446744073709551615",
    "@negative@": "-9223372036854775808",
    "@float@": "1.7976931348623157e308",
}
_VALUES: tuple[Any, ...] = (
    *_RAW,
    None,
    True,
    0,
    -1,
    2**31,
    0.5,
    "",
    "x",
    "\x1b[31m\u202e\n\x00",
    "\ud800",
    "long " * 20_000,
    [],
    {},
    [[]],
    ["x", 1, None],
    {"a": {"b": 1}},
)
_TOML_VALUES = (
    "nan",
    "inf",
    "-1",
    "0",
    "1e400",
    "9" * 5000,
    "9223372036854775807",
    "-0.0",
    "true",
    '""',
    '"x"',
    '"999999999999999h"',
    '"1e9GB"',
    '"999999999999999TB"',
    "[]",
    "{}",
    "[[]]",
    "[" * 3000 + "]" * 3000,
    "1979-05-27T07:32:00Z",
    "07:32:00",
    '["64MB", 7, true]',
    "{a = {b = 1}}",
    '"\\u001b[31m\\u202e"',
    "'''\nlong\n'''",
    '"' + "long " * 5000 + '"',
)
_NUMBERS = (
    b"nan",
    b"inf",
    b"-1",
    b"1e400",
    b"9" * 400,
    b"0",
    b"",
    b"x",
    b"-0",
    b"1e308",
    b"99999999999999999999",
    b"0x1F",
)
_NUMBER_RE = re.compile(rb"\d+(?:\.\d+)?")


def mutated_bytes(chance: random.Random, content: bytes) -> bytes:
    """Damage that disks, copies and terminals do."""
    at = chance.randrange(len(content) + 1)
    match chance.randrange(9):
        case 0:
            return content[:at]
        case 1:
            return content[at:]
        case 2 if content:
            at = chance.randrange(len(content))
            return content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]
        case 3:
            return content[:at] + chance.randbytes(chance.choice((1, 20, 3000))) + content[at:]
        case 4:
            return content[:at] + b"\0" * chance.choice((1, 5000)) + content[at:]
        case 5:
            return b""
        case 6:
            return content.decode("latin-1").encode("utf-16")
        case 7:
            return content[:at] + chance.choice((b"x", b"9", b" ", b"[", b",", b"\xff")) * 2_000_000 + content[at:]
        case _:
            return content.replace(b"\n", chance.choice((b"\r", b"\r\n", b"", b"\n\n")))


def mutated_lines(chance: random.Random, content: bytes) -> bytes:
    """Lines lost, doubled or swapped, and numbers that are none."""
    lines = content.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(6):
        case 0:
            del lines[one]
        case 1:
            lines.insert(one, lines[other])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines[one : one + 1] = [lines[one]] * 2000
        case _:
            numbers = list(_NUMBER_RE.finditer(content))
            if numbers:
                found, value = chance.choice(numbers), chance.choice(_NUMBERS)
                return content[: found.start()] + value + content[found.end() :]
    return b"\n".join(lines)


def mutated_json(chance: random.Random, content: bytes) -> bytes:
    """Another value, or none, in one place of a JSON document or of one line of a journal."""
    lines = [content] if content[:1] in b"[{" and b"\n{" not in content else content.split(b"\n")
    at = chance.randrange(len(lines))
    try:
        document = json.loads(lines[at])
    except ValueError:
        return mutated_bytes(chance, content)
    lines[at] = _dumped(_with_one_changed(chance, document))
    return b"\n".join(lines)


def _with_one_changed(chance: random.Random, document: Any) -> Any:
    place: Any = document
    while isinstance(place, dict | list) and place:
        key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.8:
            place = inner
            continue
        match chance.randrange(6):
            case 0:
                del place[key]
            case 1 if isinstance(place, dict):
                place[chance.choice(("", "x", "\x1b[2J", "/~"))] = place.pop(key)
            case _:
                place[key] = chance.choice(_VALUES)
        return document
    return chance.choice(_VALUES)


def _dumped(document: Any) -> bytes:
    text = json.dumps(document)
    for mark, raw in _RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return text.encode()


def mutated_toml(chance: random.Random, content: bytes) -> bytes:
    """Another value behind a key, or a key in another place."""
    lines = content.decode().split("\n")
    keyed = [index for index, line in enumerate(lines) if "=" in line and not line.startswith("#")]
    match chance.randrange(8):
        case 0:
            lines.insert(chance.randrange(len(lines)), ".".join("a" * chance.choice((200, 20_000))) + " = 1")
        case 1:
            lines.insert(chance.randrange(len(lines)), chance.choice(("[[target]]", "[settings]", "[scale.x]", "[x]")))
        case 2:
            return mutated_lines(chance, content)
        case _ if keyed:
            at = chance.choice(keyed)
            key = lines[at].partition("=")[0]
            lines[at] = f"{key}= {chance.choice(_TOML_VALUES)}"
    return "\n".join(lines).encode()


def mutated_parquet(chance: random.Random, content: bytes) -> bytes:
    """Columns of other types, lost, renamed or emptied; numbers that none can be."""
    table = pq.read_table(pa.BufferReader(content))
    if not table.num_columns:
        return mutated_bytes(chance, content)
    at = chance.randrange(table.num_columns)
    name, rows = table.column_names[at], table.num_rows
    match chance.randrange(9):
        case 0:
            table = table.drop_columns([name])
        case 1:
            table = table.rename_columns([*table.column_names[:at], f"{name}_", *table.column_names[at + 1 :]])
        case 2:
            table = table.slice(0, chance.randrange(rows + 1))
        case 3:
            table = pa.concat_tables([table] * 20)
        case 4:
            return mutated_bytes(chance, content)
        case 5:
            table = table.take(
                pa.array([chance.randrange(rows) for _ in range(rows)]) if rows else pa.array([], pa.int64())
            )
        case _:
            table = table.set_column(at, name, _odd_column(chance, rows))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def _odd_column(chance: random.Random, rows: int) -> pa.Array:
    kinds: tuple[tuple[Any, pa.DataType], ...] = (
        ("x", pa.string()),
        ("HISTFAAAAB", pa.string()),
        (float("nan"), pa.float64()),
        (float("inf"), pa.float64()),
        (1.7e308, pa.float64()),
        (-1.0, pa.float64()),
        (0.0, pa.float64()),
        (2**63 - 1, pa.int64()),
        (-(2**63), pa.int64()),
        (-1, pa.int64()),
        (0, pa.int64()),
        (None, pa.float64()),
        (None, pa.string()),
        (None, pa.null()),
        ([1], pa.list_(pa.int64())),
        ({"a": 1}, pa.struct([("a", pa.int64())])),
        (True, pa.bool_()),
        (b"\xff", pa.binary()),
    )
    value, kind = chance.choice(kinds)
    values = [value] * rows
    if chance.random() < 0.3 and rows:
        values = [None] * rows
        values[chance.randrange(rows)] = value
    return pa.array(values, kind)


def mutation_of(name: str) -> Mutation:
    """How a file of a name is spoilt with sense."""
    if name.endswith((".json", ".jsonl")):
        return mutated_json
    if name.endswith(".toml"):
        return mutated_toml
    return mutated_parquet if name.endswith(".parquet") else mutated_lines


def mutated(chance: random.Random, name: str, content: bytes) -> bytes:
    """A file's contents spoilt, once in five times without sense."""
    kind = mutated_bytes if chance.random() < 0.2 else mutation_of(name)
    try:
        return kind(chance, content)
    except (ValueError, OSError):
        return mutated_bytes(chance, content)
