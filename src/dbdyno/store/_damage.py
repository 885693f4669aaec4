"""Says what is wrong with a file of a results folder: missing, unreadable, or not what was written.

Copies stop half way and disks lose blocks: whose folder it is should read which file it is, and not how it was parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbdyno.core import DamageError, StoreError, json_value, read_input_text
from dbdyno.store import _layout as layout

_REMEDY = (
    "copy the folder again from an intact copy; if only one run is damaged, remove its folder and run the study again"
)


@contextmanager
def reading(path: Path, place: str = "") -> Iterator[None]:
    """Report errors in the block as those of this file, and of a place in it where that is known.

    Raises
    ------
    DamageError : it is missing, can't be read, or holds something else
    """
    try:
        yield
    except FileNotFoundError as error:
        raise DamageError(f"{path} is missing", "the folder is incomplete", _REMEDY, code="missing") from error
    except OSError as error:
        why = error.strerror or str(error)
        raise DamageError(f"{path} can't be read", why, _REMEDY, code="unreadable") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise DamageError(f"{path} is damaged", f"{place}: {why}" if place else why, _REMEDY, code="damaged") from error


@contextmanager
def reading_intervals(run_folder: Path) -> Iterator[None]:
    """Report values of a run's intervals that can't be read in the block as damage of their file.

    Raises
    ------
    DamageError : a histogram, or another value, is not what was written
    """
    with reading(run_folder / layout.INTERVALS):
        try:
            yield
        except StoreError as error:
            raise ValueError(f"{error.what}: {error.why}") from error


MOST_BYTES = 1 << 30
"""Of one JSON file or text of a results folder: the manifest of an import of thousands of runs has some tens of MiB."""


def read_text(path: Path, most: int | None = None) -> str:
    """Return the text of a stored file.

    Parameters
    ----------
    most : bytes, by `dbdyno.core.input_limit`; None: `MOST_BYTES`

    Raises
    ------
    DamageError : it is missing, can't be read, or is no text
    """
    with reading(path):
        return read_input_text(path, MOST_BYTES if most is None else most, is_fixed=most is None)


def read_json(path: Path) -> Any:  # noqa: ANN401 - foreign JSON
    """Return the value of a stored JSON file.

    Raises
    ------
    DamageError : it is missing, can't be read, or is not JSON of plain, finite values
    """
    with reading(path):
        return json_value(read_input_text(path, MOST_BYTES, is_fixed=True))
