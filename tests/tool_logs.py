"""Logs as HammerDB, tpcc-mysql, LinkBench and go-tpc write them, with figures that a test chooses."""

from __future__ import annotations

import json
from collections.abc import Sequence

TPCC_OTHERS = (1.0, 0.1, 0.1, 0.1)
"""Payments, order states, deliveries and stock levels for each new order."""


def tpcc_mysql(
    orders: Sequence[int], *, threads: int = 4, interval: int = 10, form: str = "trx", seconds: int | None = None
) -> str:
    """A whole output of ``tpcc_start``.

    Parameters
    ----------
    orders : new orders in each interval
    form : of the lines: trx, trx without percentiles (short), or the five groups of before 2016 (groups)
    """
    text = "*" * 39 + "\n*** ###easy### TPC-C Load Generator ***\n" + "*" * 39 + "\n"
    text += f"option i with value '{interval}'\noption p with value 'hush'\n<Parameters>\n     [server]: 10.0.0.9\n"
    text += "     [port]: 3306\n     [DBname]: tpcc\n       [user]: u\n       [pass]: hush\n  [warehouse]: 10\n"
    text += f" [connection]: {threads}\n     [rampup]: 20 (sec.)\n    [measure]: {len(orders) * interval} (sec.)\n\n"
    text += "RAMP-UP TIME.(20 sec.)\n\nMEASURING START.\n\n"
    for index, count in enumerate(orders, 1):
        others = [round(count * share) for share in TPCC_OTHERS]
        if form == "groups":
            groups = ", ".join(f"{n}(0):0.123|0.456" for n in (count, *others))
            text += f"{index * interval:4}, {groups}\n"
            continue
        quantiles = " 95%: 9.483, 99%: 18.738," if form == "trx" else ""
        comma = "," if quantiles else ""
        tail = ", ".join(f"{n}|{50 + index}.776" for n in others)
        text += f"{index * interval:4}, trx: {count}{comma}{quantiles} max_rt: 213.169, {tail}\n"
    text += "\nSTOPPING THREADS....\n\n<Raw Results>\n"
    totals = [sum(orders), *(sum(round(count * share) for count in orders) for share in TPCC_OTHERS)]
    for index, total in enumerate(totals):
        mean = " avg_rt: 19.3 (5)" if form != "groups" else ""
        text += f"  [{index}] sc:{total - 3} lt:3  rt:{index}  fl:0{mean}\n"
    measured = len(orders) * interval if seconds is None else seconds
    text += f" in {measured} sec.\n\n<Raw Results2(sum ver.)>\n"
    text += "".join(f"  [{index}] sc:{total}  lt:9  rt:0  fl:0 \n" for index, total in enumerate(totals))
    text += (
        "\n<Constraint Check> (all must be [OK])\n [transaction percentage]\n        Payment: 43.47% (>=43.0%) [OK]\n"
    )
    return text + f"\n<TpmC>\n                 {sum(orders) * 60 / measured:.3f} TpmC\n"


def hammerdb(
    nopm: int = 6000,
    tpm: int = 13_900,
    *,
    users: int = 4,
    ramp: int = 1,
    minutes: int = 2,
    counter: Sequence[int] = (),
    rdbms: str = "MariaDB",
    stamps: bool = False,
    old: bool = False,
) -> str:
    """What HammerDB's command line prints of a timed run; `counter` are readings inside of its timed minutes."""
    text = "HammerDB CLI v5.0\n" + "".join(f"Vuser {n} created - WAIT IDLE\n" for n in range(1, users + 2))
    text += f"{users + 1} Virtual Users Created with Monitor VU\nVuser 1:RUNNING\n"
    stamp = "Timestamp 1 @ Mon Apr 14 13:{} BST 2025\n" if stamps else ""
    text += f"Vuser 1:DBVersion:11.8.1\nVuser 1:Beginning rampup time of {ramp} minutes\n"
    text += "".join(
        f"Vuser {n}:Processing 10000000 transactions with output suppressed...\n" for n in range(2, users + 2)
    )
    text += f"0 {rdbms} tpm\n60000 {rdbms} tpm\n" if counter else ""
    text += f"Vuser 1:Rampup {ramp} minutes complete ...\nVuser 1:Rampup complete, Taking start Transaction Count.\n"
    text += stamp.format("10:00") + f"Vuser 1:Timing test period of {minutes} in minutes\n"
    text += "".join(f"{value} {rdbms} tpm\n" for value in counter)
    text += stamp.format(f"{10 + minutes}:00") + "Vuser 1:Test complete, Taking end Transaction Count.\n"
    text += f"Vuser 1:{users} Active Virtual Users configured\nVuser 1:TEST RESULT : System achieved "
    text += f"{tpm} {rdbms} TPM at {nopm} NOPM\n" if old else f"{nopm} NOPM from {tpm} {rdbms} TPM\n"
    text += f"7 {rdbms} tpm\n" if counter else ""
    text += "".join(f"Vuser {n}:FINISHED SUCCESS\n" for n in range(1, users + 2))
    return text + "ALL VIRTUAL USERS COMPLETE\n"


def hammerdb_counter(readings: Sequence[int], *, rdbms: str = "MariaDB", start: str | None = "09:50") -> str:
    """A log of the transaction counter, a reading each ten seconds; without clocks where there is no start."""
    text = "Hammerdb Transaction Counter Log @ Mon Apr 14 13:00:00 BST 2025\n+-+-+-+-+-+-+-+\n"
    for index, value in enumerate(readings):
        if start is None:
            text += f"{value} {rdbms} tpm\n"
            continue
        at = int(start[:2]) * 60 + int(start[3:]) + 10 * index
        text += f"{value} {rdbms} tpm @ Mon Apr 14 13:{at // 60:02}:{at % 60:02} BST 2025\n"
    return text


def hammerdb_profile(users: int = 4, calls: int = 18_000) -> str:
    """A time profile as xtprof writes it: of one user, then of all."""
    block = ""
    for share, name in ((1.0, "NEWORD"), (1.0, "PAYMENT"), (0.1, "DELIVERY"), (0.1, "SLEV"), (0.1, "OSTAT")):
        block += f">>>>> PROC: {name}\nCALLS: {round(calls * share)}\tMIN: 0.164ms\tAVG: 0.295ms\tMAX: 12.313ms\t"
        block += "TOTAL: 193566.895ms\nP99: 0.529ms\tP95: 0.387ms\tP75: 0.321ms\tP50: 0.286ms\tP25: 0.253ms\t"
        block += "SD: 0.148ms\tRATIO: 46.112%\n"
    line = "+-+-+-+-+-+-+-+\n"
    text = f"MariaDB Hammerdb Time Profile Report @ Mon Apr 14 13:18:31 BST 2025\n{line}"
    text += f">>>>> VIRTUAL USER 2 : ELAPSED TIME : 179775ms\n{block.replace(str(calls), '7')}{line}"
    return f"{text}>>>>> SUMMARY OF {users} ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : 180000ms\n{block}{line}"


def hammerdb_job(nopm: int = 6000, tpm: int = 13_900, users: int = 4) -> str:
    """The report of a job of version 6."""
    rows = [
        {"name": "NEWORD", "elapsed_ms": "180000", "calls": "18000", "avg_ms": "0.3", "p50_ms": "0.2", "p95_ms": "0.4"}
    ]
    points = [{"timestamp": f"2026-06-02 22:07:{10 * n:02}", "value": 100 * n} for n in range(6)]
    report = {
        "schema": "hammerdb-job-report-v1",
        "job": {"hdb_version": "v6.0", "database_display": "MariaDB", "release": "13.0.1", "benchmark": "TPROC-C"},
        "benchmark_config": {"warehouses": 5, "virtual_users": users, "rampup_minutes": 1, "duration_minutes": 2},
        "result": {"type": "tproc_c_result", "active_virtual_users": users, "nopm": nopm, "tpm": tpm},
        "transaction_count": {"available": True, "series": [{"name": "MariaDB tpm", "points": points}]},
        "response_times": {"type": "boxplot", "unit": "milliseconds", "rows": rows},
    }
    return json.dumps(report, indent=2)


LINKBENCH_TYPES = ("ADD_NODE", "GET_NODE", "ADD_LINK", "GET_LINKS_LIST")


def linkbench(
    rates: Sequence[float], *, threads: int = 4, step: float = 10.0, warm_up: int = 0, failed: int = 0
) -> str:
    """The log of a request phase whose progress was printed every `step` seconds."""
    at = "INFO 2026-07-10 15:20:01,123 [{}]: "
    text = "".join(
        at.format(f"Thread-{n}") + f"Requester thread #{n} started: will do 500000 ops after {warm_up} second warmup\n"
        for n in range(threads)
    )
    done = 0
    for index, rate in enumerate(rates, 1):
        done += round(rate * step)
        text += (
            at.format("Thread-1") + f"{done}/{threads * 500_000} requests finished: {index:.1f}% complete at {rate:.1f}"
        )
        text += f" ops/sec {index * step:.1f}/100000 secs elapsed: 0.5% of time limit used\n"
    for n in range(threads):
        text += at.format(f"Thread-{n}") + f"ThreadID = {n} ADD_LINK totalOps = 99 totalErrors = {failed} ops = 99 "
        text += "sampleDuration = 5000ms samples = 99 mean = 400 min = 1 25% = 2 50% = 3 75% = 4 90% = 5 95% = 6 "
        text += "99% = 7 max = 8\n"
    for name in LINKBENCH_TYPES:
        text += at.format("main") + f"{name} count = {done // 4}  p25 = [0.7,0.8]ms  p50 = [1,2]ms  p75 = [1,2]ms "
        text += " p95 = [10,11]ms  p99 = [15,16]ms  max = 206.476ms  mean = 2.427ms\n"
    elapsed = len(rates) * step
    text += at.format("main") + f"REQUEST PHASE COMPLETED. {done} requests done in {int(elapsed)} seconds."
    return text + f" Requests/second = {int(done / elapsed)}\n"


def linkbench_stats(count: int = 100) -> str:
    """A table of ``-csvstats``."""
    head = "op,count,p25_low,p25_high,p50_low,p50_high,p75_low,p75_high,p95_low,p95_high,p99_low,p99_high,max,mean\n"
    return head + "".join(f"{name},{count},0.1,0.2,0.3,0.4,1,2,10,11,15,16,206.48,2.43\n" for name in LINKBENCH_TYPES)


GO_TPC_MIX = {"DELIVERY": 0.09, "NEW_ORDER": 1.0, "ORDER_STATUS": 0.09, "PAYMENT": 0.96, "STOCK_LEVEL": 0.09}


def go_tpc(
    orders: Sequence[int],
    *,
    threads: int | None = 4,
    interval: int = 10,
    style: str = "plain",
    failed: int = 0,
    is_old: bool = False,
    mean_factor: float = 1.0,
) -> str:
    """A whole output of go-tpc; `orders` are new orders of each interval."""
    ordered = f" -T {threads}" if threads else ""
    text = (
        f"$ go-tpc tpcc -H 127.0.0.1 --warehouses 4{ordered} -p hush run --time 5m --interval {interval}s\n"
        if threads
        else ""
    )
    for count in orders:
        text += _go_tpc_rows("[Current] ", count, float(interval), style, failed, is_old, mean_factor)
    total, elapsed = sum(orders), float(len(orders) * interval)
    text += "Finished\n" + _go_tpc_rows("[Summary] ", total, elapsed, style, failed * len(orders), is_old, mean_factor)
    tpmc = f"{total * 60 / elapsed:.1f}"
    if style == "json":
        return text + json.dumps([{"efficiency": "1.0%", "tpmC": tpmc, "tpmTotal": "99999.9"}]) + "\n"
    if style == "table":
        line = "+----+----+----+\n"
        return f"{text}{line}| TPMC | TPMTOTAL | EFFICIENCY |\n{line}| {tpmc} | 99999.9 | 1.0% |\n{line}"
    return text + (f"tpmC: {tpmc}\n" if is_old else f"tpmC: {tpmc}, tpmTotal: 99999.9, efficiency: 1.0%\n")


def _go_tpc_rows(
    prefix: str, orders: int, takes: float, style: str, failed: int, is_old: bool, mean_factor: float
) -> str:
    rows = []
    for name, share in GO_TPC_MIX.items():
        counts = [(name, round(orders * share))] + ([(f"{name}_ERR", failed)] if name == "NEW_ORDER" and failed else [])
        rows += [_go_tpc_row(prefix, each, count, takes, is_old, mean_factor) for each, count in counts]
    if style == "json":
        return json.dumps(rows) + "\n"
    if style == "table":
        names = list(rows[0])
        line = "+" + "+".join("-" * 6 for _ in names) + "+\n"
        head = "| " + " | ".join(name.upper().replace("99.9", "99 9") for name in names) + " |\n"
        body = "".join("| " + " | ".join(value.strip() for value in row.values()) + " |\n" for row in rows)
        return line + head + line + body + line
    text = ""
    for row in rows:
        fields = ", ".join(f"{name}: {value}" for name, value in row.items() if name not in ("Prefix", "Operation"))
        text += f"{row['Prefix']}{row['Operation']:6} - {fields}\n"
    return text


def _go_tpc_row(prefix: str, name: str, count: int, takes: float, is_old: bool, mean_factor: float) -> dict[str, str]:
    row = {"Prefix": prefix, "Operation": name, "Takes(s)": f"{takes:.1f}", "Count": str(count)}
    row |= {"TPM": f"{count * 60 / takes:.1f}", "Sum(ms)": f"{count * 91}", "Avg(ms)": f"{91 * mean_factor:.1f}"}
    if is_old:
        return row | {"90th(ms)": "192", "99th(ms)": "512", "99.9th(ms)": "1000"}
    quantiles = {
        "50th(ms)": "62.9",
        "90th(ms)": "88.1",
        "95th(ms)": "100.7",
        "99th(ms)": "130.0",
        "99.9th(ms)": "184.5",
    }
    return row | quantiles | {"Max(ms)": "570.4"}
