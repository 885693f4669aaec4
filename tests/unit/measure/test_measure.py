"""A whole run against a load generator given as a list of lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hdrh.histogram import HdrHistogram

from dbdyno.core import Cell, HostError, Run
from dbdyno.hosts import ClockReading, Completed, Host, LocalHost, PipedProcess
from dbdyno.measure import LoadGenerator, LoadOrder, MeasuredRun, ServerWatch, measure_run
from dbdyno.measure.telemetry import PerfRecording, ThreadsPlace
from dbdyno.measure.telemetry._perf_script import FoldedSamples
from dbdyno.store import SecondRow
from dbdyno.study import parse_study
from numbers_in import numbers_in

HISTOGRAM = HdrHistogram(1, 3_600_000_000_000, 3).encode().decode()
SAMPLES = Path(__file__).parents[3] / "contract" / "samples"
STUDY = parse_study(
    """
    targets = ["mysql:9.7"]
    workload = {name = "oltp_read_write", tables = 4, rows = 50000}
    axes = {tier = "64MB", concurrency = 16}
    measure = {warm_up = "1s", window = "2s", seed = 9}
    pinning = {client = "1"}
    """,
    "tiny.toml",
)
RUN = Run(Cell("mysql:9.7", 64 << 20, 16, "sysbench/oltp_read_write", "socket"), 1, 0, 9, "")
ORDER = LoadOrder(RUN, STUDY, {"socket": "/s.sock", "password_file": "/p"}, workers=1)


def sample_lines() -> tuple[str, dict[str, Any], str]:
    lines = (SAMPLES / "load-records.jsonl").read_text().splitlines()
    of_kind = {json.loads(line)["record"]: line for line in lines}
    start, row = of_kind["start"], json.loads(of_kind["interval"])
    end = json.dumps({**json.loads(of_kind["end"]), "search": None})  # each test says itself whether it searches
    row["transactions"]["read_write"] |= {"response": HISTOGRAM, "service": HISTOGRAM}
    for counts in row["statements"].values():
        counts["service"] = HISTOGRAM
    return start, row, end


def second(number: int, phase: str) -> str:
    _, interval, _ = sample_lines()
    begin = interval["monotonic_ns"] + number * 10**9
    return json.dumps({**interval, "second": number, "phase": phase, "monotonic_ns": begin, "realtime_ns": begin})


SECONDS = [second(0, "warm-up"), second(1, "window"), second(2, "window")]


class FakeProcess:
    """A load generator that says its lines and ends."""

    def __init__(self, lines: Sequence[str], exit_code: int = 0, stderr: str = "") -> None:
        self.pid, self.start_ticks = 2**30, 1  # no such process: its telemetry can't be read
        self._lines, self._exit_code, self._stderr = lines, exit_code, stderr
        self.calls: list[str] = []

    def lines(self, tick: object = None) -> Iterator[str]:
        yield from self._lines

    def interrupt(self) -> None:
        self.calls.append("interrupt")

    def kill(self) -> None:
        self.calls.append("kill")

    def wait(self, timeout_s: float) -> Completed:
        self.calls.append("wait")
        return Completed((), self._exit_code, "", self._stderr)


class FakeHost(LocalHost):
    def __init__(self, process: FakeProcess) -> None:
        super().__init__()
        self.process = process
        self.argv: Sequence[str] = ()
        self.order: dict[str, Any] = {}

    def spawn_piped(self, argv: Sequence[str], *, stdin: bytes, cpus: object = None, env: object = None) -> FakeProcess:
        self.argv, self.order = argv, json.loads(stdin)
        return self.process


class FakeServer:
    def __init__(self, dies_after: int | None = None) -> None:
        self.asked, self.dies_after = 0, dies_after

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None

    def exit_reason(self) -> str | None:
        self.asked += 1
        return "signal 9" if self.dies_after is not None and self.asked > self.dies_after else None


def generator_of(host: FakeHost) -> LoadGenerator:
    return LoadGenerator(cast("Host", host), Path("/opt/dbdyno-load"))


def run_with(process: FakeProcess, server: FakeServer | None = None) -> tuple[MeasuredRun, list[SecondRow], FakeHost]:
    host, told = FakeHost(process), list[SecondRow]()
    measured = measure_run(
        ORDER, server or FakeServer(), generator_of(host), told.append, ServerWatch(exit_timeout_s=0.0)
    )
    return measured, told, host


def test_a_whole_run_is_recorded_and_judged() -> None:
    start, _, end = sample_lines()
    measured, told, _ = run_with(FakeProcess([start, *SECONDS, end]))
    assert measured.judgement.status == "good"
    assert measured.figures.total.tps_mean == 1190.0
    assert [row.phase for row in told] == ["warm-up", "window", "window"]
    assert tuple(told) == measured.seconds
    assert {row.type for row in measured.intervals} == {"read_write", "point_select", "commit"}
    assert measured.start["session"] == json.loads(start)["session"]


def test_the_order_names_a_password_file_and_keeps_to_the_contract() -> None:
    start, _, end = sample_lines()
    _, _, host = run_with(FakeProcess([start, *SECONDS, end]))
    assert list(host.argv) == ["/opt/dbdyno-load", "run", "--order", "-"]
    sample = json.loads((SAMPLES / "load-order.json").read_text())
    assert set(host.order) == set(sample)
    assert host.order["phases"] == [
        {"name": "warm-up", "duration_ns": 10**9},
        {"name": "window", "duration_ns": 2 * 10**9},
    ]
    assert host.order["workload"] == {"name": "sysbench/oltp_read_write", "options": {"tables": 4, "table_size": 50000}}
    assert host.order["cpus"] == [1]
    assert host.order["seed"] == 9


def test_a_workload_that_ends_early_has_the_figures_of_the_seconds_until_then() -> None:
    start, _, end = sample_lines()
    measured, _, _ = run_with(FakeProcess([start, *SECONDS[:2], end]))
    assert measured.judgement.status == "suspect"
    assert numbers_in(measured.judgement.reason) == [1, 2]
    codes = {caveat.code for caveat in measured.judgement.caveats}
    assert "workload-ended" in codes
    assert "missing-seconds" not in codes
    assert (measured.figures.total.tps_mean, measured.figures.total.window_s) == (1190.0, 1.0)


def test_a_workload_that_ends_before_the_window_fails_the_run() -> None:
    start, _, end = sample_lines()
    measured, _, _ = run_with(FakeProcess([start, *SECONDS[:1], end]))
    assert measured.judgement.status == "failed"
    assert "after 0 s" in measured.judgement.reason


def test_a_load_generator_that_crashed_fails_the_run_with_its_words() -> None:
    start, _, _ = sample_lines()
    measured, _, _ = run_with(FakeProcess([start, SECONDS[0]], exit_code=101, stderr="thread panicked at worker.rs"))
    assert measured.judgement.status == "failed"
    assert "exit code 101" in measured.judgement.reason
    assert "thread panicked" in measured.judgement.reason
    assert len(measured.seconds) == 1


def test_a_server_that_dies_in_the_window_ends_the_load_and_fails_the_run() -> None:
    start, _, end = sample_lines()
    process = FakeProcess([start, *SECONDS, end])
    measured, _, _ = run_with(process, FakeServer(dies_after=1))
    assert "interrupt" in process.calls
    assert measured.judgement.status == "failed"
    assert measured.judgement.reason.endswith(": signal 9")
    assert len(measured.seconds) == 3


def test_a_line_that_is_no_record_fails_the_run_and_ends_the_load() -> None:
    start, _, _ = sample_lines()
    process = FakeProcess([start, "Segmentation fault"])
    measured, _, _ = run_with(process)
    assert measured.judgement.status == "failed"
    assert "Segmentation fault" in measured.judgement.reason
    assert "kill" in process.calls


def test_an_interrupt_kills_the_load_and_goes_on_up() -> None:
    start, _, end = sample_lines()
    process = FakeProcess([start, *SECONDS, end])

    def stop(_: SecondRow) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_run(ORDER, FakeServer(), generator_of(FakeHost(process)), stop)
    assert process.calls == ["kill", "wait"]


def test_words_of_the_load_generator_become_caveats_once() -> None:
    start, _, end = sample_lines()
    words = '{"record": "message", "level": "warning", "text": "error 1213 on COMMIT"}'
    measured, _, _ = run_with(FakeProcess([start, words, words, *SECONDS, end]))
    assert [caveat.text for caveat in measured.judgement.caveats if caveat.code == "load-message"] == [
        "error 1213 on COMMIT"
    ]


def probe(number: int, first_second: int, rate: float, held: bool) -> str:
    row = {"record": "probe", "number": number, "first_second": first_second, "seconds": 2, "rate_per_s": rate}
    return json.dumps({**row, "completed_per_s": rate, "held": held, "reason": "" if held else "p99 was 31 ms"})


def searched(*, held: float | None) -> MeasuredRun:
    start, _, end = sample_lines()
    opened = json.dumps({**json.loads(start), "pacing": {"kind": "search"}})
    broken = 1300.0 if held else 100.0
    answer = {"highest_held_per_s": held, "lowest_broken_per_s": broken, "probes": 2 if held else 1}
    seconds = [second(number, "probe") for number in range(6)]
    probes = [probe(1, 1, 1190.0, True)] if held else []
    probes.append(probe(len(probes) + 1, 4, broken, False))
    last = json.dumps({**json.loads(end), "outages": [], "search": answer})
    return run_with(FakeProcess([opened, *seconds, *probes, last]))[0]


def test_the_throughput_of_a_search_is_the_highest_rate_that_held() -> None:
    measured = searched(held=1190.0)
    assert measured.judgement.status == "good"
    assert (measured.figures.total.tps_mean, measured.figures.total.tps_half_width) == (1190.0, 110.0)
    assert measured.search is not None
    assert measured.search.lowest_broken_per_s == 1300.0


def test_the_window_of_a_search_is_that_of_the_probe_that_held() -> None:
    measured = searched(held=1190.0)
    assert [row.phase for row in measured.seconds] == ["probe", "window", "window", "probe", "probe", "probe"]
    assert measured.figures.total.window_s == 2.0
    assert {row.second for row in measured.intervals if row.phase == "window"} == {1, 2}
    assert [row["held"] for row in measured.end["probes"]] == [True, False]


def test_a_search_in_which_no_rate_held_has_failed() -> None:
    measured = searched(held=None)
    assert measured.judgement.status == "failed" and measured.judgement.reason
    assert measured.figures.total.tps_mean is None


OPEN_STUDY = parse_study(
    """
    targets = ["mysql:9.7"]
    workload = {name = "oltp_read_write", tables = 4, rows = 50000}
    axes = {tier = "64MB", concurrency = 16}
    measure = {warm_up = "2s", window = "auto", window_min = "60s", window_max = "150s", seed = 9}
    """,
    "open.toml",
)


def open_run(seconds: int) -> tuple[MeasuredRun, FakeProcess, FakeHost]:
    start, _, end = sample_lines()
    interrupted = json.dumps({**json.loads(end), "status": "interrupted", "reason": "stopped by a signal"})
    process = FakeProcess([start, *(second(number, "open") for number in range(seconds)), interrupted])
    host = FakeHost(process)
    order = LoadOrder(RUN, OPEN_STUDY, {"socket": "/s.sock"}, workers=1)
    server_watch = ServerWatch(exit_timeout_s=0.0)
    measured = measure_run(order, FakeServer(), generator_of(host), lambda row: None, server_watch)
    return measured, process, host


def test_a_window_left_open_ends_the_load_when_it_is_sure_and_is_what_is_judged() -> None:
    measured, process, host = open_run(125)
    assert host.order["phases"] == [{"name": "open", "duration_ns": 154 * 10**9}]
    assert process.calls.count("interrupt") == 1
    assert measured.judgement.status == "good"
    assert measured.course is not None
    assert (measured.course.window_first_s, measured.course.window_end_s) == (2, 122)
    assert measured.figures.total.window_s == 120
    phases = [row.phase for row in measured.seconds]
    assert (phases.count("warm-up"), phases.count("window"), phases.count("after")) == (2, 120, 3)


def test_a_load_that_others_interrupted_before_the_window_was_sure_has_failed() -> None:
    measured, _, _ = open_run(100)
    assert measured.judgement.status == "failed"
    assert measured.course is None


def test_what_the_load_says_at_its_end_is_kept() -> None:
    start, _, end = sample_lines()
    measured, _, _ = run_with(FakeProcess([start, *SECONDS, end]))
    assert measured.end == json.loads(end)
    assert (measured.unsent, measured.outages, measured.search) == (0, 1, None)


AHEAD_NS, UNIX_NS = 5 * 10**15, 17 * 10**17


class HostOfTheServer(LocalHost):
    """A host whose clock is ahead; it takes down what is started there."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Sequence[str]] = []

    def there_ns(self, here_ns: int) -> int:
        return here_ns + AHEAD_NS

    def clock(self) -> ClockReading:
        return ClockReading(7, UNIX_NS + 7)

    def spawn_piped(self, argv: Sequence[str], **more: object) -> PipedProcess:
        self.started.append(argv)
        raise HostError("it starts nothing", "")


class WindowOfTheProfile(PerfRecording):
    """A recording that takes down which time is asked for."""

    asked = (0, 0)

    def folded(self, first_ns: int, end_ns: int) -> FoldedSamples:
        self.asked = (first_ns, end_ns)
        return FoldedSamples()


@pytest.mark.parametrize("has_client", [True, False])
def test_the_server_of_another_host_is_watched_by_that_hosts_clock(has_client: bool) -> None:
    start, _, end = sample_lines()
    begin_ns = json.loads(start)["monotonic_ns"]
    host, place_host = FakeHost(FakeProcess([start, *SECONDS, end])), HostOfTheServer()
    place = ThreadsPlace(place_host, Path("/opt/dbdyno-load"), 7, has_client=has_client)
    recording = WindowOfTheProfile(place_host, Path("/none"), 7, 1.0)
    measured = measure_run(
        ORDER,
        FakeServer(),
        generator_of(host),
        lambda _: None,
        ServerWatch(threads_place=place, recording=recording, exit_timeout_s=0.0),
    )
    sampler = next(argv for argv in place_host.started if "threads" in argv)
    assert ("--client-pid" in sampler) == has_client
    assert sampler[sampler.index("--start-ns") + 1] == str(begin_ns + AHEAD_NS)
    first_ns = begin_ns + AHEAD_NS + UNIX_NS + 10**9
    assert recording.asked == (first_ns, first_ns + 2 * 10**9)
    assert "session-threads" in {caveat.code for caveat in measured.judgement.caveats}
