"""Stores the digests of a target's results for the events that all targets were sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dbdyno.core import Fingerprint, decode
from dbdyno.store._files import JsonValue


@dataclass(frozen=True, slots=True)
class StoredFingerprint:
    """Describes the fingerprint of one workload.

    Parameters
    ----------
    dataset : digest of the dataset that the events began with
    events_asked : sent, or meant to be
    made : the fingerprint, or why there is none
    """

    workload: str
    dataset: str
    events_asked: int
    made: Fingerprint | str

    def to_json(self) -> dict[str, JsonValue]:
        """Return it as it is stored."""
        facts: dict[str, JsonValue] = {
            "workload": self.workload,
            "dataset": self.dataset,
            "events_asked": self.events_asked,
        }
        return facts | ({"reason": self.made} if isinstance(self.made, str) else asdict(self.made))

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> StoredFingerprint:
        """Parse what `to_json` gave."""
        outcome: Fingerprint | str = str(row["reason"]) if "reason" in row else decode(Fingerprint, row)
        return cls(decode(str, row["workload"]), decode(str, row["dataset"]), decode(int, row["events_asked"]), outcome)
