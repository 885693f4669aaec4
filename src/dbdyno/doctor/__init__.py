"""Judges whether a machine is fit to be measured on: takes the state of a machine, returns findings. No I/O.

What is looked at comes from `hosts` as a `Machine`; each check is a function of it and of what a study needs. See
docs/guides/doctor.md.

>>> from dbdyno.core import Machine, Memory
>>> from dbdyno.doctor import examine
>>> findings = examine(Machine(memory=Memory(huge_pages="always"))).findings
>>> [(finding.check_id, finding.severity) for finding in findings]
[('huge-pages', 'weakens')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.doctor._examine import Examination, examination_to_json, examine
    from dbdyno.doctor._outcome import SEVERITIES, CheckOutcome, Severity, examination_from_json
    from dbdyno.doctor._verdict import (
        Generator,
        MachineCheck,
        Needs,
        NetworkReading,
        NetworkTrial,
        RemoteAccess,
        RepeatSpread,
        load_host_needs,
        needs_of,
    )
    from dbdyno.doctor.checks import CHECKS
else:
    __getattr__ = late_names(
        __name__,
        {
            "_examine": "Examination examination_to_json examine",
            "_outcome": "SEVERITIES CheckOutcome Severity examination_from_json",
            "_verdict": "Generator MachineCheck Needs NetworkReading NetworkTrial RemoteAccess RepeatSpread "
            "load_host_needs needs_of",
            "checks": "CHECKS",
        },
    )

__all__ = [
    "CHECKS",
    "SEVERITIES",
    "CheckOutcome",
    "Examination",
    "Generator",
    "MachineCheck",
    "Needs",
    "NetworkReading",
    "NetworkTrial",
    "RemoteAccess",
    "RepeatSpread",
    "Severity",
    "examination_from_json",
    "examination_to_json",
    "examine",
    "load_host_needs",
    "needs_of",
]
