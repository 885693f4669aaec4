"""Defines the one tree of errors.

::

    DbdynoError            carries what, why, remedy and the exit code
    ├── RequestError       2  the request was wrong
    │   ├── StudyError         study file, engine name, option value
    │   ├── SeriesError        a file of seconds that can't be read as one
    │   ├── StoreError         results folder of another study, newer schema, locked
    │   │   └── AlteredError   3   results that are not as they were written
    │   │   └── DamageError    3  a stored result is missing or is not what was written
    │   └── TreeError          a folder to import: nothing in it, a wrong pattern
    ├── WorldError         3  the world failed
    │   ├── HostError          command, file, process, disk
    │   ├── ProvisionError     an engine can't be obtained
    │   ├── ConfigureError     an option did not take effect, a server did not start
    │   ├── PopulateError      filling or verifying the dataset failed
    │   └── MeasureError       the load generator or a sampler failed
    └── AnalysisError      4  records that can't be judged: a defect of dbdyno
"""

from __future__ import annotations


class DbdynoError(Exception):
    """Describes what happened, why, and what to do about it.

    Parameters
    ----------
    what : one line, no full stop: what could not be done
    why : the offending value, file and line, or the server's own words; empty when `what` says all
    remedy : one line in the imperative; empty when there is none
    code : tells errors of one class apart, so that no code and no test reads sentences; empty where that is not needed
    """

    exit_code = 4

    def __init__(self, what: str, why: str = "", remedy: str = "", *, code: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.remedy = remedy
        self.code = code

    def __str__(self) -> str:
        """Return all three parts on one line, for logs and for a cell's reason."""
        parts = [self.what, self.why.strip()]
        return ": ".join(part for part in parts if part)


class RequestError(DbdynoError):
    """The request was wrong; nothing was started."""

    exit_code = 2


class StudyError(RequestError):
    """A study file, an engine name or an option value is wrong."""


class SeriesError(RequestError):
    """A file of seconds can't be read as what it should hold."""


class StoreError(RequestError):
    """The results folder can't be used for this: another study, a newer schema, a second run."""


class AlteredError(StoreError):
    """The results folder is not as dbdyno wrote it: what is in it may not be what was measured."""

    exit_code = 3


class DamageError(StoreError):
    """A stored result is missing or is not what was written: the request was right, the disk or a copy was not."""

    exit_code = 3


class TreeError(RequestError):
    """A folder of logs can't be imported as asked: it holds none, or a naming pattern is wrong."""


class WorldError(DbdynoError):
    """Host, network or server failed.

    Parameters
    ----------
    fault : its kind where that is known, as runs are stored with it: ``network``
    """

    exit_code = 3

    def __init__(self, what: str, why: str = "", remedy: str = "", *, fault: str = "", code: str = "") -> None:
        super().__init__(what, why, remedy, code=code)
        self.fault = fault


class HostError(WorldError):
    """A command, file or process on a host failed."""


class ProvisionError(WorldError):
    """An engine could not be obtained."""


class ConfigureError(WorldError):
    """A server did not start, or a setting did not take effect."""


class PopulateError(WorldError):
    """Filling or verifying a dataset failed."""


class MeasureError(WorldError):
    """The load generator or a sampler failed."""


class AnalysisError(DbdynoError):
    """The records can't be judged."""
