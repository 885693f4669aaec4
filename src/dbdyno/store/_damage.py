"""What is said of a file of a results folder that is gone, may not be read, or is not what was written.

Copies stop half way and disks lose blocks: whose folder it is should read which file it is, and not how it was parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbdyno.core import StoreError

_REMEDY = "copy the folder again from where it is whole; of a run, remove its folder and run the study again"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Errors in the block are of this file.

    Raises
    ------
    StoreError : it is missing, can't be read, or holds something else
    """
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(f"{path} is missing", "the folder is not whole", _REMEDY) from error
    except OSError as error:
        raise StoreError(f"{path} can't be read", error.strerror or str(error), _REMEDY) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is damaged", f"{type(error).__name__}: {error}", _REMEDY) from error
