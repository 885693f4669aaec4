"""Prepares targets before the first run: obtains engines, fills datasets, checks that all hold the same rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.core import ConfigureError, PopulateError, StoreError, Target
from dbdyno.engines import used_tables
from dbdyno.lab import _events as events
from dbdyno.lab._context import PreparedTarget, RunContext, UnpreparedTarget
from dbdyno.populate import (
    ConditionAnswer,
    ConditionWait,
    Dataset,
    DatasetOrder,
    FillEnd,
    FillProgress,
    FillWait,
    FreshServer,
    Snapshot,
    TableSums,
    fill,
    snapshot_for,
    snapshot_key,
    undecided_words,
)
from dbdyno.provision import Installation
from dbdyno.store import JsonValue, check_same_engine, has_other_files
from dbdyno.study import ResolvedWorkload


def installation_facts(installation: Installation) -> dict[str, JsonValue]:
    """Return what was installed and where it came from, well enough to get it again. No address carries a password."""
    return {
        "family": installation.family,
        "version": installation.version,
        "raw_version": installation.raw_version,
        "storage_engines": list(installation.storage_engines),
        "source": installation.origin.source,
        "location": installation.origin.location,
        **({"package_lists_expired": expired} if (expired := installation.origin.lists_expired) else {}),
        "packages": [asdict(package) for package in installation.origin.packages],
        "nearest_note": installation.nearest_note,
        "added_tables": dict(used_tables()),
    }


def check_same_files(datasets: Sequence[Dataset], stored: Mapping[str, Any] | None, results: Path) -> None:
    """Refuse a workload whose files changed since the runs that are stored.

    Parameters
    ----------
    stored : facts of a target's datasets, see `Results.dataset`

    Raises
    ------
    StoreError : a study must not mix runs of two workloads
    """
    for dataset in datasets:
        if stored is not None and has_other_files(_dataset_facts(dataset), stored):
            what = f"the files of {dataset.title} have changed since the runs in {results}"
            raise StoreError(
                what, "a study must not mix runs of two workloads", "name another folder with -o", code="other-files"
            )


def dataset_facts(dataset: Dataset, snapshot: Snapshot) -> dict[str, JsonValue]:
    """Return what the runs of a target start from."""
    return {
        **_dataset_facts(dataset),
        "in_place": False,
        "snapshot": snapshot.key,
        "rows_total": snapshot.rows_total,
        "bytes": snapshot.bytes,
        "disk_bytes": snapshot.disk_bytes,
        "fill_ns": snapshot.fill_ns,
        "load_ns": snapshot.load_ns,
        "index_ns": snapshot.index_ns,
        "created_ns": snapshot.created_ns,
        "content_sha256": snapshot.content_sha256,
        "tables": [table.to_json() for table in snapshot.tables],
        "space": [table.to_json() for table in snapshot.space],
        **_undecided_facts(snapshot.undecided),
    }


def _undecided_facts(answers: tuple[ConditionAnswer, ...]) -> dict[str, JsonValue]:
    """Return conditions that the server did not answer in time, where there are some."""
    return {"undecided": [answer.to_json() for answer in answers]} if answers else {}


def in_place_facts(dataset: Dataset, end: FillEnd) -> dict[str, JsonValue]:
    """Return what was filled into a server that is not ours; nothing is kept of it."""
    return {
        **_dataset_facts(dataset),
        "in_place": True,
        "rows_total": sum(table.rows for table in end.tables),
        "fill_ns": end.elapsed_ns,
        "load_ns": end.load_ns,
        "index_ns": end.index_ns,
        "content_sha256": end.content_sha256,
        "tables": [table.to_json() for table in end.tables],
        "space": [table.to_json() for table in end.space],
        **_undecided_facts(end.undecided),
    }


def _dataset_facts(dataset: Dataset) -> dict[str, JsonValue]:
    return {
        "dataset": dataset.title,
        "digest": dataset.digest,
        "workload": dataset.workload,
        "options": dict(dataset.options),
        "rng": dataset.rng,
        "seed": dataset.seed,
    }


@dataclass(frozen=True, slots=True)
class Preparation:
    """Collects facts, checksums and undecided conditions of the datasets, by target and digest."""

    context: RunContext
    facts: dict[str, list[JsonValue]] = field(default_factory=lambda: defaultdict(list))
    sums: dict[tuple[str, str], tuple[TableSums, ...]] = field(default_factory=dict)
    undecided: dict[tuple[str, str], tuple[ConditionAnswer, ...]] = field(default_factory=dict)

    def all_targets(self, targets: Sequence[Target]) -> dict[str, PreparedTarget | UnpreparedTarget]:
        """Bring the engines of these targets, then fill what is not filled; target name -> what is ready.

        Raises
        ------
        ProvisionError, HostError : nothing was measured yet; the same command tries again
        ConfigureError, PopulateError : no target at all could be set up, or two hold different rows
        StoreError : an engine or a workload is not the one that earlier runs in this folder have measured
        """
        if (results := self.context.results).run_ids():
            for target in targets:
                datasets = [self._dataset(target, choice.label) for choice in self.context.study.workloads]
                check_same_files(datasets, results.dataset(target.name), results.path)
        for target in targets:  # before minutes go into fetching the others
            on_progress = self._on_engine_progress(target)
            on_progress("looking for the engine")
            self.context.bench.check_engine(target, on_progress)
        installations = {target.name: self._obtain_engine(target) for target in targets}
        outcomes = {target.name: self._fill_target(target, installations[target.name]) for target in targets}
        failures = [outcome for outcome in outcomes.values() if isinstance(outcome, UnpreparedTarget)]
        if len(failures) == len(outcomes):
            raise failures[0].error
        self._check_equal_rows([target for target in targets if isinstance(outcomes[target.name], PreparedTarget)])
        for name, facts in self.facts.items():
            self.context.writer.write_dataset(name, {"datasets": facts})
        return outcomes

    def _check_equal_rows(self, targets: Sequence[Target]) -> None:
        """Check that targets hold the same rows for each workload, also where they store them in different ways."""
        checked_digests = set()
        for choice in self.context.study.workloads:
            datasets = {target.name: self._dataset(target, choice.label) for target in targets}
            digests = frozenset((name, dataset.digest) for name, dataset in datasets.items())
            if digests in checked_digests:
                continue  # workloads of a family share their tables
            checked_digests.add(digests)
            check_equal({name: self.sums[name, dataset.digest] for name, dataset in datasets.items()})
            title = Dataset.of_study(self.context.study, choice).title
            self.context.emit(events.DatasetsEqual(title, len(targets)))

    def _fill_target(self, target: Target, installation: Installation) -> PreparedTarget | UnpreparedTarget:
        snapshots = {}
        labels = {self._dataset(target, choice.label).digest: choice.label for choice in self.context.study.workloads}
        try:
            for digest, label in labels.items():
                dataset = self._dataset(target, label)
                if installation.address is not None:
                    self.sums[target.name, digest] = self._fill_in_place(target, installation, dataset)
                else:
                    snapshots[digest] = self._obtain_snapshot(target, installation, dataset)
                    self.sums[target.name, digest] = snapshots[digest].tables
        except (ConfigureError, PopulateError) as error:
            self.context.emit(events.TargetFailed(target.name, str(error)))
            return UnpreparedTarget(target, installation, error)
        undecided_by_digest = {digest: self.undecided.get((target.name, digest), ()) for digest in labels}
        return PreparedTarget(
            target, installation, snapshots, undecided_by_digest, self._wait_sites(target, installation)
        )

    def _wait_sites(self, target: Target, installation: Installation) -> Path | None:
        if installation.address is not None:
            return None
        context = self.context
        return context.bench.wait_sites(
            target,
            installation,
            context.generator,
            self._on_engine_progress(target),
        )

    def _dataset(self, target: Target, label: str) -> Dataset:
        return self.context.dataset(target.name, label)

    def _workload(self, target: Target, dataset: Dataset) -> ResolvedWorkload | None:
        """Look up one of the workloads that need the dataset: it says what they have in common."""
        labels = [choice.label for choice in self.context.study.workloads]
        dataset_labels = (label for label in labels if self._dataset(target, label).digest == dataset.digest)
        workloads = (self.context.workload(target.name, label) for label in dataset_labels)
        return next(filter(None, workloads), None)

    def _dataset_order(self, target: Target, dataset: Dataset) -> DatasetOrder:
        context, workload = self.context, self._workload(target, dataset)
        return DatasetOrder(
            dataset,
            target.engine.storage_engine,
            context.host,
            context.generator,
            context.study.timeouts,
            has_conditions=workload is not None and workload.conditions > 0,
            rows_total=workload.rows_total if workload is not None else 0,
        )

    def _obtain_engine(self, target: Target) -> Installation:
        context, results = self.context, self.context.results
        installation = context.bench.obtain(target, self._on_engine_progress(target))
        facts = installation_facts(installation)
        if (stored_engine := results.engine(target.name)) is not None:
            engine, place = {"target": target.name, **facts}, f"in the runs of {results.path}"
            check_same_engine(engine, "now", stored_engine, place, "name another folder with -o")
        self.context.writer.write_engine(target.name, facts)
        origin = f"{installation.origin.source} {installation.origin.location}".strip()
        self.context.emit(events.EngineReady(target.name, installation.title, origin, installation.nearest_note))
        return installation

    def _obtain_snapshot(self, target: Target, installation: Installation, dataset: Dataset) -> Snapshot:
        key = snapshot_key(self.context.bench.shaping(target, installation), target.engine.storage_engine, dataset)

        def fresh_server() -> FreshServer:
            self.context.emit(events.FillStarted(target.name, dataset.title))
            return self.context.bench.fresh_server(target, installation)

        engine_words = f"{installation.title} {target.engine.storage_engine}"
        order, home = self._dataset_order(target, dataset), self.context.home
        snapshot = snapshot_for(key, engine_words, order, fresh_server, home, self._on_progress(target))
        self._note_undecided(target, dataset, snapshot.undecided)
        self.facts[target.name].append(dataset_facts(dataset, snapshot))
        self.context.emit(
            events.DatasetReady(
                target.name,
                dataset.title,
                snapshot.rows_total,
                snapshot.fill_ns,
                snapshot.disk_bytes,
                snapshot.reused,
            )
        )
        return snapshot

    def _fill_in_place(self, target: Target, installation: Installation, dataset: Dataset) -> tuple[TableSums, ...]:
        self.context.emit(events.FillStarted(target.name, dataset.title))
        server = self.context.bench.running_server(target, installation)
        try:
            fill_result = fill(self._dataset_order(target, dataset), server, self._on_progress(target))
        finally:
            server.discard()
        self._note_undecided(target, dataset, fill_result.undecided)
        rows = sum(table.rows for table in fill_result.tables)
        self.facts[target.name].append(in_place_facts(dataset, fill_result))
        self.context.emit(
            events.DatasetReady(target.name, dataset.title, rows, fill_result.elapsed_ns, None, reused=False)
        )
        return fill_result.tables

    def _note_undecided(self, target: Target, dataset: Dataset, undecided: tuple[ConditionAnswer, ...]) -> None:
        """Note conditions of the tables that nobody answered before the runs."""
        if not undecided:
            return
        self.undecided[target.name, dataset.digest] = undecided
        words = undecided_words(undecided, self.context.study.timeouts)
        self.context.emit(events.ConditionUndecided(target.name, dataset.title, words))

    def _on_engine_progress(self, target: Target) -> Callable[[str], None]:
        return lambda text: self.context.emit(events.EngineProgress(target.name, text))

    def _on_progress(self, target: Target) -> Callable[[FillProgress | FillWait | ConditionWait], None]:
        def emit(progress: FillProgress | FillWait | ConditionWait) -> None:
            match progress:
                case ConditionWait():
                    self.context.emit(events.awaited(target.name, progress))
                case FillWait():
                    self.context.emit(events.FillAwaited(target.name))
                case _:
                    rows = progress.rows_done, progress.rows_total
                    self.context.emit(events.FillAdvanced(target.name, progress.phase, *rows))

        return emit


def check_equal(sums: Mapping[str, tuple[TableSums, ...]]) -> None:
    """Check that all targets hold the same rows.

    Raises
    ------
    PopulateError : two targets differ; both are named
    """
    (reference_target, expected), *others = sums.items()
    for name, sums_of_target in others:
        differing_tables = [
            table.name for table, other in zip(sums_of_target, expected, strict=False) if table != other
        ]
        if sums_of_target != expected:
            raise PopulateError(
                f"{name} does not hold the same rows as {reference_target}",
                f"tables that differ: {', '.join(differing_tables) or 'their number'}",
                "remove the snapshots in DBDYNO_HOME and run again",
                code="rows-differ",
            )
