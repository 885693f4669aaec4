"""Names the files in a results folder, and the schema version of the whole.

::

    NAME/
      study.toml  plan.json  host.json  journal.jsonl  manifest.json  lock
      .checked.json          sizes and times of what was read and found to be as written
      live.jsonl             while it is written to: the run under way, second by second
      .live/N.jsonl          the same of each of several benches
      engines/TARGET.json    what was installed
      datasets/TARGET.json   the snapshot that the runs started from
      fingerprints/TARGET.json  what it made of the events that all targets were sent
      looks/TARGET/          what its server said of itself before the first run
      runs/RUN_ID/           one folder a finished run, renamed into place when whole
      set-aside/RUN_ID.N/    failed runs that were made again; kept, not read
      proofs/                 studies of one target as it was and altered, see `_proofs`
      deep/                   studies of a pair whose servers were profiled, see `_stack_profile`
"""

from __future__ import annotations

import hashlib

SCHEMA_VERSION = 1

STUDY = "study.toml"
PLAN = "plan.json"
HOST = "host.json"
JOURNAL = "journal.jsonl"
MANIFEST = "manifest.json"
LOCK = "lock"
LIVE = "live.jsonl"
LIVE_BENCHES = ".live"
ENGINES = "engines"
DATASETS = "datasets"
FINGERPRINTS = "fingerprints"
LOOKS = "looks"
RUNS = "runs"
SET_ASIDE = "set-aside"
PROOFS = "proofs"
DEEP = "deep"
WRITING_PREFIX = ".writing-"

RECORD = "record.json"
SECONDS = "seconds.parquet"
INTERVALS = "intervals.parquet"
TELEMETRY = "telemetry.parquet"
VARIABLES = "variables.json"
VARIABLES_AFTER = "variables_after.json"
SETTINGS = "settings.json"
STATUS_BEFORE = "status_before.json"
STATUS_AFTER = "status_after.json"
ORDER = "order.json"
START = "start.json"
END = "end.json"
CONDITIONS = "conditions.json"
COUNTERS = "counters.json"
SPACE = "space.json"
SCHEMA = "schema.json"
PROCESS = "process.json"
LIFE = "life.json"
TELEMETRY_FACTS = "telemetry.json"
ORIGIN = "origin.json"
PROFILE = "profile.json"
ON_CPU = "on_cpu.folded.gz"
OFF_CPU = "off_cpu.folded.gz"
SERVER_CNF = "server.cnf"
SERVER_LOG = "server.log"

CREATED_BY_US = frozenset(
    {STUDY, PLAN, HOST, JOURNAL, LOCK, LIVE, ENGINES, DATASETS, FINGERPRINTS, LOOKS, RUNS, SET_ASIDE, PROOFS, DEEP}
)
OF_TARGETS = frozenset({ENGINES, DATASETS, FINGERPRINTS, LOOKS})


def target_slug(target: str) -> str:
    """Return file name of a target: readable, safe, and unique even where two names differ only by odd characters.

    >>> target_slug("mariadb:11.8+rocksdb")
    'mariadb-11.8-rocksdb-0b0f'
    """
    readable = "".join(c if c.isalnum() or c in "._" else "-" for c in target)[:80]
    return f"{readable}-{hashlib.sha256(target.encode()).hexdigest()[:4]}"
