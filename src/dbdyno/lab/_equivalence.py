"""Before the first run: each target is sent the same events, one by one, and what it makes of them is compared.

A database that answers differently is not faster or slower at the same work, but does other work. The events are the
first of the workload itself, on a copy of the dataset that is thrown away. A server that is not ours keeps what they
changed: there no run starts from untouched tables anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.core import ConfigureError, Fingerprint, PopulateError
from dbdyno.lab import _events as events
from dbdyno.lab._context import Prepared, RunContext
from dbdyno.lab._signals import uninterrupted
from dbdyno.populate import fingerprint
from dbdyno.store import StoredFingerprint


def compare_results(context: RunContext, targets: Sequence[Prepared]) -> None:
    """Send the events to the targets that have no fingerprint yet, and emit how all targets compare."""
    study = context.study
    if study.equivalence_events == 0 or len(study.targets) < 2:
        return
    labels = [choice.label for choice in study.workloads]
    for prepared in targets:
        known = context.results.fingerprints(prepared.target.name)
        fingerprints = [_fingerprint(context, prepared, label, known.get(label)) for label in labels]
        context.writer.write_fingerprints(prepared.target.name, fingerprints)
    for comparison in context.results.compared([target.name for target in study.targets], labels):
        context.emit(events.ResultsCompared(comparison))


def _fingerprint(
    context: RunContext, prepared: Prepared, label: str, known: StoredFingerprint | None
) -> StoredFingerprint:
    """Keep the known one if it is of the same dataset and events and did not fail; else make it."""
    target, events_count = prepared.target.name, context.study.equivalence_events
    digest = context.dataset(target, label).digest
    is_same = known is not None and (known.dataset, known.events_asked) == (digest, events_count)
    if known is not None and is_same and not isinstance(known.made, str):
        return known
    context.emit(events.ResultsComparing(target, label))
    outcome: Fingerprint | str
    try:
        outcome = _send_events(context, prepared, label)
    except (ConfigureError, PopulateError) as error:
        outcome = str(error)
    return StoredFingerprint(label, digest, events_count, outcome)


def _send_events(context: RunContext, prepared: Prepared, label: str) -> Fingerprint:
    """Start a server as for the first of the target's runs, and send it the events."""
    target = prepared.target.name
    run = next(run for run in context.plan.runs if (run.cell.target, run.cell.workload) == (target, label))
    server = context.run_server(run, prepared)
    try:
        choice, schema = context.study.workload_of(target, label), context.dataset(target, label).schema
        return fingerprint(context.study, choice, server, schema, context.host, context.generator)
    finally:
        with uninterrupted():
            server.discard()
