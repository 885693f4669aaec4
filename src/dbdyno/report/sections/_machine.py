"""The machine: what it is, and what was found of it before the runs."""

from __future__ import annotations

from dbdyno.analyse import counted
from dbdyno.report._html import Column, Html, joined, table
from dbdyno.report.sections._frame import Page, to_see


def machine_findings_part(page: Page) -> Html:
    """A table of findings, with what each does to a result and what mends it."""
    machine = page.analysis.machine
    if not machine.times:
        return to_see("Whether the machine was fit for it was not looked at.")
    looked = f"Looked at {counted(machine.times, 'time')}, before runs began."
    if not machine.found:
        return joined([to_see(f"{looked} Nothing stood in the way."), _unknown(page)])
    columns = [Column("weight"), Column("about"), Column("seen"), Column("what it does"), Column("what mends it")]
    rows = [
        [finding.severity, finding.title, _seen(finding.seen, times, machine.times), finding.effect, finding.remedy]
        for finding, times in machine.found
    ]
    return joined([to_see(looked), table("machine-findings", "Found of the machine", columns, rows), _unknown(page)])


def _seen(words: str, times: int, of: int) -> str:
    return words if times == of else f"{words} ({times} of {of} times)"


def _unknown(page: Page) -> Html:
    unknown = page.analysis.machine.unknown
    if not unknown:
        return joined([])
    return to_see(f"Not known, which is not the same as clear: {'; '.join(f'{o.title}: {o.seen}' for o in unknown)}.")
