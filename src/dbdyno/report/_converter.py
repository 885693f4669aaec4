"""Runs Vega in its own process: its JavaScript engine ends the process it is in when memory is short.

The engine reserves tens of GiB of addresses at its start and aborts where a limit (``ulimit -v``) forbids that, and it
aborts when a drawing takes more than its heap. No exception is raised, so only another process can live to report it.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import TypeVar

from dbdyno.core import HostError, format_bytes
from dbdyno.worker_processes import process_pool

PNG_SCALE = 2.0
_SIMPLEST = '{"data": {"values": []}, "mark": "point"}'
_Made = TypeVar("_Made")


class ChartConverter:
    """Makes pictures of definitions; a context manager, so that its process ends with it."""

    def __init__(self) -> None:
        self._pool = process_pool(1, _silence_standard_error)

    def __enter__(self) -> ChartConverter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.__exit__(kind, error, trace)

    def warm_up(self) -> None:
        """Start the process and its engine, which takes most of a second, while this one does something else."""
        self._start_conversion(_convert_to_svg, _SIMPLEST)

    def begin_svg(self, spec: str) -> Callable[[], str]:
        """Begin to draw a Vega-Lite definition; what is returned waits for the drawing, and raises as `svg` does."""
        future = self._start_conversion(_convert_to_svg, spec)
        return lambda: _await_result(future)

    def svg(self, spec: str) -> str:
        """Return the drawing of a Vega-Lite definition.

        Raises
        ------
        HostError : the process that draws has died
        """
        return self._convert(_convert_to_svg, spec)

    def png(self, spec: str) -> bytes:
        """Draw as `svg`, in pixels."""
        return self._convert(_convert_to_png, spec)

    def bundle(self) -> str:
        """Return the libraries that draw on a page, as one script."""
        return self._convert(_javascript_bundle)

    def _convert(self, convert: Callable[..., _Made], *arguments: str) -> _Made:
        return _await_result(self._start_conversion(convert, *arguments))

    def _start_conversion(self, convert: Callable[..., _Made], *arguments: str) -> Future[_Made]:
        try:
            return self._pool.submit(convert, *arguments)
        except BrokenProcessPool as error:
            failed_future: Future[_Made] = Future()
            failed_future.set_exception(error)
            return failed_future


def _await_result(future: Future[_Made]) -> _Made:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise HostError("the charts can't be drawn", _failure_reason(), _failure_remedy()) from error


def _failure_reason() -> str:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return "the process that draws the charts ended, probably because memory ran out"
    return (
        f"the process that draws the charts ended: its address space is limited to {format_bytes(limit)} (ulimit "
        "-v), and its JavaScript engine reserves tens of GiB when it starts"
    )


def _failure_remedy() -> str:
    is_limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    limit_words = "raise the limit (ulimit -v unlimited), or " if is_limited else ""
    return f"{limit_words}write the results without charts: dbdyno show, or dbdyno report --format md"


def _silence_standard_error() -> None:
    """Drop what the engine prints when it aborts: addresses of its code, which do not help a user."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _convert_to_svg(spec: str) -> str:
    import vl_convert  # late: only the process that draws needs it

    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg


def _convert_to_png(spec: str) -> bytes:
    import vl_convert

    png: bytes = vl_convert.vegalite_to_png(spec, scale=PNG_SCALE)
    return png


def _javascript_bundle() -> str:
    import vl_convert

    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
    return bundle
