"""Judges whether a machine is fit to be measured on: takes the state of a machine, returns findings. No I/O.

What is looked at comes from `hosts` as a `Machine`; each check is a function of it and of what a study needs. See
docs/guides/doctor.md.

>>> from dbdyno.core import Machine, Memory
>>> findings = examine(Machine(memory=Memory(huge_pages="always"))).findings
>>> [(finding.check_id, finding.severity) for finding in findings]
[('huge-pages', 'weakens')]
"""

from dbdyno.doctor._examine import Examination, examination_from_json, examination_to_json, examine
from dbdyno.doctor._verdict import (
    SEVERITIES,
    CheckOutcome,
    Generator,
    MachineCheck,
    Needs,
    NetworkTrial,
    RemoteAccess,
    RepeatSpread,
    Severity,
    load_host_needs,
    needs_of,
)
from dbdyno.doctor.checks import CHECKS

__all__ = [
    "CHECKS",
    "SEVERITIES",
    "CheckOutcome",
    "Examination",
    "Generator",
    "MachineCheck",
    "Needs",
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
