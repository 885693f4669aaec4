"""Errors by their codes, and by the names and numbers in them, so that their sentences can be edited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar
from unittest import mock

import pytest

from dbdyno.cli import _main
from dbdyno.core import DbdynoError

Kind = TypeVar("Kind", bound=DbdynoError)


@contextmanager
def raises_code(kind: type[Kind], code: str, *parts: str) -> Iterator[pytest.ExceptionInfo[Kind]]:
    """Hold that the block raises an error with a code, whose text has names or numbers in it."""
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.value.code == code
    assert [part for part in parts if part not in f"{caught.value}\n{caught.value.remedy}"] == []


def load_codes(stderr: str) -> list[str]:
    """Return the codes that ``dbdyno-load`` printed last: of the error, and of what a conversation ended with, if any.

    `DBDYNO_ERROR_CODES` is set for all tests, see `conftest`.
    """
    lines = [line for line in stderr.splitlines() if line.startswith("code: ")]
    return lines[-1].removeprefix("code: ").split() if lines else []


@contextmanager
def told_errors() -> Iterator[list[DbdynoError]]:
    """Yield the errors that commands print in the block, as they print them, so that their codes can be held."""
    errors: list[DbdynoError] = []
    print_error = _main._print_error

    def keep(error: DbdynoError) -> None:
        errors.append(error)
        print_error(error)

    with mock.patch.object(_main, "_print_error", keep):
        yield errors
