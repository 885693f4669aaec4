"""Defines what is kept of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dbdyno.core._cell import Run, RunStatus, is_network_route
from dbdyno.core._flat_fields import FLAT

Steadiness = Literal["steady", "cyclic", "noisy", "drifting", "not-reached", "dead", "too-short"]
"""Whether the throughput of a run's window has a level; see docs/concepts/steady-state.md."""
ACCEPTED: tuple[Steadiness, ...] = ("steady", "cyclic", "noisy")
"""Verdicts on which a finding may rest."""
ClientUseBasis = Literal["", "calibration", "busy share", "processor quota"]
CLIENT_BOUND = "client-bound"
"""Code of the caveat of a run in which the load generator may have been the limit."""
ONE_MACHINE = "one-machine"
"""Code of the caveat of a run over a network whose load generator ran on the server's machine all the same."""
OTHER_LOAD, STEAL = "other-load", "steal"
"""Codes of caveats: other programs, or other guests of the machine below, used processors during the window."""


@dataclass(frozen=True, slots=True)
class LatencyNs:
    """Holds quantiles of a merged histogram, nanoseconds. Closed pacing: service time; fixed rate: response time.

    All are known of a run that dbdyno measured. A log without a histogram gives those that its tool printed for the
    whole run; the others are None.
    """

    p50: int | None
    p95: int | None
    p99: int | None
    p999: int | None
    max: int | None


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """Describes what an imported tool printed of the run, and what can be said of its seconds without a histogram.

    Parameters
    ----------
    tool : its name and version, as it gives them
    percentile : which one its reports show, such as 95; None when it was switched off or is unknown
    percentile_ns : of the whole run, as printed; None without a last report
    second_percentile_ns_median : median of the percentiles of single seconds; not a percentile of the run
    min_ns, mean_ns, max_ns : of the whole run, as printed
    tps : of the whole run, as printed: it divides by the time until its report was made
    elapsed_s : its total time
    rate_per_s : of an open loop, as ordered; None for a closed one
    """

    tool: str
    percentile: float | None = None
    percentile_ns: int | None = None
    second_percentile_ns_median: int | None = None
    min_ns: int | None = None
    mean_ns: int | None = None
    max_ns: int | None = None
    tps: float | None = None
    elapsed_s: float | None = None
    rate_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class TypeFigures:
    """Describes one transaction type in the window; times as those of the run.

    Parameters
    ----------
    completed : those that ended in the rollback which their own law asks for included
    rolled_back : those alone
    """

    name: str
    completed: int
    failed: int
    retries: int
    rolled_back: int
    tps: float
    mean_ns: float | None
    latency_ns: LatencyNs | None


@dataclass(frozen=True, slots=True)
class OrderRates:
    """Holds new orders (NOPM) and transactions (TPM) a minute, as the client and as the server counted them.

    Parameters
    ----------
    nopm, tpm : None of an imported run whose tool asks only the server; nopm leaves out what was rolled back
    server_nopm, server_tpm : None where the server was not asked
    ratio_by_mix : what the mix makes of TPM / NOPM in the long run
    nopm_most : what keying and thinking allow; None without
    """

    nopm: float | None
    tpm: float | None
    server_nopm: float | None = None
    server_tpm: float | None = None
    ratio_by_mix: float | None = None
    nopm_most: float | None = None


@dataclass(frozen=True, slots=True)
class RunCourse:
    """Says how long a run of adaptive length was driven. Seconds count from the start of the driven time.

    Parameters
    ----------
    warm_up_s : where the warm-up ended
    warm_up_end : by state, at its cap, or after a fixed time
    unsettled : what had not settled at the last check of the warm-up; empty when it ended by state
    window_first_s, window_end_s : first second of the window and the one after its last
    window_end : by certainty, at its cap, or after a fixed time
    gates_failed, gates_unread : of the server, over the window
    most_s : warm-up and window at their caps
    """

    warm_up_s: int
    warm_up_end: Literal["state", "cap", "fixed"]
    unsettled: tuple[str, ...]
    window_first_s: int
    window_end_s: int
    window_end: Literal["certainty", "cap", "fixed"]
    gates_failed: tuple[str, ...]
    gates_unread: tuple[str, ...]
    most_s: int

    @property
    def saved_s(self) -> int:
        """Return seconds by which it was shorter than its caps."""
        return max(self.most_s - self.window_end_s, 0)

    @property
    def is_confirmed(self) -> bool:
        """Return whether the server's own state confirms that the window is steady."""
        return not self.gates_failed and not self.gates_unread


@dataclass(frozen=True, slots=True)
class LadderStep:
    """Describes where a run stands among those that share one restored copy of the data and one server.

    Parameters
    ----------
    number : from 1, which began on freshly restored data
    redo_bytes_before : redo that the server wrote in the steps before; 0 of the first, and where it is not known
    """

    number: int
    redo_bytes_before: float = 0.0


@dataclass(frozen=True, slots=True)
class SettledPart:
    """Describes what the seconds of a run's window say of its level, judged once and kept with the run.

    Parameters
    ----------
    seconds : of the window
    start_s : second of the window from which its level lasts; where none does, what was judged begins there. None of a
        window that is dead
    tps_mean, tps_half_width : from there to the end, with the noise half-width at 95 %; None of a dead window
    change : relative change over the judged part, along a line; 0 where there is none
    period_s, period_share : of the strongest period; None without
    is_wave : whether that period swings the throughput
    bounds_s : seconds of the window at which its level changes
    stalled_s, stall_count, stall_longest_s : seconds from `start_s` on below half of their median; how many stretches,
        and the longest of them. What comes before is warm-up, never a stall
    stall_median : that median, transactions per second; None where nothing was done
    stalls_are_coarse : groups of ten seconds were judged, as single ones are too few transactions
    """

    status: Steadiness
    seconds: int
    start_s: int | None
    tps_mean: float | None
    tps_half_width: float | None
    change: float = 0.0
    period_s: float | None = None
    period_share: float | None = None
    is_wave: bool = False
    bounds_s: tuple[int, ...] = ()
    stalled_s: int = 0
    stall_count: int = 0
    stall_longest_s: int = 0
    stall_median: float | None = None
    stalls_are_coarse: bool = False

    @property
    def is_accepted(self) -> bool:
        """Return whether a finding may rest on the level."""
        return self.status in ACCEPTED

    @property
    def judged_from_s(self) -> int:
        """Return the second of the window from which stalls are counted: its end where there is no level."""
        return self.seconds if self.start_s is None else self.start_s

    @property
    def is_late(self) -> bool:
        """Return whether a tenth of the window or more still belongs to the warm-up."""
        return self.is_accepted and (self.start_s or 0) >= 0.1 * self.seconds


@dataclass(frozen=True, slots=True)
class Caveat:
    """Describes what weakens a run or a study, in words, with a stable code."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class TotalFigures:
    """Holds throughput, response time and errors of a run's window, over all its transaction types.

    Transactions (committed ones) and statements are counted in the window; `qps_mean` is statements per second over it.

    Parameters
    ----------
    window_s : seconds judged
    tps_mean, tps_half_width : committed transactions per second over the whole window, and the noise half-width at
        95 %. The level of the run, on which findings rest, is `level_tps`
    latency_ns : of the settled part where the seconds have histograms, else of the whole window
    errors : error code -> count, in the window
    retries : transactions repeated after a transient error, in the window
    """

    window_s: float = 0.0
    tps_mean: float | None = None
    tps_half_width: float | None = None
    qps_mean: float | None = None
    latency_ns: LatencyNs | None = None
    transactions: int = 0
    statements: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    retries: int = 0


@dataclass(frozen=True, slots=True)
class CpuUse:
    """Holds processor time that client and server used in the window, and how close the client came to its own limit.

    Parameters
    ----------
    client_cpu_ns_per_statement : CPU of the load generator's process; None when unknown
    server_cpu_ns_per_transaction : CPU of the server's process; None when it can't be seen
    client_busy_share : busiest worker's share of the window, 0 to 1
    client_use_share : of what the client can do here, 0 to 1; see docs/concepts/client.md
    client_use_basis : what `client_use_share` rests on
    client_cpu_wait_share : of the window in which the worst-off worker could have run and got no processor
    """

    client_cpu_ns_per_statement: float | None = None
    server_cpu_ns_per_transaction: float | None = None
    client_busy_share: float | None = None
    client_use_share: float | None = None
    client_use_basis: ClientUseBasis = ""
    client_cpu_wait_share: float | None = None


@dataclass(frozen=True, slots=True)
class PacingFigures:
    """Says how far the load kept to what was ordered, and which rates a search found.

    Parameters
    ----------
    lateness_ns_p99 : open loop: how much later than due a transaction was sent although a connection was free
    unsent : transactions due before the end of the load and never started
    outages : stretches in which a connection was lost
    rate_held_per_s, rate_broken_per_s : of a search: the highest rate that met its objective (also `tps_mean`), the
        lowest that did not
    """

    lateness_ns_p99: int | None = None
    unsent: int | None = None
    outages: int = 0
    rate_held_per_s: float | None = None
    rate_broken_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class RunSpan:
    """Places a run in time, by the clock of the machine that drove it.

    Parameters
    ----------
    started_ns, ended_ns : Unix time; 0 where it is not known
    """

    started_ns: int = 0
    ended_ns: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Describes one attempt at a cell as stored: identity, outcome and the numbers read straight off its window.

    The parts `figures`, `cpu`, `pacing` and `span` are stored flat: a record's file and table name their fields alone.

    Parameters
    ----------
    status : good; suspect (kept, shown, not trusted: see reason); failed; skipped; missing (never reached)
    fault : of a run that a fault below it spoilt: assertion, crashed, disk-full, ended, killed, network, no-answer,
        oom, oom-limit, out-of-memory, stopped; empty of all others
    figures : throughput, response time and errors in the window
    cpu : processor time of client and server
    pacing : how far the load kept to what was ordered
    types : figures of each transaction type
    orders : of a workload with new orders
    imported : what the tool itself printed; None of a run that dbdyno drove
    course : how its length came about; None where that was fixed before
    step : where data are restored once for all concurrencies of a target; None where they are for each run
    settled : what its seconds say of its level; None of a window below three minutes, of reports that cover more than
        a second each, and where the study itself varies the rate: these can't be judged
    method : version of the statistics that judged its seconds; empty of runs stored before that was kept
    span : when it started and ended
    bench : name of the bench in the study file that it was made on, or the part of the study that it was made in, such
        as 1-of-3; empty where there is neither
    """

    run: Run
    family: str
    version: str
    storage_engine: str
    status: RunStatus
    reason: str = ""
    fault: str = ""
    figures: TotalFigures = field(default_factory=TotalFigures, metadata=FLAT)
    cpu: CpuUse = field(default_factory=CpuUse, metadata=FLAT)
    pacing: PacingFigures = field(default_factory=PacingFigures, metadata=FLAT)
    types: tuple[TypeFigures, ...] = ()
    orders: OrderRates | None = None
    imported: ToolFigures | None = None
    course: RunCourse | None = None
    step: LadderStep | None = None
    caveats: tuple[Caveat, ...] = ()
    settled: SettledPart | None = None
    method: str = ""
    span: RunSpan = field(default_factory=RunSpan, metadata=FLAT)
    bench: str = ""

    @property
    def is_settled(self) -> bool:
        """Return whether a finding may rest on its level: its seconds have one, or are too few to be judged."""
        return self.settled is None or self.settled.is_accepted

    @property
    def level_tps(self) -> float | None:
        """Return its level: the mean of its settled part; of the whole window where no part is settled or judged."""
        settled, window_mean = self.settled, self.figures.tps_mean
        return settled.tps_mean if settled is not None and settled.is_accepted and window_mean else window_mean

    @property
    def level_half_width(self) -> float | None:
        """Return the noise half-width of `level_tps` at 95 %."""
        settled = self.settled
        is_own = settled is not None and settled.is_accepted and self.figures.tps_mean
        return settled.tps_half_width if settled is not None and is_own else self.figures.tps_half_width

    @property
    def is_window_off(self) -> bool:
        """Return whether the whole window's mean is off the level: by more than 1 %, or more than its half-width."""
        level, window_mean = self.level_tps, self.figures.tps_mean
        if not level or window_mean is None or level == window_mean:
            return False
        return abs(window_mean - level) > min(0.01 * level, self.level_half_width or 0.0)

    @property
    def is_client_here(self) -> bool:
        """Return whether the load generator ran on the server's machine, also over a network that does not leave it."""
        return not is_network_route(self.run.cell.route) or any(caveat.code == ONE_MACHINE for caveat in self.caveats)

    @property
    def is_disturbed(self) -> bool:
        """Return whether other programs or guests used processors during the window."""
        return any(caveat.code in (OTHER_LOAD, STEAL) for caveat in self.caveats)

    @property
    def has_lost_path(self) -> bool:
        """Return whether the path to the server was lost for a while: seconds without work are no stall then."""
        return self.fault == "network"
