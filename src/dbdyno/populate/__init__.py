"""Datasets: filled once per engine, proven row by row in sums, and kept as a stopped data directory.

Every run starts from a copy of such a snapshot, so that runs are independent and a second study fills nothing.
How a server is initialised and started is another room's business: `lab` hands in what fits `FreshServers`.
"""

from dbdyno.populate._dataset import SCHEMA, Dataset
from dbdyno.populate._fill import check_sums, fill, read_sums
from dbdyno.populate._records import FillEnd, FillProgress, TableSums
from dbdyno.populate._server import FillServer, FreshServer, FreshServers
from dbdyno.populate._snapshot import Snapshot, check_space, read_snapshot, restore, snapshot_for, snapshot_key

__all__ = [
    "SCHEMA",
    "Dataset",
    "FillEnd",
    "FillProgress",
    "FillServer",
    "FreshServer",
    "FreshServers",
    "Snapshot",
    "TableSums",
    "check_space",
    "check_sums",
    "fill",
    "read_snapshot",
    "read_sums",
    "restore",
    "snapshot_for",
    "snapshot_key",
]
