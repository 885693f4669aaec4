"""What ran beside the load: every tool's forms, units as they are stored, and the seconds they are put to."""

from __future__ import annotations

from pathlib import Path

import pytest

import sysbench_log
from dbdyno.imports.telemetry import ToolReports, align, read_dstat, read_iostat, read_mpstat, read_vmstat
from trees import imported

IOSTAT_HEAD = "Linux 6.8.0 (node1) \t03/12/2026 \t_x86_64_\t(80 CPU)\n\n"
IOSTAT_COLUMNS = "Device            r/s     rMB/s   r_await     w/s     wMB/s   w_await  f/s f_await  aqu-sz  %util\n"
VMSTAT_HEAD = """procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu-------
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu
"""
MPSTAT = """Linux 6.8.0 (node1) \t03/12/2026 \t_x86_64_\t(2 CPU)

11:59:58 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
11:59:59 PM  all   50.00    0.00   10.00    0.00    0.00    0.00    0.00    0.00    0.00   40.00
11:59:59 PM    0   90.00    0.00   10.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00
11:59:59 PM    1   10.00    0.00   10.00    0.00    0.00    0.00    0.00    0.00    0.00   80.00

11:59:59 PM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:00:01 AM  all   20.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   80.00
Average:     all   35.00    0.00    5.00    0.00    0.00    0.00    0.00    0.00    0.00   60.00
"""
DSTAT = """You did not select any stats, using -cdngy by default.
----system---- ----total-usage---- -dsk/total- -net/total- ---paging-- ---system--
     time     |usr sys idl wai stl| read  writ| recv  send|  in   out | int   csw
12-03 05:51:49|                   |           |           |           |
12-03 05:51:50| 99   1   0   0   0|   0    78M|2408B 3236B|   0     0 |  87k   25k
12-03 05:51:52| 97   1   2   0   0|4096B  1.5M|2408B 3236B|   0     0 | 120k   25k
"""
DSTAT_UNTIMED = """---procs--- -dsk/total- ---system--
run blk new| read  writ| int   csw
 13   0    |           |
 17 1.0   0|   0   111M| 348k  330k
8.0 1.0   0|   0   112M| 347k  330k
9.0 506   0| 498M   39k|1412k 1006k missed 4 ticks
8.0 1.0   0|   0   113M| 347k  331k
"""
DSTAT_CSV = """"Dstat 0.7.4 CSV output"
"Author:","Dag Wieers",,,,"URL:","http://dag.wieers.com/"
"Host:","node1",,,,"User:","root"
"Cmdline:","dstat --output x",,,,"Date:","12 Mar 2026"
"system","total cpu usage",,,,,"dsk/total",
"time","usr","sys","idl","wai","stl","read","writ"
"12-03 05:51:49",5.0,1.0,94.0,0.0,0.0,1000.5,2000.0
"12-03 05:51:50",50.0,10.0,40.0,0.0,0.0,4096.0,8192.0
"""


def iostat(count: int, device: str = "sda") -> str:
    row = f"{device}  1.00 0.50 0.10 {{n}}.00 2.00 0.20 3.00 0.30 0.40 55.50\n\n"
    idle = "loop0  0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n"
    return IOSTAT_HEAD + "".join(IOSTAT_COLUMNS + idle + row.format(n=n) for n in range(count))


def values(reports: ToolReports, metric: str) -> list[float]:
    return reports.series[metric].values


def test_iostat_gives_bytes_shares_and_busy_devices_only() -> None:
    found = read_iostat(iostat(3))
    assert (found.count, found.diagnostics) == (3, ())
    assert values(found, "iostat.sda.read_bytes") == [0.5 * 1048576] * 3
    assert values(found, "iostat.sda.busy") == pytest.approx([0.555] * 3)
    assert not any("loop0" in metric for metric in found.series)
    assert found.facts["logical_cpu_count"] == 80


def test_a_cut_line_of_iostat_is_named() -> None:
    text = iostat(3)
    found = read_iostat(text[: len(text) - 20])
    assert [line for line, _ in found.diagnostics] == [text[: len(text) - 20].count("\n") + 1]


def test_the_first_report_of_iostat_is_left_out_and_the_second_is_second_zero() -> None:
    placed = align(read_iostat(iostat(11)), 10)
    assert placed.table is not None
    rows = [row for row in placed.table.rows() if row["metric"] == "iostat.sda.writes"]
    assert [(row["second"], row["value"]) for row in rows] == [(n, float(n + 1)) for n in range(10)]
    assert not placed.by_clock


def test_a_file_of_iostat_that_ends_behind_a_clock_keeps_its_clock() -> None:
    head, *reports = iostat(3).split("Device")
    clocked = head + "".join(f"03/12/2026 05:51:{n}9 AM\nDevice{report}" for n, report in enumerate(reports))
    placed = align(read_iostat(clocked + "03/12/2026 05:51:39 AM\n"), 100)
    assert placed.table is not None
    assert [row["second"] for row in placed.table.rows() if row["metric"] == "iostat.sda.writes"] == [9, 19]


def test_readings_that_are_not_one_a_second_are_not_placed() -> None:
    placed = align(read_iostat(iostat(9)), 100)
    assert placed.table is None
    assert "without a clock" in placed.problem


def test_vmstat_gives_bytes_and_shares() -> None:
    rows = " 4  0      0 832 133 661    0    0   476  2646 1303    7 60 10 29  1  0  0\n" * 2
    found = read_vmstat(VMSTAT_HEAD + rows + VMSTAT_HEAD + rows)
    assert (found.count, found.diagnostics) == (4, ())
    assert values(found, "vmstat.memory.free")[0] == 832 * 1024
    assert values(found, "vmstat.disk.written_bytes")[0] == 2646 * 1024
    assert values(found, "vmstat.cpu.user")[0] == 0.6


def test_mpstat_gives_all_processors_and_the_busiest_by_its_clock() -> None:
    found = read_mpstat(MPSTAT)
    assert values(found, "mpstat.cpu.user") == [0.5, 0.2]
    assert values(found, "mpstat.cpu.busiest") == [1.0]
    placed = align(found, 10)
    assert placed.table is not None
    user = [row for row in placed.table.rows() if row["metric"] == "mpstat.cpu.user"]
    assert [row["second"] for row in user] == [0, 2]


def test_dstat_for_people_has_powers_of_two_for_bytes_and_of_ten_for_counts() -> None:
    found = read_dstat(DSTAT)
    assert (found.count, found.diagnostics) == (3, ())
    assert values(found, "dstat.disk.written_bytes") == [78 * 1048576, 1.5 * 1048576]
    assert values(found, "dstat.interrupts") == [87_000, 120_000]
    placed = align(found, 10)
    assert placed.table is not None
    seconds = [row["second"] for row in placed.table.rows() if row["metric"] == "dstat.cpu.user"]
    assert seconds == [0, 2]


def test_the_first_row_of_dstat_and_ticks_that_it_missed_are_no_damage() -> None:
    found = read_dstat(DSTAT_UNTIMED)
    assert (found.count, found.diagnostics) == (5, ())
    placed = align(found, 7)
    assert placed.table is not None
    rows = placed.table.rows()
    # What came four seconds after the row before stands four seconds after it.
    assert [row["second"] for row in rows if row["metric"] == "dstat.disk.written_bytes"] == [0, 1, 5, 6]
    # dstat does not divide interrupts by the seconds that it missed, so they are no rate of a second.
    assert [row["value"] for row in rows if row["metric"] == "dstat.interrupts"] == [348_000, 347_000, 347_000]
    damaged = read_dstat(DSTAT_UNTIMED.replace(" 17 1.0   0|", " 17 1.0|"))
    assert [line for line, _ in damaged.diagnostics] == [4]


def test_dstat_as_csv_gives_the_same_metrics() -> None:
    found = read_dstat(DSTAT_CSV)
    assert (found.count, found.diagnostics) == (2, ())
    assert values(found, "dstat.disk.written_bytes") == [2000.0, 8192.0]
    assert values(found, "dstat.cpu.user") == [0.05, 0.5]


@pytest.mark.parametrize("damaged", ['"12-03 05:51:51,5.0,1.0', '12-03 05:51:51,5.0,"1.0', '"' + "x" * 140_000 + '"'])
def test_a_stray_quote_in_csv_of_dstat_costs_one_line(damaged: str) -> None:
    rows = "".join(f'"12-03 05:52:{n % 60:02d}",5.0,1.0,94.0,0.0,0.0,1000.5,2000.0\n' for n in range(3000))
    found = read_dstat(DSTAT_CSV + damaged + "\n" + rows)
    assert len(values(found, "dstat.cpu.user")) == 3002
    assert [line for line, _ in found.diagnostics] == [9]


def test_telemetry_beside_a_run_is_stored_with_it_and_damage_in_it_is_named(tmp_path: Path) -> None:
    log = sysbench_log.log([100.0 + n % 3 for n in range(20)])
    files = {"a/4.sysbench.txt": log, "a/4.iostat.txt": iostat(22), "a/4.vmstat.txt": "", "a/8.iostat.txt": iostat(5)}
    outcome, results = imported(tmp_path, files, "{target}/{threads}.sysbench.txt")
    (record,) = results.records()
    metrics = set(results.telemetry(record.run.run_id).values("metric"))
    assert "iostat.sda.written_bytes" in metrics
    assert [(diagnostic.path, diagnostic.line, diagnostic.is_minor) for diagnostic in outcome.diagnostics] == [
        ("a/4.vmstat.txt", 1, False),
        ("a/8.iostat.txt", 1, True),
    ]
    assert "telemetry-offset" in {caveat.code for caveat in record.caveats}
    assert results.host["hostname"] == "node1"
    roles = [row["role"] for row in results.document(record.run.run_id, "origin")]
    assert roles == ["sysbench log", "iostat", "vmstat"]
