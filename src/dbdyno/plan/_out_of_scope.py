"""Lists what a study can't answer by any result of its runs."""

from __future__ import annotations

from dbdyno.core import format_bytes, format_duration
from dbdyno.plan._designs import shortest_window_ns
from dbdyno.study import Study

_ROW_BYTES = 260  # as in the budget: row, secondary index and page slack
_ENOUGH_BEYOND = 20
_FOR_THE_LAW = 6


def out_of_scope(study: Study, rows_total: int) -> list[str]:
    """Return questions that the study leaves open by its own design, in words.

    Parameters
    ----------
    rows_total : of the largest dataset; 0 when not known
    """
    return [*_axis_reasons(study), *_memory_reasons(study, rows_total), *_time_reasons(study), *_pacing_reasons(study)]


def _axis_reasons(study: Study) -> list[str]:
    reasons = []
    if len(study.targets) == 1:
        reasons.append("which target is faster: there is only one")
    if len(study.concurrencies) == 1:
        reasons.append("at which concurrency a target peaks, and whether it collapses: there is only one")
    else:
        concurrency_max = max(study.concurrencies)
        reasons.append(
            f"throughput beyond {concurrency_max:,} connections; the highest rate measured may not be the peak"
        )
        if len(study.concurrencies) < _FOR_THE_LAW:
            reasons.append(
                f"a scalability law: it needs {_FOR_THE_LAW} concurrencies, this study has {len(study.concurrencies)}"
            )
    if len(study.benches) > 1 and len(study.workloads) * len(study.tiers_bytes) > 1 and not study.sentinel:
        reasons.append(
            "how workloads and memory tiers compare: without `sentinel`, nothing shows how far apart the benches are, "
            "nor whether one becomes slower"
        )
    return reasons


def _memory_reasons(study: Study, rows_total: int) -> list[str]:
    if all(target.engine.source.startswith("server") for target in study.targets):
        return []
    data_bytes = rows_total * _ROW_BYTES
    reasons = ["the effect of more memory: there is only one tier"] if len(study.tiers_bytes) == 1 else []
    if data_bytes and min(study.tiers_bytes) > data_bytes:
        reasons.append(
            f"reads from the disk: the rows take about {format_bytes(data_bytes)}, and every tier holds them all"
        )
    return reasons


def _time_reasons(study: Study) -> list[str]:
    window_ns = shortest_window_ns(study)
    window_s = window_ns / 1e9
    reasons = []
    if study.repeats == 1:
        reasons.append("the spread between repeats: each cell runs once, so findings rest on an assumed spread")
    if window_s < 60:
        reasons.append(
            f"whether throughput lasts: windows of {format_duration(window_ns)} are too short for checkpoints "
            "or compactions"
        )
    elif window_s < 180:
        reasons.append("whether windows had settled: dbdyno judges that only from 3 min on")
    elif window_s < 600:
        reasons.append("slow waves and long-term throughput: windows below 10 min give too narrow an interval")
    tps_needed = _ENOUGH_BEYOND / 0.001 / (window_s * study.repeats)
    tps_text = f"{tps_needed:,.0f}" if tps_needed >= 1 else f"{tps_needed:.2g}"
    reasons.append(f"p99.9 of cells below {tps_text} TPS: fewer than {_ENOUGH_BEYOND} transactions lie beyond it")
    if study.order == "as-written":
        reasons.append("whether the machine drifted: runs are in the order written")
    return reasons


def _pacing_reasons(study: Study) -> list[str]:
    if study.pacing.is_closed:
        return ["response times at a fixed arrival rate: a closed loop does not count waits behind a stall"]
    if study.pacing.search is None:
        return ["the maximum throughput of a target: the rate is fixed"]
    return []
