"""One option of a server, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SettingSource = Literal["baseline", "settings", "study", "file"]


@dataclass(frozen=True, slots=True)
class Setting:
    """An option as written to the option file, and what the server made of it.

    Parameters
    ----------
    option : the server's own name, with underscores
    value : as written; empty for an option that takes none
    reason : why it is set so, a sentence
    parameter : neutral name such as ``redo.capacity``; empty for a raw option no table knows
    source : chosen by dbdyno; a neutral setting or a raw option of the study; the option file of a tuned target
    effective : read back from the server; None before, or where the server shows nothing to read
    """

    option: str
    value: str
    reason: str
    parameter: str = ""
    source: SettingSource = "baseline"
    effective: str | None = None
