"""Defines every term that a page, a message or a document uses, in one sentence each.

The page shows them at its end, and ``docs/reference/glossary.md`` is written from this table. The engines' own words
(buffer pool, redo log) are left to their manuals.

>>> GLOSSARY["noise"]
'Variation of throughput inside one window.'
"""

from __future__ import annotations

from types import MappingProxyType

GLOSSARY = MappingProxyType(
    {
        "aligned policy": (
            "Targets get settings with the same effect, so the remaining difference comes from the engines."
        ),
        "audit": "A check that lists, rule by rule, how the servers of a comparison differed.",
        "average over all numbers of connections": (
            "The geometric mean of a target's throughput over the concurrencies that all targets share, with one "
            "workload, route and memory size."
        ),
        "backlog": "In an open loop: transactions that are due and wait for a free connection.",
        "bound": "The smallest lead over the next best target that the interval allows.",
        "calibration": (
            "A short test of the load generator's maximum rate on this machine; results state the share of it that "
            "they used."
        ),
        "caveat": "A stated limit of a finding, with the number behind it.",
        "cell": "One combination of target, tier, concurrency, workload and route; it is run once or several times.",
        "change point": "The second in a run, or the study in a history, at which the level changes.",
        "claim": "A statement from a published report in a form that can be checked against results.",
        "client-bound": (
            "A run is client-bound if its load generator was near its limit, so that the run measures the client."
        ),
        "closed loop": (
            "Each connection sends its next transaction when the last one is done, so a stalled server receives "
            "fewer requests."
        ),
        "collapse": (
            "A loss of a third or more of the throughput from the best concurrency to a higher one; a smaller clear "
            "loss is a fall."
        ),
        "concurrency": (
            "Number of connections; each has at most one transaction in progress (sysbench threads, HammerDB virtual "
            "users)."
        ),
        "control group": (
            "The kernel feature that limits and accounts CPU time and memory of a group of processes (cgroup)."
        ),
        "coordinated omission": (
            "Requests that a closed loop never sends during a stall are missing from its response times, so "
            "percentiles are too low."
        ),
        "crossover": "One target is slower than another with few connections and faster with more; both are decided.",
        "cyclic": "A run is cyclic if its throughput swings in regular waves around a constant level.",
        "dataset": "The tables of a workload, with their number of rows.",
        "decided": (
            "A part is decided if its difference is statistically significant and at least 3 % of the shorter time."
        ),
        "dialect": "A workload as one established tool implements it, such as HammerDB's TPC-C.",
        "drift": "Relative change of throughput along a straight line through the judged part of a run.",
        "durability class": "What an acknowledged commit survives: a power failure, a crash of the server, or nothing.",
        "engine": "One build of a server: family, version and source, such as MariaDB 11.8.6 from a package.",
        "event": "One call of the workload's unit of work, as sysbench counts it; it may hold several transactions.",
        "fidelity": "Whether a workload repeats the quirks of the imitated tool (tool) or repairs them (fixed).",
        "finding": "A claim of the report with its number, its interval and the runs behind it.",
        "fixed rate": "An open loop whose transactions are due at a constant rate.",
        "goes with": "A difference goes with its decided parts: they say where the time is spent, not what caused it.",
        "half-width": "Half of the length of an interval: the number after ±.",
        "interval": "The range that holds the true value with the stated certainty, 95 % unless said otherwise.",
        "lateness": "Delay between the due time of a transaction and its sending, although a connection was free.",
        "level": "Mean throughput of the settled part of a run; findings use it.",
        "margin": "The smallest difference that matters: 3 %.",
        "moderated spread": (
            "A cell's spread between repeats, shrunk towards the study's typical spread because two or three repeats "
            "are few (Smyth 2004)."
        ),
        "noise": "Variation of throughput inside one window.",
        "noisy": "A run that shows no drift is noisy if 6 % can't be excluded, or a quarter is more than 3 % off.",
        "NOPM": (
            "New orders per minute, TPC-C's throughput as HammerDB reports it; only audited results are called tpmC."
        ),
        "open loop": (
            "Transactions are due by a schedule, whether or not earlier ones are done, so a stall makes many of "
            "them slow."
        ),
        "p95, p99": "The response time that 95 % or 99 % of the transactions do not exceed.",
        "pacing": "When transactions are due: in a closed loop, at a fixed rate, or along a ramp.",
        "part": "A share of a transaction's time that one source accounts for, such as the service time of COMMIT.",
        "peak": "The concurrencies with no significant difference from the best one.",
        "plan": "The ordered list of runs that answers a study, with seeds, time and disk.",
        "plateau": "The concurrencies from which on more connections are shown to bring less than 3 % more throughput.",
        "populate": "Fill the tables of a dataset and verify them.",
        "QPS": "Statements per second.",
        "quirk": (
            "Behaviour of an imitated tool that its authors probably did not intend; it has an id such as Q-ST-4."
        ),
        "rank interval": "The places a target may hold in a ranking: 1-2 means first or second.",
        "repeat": "A further run of the same cell.",
        "response time": "Time from the moment at which a transaction was due to the end of its last statement.",
        "results folder": "The folder with everything that a study measured; every page is built from it.",
        "route": "How the client reaches the server: Unix socket, loopback TCP, network or a slowed network.",
        "run": "One attempt at a cell: start from the snapshot, warm up, measure, stop.",
        "sampler": "The part that reads one source of telemetry every second.",
        "scale": "A smaller or larger version of a study, such as small; the page states it.",
        "sentinel": "One cell that is run again and again through a study, to show whether the machine drifts.",
        "service time": "Time from the sending of a transaction's first statement to the end of its last one.",
        "settle": "The pause before the next cell, with the server idle.",
        "settled part": "The last part of a run, in which throughput keeps one level.",
        "SLO": "Service-level objective: the bound on response time that a rate search keeps, such as p99 below 20 ms.",
        "snapshot": "A copy of the filled data directory from which every run starts.",
        "spread": "Variation between repeats of one cell.",
        "stall": "Consecutive seconds with throughput below half of the window's median.",
        "statement": "One SQL request and its whole reply.",
        "steady state": "The window shows no trend and no change point beyond the noise, by a named test.",
        "storage engine": "The part of a server that stores tables: InnoDB, MyRocks, TidesDB.",
        "study": "A question and its choices, written as one TOML file.",
        "target": "What a cell measures: engine, storage engine, settings and host, all but the tier.",
        "telemetry": "Readings of machine and server, one per second.",
        "tier": "The memory budget given to a target, such as 2 GB of buffer pool.",
        "TPS": "Committed transactions per second, as the client counts them.",
        "transaction": "Everything from BEGIN to COMMIT as the client sees it; one statement where there is no BEGIN.",
        "tuned policy": "Each target gets the settings of an expert for that engine.",
        "undecided": (
            "The data neither show nor exclude a difference; the report states how many repeats would decide."
        ),
        "unsettled": "A run is unsettled if it drifts, changes level near its end or stops; no finding uses it.",
        "vendor policy": "Each target keeps its vendor's defaults, apart from memory and connection limits.",
        "warm-up": "The first part of a run, with load but not measured.",
        "window": "The part of a run that is measured and judged.",
        "workload": "What the clients do: statements, their mix and their random values.",
    }
)
