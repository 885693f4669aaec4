"""Before the first run: each target is sent the same events, one by one, and what it makes of them is compared.

A database that answers differently is not faster or slower at the same work, but does other work. The events are the
first of the workload itself, on a copy of the dataset that is thrown away. A server that is not ours keeps what they
changed: there no run starts from untouched tables anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import ConfigureError, PopulateError
from dbdyno.hosts import Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, RunServer
from dbdyno.lab._prepare import Prepared
from dbdyno.lab._signals import uninterrupted
from dbdyno.plan import Plan
from dbdyno.populate import Dataset, fingerprint
from dbdyno.store import Results, ResultsWriter, StoredFingerprint
from dbdyno.study import Study, WorkloadChoice


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Compares the results of a study's targets."""

    study: Study
    plan: Plan
    results: Results
    bench: Bench
    host: Host
    generator: Path
    writer: ResultsWriter
    on_event: events.OnEvent

    def check(self, targets: Sequence[Prepared]) -> None:
        """Send the events to these targets, as far as that is not done, and tell how all targets compare."""
        if self.study.equivalence_events == 0 or len(self.study.targets) < 2:
            return
        labels = [choice.label for choice in self.study.workloads]
        for prepared in targets:
            known = self.results.fingerprints(prepared.target.name)
            made = [self._made(prepared, label, known.get(label)) for label in labels]
            self.writer.write_fingerprints(prepared.target.name, made)
        for comparison in self.results.compared([target.name for target in self.study.targets], labels):
            self.on_event(events.ResultsCompared(comparison))

    def _made(self, prepared: Prepared, label: str, known: StoredFingerprint | None) -> StoredFingerprint:
        choice = self.study.workload_of(prepared.target.name, label)
        dataset = Dataset.of_study(self.study, choice)
        asked = self.study.equivalence_events
        is_same = known is not None and (known.dataset, known.events_asked) == (dataset.digest, asked)
        if known is not None and is_same and not isinstance(known.made, str):  # what failed is asked again
            return known
        self.on_event(events.ResultsComparing(prepared.target.name, choice.label))
        try:
            server = self._server(prepared, choice, dataset)
            try:
                made = fingerprint(self.study, choice, server, dataset.schema, self.host, self.generator)
            finally:
                with uninterrupted():
                    server.discard()
        except (ConfigureError, PopulateError) as error:
            return StoredFingerprint(choice.label, dataset.digest, asked, str(error))
        return StoredFingerprint(choice.label, dataset.digest, asked, made)

    def _server(self, prepared: Prepared, choice: WorkloadChoice, dataset: Dataset) -> RunServer:
        """As for the first of its runs."""
        if prepared.is_running_server:
            return self.bench.running_server(prepared.target, prepared.installation)
        own = (prepared.target.name, choice.label)
        run = next(run for run in self.plan.runs if (run.cell.target, run.cell.workload) == own)
        return self.bench.run_server(run, prepared.target, prepared.installation, prepared.snapshots[dataset.digest])
