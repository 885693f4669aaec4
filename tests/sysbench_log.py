"""Logs as sysbench writes them, with figures that a test chooses."""

from __future__ import annotations

from collections.abc import Sequence


def head(threads: int = 4, *, version: str = "1.0.20", interval: int | None = 1, rate: int | None = None) -> str:
    """Everything before the first interval."""
    lines = [f"sysbench {version} (using system LuaJIT 2.1.0-beta3)", ""]
    lines += ["Running the test with following options:", f"Number of threads: {threads}"]
    lines += [f"Target transaction rate: {rate}/sec"] if rate else []
    lines += [f"Report intermediate results every {interval} second(s)"] if interval else []
    lines += ["Initializing random number generator from current time", "", "", "Initializing worker threads...", ""]
    return "\n".join([*lines, "Threads started!", "", ""])


def line(
    second: int, tps: float, *, threads: int = 4, latency: float = 5.0, percentile: int = 95, colon: str = ":"
) -> str:
    """One interval of the default report."""
    parts = f"{14 * tps:.2f}/{4 * tps:.2f}/{2 * tps:.2f}"
    return (
        f"[ {second}s ] thds: {threads} tps: {tps:.2f} qps: {20 * tps:.2f} (r/w/o: {parts}) "
        f"lat (ms,{percentile}%): {latency:.2f} err/s{colon} 0.00 reconn/s: 0.00\n"
    )


def tail(transactions: int, elapsed: float, *, percentile: int = 95, latency: float = 5.0) -> str:
    """The report at the end."""
    rate = transactions / elapsed
    return f"""SQL statistics:
    queries performed:
        read:                            {14 * transactions}
        write:                           {4 * transactions}
        other:                           {2 * transactions}
        total:                           {20 * transactions}
    transactions:                        {transactions:<6} ({rate:.2f} per sec.)
    queries:                             {20 * transactions:<6} ({20 * rate:.2f} per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          {elapsed:.4f}s
    total number of events:              {transactions}

Latency (ms):
         min:                                    0.59
         avg:                                    0.90
         max:                                    42.26
{percentile:10}th percentile:                   {latency:8.2f}
         sum:                                 3994.98

Threads fairness:
    events (avg/stddev):           2220.5000/7.50
    execution time (avg/stddev):   1.9975/0.00

"""


def log(
    tps: Sequence[float], *, threads: int = 4, version: str = "1.0.20", interval: int = 1, rate: int | None = None
) -> str:
    """A whole log."""
    lines = "".join(line((index + 1) * interval, value, threads=threads) for index, value in enumerate(tps))
    total = round(sum(tps) * interval)
    return (
        head(threads, version=version, interval=interval, rate=rate) + lines + tail(total, len(tps) * interval + 0.01)
    )


def old_line(
    second: int, tps: float, *, threads: int, percentile: int, form: str, is_transactional: bool = True
) -> str:
    """One interval of 0.5 in its first or its later form, or of 0.4.12.10; each event has 14 reads and 4 writes."""
    shown, reads, writes = tps if is_transactional else 0.0, 14 * tps, 4 * tps
    if form == "0.4.12.10":
        rates = f"tps: {shown:.6f}, reads/s: {reads:.6f}, writes/s: {writes:.6f} response time: 36.790000ms"
        return f"[{second:4}s] Intermediate results: {threads} threads, {rates} ({percentile}%)\n"
    a_second, end = ("/s", "") if form == "first" else ("", ", errors: 0.50, reconnects:  0.00")
    rates = f"tps: {shown:.2f}, reads{a_second}: {reads:.2f}, writes{a_second}: {writes:.2f}"
    return f"[{second:4}s] threads: {threads}, {rates}, response time: 36.79ms ({percentile}%){end}\n"


def old_log(
    tps: Sequence[float],
    *,
    threads: int = 4,
    version: str = "0.5",
    form: str = "first",
    interval: int = 1,
    percentile: int = 95,
    deadlocks: int = 0,
    is_transactional: bool = True,
) -> str:
    """A whole log of sysbench 0.5 or 0.4.

    Parameters
    ----------
    form : of its lines: first, later, 0.4.12.10 or none
    """
    lines = [f"sysbench {version}:  multi-threaded system evaluation benchmark", ""]
    lines += ["Running the test with following options:", f"Number of threads: {threads}"]
    lines += [f"Report intermediate results every {interval} second(s)"] if form != "none" else []
    lines += ["", "Doing OLTP test.", "Running mixed OLTP test"] if version.startswith("0.4") else [""]
    text = "\n".join([*lines, "Threads started!", "", ""])
    if form != "none":
        for index, value in enumerate(tps):
            more = {"threads": threads, "percentile": percentile, "is_transactional": is_transactional}
            text += old_line((index + 1) * interval, value, form=form, **more)
    count, elapsed = round(sum(tps) * interval), len(tps) * interval + 0.01
    shown, errors = count if is_transactional else 0, "ignored errors" if form == "later" else "deadlocks"
    unit, summary = ("", "Test execution summary") if version == "0.4.12" else ("s", "General statistics")
    return (
        text
        + f"""OLTP test statistics:
    queries performed:
        read:                            {14 * count}
        write:                           {4 * count}
        other:                           {2 * shown}
        total:                           {18 * count + 2 * shown}
    transactions:                        {shown:<6} ({shown / elapsed:.2f} per sec.)
    {errors + ":":37}{deadlocks:<6} ({deadlocks / elapsed:.2f} per sec.)
    read/write requests:                 {18 * count} ({18 * count / elapsed:.2f} per sec.)
    other operations:                    {2 * shown} ({2 * shown / elapsed:.2f} per sec.)

{summary}:
    total time:                          {elapsed:.4f}s
    total number of events:              {count}
    total time taken by event execution: {count * 0.01818:.4f}{unit}
    response time:
         min:                                  5.00ms
         avg:                                 18.18ms
         max:                                 73.55ms
         approx. {percentile:3} percentile:              36.79ms

Threads fairness:
    events (avg/stddev):           3300.6875/11.45
    execution time (avg/stddev):   59.9909/0.00

"""
    )
