"""Finds the load generator, and asks it what a study's workloads are."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbdyno.core import MeasureError, StudyError, counted
from dbdyno.hosts import Host
from dbdyno.plan import ResolvedWorkloads
from dbdyno.study import CLOSED_LOOP, ResolvedWorkload, Study, WorkloadChoice, option_words

NAME = "dbdyno-load"


def find_generator(environ: Mapping[str, str] = os.environ, executable: str = sys.executable) -> Path:
    """Return the program ``dbdyno-load``: ``$DBDYNO_LOAD``, else next to this Python, else on the PATH.

    Raises
    ------
    MeasureError : it is nowhere
    """
    configured_path = environ.get("DBDYNO_LOAD")
    neighbour = Path(executable).parent / NAME
    program = configured_path or (
        str(neighbour) if neighbour.is_file() else shutil.which(NAME, path=environ.get("PATH", os.defpath))
    )
    if program is None or not os.access(program, os.X_OK):
        why = f"DBDYNO_LOAD is {configured_path}" if configured_path else f"it is neither {neighbour} nor on the PATH"
        raise MeasureError(f"the load generator {NAME} is missing", why, "run make setup, or set DBDYNO_LOAD")
    return Path(program)


_TIMEOUT_S = 60
_WRONG_REQUEST = 2  # exit code
_FILLING_STEPS = ("l.i0", "l.x")


def resolve_workloads(study: Study, host: Host, generator: Path) -> ResolvedWorkloads:
    """Return every workload of a study as each target is given it, asked for the most connections that will drive it.

    Raises
    ------
    StudyError : options that can't be, alone, together, or for so many connections
    MeasureError : the load generator is no use
    """
    _refuse_lost_tables(study)
    concurrency_max = max(study.concurrencies)
    workload_cache: dict[tuple[str, ...], ResolvedWorkload] = {}
    workloads = {}
    for target in study.targets:
        for label in (choice.label for choice in study.workloads):
            choice = study.workload_of(target.name, label)
            words = _generator_arguments(study, choice, concurrency_max)
            key = (choice.name, *words)
            if key not in workload_cache:
                workload_cache[key] = _resolve_workload(words, choice, study, host, generator)
            workloads[target.name, label] = workload_cache[key]
    for choice in study.workloads:
        _refuse_other_rows(choice, {target.name: workloads[target.name, choice.label] for target in study.targets})
    return workloads


def _refuse_lost_tables(study: Study) -> None:
    """Refuse workloads whose tables would replace each other: a running server has one schema for each family."""
    for target in (target for target in study.targets if target.engine.source_kind == "server"):
        filled_choices: dict[str, WorkloadChoice] = {}
        for choice in (study.workload_of(target.name, each.label) for each in study.workloads):
            earlier = filled_choices.setdefault(choice.family, choice)
            if not choice.uses_dataset(earlier.name, earlier.dataset_options):
                raise StudyError(
                    f"{earlier.label} and {choice.label} need different tables in one schema of {target.name}",
                    "dbdyno fills a running server once, before the first run",
                    "give both the same tables and rows, or write a study for each",
                    code="tables-differ",
                )


def _refuse_other_rows(choice: WorkloadChoice, workloads: Mapping[str, ResolvedWorkload]) -> None:
    """Refuse targets with other numbers of rows, which are found to differ only once all of them are filled."""
    (reference_target, reference), *others = workloads.items()
    for target, workload in others:
        if workload.rows_total != reference.rows_total:
            raise StudyError(
                f"{target} would have {workload.rows_total:,} rows for {choice.label}, and {reference_target} "
                f"{reference.rows_total:,}",
                "targets of a workload must hold the same rows",
                "write a study with one [[workload]] for each size",
                code="rows-differ",
            )


def _generator_arguments(study: Study, choice: WorkloadChoice, concurrency: int) -> list[str]:
    words = [f"--concurrency={concurrency}", f"--rng={study.rng}", f"--seed={study.seed}"]
    return [*words, *option_words(choice.options)]


def _resolve_workload(
    words: Sequence[str], choice: WorkloadChoice, study: Study, host: Host, generator: Path
) -> ResolvedWorkload:
    result = host.run([str(generator), "workloads", choice.name, "--json", *words], timeout_s=_TIMEOUT_S, check=False)
    if result.exit_code == _WRONG_REQUEST:
        what, _, why = result.stderr.strip().partition("\n")
        raise StudyError(f"workload {choice.label}: {what.removeprefix('error: ')}", why.strip())
    try:
        row = json.loads(result.stdout)
        _refuse_role(row, choice)
        _refuse_filling_step(row, choice)
        _refuse_other_load(row, choice, study)
        return ResolvedWorkload(
            row["name"],
            row["imitates"],
            row["options"],
            tuple(row["quirks"]),
            tuple(row["transaction_types"]),
            row["tables"],
            row["rows_total"],
            row["conditions"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MeasureError(
            f"the load generator can't describe workload {choice.label}",
            f"exit code {result.exit_code}: {result.stderr.strip()[-500:] or result.stdout[:200]}",
            "check that dbdyno-load and dbdyno have the same version",
        ) from error


def _refuse_filling_step(row: Mapping[str, Any], choice: WorkloadChoice) -> None:
    """Refuse steps of the insert benchmark that make what a dataset has before each run."""
    if row["options"].get("step") in _FILLING_STEPS:
        raise StudyError(
            f"workload {choice.label}: the step {row['options']['step']} can't be measured by a study",
            "each run starts from tables that have their rows and keys already",
            "use l.i1, l.i2, qr or qp; dbdyno-load run drives all steps",
        )


def _refuse_other_load(row: Mapping[str, Any], choice: WorkloadChoice, study: Study) -> None:
    """Refuse connections and a pacing that the workload does not take: its users have parts and pace themselves."""
    users = row.get("users")
    if users is None:
        return
    if others := [str(count) for count in study.concurrencies if count != users]:
        raise StudyError(
            f"workload {choice.label}: with these options it needs {counted(users, 'connection')}, "
            f"and the study asks for {', '.join(others)}",
            "each of its clients has one connection that inserts, and further ones that delete and query",
            f"use concurrency = [{users}], or --concurrency {users}",
        )
    if study.pacing != CLOSED_LOOP:
        what = f"workload {choice.label} paces itself, and the study asks for a pacing: {study.pacing.words}"
        raise StudyError(what, "", "remove [pacing], and set the speed by the workload's options", code="pacing-fixed")


def _refuse_role(row: Mapping[str, object], choice: WorkloadChoice) -> None:
    """Refuse a load that also goes to another server: a cell is one target."""
    if row["role"] is not None:
        raise StudyError(
            f"workload {choice.label}: its transactions with the role {row['role']} go to another server",
            "a study drives one target at a time",
            f"remove the role from workload.toml, or use dbdyno-load run {choice.name} --target {row['role']}=ADDRESS",
        )
