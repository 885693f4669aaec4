"""`dbdyno doctor`: checks whether this machine is fit to be measured on, for one study or for any."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._bench_options import check_hosts_named
from dbdyno.cli._console import wide_console
from dbdyno.cli._help import add_command as add
from dbdyno.cli._network_trial import try_network
from dbdyno.cli._remote import add_options, check_options, chosen_host, examine_there, reached_host
from dbdyno.core import DbdynoError, counted, verb_for

if TYPE_CHECKING:
    from rich.console import Console

    from dbdyno.doctor import CheckOutcome, Examination, Needs
    from dbdyno.hosts import LocalHost
    from dbdyno.study import BenchChoice, HostChoice, Study

_STORY = """\
Checks in about a second whether this machine can give trustworthy results: clock and governor, NUMA, huge pages,
swap, limits, the disk under DBDYNO_HOME, asynchronous I/O, other load, containers, the load generator. Each finding
says what was seen, how it affects a result and which command fixes it. Changes nothing.

  dbdyno doctor                            for any study
  dbdyno doctor studies/first.toml         for this study: its tiers, connections, processors, disk
  dbdyno doctor --host bench@db1           that host over ssh, and the network to it; takes 12 seconds
  dbdyno doctor --json | jq '.outcomes[] | select(.state == "found") | .remedy'

For a study whose servers run on other hosts, those hosts and the load hosts in `client` are checked, and the network
between them by a load of five seconds: its rate and the packets that it loses. Several benches must be separate
machines with equal processors and memory. A blocker makes runs fail or measure something else; a weakness is a
reason to doubt results; a note is worth knowing.
`dbdyno run` and `dbdyno compare` make the same checks before they start: a blocker stops them unless --force is
given, and the report shows the rest.

Exit code 0: no finding, or notes only; 1: a blocker or weakness; 2: the study is wrong.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "doctor", _STORY, _check_machines)
    parser.add_argument("study", type=Path, nargs="?", metavar="STUDY.toml", help="check the machine for this study")
    parser.add_argument("--scale", metavar="NAME", help="one of the study's scales, such as small")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object with everything that was read")
    parser.add_argument("--all", action="store_true", help="also list checks that found nothing, with what they saw")


def _check_machines(choices: argparse.Namespace) -> int:
    check_options(choices)
    examinations = _examine_machines(choices)
    if choices.json:
        print(json.dumps(_examinations_object(examinations), indent=1))
    else:
        console = wide_console()
        for name, examination in examinations.items():
            if len(examinations) > 1:
                console.rule(name or "this machine", align="left")
            _print_examination(examination, choices.all, console)
    findings = [finding for examination in examinations.values() for finding in examination.findings]
    return 1 if any(finding.severity != "note" for finding in findings) else 0


def _examine_machines(choices: argparse.Namespace) -> dict[str, Examination]:
    """Examine each machine that servers or clients are to run on, by its name; that of this one is empty."""
    from dbdyno.cli._machine import examine_here  # late: see _main
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost
    from dbdyno.study import read_study

    lab = LocalHost()
    study = read_study(choices.study, choices.scale) if choices.study is not None else None
    needs = _study_needs(study, lab) if study is not None else None
    if choices.host:
        with chosen_host(choices) as host:
            return {choices.host: examine_there(host, needs)}
    if study is not None:
        check_hosts_named(study)
    if study is None or not study.benches:
        return {"": examine_here(needs, Home.of_user(), lab)}
    examinations: dict[str, Examination] = {}
    for bench in study.benches:
        if bench.server is None:
            examinations[""] = examine_here(needs, Home.of_user(), lab)
        else:
            examinations |= _examine_bench_hosts(study, bench, bench.server, needs)
    if len(study.benches) > 1:
        facts = _bench_facts(study, lab)
        for bench in study.benches[1:]:
            name = bench.server.name if bench.server is not None else ""
            outcome = compare_benches(study, bench.name, facts)
            examinations[name] = replace(examinations[name], outcomes=(*examinations[name].outcomes, outcome))
    return examinations


def _bench_facts(study: Study, lab: LocalHost) -> dict[str, Mapping[str, Any]]:
    facts: dict[str, Mapping[str, Any]] = {}
    for bench in study.benches:
        if bench.server is None:
            facts[bench.name] = asdict(lab.facts())
        else:
            with reached_host(bench.server.ssh, bench.server.home) as host:
                facts[bench.name] = asdict(host.facts())
    return facts


def compare_benches(study: Study, name: str, facts: Mapping[str, Mapping[str, Any]]) -> CheckOutcome:
    """Check that a bench is another machine than the benches before it, and as large as the first, as `run` requires.

    Parameters
    ----------
    facts : as in ``host.json``, by the names of the benches, in the order of the study
    """
    from dbdyno.doctor import CheckOutcome  # late: see _main
    from dbdyno.lab import check_separate_machines
    from dbdyno.store import check_alike

    check_id, title = "bench-machines", "Machines of the benches"
    first, *_ = facts
    earlier = {other: facts[other] for other in list(facts)[: list(facts).index(name)]}
    try:
        for other in earlier:
            check_separate_machines(study, {other: facts[other], name: facts[name]})
        check_alike({f"bench {other}": facts[other] for other in (first, name)})
    except DbdynoError as error:
        return CheckOutcome(check_id, title, "found", "blocker", error.what, error.why, error.remedy)
    return CheckOutcome(
        check_id, title, "clear", "note", f"bench {name} has the processors and memory of bench {first}"
    )


def _examine_bench_hosts(
    study: Study, bench: BenchChoice, server: HostChoice, needs: Needs | None
) -> dict[str, Examination]:
    """Examine the host of a bench's servers and those of its clients, and try the network between them."""
    from dbdyno.core import is_network_route  # late: see _main
    from dbdyno.doctor import load_host_needs

    uses_network = any(map(is_network_route, study.routes))
    examinations = {}
    with reached_host(server.ssh, server.home) as server_host:
        from_here = uses_network and not bench.clients
        trial = try_network(server_host, server, None, "this machine", is_measured=True) if from_here else None
        examinations[server.name] = examine_there(server_host, needs, trial)
        for client in bench.clients:
            with reached_host(client.ssh, client.home) as client_host:
                trial = (
                    try_network(server_host, server, client_host, client.name, is_measured=True)
                    if uses_network
                    else None
                )
                client_needs = load_host_needs(study, len(bench.clients))
                examinations[client.name] = examine_there(client_host, client_needs, trial)
    return examinations


def _study_needs(study: Study, lab: LocalHost) -> Needs:
    from dbdyno.cli._plan import full_plan
    from dbdyno.core import Home
    from dbdyno.doctor import needs_of
    from dbdyno.populate import kept_bytes, kept_snapshots

    is_here = all(bench.server is None for bench in study.benches)
    budget = full_plan(study, lab).budget
    budget = budget.without_kept(kept_bytes(study, kept_snapshots(Home.of_user(), lab)) if is_here else 0)
    return needs_of(study, budget.memory_bytes, budget.disk_bytes)


def _examinations_object(examinations: dict[str, Examination]) -> dict[str, Any]:
    """Return one examination unchanged; several by the names of their hosts."""
    from dbdyno.doctor import examination_to_json

    objects = {name or "this machine": examination_to_json(examination) for name, examination in examinations.items()}
    return {"hosts": objects} if len(objects) > 1 else next(iter(objects.values()))


def _print_examination(examination: Examination, is_full: bool, console: Console) -> None:
    for finding in examination.findings:
        _print_finding(finding, console)
    if is_full:
        for state, heading in (("clear", "clear"), ("idle", "nothing to judge"), ("unknown", "not known")):
            _print_rest(heading, [o for o in examination.outcomes if o.state == state], console)
    else:
        unknown = [outcome for outcome in examination.outcomes if outcome.state == "unknown"]
        _print_rest("not known: these checks are neither findings nor clear", unknown, console)
    console.print(_summary_line(examination), markup=False)


def _print_finding(finding: CheckOutcome, console: Console) -> None:
    head = f"{finding.severity.upper()}  {finding.title}  [{finding.check_id}]"
    console.print(head, style="bold", markup=False)
    for label, text in (("seen", finding.seen), ("effect", finding.effect), ("remedy", finding.remedy)):
        console.print(f"  {label}: {text}", markup=False, soft_wrap=True)
    console.print()


def _print_rest(heading: str, outcomes: list[CheckOutcome], console: Console) -> None:
    if outcomes:
        console.print(heading, style="bold", markup=False)
        for outcome in outcomes:
            console.print(f"  {outcome.title}: {outcome.seen}", markup=False, soft_wrap=True)
        console.print()


def _summary_line(examination: Examination) -> str:
    findings = examination.findings
    counts = {name: sum(finding.severity == name for finding in findings) for name in ("blocker", "weakens", "note")}
    words = [counted(counts["blocker"], "blocker")] if counts["blocker"] else []
    weakens = counts["weakens"]
    words += [f"{counted(weakens, 'finding')} that {verb_for(weakens, 'weakens', 'weaken')} results"] if weakens else []
    words += [counted(counts["note"], "note")] if counts["note"] else []
    clear_count = sum(outcome.state == "clear" for outcome in examination.outcomes)
    head = "" if counts["blocker"] or counts["weakens"] else "no problem found: "
    return f"{head}{', '.join([*words, f'{clear_count} of {len(examination.outcomes)} checks clear'])}"
