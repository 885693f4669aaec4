"""Reads servers that were inspected and not yet driven, as if they were stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dbdyno.audit.studies._window import NO_WINDOW, Window, read_window
from dbdyno.store import Results, StoredRun


class RunSource(Protocol):
    """Holds what facts are taken from: a results folder, or one with inspections laid over it."""

    @property
    def host(self) -> Mapping[str, Any]:
        """Facts of the machine."""

    def engine(self, target: str) -> Mapping[str, Any] | None:
        """Return what was installed for a target."""

    def dataset(self, target: str) -> Mapping[str, Any] | None:
        """Return what its runs start from."""

    def document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        """Return a document of a run; empty where it has none."""

    def option_file(self, run_id: str) -> str:
        """Return the text of the server's option file; empty for a server that is not ours."""

    def window(self, run_id: str) -> Window:
        """Return what was sampled in the run's window."""


@dataclass(frozen=True, slots=True)
class StoredSource:
    """Describes a results folder.

    Parameters
    ----------
    at_end : variables as they were read after the window, where they were
    """

    results: Results
    at_end: bool = False

    @property
    def host(self) -> Mapping[str, Any]:
        """See `RunSource`."""
        return self.results.host

    def engine(self, target: str) -> Mapping[str, Any] | None:
        """See `RunSource`."""
        return self.results.engine(target)

    def dataset(self, target: str) -> Mapping[str, Any] | None:
        """See `RunSource`."""
        return self.results.dataset(target)

    def document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        """See `RunSource`."""
        after_window = (
            self.results.optional_document(run_id, "variables_after") if self.at_end and name == "variables" else {}
        )
        return after_window or self.results.optional_document(run_id, name)

    def option_file(self, run_id: str) -> str:
        """See `RunSource`."""
        return self.results.text(run_id, "server.cnf")

    def window(self, run_id: str) -> Window:
        """See `RunSource`."""
        return read_window(self.results, run_id)


@dataclass(frozen=True, slots=True)
class InspectedSource:
    """Describes a results folder with inspections laid over it; where nothing was driven there is no window."""

    stored: StoredSource
    inspections: Mapping[str, StoredRun]

    @classmethod
    def over(cls, results: Results, inspections: Sequence[StoredRun]) -> InspectedSource:
        """Return inspections by the ids of the runs that they stand for."""
        return cls(StoredSource(results), {stored_run.record.run.run_id: stored_run for stored_run in inspections})

    @property
    def host(self) -> Mapping[str, Any]:
        """See `RunSource`."""
        return self.stored.host

    def engine(self, target: str) -> Mapping[str, Any] | None:
        """See `RunSource`."""
        return self.stored.engine(target)

    def dataset(self, target: str) -> Mapping[str, Any] | None:
        """See `RunSource`."""
        return self.stored.dataset(target)

    def document(self, run_id: str, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        """See `RunSource`."""
        stored_run = self.inspections.get(run_id)
        return self.stored.document(run_id, name) if stored_run is None else getattr(stored_run, name)

    def option_file(self, run_id: str) -> str:
        """See `RunSource`."""
        stored_run = self.inspections.get(run_id)
        return self.stored.option_file(run_id) if stored_run is None else stored_run.server_cnf

    def window(self, run_id: str) -> Window:
        """See `RunSource`."""
        return NO_WINDOW if run_id in self.inspections else self.stored.window(run_id)
