"""Whatever stands in a file, the parsers give an answer: no exception but the ones they promise, and bounded work."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sysbench_log
from dbdyno.core import TreeError
from dbdyno.imports import compile_pattern
from dbdyno.imports._file_text import decoded, unpacked
from dbdyno.imports.settings import read_dump, read_option_file
from dbdyno.imports.sysbench import judge, log_parts, percentile_of, read_run, run_figures, seconds_table
from dbdyno.imports.telemetry import place, read_dstat, read_iostat, read_mpstat, read_vmstat
from dbdyno.store import SecondRow
from dbdyno.store._series import table_of

WHOLE = sysbench_log.log([100.0, 90.5, 0.0, 110.25], rate=50)
HISTOGRAM = "Latency histogram (values are in milliseconds)\n       value  ---- distribution ---- count\n"
PIECES = [
    *WHOLE.split("\n"),
    *HISTOGRAM.split("\n"),
    "       0.640 |**                                       1",
    "1,4,100.00,2000.00,1.00,1.00,1.00,7.43,0.99,0.00",
    "[ 1s ] queue length: 7, concurrency: 4",
    "[ 99999999999s ] thds: 4 tps: 999999999999999.99 qps: 1.00 (r/w/o: 1/1/1) lat (ms,95%): 5 err/s: 0 reconn/s: 0",
    "[ 0s ] thds: 0 eps: 0 lat (ms,0%): 0.00",
    "    total time:                          0.0000s",
    "FATAL: x",
    "\x00\ufffd",
]
BESIDE = [
    "Linux 6.8.0 (n) \t03/12/2026 \t_x86_64_\t(80 CPU)",
    "Device r/s w/s rMB/s %util",
    "sda 1.0 2.0 nan 1e400",
    "sda 1.0 2.0 3.0 4.0",
    "avg-cpu:  %user %idle",
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    " 1  0 0 1 1 1 0 0 0 0 1 1 1 1 98 0 0",
    "procs ---memory---",
    "05:51:49 PM  CPU %usr %idle",
    "05:51:50 PM  all 1.00 99.00",
    "99:99:99 all 1.0 2.0",
    "----system---- ----total-usage----",
    "     time     |usr sys idl",
    "12-03 05:51:50| 99   1   0",
    '"Dstat 0.7"',
    '"a","b',
    "1,2,3",
    "",
]
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(PIECES), max_size=40).map("\n".join),
    st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 60), st.text(max_size=8)).map(
        lambda cut: WHOLE[: cut[0]] + cut[2] + WHOLE[cut[0] + cut[1] :]
    ),
)


@quick
@given(texts)
def test_any_log_is_read_judged_and_made_a_table(text: str) -> None:
    for part in log_parts(text):
        run = read_run(text, part)
        figures = run_figures(run)
        found = judge(run, figures, part.head.threads or 1)
        assert found.status in ("good", "suspect", "failed")
        assert all(1 <= line <= text.count("\n") + 1 for line, _ in run.complaints)
        table_of(SecondRow, "r", seconds_table(run.intervals, figures.interval_s, percentile_of(run)))


@quick
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(BESIDE), max_size=30).map("\n".join)))
def test_any_telemetry_is_read_and_placed_or_not(text: str) -> None:
    for read in (read_iostat, read_vmstat, read_mpstat, read_dstat):
        place(read(text), 5)


@quick
@given(st.text(max_size=300))
def test_any_dump_and_option_file_is_read(text: str) -> None:
    read_dump(text)
    read_option_file(text)


@quick
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"BZh9", b"\xff\xfe", b"\xef\xbb\xbf"]),
)
def test_any_bytes_become_text(content: bytes, start: bytes) -> None:
    decoded(unpacked(start + content, 10_000)[0])


@quick
@given(st.text(alphabet="{}:*./ab{threads}{tier:GB}_", max_size=40), st.text(max_size=40))
def test_any_pattern_is_compiled_or_refused(text: str, path: str) -> None:
    try:
        compile_pattern(text).match(path)
    except TreeError as error:
        assert error.remedy or error.why
