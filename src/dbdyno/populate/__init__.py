"""Fills datasets once per engine, proves their rows by sums, and keeps them as stopped data directories.

Every run starts from a copy of such a snapshot, so that runs are independent and a second study fills nothing.
How a server is initialised and started is not decided here: `lab` hands in what fits `FreshServers`.
"""

from dbdyno.populate._dataset import Dataset, DatasetOrder
from dbdyno.populate._fill import fill
from dbdyno.populate._kept_snapshots import KeptSnapshot, kept_bytes, kept_snapshots, remove_snapshot
from dbdyno.populate._records import ConditionAnswer, FillEnd, FillProgress, FillWait, TableSpace, TableSums
from dbdyno.populate._server import FillServer, FreshServer, FreshServers
from dbdyno.populate._snapshot import Snapshot, restore, snapshot_for, snapshot_key
from dbdyno.populate._verify import ConditionWait, Verified, broken_words, fingerprint, undecided_words, verify

__all__ = [
    "ConditionAnswer",
    "ConditionWait",
    "Dataset",
    "DatasetOrder",
    "FillEnd",
    "FillProgress",
    "FillServer",
    "FillWait",
    "FreshServer",
    "FreshServers",
    "KeptSnapshot",
    "Snapshot",
    "TableSpace",
    "TableSums",
    "Verified",
    "broken_words",
    "fill",
    "fingerprint",
    "kept_bytes",
    "kept_snapshots",
    "remove_snapshot",
    "restore",
    "snapshot_for",
    "snapshot_key",
    "undecided_words",
    "verify",
]
