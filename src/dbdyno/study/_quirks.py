"""Says what each quirk of an imitated tool does.

`quirks.json` is written by ``dbdyno-load quirks --json``, so no quirk is described twice.

>>> named_quirks("3.3.2.3 (Q-HD-5)")[0][0]
'Q-HD-5'
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

FILE = "quirks.json"
_ID_RE = re.compile(r"\bQ-[A-Z]{2}-\d+\b")


def named_quirks(text: str) -> tuple[tuple[str, str], ...]:
    """Return each quirk whose id a text names, with what it does; an id that nobody knows is left out."""
    known = _effects()
    ids = dict.fromkeys(_ID_RE.findall(text))
    return tuple((quirk_id, known[quirk_id]) for quirk_id in ids if quirk_id in known)


@functools.cache
def _effects() -> Mapping[str, str]:
    table = json.loads(resources.files("dbdyno.study").joinpath(FILE).read_text())
    return MappingProxyType({row["id"]: row["effect"] for row in table["quirks"]})
