"""Answers each address by comparing it with what there is; no address is ever made into a path."""

from __future__ import annotations

import ipaddress
import json
import re
import socket
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import dbdyno
from dbdyno.core import DbdynoError
from dbdyno.report import page_style
from dbdyno.serve._metrics import CONTENT_TYPE, open_metrics
from dbdyno.serve._objects import card_object, study_object
from dbdyno.serve._reports import ReportCache
from dbdyno.serve._studies import Studies, StudyFolder

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_REPORT_POLICY = "frame-ancestors 'none'"  # the page's own policy says what it may load
_STUDY_RE = re.compile(r"/studies/([0-9a-f]{12})(/|\.json|/report)")
_ASSETS = {"/serve.js": ("serve.js", "text/javascript; charset=utf-8")}
_HTML, _JSON, _TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """Holds a status, a body and what it is."""

    status: int
    kind: str
    body: bytes
    policy: str = _PAGE_POLICY


@dataclass(frozen=True, slots=True)
class Site:
    """Serves the pages over the studies below a folder.

    Parameters
    ----------
    hosts : names that a request may call this server by, in addition to its addresses
    """

    studies: Studies
    reports: ReportCache
    hosts: Collection[str] = field(default_factory=frozenset)

    def reply(self, path: str) -> Reply:
        """Return the answer to a GET of a path, without its query."""
        if path == "/":
            return _page_reply("list", "Studies")
        if path == "/studies.json":
            cards = [card_object(folder, stored) for folder, stored in self.studies.listed()]
            return _json_reply(
                {"dbdyno_version": dbdyno.__version__, "folder": str(self.studies.top), "studies": cards}
            )
        if path == "/metrics":
            return Reply(200, CONTENT_TYPE, open_metrics(self.studies.all()).encode(errors="replace"))
        if path == "/style.css":
            return Reply(200, "text/css; charset=utf-8", (page_style() + _asset_text("serve.css")).encode())
        if path in _ASSETS:
            name, kind = _ASSETS[path]
            return Reply(200, kind, _asset_text(name).encode())
        return self._study_reply(path)

    def _study_reply(self, path: str) -> Reply:
        match = _STUDY_RE.fullmatch(path)
        folder = self.studies.of(match[1]) if match else None
        if match is None or folder is None:
            return text_reply(404, "this page does not exist; / lists the studies")
        if match[2] == ".json":
            return _json_reply(study_object(folder))
        return _page_reply("study", "Study") if match[2] == "/" else self._report_reply(folder)

    def _report_reply(self, folder: StudyFolder) -> Reply:
        try:
            return Reply(200, _HTML, self.reports.page(folder), _REPORT_POLICY)
        except DbdynoError as error:
            return text_reply(500, str(error))

    def is_called(self, host: str | None) -> bool:
        """Return whether a request's Host header names this server.

        A page of a stranger's can have its own name point here (DNS rebinding) and would then read everything with the
        visitor's browser; its name stays a stranger's. An address can't be pointed anywhere.
        """
        name = _host_name(host or "")
        return name == "localhost" or _is_address(name) or name in self.hosts


def own_names() -> frozenset[str]:
    """Return what this machine is called."""
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower()})


def text_reply(status: int, words: str) -> Reply:
    """Return a line of plain text."""
    return Reply(status, _TEXT, f"{words}\n".encode(errors="replace"))


def _host_name(host: str) -> str:
    """Return a Host header without its port.

    >>> _host_name("LOCALHOST:8017"), _host_name("[::1]:8017"), _host_name("10.0.0.7")
    ('localhost', '::1', '10.0.0.7')
    """
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(:\d+)?", host.strip())
    return match[1].strip("[]").lower().removesuffix(".") if match else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _page_reply(name: str, title: str) -> Reply:
    page = Template(_asset_text("page.html")).substitute(title=title, page=name, main=_asset_text(f"{name}.html"))
    return Reply(200, _HTML, page.encode())


def _json_reply(value: object) -> Reply:
    return Reply(200, _JSON, json.dumps(value, allow_nan=False).encode())


def _asset_text(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")
