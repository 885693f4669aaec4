"""Drives the benches of a study by Ray: one actor for each, on the node that offers the resource ``bench-NAME``.

An actor has a child process drive its bench, as `ProcessFleet` does here. So it ends in order when its actor, its node
or the cluster's head is gone. Ray is an extra, imported only when a study asks for it; all nodes need this dbdyno.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import dbdyno
from dbdyno.core import DbdynoError, HostError, RequestError, Run
from dbdyno.lab._fleet import BenchMessage
from dbdyno.lab._fleet_processes import BenchFailed, BenchStart, BenchWork, ProcessFleet

_END_S = 10.0


class RayFleet:
    """See `Fleet`.

    Parameters
    ----------
    address : of the cluster, as ``ray.init`` takes it

    Raises
    ------
    RequestError : Ray is not installed
    HostError : there is no such cluster
    """

    def __init__(self, work: BenchWork, starts: Mapping[str, BenchStart], address: str = "auto") -> None:
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise RequestError("Ray is not installed", str(error), "pip install 'dbdyno[ray]'") from error
        self._work, self._starts = work, starts
        self._actors: dict[str, Any] = {}
        try:
            self._ray.init(address=address, log_to_driver=False, logging_level="error")
        except (ConnectionError, ValueError, RuntimeError) as error:
            remedy = "start one: ray start --head, and ray start --address HEAD:6379 on each other machine"
            raise HostError(f"no Ray cluster answers at '{address}'", str(error), remedy) from error

    def submit(self, bench: str, runs: Sequence[Run]) -> Iterator[BenchMessage]:
        """See `Fleet`."""
        try:
            answers = self._actor(bench).submit.options(num_returns="streaming").remote(tuple(runs))
            for reference in answers:
                message = self._ray.get(reference)
                if isinstance(message, BenchFailed):
                    raise message.error()
                yield message
        except self._ray.exceptions.RayError as error:
            first_line = str(error).splitlines()[0]
            raise HostError(
                f"Ray has lost the actor of bench {bench}", f"{type(error).__name__}: {first_line}"
            ) from error

    def close(self) -> None:
        """See `Fleet`."""
        actors, self._actors = self._actors, {}  # a study that is interrupted closes it twice
        with contextlib.suppress(self._ray.exceptions.RayError):
            ends = [actor.close.remote() for actor in actors.values()]
            self._ray.wait(ends, num_returns=len(ends), timeout=_END_S) if ends else None
        self._ray.shutdown()

    def _actor(self, bench: str) -> Any:  # noqa: ANN401 - Ray's
        if bench not in self._actors:
            resource = f"bench-{bench}"
            if not self._ray.cluster_resources().get(resource):
                remedy = f"""ray start --address HEAD:6379 --resources '{{"{resource}": 1}}' on its client machine"""
                raise HostError(f"no node of the Ray cluster offers {resource}", "", remedy, code="bench-missing")
            actor_class = self._ray.remote(_BenchActor).options(num_cpus=0, resources={resource: 1}, max_concurrency=2)
            start = replace(self._starts[bench], scratch=None)
            self._actors[bench] = actor_class.remote(self._work, start, dbdyno.__version__)
        return self._actors[bench]


class _BenchActor:
    """Runs on a node: hands orders to the child that drives the bench."""

    def __init__(self, work: BenchWork, start: BenchStart, version: str) -> None:
        self._bench, self._version = start.bench, version
        self._fleet = ProcessFleet(work, {start.bench: start})

    def submit(self, runs: Sequence[Run]) -> Iterator[BenchMessage | BenchFailed]:
        """Make runs; report a failure as a message, as Ray would wrap an error."""
        if dbdyno.__version__ != self._version:
            what = f"dbdyno is {dbdyno.__version__} on the node of bench {self._bench}, and {self._version} here"
            yield BenchFailed(HostError, (what, "", "install the same version on all nodes"), "other-version")
            return
        try:
            yield from self._fleet.submit(self._bench, runs)
        except DbdynoError as error:
            yield BenchFailed.of(error)

    def close(self) -> None:
        """Have the child stop what it does and clean up."""
        self._fleet.close()
