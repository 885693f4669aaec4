"""Keeps the proofs of a study next to it: for each a results folder, and a note of what it is to prove.

::

    NAME/proofs/ALTERATION-DIGEST/       a results folder, made by the study of the proof
    NAME/proofs/ALTERATION-DIGEST.json   the note

The study's own results do not change, and nothing of a proof is ever judged with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dbdyno.core import AlteredError, Cell, decode
from dbdyno.store._altered import QUICK_CHECK, FolderCheck
from dbdyno.store._damage import read_json, reading
from dbdyno.store._files import write_whole
from dbdyno.store._layout import PROOFS


@dataclass(frozen=True, slots=True)
class ProofNote:
    """Says what a proof is of.

    Parameters
    ----------
    alteration : id
    words : what is altered, from what to what
    left, right : the cells whose difference is to be explained
    control, altered : the cells of the proof
    removes : parts of the split by threads that the alteration takes away
    gap_ms : right less left, as it was known when the proof was asked for
    slows_ms : by which each call of these parts takes longer instead; 0 where they are taken away
    least_calls : that a transaction waits for, where several share one
    brought_back_ms : that sessions of the other target wait longer elsewhere, as the altered target's then will
    claimed : part -> share of its time in the control that the altered causes claim; None where `removes` go away
        as a whole
    claimed_error : half-width of the 95 % interval of what they claim together, relative
    """

    alteration: str
    words: str
    left: Cell
    right: Cell
    control: Cell
    altered: Cell
    removes: tuple[str, ...]
    gap_ms: float
    slows_ms: float = 0.0
    least_calls: float = 0.0
    brought_back_ms: float = 0.0
    claimed: Mapping[str, float] | None = None
    claimed_error: float = 0.0


def write_proof_note(results: Path, name: str, note: ProofNote) -> Path:
    """Note what a proof is of; returns the folder for its results."""
    folder = results / PROOFS
    folder.mkdir(exist_ok=True)
    content = asdict(note)
    write_whole(folder / f"{name}.json", json.dumps({**content, "sha256": _digest(content)}, indent=1))
    return folder / name


def proof_notes(results: Path, check: FolderCheck = QUICK_CHECK) -> Mapping[Path, ProofNote]:
    """Return results folder of each proof -> what it is of; those without a run are left out.

    Raises
    ------
    DamageError : a note can't be read
    AlteredError : a note has changed since it was written, and `check` does not let that pass
    """
    notes = {}
    for path in sorted((results / PROOFS).glob("*.json")):
        if path.with_suffix("").is_dir():
            with reading(path):
                content = read_json(path)
                stored_digest = content.pop("sha256", None)  # notes of earlier versions have none
                notes[path.with_suffix("")] = decode(ProofNote, content)
            if stored_digest not in (None, _digest(content)) and not check.allow_altered:
                remedy = "prove it again (dbdyno explain --prove); --allow-altered uses it anyway"
                raise AlteredError(f"{path} has changed since dbdyno wrote it", "", remedy, code="altered")
    return notes


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=dict).encode()).hexdigest()
