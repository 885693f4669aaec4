"""Runs a study to its report: what `dbdyno run` and `dbdyno compare` have in common."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from dbdyno.cli._color import tell
from dbdyno.cli._console import wide_console
from dbdyno.cli._fleet import run_on_benches
from dbdyno.cli._folder import check_of, check_room, hold_results
from dbdyno.cli._machine import calibration_for_study, examinations_to_json, examine_study_hosts
from dbdyno.cli._plan import full_plan, plan_object, study_line
from dbdyno.cli._plan_precision import seen_precision_line
from dbdyno.cli._progress import ShownStudy, auditor, progress
from dbdyno.cli._seen_restores import keep_restores
from dbdyno.cli._seen_spread import keep_spread
from dbdyno.core import Home, HostError, Profiler, counted
from dbdyno.hosts import LocalHost
from dbdyno.lab import (
    RetryChoice,
    RunOptions,
    StudyHosts,
    StudyOutcome,
    connected_bench,
    connected_clients,
    run_study,
)
from dbdyno.plan import PartOfStudy, Plan, runs_of_part
from dbdyno.provision import check_available
from dbdyno.report import build_page, print_summary
from dbdyno.store import StoredStudy
from dbdyno.study import Study


def run_to_report(study: Study, output: Path, choices: argparse.Namespace) -> int:
    """Run a study into a folder, write its report, and print the summary and the report's path."""
    outcome = run_into(study, output, choices)
    try:
        _write_report(StoredStudy.open(output, check=check_of(choices)), outcome, output / "report.html", choices)
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads the summary; only the exit code shows how the study ended
        pass
    except KeyboardInterrupt:
        tell(f"error: interrupted while the report was written\nhint: dbdyno report {output} writes it")
        return HostError.exit_code
    return 0 if outcome.complete else 1


def run_part(study: Study, part: PartOfStudy, output: Path, choices: argparse.Namespace) -> int:
    """Run a part of a study into a folder; the report is made of all parts together."""
    outcome = run_into(study, output, choices, part)
    print(output)
    warn_of_missing_runs(outcome, is_fresh=choices.fresh)
    if not choices.quiet:
        tell(f"hint: dbdyno gather DIR.. -o {output.with_name(study.name)} combines the {part.count} parts")
    return 0 if outcome.complete else 1


def run_into(study: Study, output: Path, choices: argparse.Namespace, part: PartOfStudy | None = None) -> StudyOutcome:
    """Run a study, or a part of it, into a folder, with what is seen meanwhile."""
    if len(study.benches) > 1:
        return run_on_benches(study, output, choices)
    lab, home = LocalHost(), Home.of_user()
    home.check()
    home.make()
    plan = full_plan(study, lab)
    with (
        connected_bench(study, study.bench, lab) as remote_host,
        connected_clients(study, study.bench, remote_host) as clients,
    ):
        hosts = StudyHosts(lab, home, server_host=remote_host, clients=clients)
        return _run_with_servers(study, plan, part, output, choices, hosts)


def run_beside(
    study: Study, output: Path, choices: argparse.Namespace, profiler: Profiler | None = None
) -> StudyOutcome:
    """Run a study that is made of another's results, into a folder next to them.

    Parameters
    ----------
    profiler : samples the servers' stacks; None: they are not profiled
    """
    options = argparse.Namespace(
        quiet=choices.quiet,
        force=choices.force,
        fresh=False,
        retry_failed=True,
        retry_disturbed=False,
        no_calibrate=True,
        strict_audit=False,
        allow_altered=choices.allow_altered,
        audits=False,  # its targets differ on purpose, by the altered setting
        profiler=profiler,
    )
    return run_into(study, output, options)


def _run_with_servers(
    study: Study,
    plan: Plan,
    part: PartOfStudy | None,
    output: Path,
    choices: argparse.Namespace,
    hosts: StudyHosts,
) -> StudyOutcome:
    """Run it, or a part of it, with servers on this machine, or on a host."""
    own_plan = plan if part is None else replace(plan, runs=runs_of_part(study, plan.runs, part))
    is_fresh = getattr(choices, "fresh", False)
    check = replace(check_of(choices), allow_missing_runs=True)
    check_room(output, study, fresh=is_fresh, check=check)
    facts, examinations = examine_study_hosts(study, plan, hosts, force=choices.force, quiet=choices.quiet)
    document = plan_object(study, plan)
    with hold_results(output, study, document, facts, fresh=is_fresh, check=check) as results:
        if not choices.quiet:
            lines = [study_line(study, own_plan), seen_precision_line(study, plan.budget.overhead_ns)]
            print("", *(f"  {line}" for line in lines if line), "", sep="\n", file=sys.stderr)
        if not results.run_ids():
            _check_engines(study, hosts.host, hosts.home, quiet=choices.quiet)
        calibration = calibration_for_study(choices, study, hosts.server_host)
        audit_stop = "critical" if choices.strict_audit and study.audit_stop == "never" else study.audit_stop
        with progress(ShownStudy.of(study, plan), quiet=choices.quiet) as on_event:
            options = RunOptions(
                ["dbdyno", *sys.argv[1:]],
                RetryChoice(choices.retry_failed, choices.retry_disturbed),
                calibration,
                examinations_to_json(examinations),
                auditor(audit_stop) if getattr(choices, "audits", True) else None,
                getattr(choices, "profiler", None),
                # The parts of a study with servers on another host all measure that one.
                machine=str(part) if part is not None and hosts.server_host is None else "",
            )
            return run_study(study, own_plan, results, hosts, on_event, options)


def _check_engines(study: Study, lab: LocalHost, home: Home, *, quiet: bool) -> None:
    """Refuse engines that can't be had before the load generator is calibrated for them.

    A running server is asked later, when its password was read.
    """
    for target in (target for target in study.targets if target.engine.source_kind != "server"):
        tell_progress = (lambda _: None) if quiet else (lambda text: print(f"  {text}", file=sys.stderr, flush=True))
        check_available(target.engine, lab, home, progress=tell_progress)


def _write_report(results: StoredStudy, outcome: StudyOutcome, page: Path, choices: argparse.Namespace) -> None:
    if outcome.good + outcome.suspect == 0:
        warn_of_missing_runs(outcome, is_fresh=choices.fresh)
        return
    if outcome.interrupted:  # a user who stops a study does not want to wait a minute for a large page
        warn_of_missing_runs(outcome, is_fresh=choices.fresh)
        tell(f"hint: dbdyno report {page.parent} writes the report of the stored runs")
        return
    build_page(results, page)
    keep_what_was_seen(results)
    if not choices.quiet:
        print_summary(results, wide_console(), has_why=True)
        print("\nreport: ", end="")
    print(page)
    warn_of_missing_runs(outcome, is_fresh=choices.fresh)


def keep_what_was_seen(results: StoredStudy) -> None:
    """Keep how far repeats spread here and what restores took, for the next plans; a study does not fail for it."""
    home = Home.of_user()
    try:
        keep_restores(results, home.root)
        keep_spread(results, home.root)
    except OSError as error:
        tell(
            f"warning: the spread of repeats and the time of restores could not be stored in {home.root}: "
            f"{error.strerror or error}"
        )


def warn_of_missing_runs(outcome: StudyOutcome, *, is_fresh: bool = False) -> None:
    """Warn of runs that failed or were not made."""
    if outcome.refused:
        tell(
            "warning: stopped before the first run: the targets have critical differences. dbdyno audit --fix "
            "STUDY.toml DIR writes a study without those that settings can remove; to run it unchanged, omit "
            "--strict-audit and [audit] stop_at"
        )
        return
    if outcome.failed:
        tell(f"warning: {counted(outcome.failed, 'run')} failed; the report says why; --retry-failed runs them again")
    if outcome.results_differ:
        tell("warning: targets returned different results for the same events; the report names them")
    if outcome.missing:
        reason = "interrupted: " if outcome.interrupted else ""
        # With --fresh, the same command would start over.
        command = "the same command without --fresh" if is_fresh else "the same command"
        tell(f"warning: {reason}{counted(outcome.missing, 'run')} missing; run {command} to resume")
