"""Before the first run: every engine at hand, every dataset filled, and the same rows in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import ConfigureError, DbdynoError, PopulateError, StoreError, Target
from dbdyno.hosts import Home, Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench
from dbdyno.lab._facts import dataset_facts, in_place_facts, installation_facts
from dbdyno.plan import Told
from dbdyno.populate import (
    ConditionAnswer,
    ConditionWait,
    Dataset,
    FillProgress,
    FreshServer,
    Snapshot,
    TableSums,
    fill,
    snapshot_for,
    snapshot_key,
    undecided_words,
)
from dbdyno.provision import Installation
from dbdyno.store import JsonValue, Results, ResultsWriter
from dbdyno.study import ResolvedWorkload, Study


@dataclass(frozen=True, slots=True)
class Prepared:
    """A target ready for its runs.

    Parameters
    ----------
    snapshots : digest of a dataset -> snapshot; empty for a running server, which was filled in place
    undecided : digest of a dataset -> conditions that were not answered in time after it was filled
    """

    target: Target
    installation: Installation
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    undecided: Mapping[str, tuple[ConditionAnswer, ...]] = field(default_factory=dict)

    @property
    def is_running_server(self) -> bool:
        """Not ours: neither configured, restored nor stopped."""
        return self.installation.address is not None


@dataclass(frozen=True, slots=True)
class Unprepared:
    """A target whose server died or refused while it was set up: its runs are failed ones, with this reason."""

    target: Target
    installation: Installation
    error: DbdynoError


@dataclass(frozen=True, slots=True)
class Preparation:
    """Carries what every step needs; `told` of each workload, by target and label."""

    study: Study
    told: Told
    bench: Bench
    host: Host
    home: Home
    generator: Path
    writer: ResultsWriter
    on_event: events.OnEvent
    facts: dict[str, list[JsonValue]] = field(default_factory=lambda: defaultdict(list))
    sums: dict[tuple[str, str], tuple[TableSums, ...]] = field(default_factory=dict)
    undecided: dict[tuple[str, str], tuple[ConditionAnswer, ...]] = field(default_factory=dict)

    def all_targets(self, results: Results, targets: Sequence[Target]) -> dict[str, Prepared | Unprepared]:
        """Bring the engines of these targets, then fill what is not filled; target name -> what is ready.

        Raises
        ------
        ProvisionError, HostError : nothing was measured yet; the same command tries again
        ConfigureError, PopulateError : no target at all could be set up, or two hold different rows
        StoreError : an engine is not the one that earlier runs in this folder have measured
        """
        installations = {target.name: self._engine(target, results) for target in targets}
        filled = {target.name: self._filled(target, installations[target.name]) for target in targets}
        failed = [outcome for outcome in filled.values() if isinstance(outcome, Unprepared)]
        if len(failed) == len(filled):
            raise failed[0].error
        self._check_equal([target for target in targets if isinstance(filled[target.name], Prepared)])
        for name, facts in self.facts.items():
            self.writer.write_dataset(name, {"datasets": facts})
        return filled

    def _check_equal(self, targets: Sequence[Target]) -> None:
        """What the targets hold for a workload is the same, also where they store it in different ways."""
        seen = set()
        for choice in self.study.workloads:
            datasets = {target.name: self._dataset(target, choice.label) for target in targets}
            digests = frozenset((name, dataset.digest) for name, dataset in datasets.items())
            if digests in seen:
                continue  # workloads of a family share their tables
            seen.add(digests)
            check_equal({name: self.sums[name, dataset.digest] for name, dataset in datasets.items()})
            title = Dataset.of_study(self.study, choice).title
            self.on_event(events.DatasetsEqual(title, len(targets)))

    def _filled(self, target: Target, installation: Installation) -> Prepared | Unprepared:
        snapshots = {}
        labels = {self._dataset(target, choice.label).digest: choice.label for choice in self.study.workloads}
        try:
            for digest, label in labels.items():
                dataset = self._dataset(target, label)
                if installation.address is not None:
                    self.sums[target.name, digest] = self._fill_in_place(target, installation, dataset)
                else:
                    snapshots[digest] = self._snapshot(target, installation, dataset)
                    self.sums[target.name, digest] = snapshots[digest].tables
        except (ConfigureError, PopulateError) as error:
            self.writer.append("target-failed", target=target.name, reason=str(error))
            self.on_event(events.TargetFailed(target.name, str(error)))
            return Unprepared(target, installation, error)
        undecided = {digest: self.undecided.get((target.name, digest), ()) for digest in labels}
        return Prepared(target, installation, snapshots, undecided)

    def _dataset(self, target: Target, label: str) -> Dataset:
        return Dataset.of_study(self.study, self.study.workload_of(target.name, label))

    def _told(self, target: Target, dataset: Dataset) -> ResolvedWorkload | None:
        """Of one of the workloads that need the dataset: what is told of data they have in common."""
        labels = [choice.label for choice in self.study.workloads]
        needing = (label for label in labels if self._dataset(target, label).digest == dataset.digest)
        return next((told for label in needing if (told := self.told.get((target.name, label)))), None)

    def _engine(self, target: Target, results: Results) -> Installation:
        installation = self.bench.obtain(target, lambda text: self.on_event(events.EngineProgress(target.name, text)))
        earlier = results.engine(target.name)
        if earlier is not None and earlier["version"] != installation.version:
            raise StoreError(
                f"{target.name} is {installation.version} now, and {results.path} holds runs of {earlier['version']}",
                "runs of two versions would stand as one",
                "give another folder with -o",
            )
        self.writer.write_engine(target.name, installation_facts(installation))
        origin = f"{installation.origin.source} {installation.origin.location}".strip()
        self.on_event(events.EngineReady(target.name, installation.title, origin, installation.nearest_note))
        return installation

    def _snapshot(self, target: Target, installation: Installation, dataset: Dataset) -> Snapshot:
        key = snapshot_key(self.bench.shaping(target, installation), target.engine.storage_engine, dataset)

        def fresh_server() -> FreshServer:
            self.on_event(events.FillStarted(target.name, dataset.title))
            return self.bench.fresh_server(target, installation)

        told = self._told(target, dataset)
        snapshot = snapshot_for(
            key,
            dataset,
            target.engine.storage_engine,
            fresh_server,
            self.host,
            self.home,
            self.generator,
            self._on_progress(target),
            told.rows_total if told else 0,
            has_conditions=told is not None and told.conditions > 0,
            timeouts=self.study.timeouts,
        )
        self._note_undecided(target, dataset, snapshot.undecided)
        self.facts[target.name].append(dataset_facts(dataset, snapshot))
        self.on_event(
            events.DatasetReady(
                target.name,
                dataset.title,
                snapshot.rows_total,
                snapshot.fill_ns,
                snapshot.bytes,
                snapshot.reused,
            )
        )
        return snapshot

    def _fill_in_place(self, target: Target, installation: Installation, dataset: Dataset) -> tuple[TableSums, ...]:
        self.on_event(events.FillStarted(target.name, dataset.title))
        server = self.bench.running_server(target, installation)
        told = self._told(target, dataset)
        try:
            end = fill(
                dataset,
                server,
                target.engine.storage_engine,
                self.host,
                self.generator,
                self._on_progress(target),
                has_conditions=told is not None and told.conditions > 0,
                timeouts=self.study.timeouts,
            )
        finally:
            server.discard()
        self._note_undecided(target, dataset, end.undecided)
        rows = sum(table.rows for table in end.tables)
        self.facts[target.name].append(in_place_facts(dataset, end))
        self.on_event(events.DatasetReady(target.name, dataset.title, rows, end.elapsed_ns, 0, reused=False))
        return end.tables

    def _note_undecided(self, target: Target, dataset: Dataset, undecided: tuple[ConditionAnswer, ...]) -> None:
        """What nobody knows of the tables that its runs start from."""
        if not undecided:
            return
        self.undecided[target.name, dataset.digest] = undecided
        words = undecided_words(undecided, self.study.timeouts)
        self.writer.append("condition-undecided", target=target.name, dataset=dataset.title, reason=words)

    def _on_progress(self, target: Target) -> Callable[[FillProgress | ConditionWait], None]:
        def tell(progress: FillProgress | ConditionWait) -> None:
            if isinstance(progress, ConditionWait):
                self.on_event(events.awaited(target.name, progress))
            else:
                self.on_event(events.FillAdvanced(target.name, progress.phase, progress.rows_done, progress.rows_total))

        return tell


def check_equal(sums: Mapping[str, tuple[TableSums, ...]]) -> None:
    """All targets hold the same rows.

    Raises
    ------
    PopulateError : two targets differ; both are named
    """
    (first, expected), *others = sums.items()
    for name, found in others:
        differing = [table.name for table, other in zip(found, expected, strict=False) if table != other]
        if found != expected:
            raise PopulateError(
                f"{name} does not hold the same rows as {first}",
                f"tables that differ: {', '.join(differing) or 'their number'}",
                "remove the snapshots in DBDYNO_HOME and run again",
            )
