"""An examination goes into JSON and comes back."""

from __future__ import annotations

import json

from dbdyno.core import Docker, Machine, Memory
from dbdyno.doctor import examination_from_json, examination_to_json, examine


def test_outcomes_come_back_as_they_were() -> None:
    examination = examine(Machine(memory=Memory(huge_pages="always"), docker=Docker("/s", error="no")), at_ns=5)
    stored = json.loads(json.dumps(examination_to_json(examination)))
    assert examination_from_json(stored) == examination.outcomes
    assert stored["at_ns"] == 5
    assert stored["machine"]["memory"]["huge_pages"] == "always"
