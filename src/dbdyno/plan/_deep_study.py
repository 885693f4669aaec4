"""Makes the study of a deep profile: the two cells of a pair, once each, for as long as stacks are sampled."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.core import Cell, RequestError
from dbdyno.plan._alterations import check_study
from dbdyno.study import AdaptiveLength, Study

DEEP_WINDOW_NS = 20 * 10**9
_WARM_UP_NS = 30 * 10**9


def deep_study(study: Study, left: Cell, right: Cell, window_ns: int = DEEP_WINDOW_NS) -> Study:
    """Return the study that runs two cells of `study` once each; nothing of it is to be judged.

    Raises
    ------
    RequestError : a server runs where its threads can't be profiled, the cells are of one target, or no study file may
        have this window
    """
    if study.fleet.engine == "ray":
        what = "the servers of these results ran on nodes of a Ray cluster, where dbdyno samples no stacks"
        raise RequestError(what, "", "run the study and this command on one of them", code="on-ray")
    if left.target == right.target:
        what, why = "a deep profile compares two targets", f"both sides are {left.target}"
        raise RequestError(what, why, "name two targets with --pair", code="one-target")
    targets = tuple(study.target(cell.target) for cell in (left, right))
    for target in targets:
        if target.engine.source_kind == "server":
            raise RequestError(
                f"'{target.name}' is a server that dbdyno did not start, so dbdyno does not profile it",
                "a profile needs the load to run again, and others may be using the server",
                f"perf record -F 99 -g -p $(pidof {target.engine.family}d) -- sleep 20, while the load runs",
                code="not-ours",
            )
    deep = replace(
        study,
        name=f"{study.name} deep",
        question="In which functions is the time spent?",
        targets=targets,
        workloads=(study.workload(left.workload),),
        tiers_bytes=(left.tier_bytes,),
        concurrencies=(left.concurrency,),
        limits=study.server_limits,
        routes=(left.route,),
        benches=study.benches[:1],
        repeats=1,
        repeats_max=None,
        sentinel="",
        restore="run",
        after_run="discard",
        equivalence_events=0,
        audit_stop="never",
        scaled="",
        adaptive_length=AdaptiveLength(),
        warm_up_ns=min(study.warm_up_ns, _WARM_UP_NS),
        window_ns=window_ns,
    ).without_unused()
    check_study(deep, "no deep profile can have this --window")
    return deep
