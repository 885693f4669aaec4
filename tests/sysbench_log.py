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
