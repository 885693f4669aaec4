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
        "aligned policy": "Targets get settings of equal effect, so what remains is the difference of the engines.",
        "audit": "A check by fairness rules that lists what was not alike between the servers of a comparison.",
        "backlog": "In an open loop: transactions that are due and wait for a free connection.",
        "bound": "The least lead over the next best that the interval still allows.",
        "calibration": (
            "A short test of what the load generator can do on this machine, so that results can say how much of "
            "it they used."
        ),
        "caveat": "A stated limit of a finding, with the number behind it.",
        "cell": "One combination of target, tier, concurrency, workload and route; it is run once or several times.",
        "change point": "A second in a run, or a study in a history, from which on the level is different.",
        "claim": "A statement of a published report, written down so that results can confirm or contradict it.",
        "client-bound": "Said of a run whose load generator was near its own limit, so that it measured itself.",
        "closed loop": (
            "Each connection sends its next transaction when the last one is done, so a stalled server receives "
            "fewer requests."
        ),
        "collapse": "Throughput at a higher concurrency that is clearly below the best one.",
        "concurrency": (
            "Connections with at most one transaction under way each (sysbench threads, HammerDB virtual users)."
        ),
        "control group": (
            "The kernel's way to limit and account processor time and memory of a group of processes (cgroup)."
        ),
        "coordinated omission": (
            "Requests that a closed loop never sends during a stall are missing from its response times, so "
            "percentiles are too low."
        ),
        "cyclic": "Said of a run whose throughput swings in regular waves around a constant level.",
        "dataset": "The tables that the workload uses, with their number of rows.",
        "decided": "Said of a part whose difference is beyond chance and at least 3 % of the shorter time.",
        "dialect": "The version of a workload that one established tool has, such as HammerDB's TPC-C.",
        "drift": "Relative change of throughput along a straight line through the judged part of a run.",
        "durability class": "What an acknowledged commit survives: a power failure, the end of the server, or nothing.",
        "engine": "One build of a server: family, version and source, such as MariaDB 11.8.6 from a package.",
        "event": "One call of the workload's unit of work, as sysbench counts it; it may hold several transactions.",
        "fidelity": "Whether a workload repeats the quirks of the imitated tool (tool) or repairs them (fixed).",
        "finding": "A claim of the report with its number, its interval and the runs behind it.",
        "fixed rate": "An open loop whose transactions are due at a constant rate.",
        "goes with": "Said of a difference and the decided parts it is made of: where the time is, not what caused it.",
        "half-width": "Half of the length of an interval: the number after ±.",
        "interval": "The range that holds the true value with the stated certainty, 95 % unless said otherwise.",
        "lateness": "How much later than due the client sent a transaction although a connection was free.",
        "level": "Mean throughput of the settled part of a run; findings rest on it.",
        "margin": "The smallest difference that counts, 3 % unless the study says otherwise.",
        "moderated spread": (
            "A cell's spread between repeats, drawn towards the typical one of the study because two or three "
            "repeats tell little (Smyth 2004)."
        ),
        "noise": "Variation of throughput inside one window.",
        "noisy": "Said of a run whose noise is too strong to show its level to within 3 %.",
        "NOPM": (
            "New orders per minute, TPC-C's throughput as HammerDB reports it; audited results alone are called tpmC."
        ),
        "open loop": (
            "Transactions are due by a schedule, whether or not earlier ones are done, so a stall makes many of "
            "them slow."
        ),
        "p95, p99": "The response time that 95 % or 99 % of the transactions do not exceed.",
        "pacing": "When transactions are due: in a closed loop, at a fixed rate, or along a ramp.",
        "part": "A share of a transaction's time that one source accounts for, such as the service time of COMMIT.",
        "peak": "The concurrencies that cannot be told apart from the best one.",
        "plan": "The ordered list of runs that answers a study, with seeds, time and disk.",
        "populate": "Fill the tables of a dataset and verify them.",
        "QPS": "Statements per second.",
        "quirk": (
            "Something that an imitated tool does and that its authors probably did not mean; it has an id such "
            "as Q-ST-4."
        ),
        "rank interval": "The places that a target may have: first or second is written 1-2.",
        "repeat": "A further run of the same cell.",
        "response time": "Time from the moment at which a transaction was due to the end of its last statement.",
        "results folder": "The folder that holds everything a study measured; every page is rebuilt from it.",
        "route": "How the client reaches the server: Unix socket, loopback TCP or network.",
        "run": "One attempt at a cell: start from the snapshot, warm up, measure, stop.",
        "sampler": "The part that reads one source of telemetry every second.",
        "scale": "A smaller or larger version of a study, such as small, that the page states.",
        "sentinel": "One cell that is run again and again through a study, to show whether the machine drifts.",
        "service time": "Time from the sending of a transaction's first statement to the end of its last one.",
        "settle": "The pause before the next cell, with the server idle.",
        "settled part": "The part of a run from which on throughput keeps one level.",
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
            "The data neither show a difference nor exclude one; the report says how many repeats would decide."
        ),
        "unsettled": "Said of a run that drifts, changes level near its end or stops; no finding rests on it.",
        "vendor policy": "Each target keeps its vendor's defaults, apart from memory and connection limits.",
        "warm-up": "The first part of a run, which is driven but not judged.",
        "window": "The part of a run that is driven and judged.",
        "workload": "What the clients do: statements, their mix and their random values.",
    }
)
