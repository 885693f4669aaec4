"""Where the load generator is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from dbdyno.core import MeasureError

NAME = "dbdyno-load"


def find_generator(environ: Mapping[str, str] = os.environ, executable: str = sys.executable) -> Path:
    """The program ``dbdyno-load``: ``$DBDYNO_LOAD``, else beside this Python, else on the PATH.

    Raises
    ------
    MeasureError : it is nowhere
    """
    named = environ.get("DBDYNO_LOAD")
    beside = Path(executable).parent / NAME
    found = named or (str(beside) if beside.is_file() else shutil.which(NAME, path=environ.get("PATH", os.defpath)))
    if found is None or not os.access(found, os.X_OK):
        why = f"DBDYNO_LOAD is {named}" if named else f"neither {beside} nor the PATH holds it"
        raise MeasureError(f"the load generator {NAME} is not here", why, "run make setup, or set DBDYNO_LOAD")
    return Path(found)
