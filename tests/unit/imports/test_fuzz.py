"""Whatever stands in a file, the parsers give an answer: no exception but the ones they promise, and bounded work."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sysbench_log
import tool_logs
from dbdyno.core import TreeError
from dbdyno.engines import read_dump, read_option_file
from dbdyno.imports import TOOLS, compile_pattern
from dbdyno.imports._file_text import decoded, unpacked
from dbdyno.imports._run import RunInput
from dbdyno.imports.sysbench import judge_log, log_parts, percentile_of, read_run, run_figures, seconds_table
from dbdyno.imports.telemetry import align, read_dstat, read_iostat, read_mpstat, read_vmstat
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
ORDERS = [500, 510, 505]
OF_TOOLS = {
    "sysbench": [WHOLE, sysbench_log.old_log(ORDERS), sysbench_log.old_log(ORDERS, is_transactional=False)],
    "hammerdb": [
        tool_logs.hammerdb(counter=ORDERS, stamps=True),
        tool_logs.hammerdb_job(),
        tool_logs.hammerdb(old=True),
    ],
    "tpcc-mysql": [tool_logs.tpcc_mysql(ORDERS, form=form) for form in ("trx", "short", "groups")],
    "linkbench": [tool_logs.linkbench(ORDERS), tool_logs.linkbench_stats()],
    "go-tpc": [tool_logs.go_tpc(ORDERS, style=style, failed=1) for style in ("plain", "json", "table")],
}
BESIDE_TOOLS = [
    tool_logs.hammerdb_counter(ORDERS),
    tool_logs.hammerdb_profile(),
    tool_logs.linkbench_stats(),
    "threadID,timestamp,op,totalops,totalerrors,ops,sampleDuration_us,sampleOps\n1,1400000000,ADD_LINK,9,1,9,5000,9\n",
    '{"MariaDB tpm": {"2026-06-02 22:07:31": "81162", "2026-13-02 22:07:31": "x"}}',
    '{"NEWORD": {"elapsed_ms": "0", "calls": "-3", "avg_ms": "1e9"}}',
]
NUMBERS = ["0", "-1", "999999999999999", "1e400", "nan", "0.0000", "NaN%", "", "|", ":", "\x00", "\ufffd", "(", "\n"]
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
        found = judge_log(run, figures, part.head.threads or 1)
        assert found.status in ("good", "suspect", "failed")
        assert all(1 <= line <= text.count("\n") + 1 for line, _ in run.diagnostics)
        table_of(SecondRow, "r", seconds_table(run.intervals, figures.interval_s, percentile_of(run)))


@st.composite
def damaged(draw: st.DrawFn, wholes: list[str]) -> str:
    """A whole text, cut, put together anew line by line, or with pieces replaced by odd ones."""
    whole = draw(st.sampled_from(wholes))
    how = draw(st.integers(0, 3))
    if how == 0:
        return draw(st.text(max_size=200))
    if how == 1:
        return "\n".join(draw(st.lists(st.sampled_from(whole.split("\n")), max_size=40)))
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(whole))), draw(st.integers(0, 80))
        whole = whole[:at] + draw(st.one_of(st.sampled_from(NUMBERS), st.text(max_size=6))) + whole[at + length :]
    return whole if how == 2 else whole[: draw(st.integers(0, len(whole)))]


@pytest.mark.parametrize("tool", sorted(OF_TOOLS))
@quick
@given(st.data())
def test_any_log_of_any_tool_is_read_with_whatever_lies_beside_it(tool: str, data: st.DataObject) -> None:
    text = data.draw(damaged(OF_TOOLS[tool]))
    known = TOOLS[tool]
    companion_data = {companion.kind: data.draw(damaged(BESIDE_TOOLS)) for companion in known.companions}
    lines = text.count("\n") + 1
    known.is_log(text)
    parts = known.survey(text)
    if not parts:
        known.why_none(text)
    for index, part in enumerate(parts):
        assert 1 <= part.first_line <= lines
        run = known.read(RunInput(text, index, part.threads or 1, companion_data))
        assert run.judgement.status in ("good", "suspect", "failed")
        assert (run.judgement.status == "failed") == (run.figures.tps_mean is None)
        assert run.figures.tps_mean is None or math.isfinite(run.figures.tps_mean)
        assert run.figures.window_s >= 0
        assert all(1 <= line <= lines for line, _ in run.wrong)
        assert all(math.isfinite(figures.tps) and figures.completed >= 0 for figures in run.types)
        table_of(SecondRow, "r", run.seconds)


@pytest.mark.parametrize("tool", sorted(OF_TOOLS))
def test_a_megabyte_that_only_looks_like_a_log_is_done_with(tool: str) -> None:
    # An expression that tries every way to read such a line would not come back.
    odd = {
        "sysbench": "[ 1s ] thds: 1 ",
        "hammerdb": "Vuser 1:",
        "tpcc-mysql": "  10, trx: 1, ",
        "linkbench": "1/2 ",
        "go-tpc": "[Current] A - ",
    }
    text = (odd[tool] * 40 + "\n") * 1500
    for index, part in enumerate(TOOLS[tool].survey(text)):
        TOOLS[tool].read(RunInput(text, index, part.threads or 1))


@quick
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(BESIDE), max_size=30).map("\n".join)))
def test_any_telemetry_is_read_and_placed_or_not(text: str) -> None:
    for read in (read_iostat, read_vmstat, read_mpstat, read_dstat):
        align(read(text), 5)


@quick
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(["a\\t1", "| a | b |", "Variable_name: a", "Value: b", '"a";"b', "a=1", "[", "{"])
        ).map("\\n".join),
        st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)).map(
            json.dumps
        ),
    )
)
def test_any_dump_and_option_file_is_read(text: str) -> None:
    read_dump(text)
    assert all(option.asked[0] == option.asked[0].lower() for option in read_option_file(text).options)


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
