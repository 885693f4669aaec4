"""Lists the limitations of an answer. Each is a caveat: what was seen, why it matters, what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._course import course_caveats
from dbdyno.analyse._limitations_of_repeats import (
    few_repeats_caveat,
    raised_repeats_caveat,
    repeats_apart_caveat,
    undecided_comparisons_caveat,
)
from dbdyno.analyse._phrases import listed
from dbdyno.analyse._remedies import with_remedy
from dbdyno.analyse._sentinel import MOST_DRIFT, judge_sentinel, of_working_benches, sentinel_words
from dbdyno.analyse._windows import unsettled_windows
from dbdyno.core import (
    CLIENT_BOUND,
    OTHER_LOAD,
    STEAL,
    Caveat,
    Comparison,
    ResultComparison,
    RunCourse,
    RunRecord,
    counted,
    percent,
    short_percent,
    target_title,
    verb_for,
)
from dbdyno.stats import SHORTEST_JUDGED_S


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """Holds what must be known of a study to weigh its runs.

    Parameters
    ----------
    repeats : planned
    repeats_looked_at : each number of repeats whose results were there before more were asked for
    is_closed : closed pacing: the next transaction starts when the last is done
    cores : of the host; 0 when unknown
    shares_cores : client and server run on the same cores
    is_interleaved : targets took turns in random order
    are_results_compared : each target was to be sent the same events before the runs, where there are several
    results : how what they made of them compares
    scaled : name of the scale that was chosen of a larger study; empty: none
    imported : tool whose logs were imported; empty when dbdyno made the runs
    is_running : runs are still being made
    """

    window_s: float
    repeats: int
    is_closed: bool
    cores: int
    shares_cores: bool
    is_interleaved: bool = True
    are_results_compared: bool = True
    results: tuple[ResultComparison, ...] = ()
    repeats_looked_at: tuple[int, ...] = ()
    scaled: str = ""
    imported: str = ""
    is_running: bool = False


def limitations(
    facts: StudyFacts,
    records: Sequence[RunRecord],
    judgements: Sequence[CellJudgement],
    comparisons: Sequence[Comparison],
    courses: Mapping[str, RunCourse | None] | None = None,
) -> list[Caveat]:
    """Return everything that weakens a study, the heaviest first.

    Parameters
    ----------
    courses : by run id, what the stored seconds of runs give whose length was left to them
    """
    candidates = [
        _differing_results_caveat(facts),
        _scaled_study_caveat(facts),
        _not_good_runs_caveat(facts, records),
        _imported_logs_caveat(facts),
        _missing_combinations_caveat(facts, records),
        _unchecked_results_caveat(facts),
        *unsettled_windows(records),
        *course_caveats(records, courses or {}),
        *_other_load_caveats(records),
        _machine_drift_caveat(facts, records),
        repeats_apart_caveat(judgements),
        _several_benches_caveat(records),
        _short_window_caveat(facts),
        few_repeats_caveat(facts.repeats, judgements),
        raised_repeats_caveat(facts.repeats_looked_at),
        _fixed_order_caveat(facts),
        _shared_cores_caveat(facts),
        _busy_client_caveat(records),
        _errors_caveat(records),
        undecided_comparisons_caveat(comparisons),
        _closed_loop_caveat(facts),
    ]
    caveats = [caveat for caveat in candidates if caveat is not None]
    codes = {caveat.code for caveat in caveats}
    caveats += [caveat for caveat in _run_caveats(records) if caveat.code not in codes]
    return [with_remedy(caveat, is_imported=bool(facts.imported)) for caveat in caveats]


def _differing_results_caveat(facts: StudyFacts) -> Caveat | None:
    differing_results = [comparison for comparison in facts.results if comparison.unlike]
    if not differing_results:
        return None
    words = [
        f"{target_title(target)} in {comparison.workload} ({difference})"
        for comparison in differing_results
        for target, difference in comparison.unlike.items()
    ]
    return Caveat(
        "results-differ",
        f"The targets return different results for the same events: {listed(words)}. Their difference is not only "
        "one of speed.",
    )


def _unchecked_results_caveat(facts: StudyFacts) -> Caveat | None:
    if not facts.are_results_compared:
        option_words = "" if facts.imported else " (equivalence_events = 0)"
        text = f"Not checked: whether all targets return identical results{option_words}."
        return Caveat("results-unchecked", text)
    unknown_results = [
        f"{target_title(target)} in {comparison.workload} ({reason.splitlines()[0]})"
        for comparison in facts.results
        for target, reason in comparison.unknown.items()
    ]
    if not unknown_results:
        return None
    text = f"Could not be checked: whether all targets return identical results: {listed(unknown_results)}."
    return Caveat("results-unchecked", text)


def _scaled_study_caveat(facts: StudyFacts) -> Caveat | None:
    if not facts.scaled:
        return None
    return Caveat(
        "scaled",
        f"Scaled study ({facts.scaled}): rows, memory or times are smaller than in the original. "
        "Absolute numbers do not carry over, and ranks may not.",
    )


def _not_good_runs_caveat(facts: StudyFacts, records: Sequence[RunRecord]) -> Caveat | None:
    status_counts = Counter(record.status for record in records if record.status != "good")
    if not status_counts:
        return None
    if set(status_counts) == {"missing"}:
        made_count = len(records) - status_counts["missing"]
        made_words = f"{made_count:,} of {counted(len(records), 'run')} {verb_for(made_count, 'is', 'are')} made"
        if facts.is_running:
            return Caveat("still-running", f"The study is still running: {made_words}, and the answer may change.")
        return Caveat("runs-missing", f"Not complete: {made_words}.")
    words = listed([f"{number} {status}" for status, number in status_counts.most_common()])
    first_record = next(record for record in records if record.status not in ("good", "missing"))
    first_title = target_title(first_record.run.cell.target)
    reason = f" The first, of {first_title}: {first_record.reason.splitlines()[0]}." if first_record.reason else ""
    them = verb_for(sum(status_counts.values()), "it", "them")
    text = f"Of {counted(len(records), 'run')}, {words}. No finding uses {them}.{reason}"
    return Caveat("runs-not-good", text)


def _imported_logs_caveat(facts: StudyFacts) -> Caveat | None:
    if not facts.imported:
        return None
    text = (
        f"Imported from logs of {facts.imported}. They do not say how the data were filled, whether the targets were "
        "configured alike, what ran before each run, or in which order."
    )
    return Caveat("imported", text)


def _missing_combinations_caveat(facts: StudyFacts, records: Sequence[RunRecord]) -> Caveat | None:
    """Warn of combinations missing from the full grid: missing runs of a planned study; of logs nobody knows."""
    if not facts.imported:
        return None
    cells = {record.run.cell for record in records}
    places = {(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells}
    targets = {cell.target for cell in cells}
    missing_count = len(places) * len(targets) - len(cells)
    if not missing_count:
        return None
    text = f"{missing_count:,} of the {len(places) * len(targets):,} combinations of target and place "
    text += f"{verb_for(missing_count, 'has', 'have')} no log."
    return Caveat("not-in-the-logs", text)


def _short_window_caveat(facts: StudyFacts) -> Caveat | None:
    if facts.window_s >= 600 or (facts.imported and not facts.window_s):
        return None
    window = f"{facts.window_s:g} s"
    if facts.window_s < 60:
        why = "too short to see checkpoints, flush storms or compaction, or whether throughput had settled"
    else:
        why = "below 600 s the interval of one run is too narrow"
        if facts.window_s < SHORTEST_JUDGED_S:
            why += f", and below {SHORTEST_JUDGED_S} s nothing shows whether throughput had settled"
    return Caveat(
        "short-window",
        f"Windows of {window}: {why}. Treat the result as an indication.",
    )


def _several_benches_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    names = sorted({record.bench for record in of_working_benches(records) if record.bench})
    sentinel = judge_sentinel(records)
    is_known = sentinel is not None and sentinel.benches == len(names)
    if len(names) < 2 or (sentinel is not None and is_known and sentinel.apart <= MOST_DRIFT):
        return None
    apart_words = (
        f"up to {short_percent(sentinel.apart)} apart"
        if sentinel is not None and is_known
        else "not known how far apart, as no sentinel compared them"
    )
    return Caveat(
        "benches-apart",
        f"Workloads and memory tiers come from {len(names)} benches ({', '.join(names)}), {apart_words}: comparing "
        f"them also compares machines. Targets are compared on one bench.",
    )


def _machine_drift_caveat(facts: StudyFacts, records: Sequence[RunRecord]) -> Caveat | None:
    sentinel = judge_sentinel(records)
    if sentinel is None or not sentinel.has_drifted:
        return None
    certainty_words = "" if sentinel.is_shown else " This may be chance."
    text = (
        "The machine may have become faster or slower during the study: the sentinel, "
        f"{sentinel_words(sentinel)}.{certainty_words}"
    )
    # In a fixed order they do not take turns, which is a caveat of its own.
    takes_turns = facts.is_interleaved and len({record.run.cell.target for record in records}) > 1
    turns_words = " Targets take turns, so all are affected alike." if takes_turns else ""
    return Caveat("sentinel-drift", text + turns_words)


def _fixed_order_caveat(facts: StudyFacts) -> Caveat | None:
    if facts.is_interleaved or facts.imported:
        return None
    return Caveat(
        "fixed-order",
        "Runs were made in the same order in every round, so a drift of the machine can look like a difference "
        "between targets.",
    )


def _shared_cores_caveat(facts: StudyFacts) -> Caveat | None:
    if not facts.shares_cores:
        return None
    cores = f" on {counted(facts.cores, 'core')}" if facts.cores else ""
    return Caveat(
        "shared-cores",
        f"Client and server share the processors{cores}, so the load generator takes time from the server.",
    )


def _busy_client_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    """Count runs that the client may have limited; each was judged once, when it was measured."""
    bound_records = [record for record in records if any(caveat.code == CLIENT_BOUND for caveat in record.caveats)]
    if not bound_records:
        return None
    worst_share = max(record.cpu.client_use_share or record.cpu.client_busy_share or 0.0 for record in bound_records)
    text = (
        f"In {counted(len(bound_records), 'run')} the load generator worked at up to {percent(worst_share)} of its "
        "limit on this machine"
    )
    return Caveat(CLIENT_BOUND, f"{text}. They may measure the client, not the server.")


def _errors_caveat(records: Sequence[RunRecord]) -> Caveat | None:
    errors: Counter[str] = Counter()
    for record in records:
        errors.update(dict(record.figures.errors))
    if not errors:
        return None
    transactions = sum(record.figures.transactions for record in records)
    words = listed([_error_words(code, count) for code, count in errors.most_common(4)])
    text = f"Errors in the windows: {words}, next to {counted(transactions, 'committed transaction')}."
    if errors.total() == sum(record.figures.retries for record in records):
        return Caveat("errors-retried", f"{text} Each was a conflict whose transaction was repeated.")
    return Caveat("errors", text)


def _error_words(code: str, count: int) -> str:
    """Return a code with its count; tools name errors without a code in words, such as ``ignored error``.

    >>> _error_words("1213", 1200), _error_words("ignored error (code not in the log)", 451)
    ('1,200 × error 1213', '451 ignored errors (code not in the log)')
    """
    if code[:1].isdigit():
        return f"{count:,} × error {code}"
    noun, bracket, detail = code.partition(" (")
    return counted(count, noun.removesuffix("s")) + bracket + detail


def _closed_loop_caveat(facts: StudyFacts) -> Caveat | None:
    if not facts.is_closed:
        return None
    text = "Closed loop: a stalled server receives fewer requests, so p95 and p99 understate the stall."
    return Caveat("closed-loop", text)


def _other_load_caveats(records: Sequence[RunRecord]) -> list[Caveat]:
    """Return what others used of the processors while runs were measured; what most runs carry comes first."""
    texts = {caveat.code: f"The machine was shared in {caveat.text}." for caveat in _run_caveats(records)}
    return [Caveat(code, text) for code, text in texts.items() if code in (OTHER_LOAD, STEAL)]


def is_mostly_disturbed(records: Sequence[RunRecord]) -> bool:
    """Return whether other programs or guests used processors in at least half of the measured runs."""
    measured_records = [record for record in records if record.figures.window_s]
    disturbed_count = sum(record.is_disturbed for record in measured_records)
    return disturbed_count * 2 >= len(measured_records) > 0


def _run_caveats(records: Sequence[RunRecord]) -> list[Caveat]:
    """Return caveats that runs carry, each once, with how many carry it."""
    texts: dict[str, dict[str, None]] = {}
    count: Counter[str] = Counter()
    for record in records:
        for caveat in record.caveats:
            texts.setdefault(caveat.code, {})[caveat.text] = None
            count[caveat.code] += 1
    return [Caveat(code, _counted_text(number, list(texts[code]))) for code, number in count.most_common()]


def _counted_text(number: int, texts: Sequence[str]) -> str:
    """Return how many runs carry a caveat, with its words; where those differ, with one of them."""
    example = "" if len(texts) == 1 else "for example, "
    return f"{counted(number, 'run')}: {example}{texts[0]}"
