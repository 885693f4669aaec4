"""Decodes plain data from outside into typed values, or names the place where it does not fit.

One function for every edge: JSON documents of a results folder, calibrations, notes. A type is what an annotation can
say: dataclasses and typed dictionaries (whose further keys are ignored: records grow), mappings, lists, tuples,
literals, unions and plain values. Numbers are finite and in the range that a measurement can have.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from dbdyno.core._documents import pointer
from dbdyno.core._flat_fields import is_flat

_T = TypeVar("_T")
_Place = tuple[Any, ...]
_Reader = Callable[[Any, _Place], Any]
LARGEST = 1e18
"""Beyond it nothing is a rate, a time or a size, and squares are soon infinite."""
_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", type(None): "null"}


class DecodeError(ValueError):
    """Reports a value that is not of the expected type; its text begins with the JSON pointer of the place."""


def decode(kind: type[_T], value: Any) -> _T:  # noqa: ANN401 - foreign data
    """Convert a value to a type.

    Raises
    ------
    DecodeError : it, or a part of it, is something else; with the pointer to the part

    >>> decode(dict[str, list[int]], {"a": [1, 2]})
    {'a': [1, 2]}
    >>> decode(dict[str, list[int]], {"a": [1, True]})
    Traceback (most recent call last):
    dbdyno.core._decode.DecodeError: /a/1: true instead of a whole number
    """
    reader: _Reader = _reader(kind)  # type: ignore[arg-type] # a type is as good a key as any
    result: _T = reader(value, ())
    return result


@functools.cache
def _reader(kind: Any) -> _Reader:  # noqa: ANN401 - what an annotation can say
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any or kind is object:
        return lambda value, _: value
    if dataclasses.is_dataclass(kind):
        return _dataclass_reader(kind)
    if typing.is_typeddict(kind):
        return _typed_dictionary_reader(kind)
    if origin is Literal:
        return _literal_reader(arguments)
    if origin in (Union, types.UnionType):
        return _union_reader(arguments)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _fixed_tuple_reader(arguments)
    if origin in (list, tuple, Sequence):
        return _list_reader(origin, arguments[0])
    if origin in (dict, Mapping):
        return _mapping_reader(arguments[1])
    if kind in _NAMES:
        return functools.partial(_read_plain, kind)
    raise TypeError(f"no reader for {kind}")


def _read_plain(kind: Any, value: Any, place: _Place) -> Any:  # noqa: ANN401
    if type(value) is not kind:
        if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
            return float(value)
        raise _mismatch_error(value, place, _NAMES[kind])
    if kind is float and not abs(value) <= LARGEST:  # NaN is refused as well
        raise DecodeError(f"{pointer(place)}: {value:g} instead of a number of at most {LARGEST:g}")
    if kind is int and not -(2**63) <= value < 2**64:
        raise DecodeError(f"{pointer(place)}: a whole number beyond 64 bits")
    return value


def _dataclass_reader(kind: Any) -> _Reader:  # noqa: ANN401
    hints = typing.get_type_hints(kind)
    own_fields = [field for field in dataclasses.fields(kind) if field.init]
    part_names = [field.name for field in own_fields if not is_flat(field)]
    needed_names = {field.name for field in own_fields if not is_flat(field) and _is_needed(field)}
    flat_names = [field.name for field in own_fields if is_flat(field)]
    readers: dict[str, _Reader] = {}

    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        if not readers:  # made at first use, so that a type may hold itself
            readers.update({field.name: _reader(hints[field.name]) for field in own_fields})
        values = _require_mapping(value, place)
        if not needed_names <= values.keys():
            missing_name = next(name for name in part_names if name in needed_names and name not in values)
            raise DecodeError(f"{pointer(place)}: '{missing_name}' is missing")
        own_values = {name: readers[name](values[name], (*place, name)) for name in part_names if name in values}
        flat_parts = {name: readers[name](values, place) for name in flat_names}
        return kind(**own_values, **flat_parts)

    return read


def _is_needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _typed_dictionary_reader(kind: Any) -> _Reader:  # noqa: ANN401
    hints = typing.get_type_hints(kind)
    required_keys: frozenset[str] = kind.__required_keys__

    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        values = _require_mapping(value, place)
        for name in sorted(required_keys - values.keys()):
            raise DecodeError(f"{pointer(place)}: '{name}' is missing")
        return {key: _reader(hints[key])(part, (*place, key)) if key in hints else part for key, part in values.items()}

    return read


def _literal_reader(words: tuple[Any, ...]) -> _Reader:
    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        if not isinstance(value, str | int | None) or value not in words:
            raise _mismatch_error(value, place, f"one of {', '.join(map(repr, words))}")
        return value

    return read


def _union_reader(kinds: tuple[Any, ...]) -> _Reader:
    member_kinds = tuple(kind for kind in kinds if kind is not type(None))
    can_be_null = len(member_kinds) < len(kinds)
    readers: list[_Reader] = []

    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        if value is None and can_be_null:
            return None
        if not readers:  # made at first use, as those of a dataclass
            readers.extend(map(_reader, member_kinds))
        problem: DecodeError | None = None
        for read_member in readers:
            try:
                return read_member(value, place)
            except DecodeError as error:
                problem = error
        assert problem is not None, "a union has members"
        raise problem

    return read


def _fixed_tuple_reader(kinds: tuple[Any, ...]) -> _Reader:
    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        parts = _require_list(value, place)
        if len(parts) != len(kinds):
            raise DecodeError(f"{pointer(place)}: {len(parts)} values instead of {len(kinds)}")
        return tuple(_reader(kind)(part, (*place, i)) for i, (kind, part) in enumerate(zip(kinds, parts, strict=True)))

    return read


def _list_reader(origin: Any, kind: Any) -> _Reader:  # noqa: ANN401
    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        read_part = _reader(kind)
        parts = [read_part(part, (*place, index)) for index, part in enumerate(_require_list(value, place))]
        return tuple(parts) if origin is tuple else parts

    return read


def _mapping_reader(kind: Any) -> _Reader:  # noqa: ANN401
    def read(value: Any, place: _Place) -> Any:  # noqa: ANN401
        read_part = _reader(kind)
        return {key: read_part(part, (*place, key)) for key, part in _require_mapping(value, place).items()}

    return read


def _require_mapping(value: Any, place: _Place) -> Mapping[str, Any]:  # noqa: ANN401
    if type(value) is not dict and not isinstance(value, Mapping):  # nearly all are: the abstract class takes long
        raise _mismatch_error(value, place, "a table of names and values")
    return value


def _require_list(value: Any, place: _Place) -> Sequence[Any]:  # noqa: ANN401
    if not isinstance(value, list | tuple):
        raise _mismatch_error(value, place, "a list")
    return value


def _mismatch_error(value: Any, place: _Place, expected_words: str) -> DecodeError:  # noqa: ANN401
    return DecodeError(f"{pointer(place)}: {_value_words(value)} instead of {expected_words}")


def _value_words(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "null"
    text = repr(value) if isinstance(value, str) else f"{value}"
    return text if len(text) <= 40 else f"{text[:40]}…"
