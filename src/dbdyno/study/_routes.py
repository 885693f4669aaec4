"""Reads and writes the shaped routes of a study file: networks that are made slower on the server's host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import ROUTES, UNKNOWN_ROUTE, Route
from dbdyno.nearest import nearest
from dbdyno.study import _schema
from dbdyno.study._key_types import read_route
from dbdyno.study._pacing import duration_text
from dbdyno.study._places import RouteChoice, rate_text
from dbdyno.study._tables import Tables
from dbdyno.study._values import Study

_TABLE = "routes"


@dataclass(frozen=True, slots=True)
class RoutesReader(Tables):
    """Reads ``[routes.NAME]``."""

    def shaped_routes(self, document: Mapping[str, Any], routes: Sequence[Route]) -> tuple[RouteChoice, ...]:
        """Return the shaped ones of the study's routes.

        Parameters
        ----------
        routes : of the axes, among them those that are not shaped
        """
        shaped = tuple(self._route(name, entry) for name, entry in self._mapping(document, _TABLE).items())
        self._check_known_routes(routes, shaped)
        for route in shaped:
            if route.name not in routes:
                what = f"[{_TABLE}.{route.name}] is not used"
                self._fail(f"{_TABLE}.{route.name}", "rtt", what, remedy=f'add "{route.name}" to axes.route')
        return shaped

    def _route(self, name: str, entry: object) -> RouteChoice:
        table = f"{_TABLE}.{name}"
        if not isinstance(entry, dict):
            self._fail(_TABLE, name, f"[{table}] is not a table", remedy=f'write [{table}] and rtt = "10ms"')
        if name in (*ROUTES, UNKNOWN_ROUTE):
            what = f"'{name}' is a route of dbdyno's, which can't be shaped"
            self._fail(table, "rtt", what, remedy="choose another name, such as wan")
        try:
            read_route(name)
        except ValueError as error:
            self._fail(table, "rtt", f"'{name}' must be {error}")
        values = self._table(entry, table, _schema.ROUTE)
        if not entry:
            what = f"[{table}] is the same as the route network"
            self._fail(table, "rtt", what, remedy='add rtt = "10ms", rate = "1Gbit" or both')
        return RouteChoice(name, values["rtt"], values["rate"])

    def _check_known_routes(self, routes: Sequence[Route], shaped: Sequence[RouteChoice]) -> None:
        known_names = [*ROUTES, *(route.name for route in shaped)]
        for name in routes:
            if name not in known_names:
                routes_words = ", ".join(f'"{word}"' for word in known_names)
                remedy = nearest(name, known_names, f"use one of them, or add [{_TABLE}.{name}]")
                self._fail("axes", "route", f"no route is named '{name}'", f"routes: {routes_words}", remedy)


def routes_text(study: Study) -> str:
    """Return the tables of shaped routes; empty without any."""
    return "\n".join(map(_route_text, study.shaped_routes))


def _route_text(route: RouteChoice) -> str:
    lines = [f"\n[{_TABLE}.{route.name}]"]
    lines += [f'rtt = "{duration_text(route.rtt_ns)}"'] if route.rtt_ns else []
    lines += [f'rate = "{rate_text(route.rate_bits_per_s)}"'] if route.rate_bits_per_s is not None else []
    return "\n".join(lines)
