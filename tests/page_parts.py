"""Reads what a page holds: the data of its script, the rows of its long tables, its runs, its sections."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

MEASURED = """
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB"]
concurrency = [1, 4]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""
"""The end of a small study's file, behind its name and targets."""
TWO_TARGETS = 'targets = ["mariadb:11.8", "mysql:9.7"]' + MEASURED
"""All of a small study's file but its name."""


def page_data(page: str) -> dict[str, Any]:
    """What the page's script reads."""
    found: dict[str, Any] = json.loads(re.search(r'id="page-data">(.*?)</script>', page, flags=re.S)[1])
    found["specs"] = {
        name: json.loads(unpacked(spec)) if isinstance(spec, str) else spec for name, spec in found["specs"].items()
    }
    return found


def unpacked(text: str) -> str:
    return zlib.decompress(base64.b64decode(text)).decode()


def expanded(page: str) -> str:
    """The page with the rows of its long tables."""
    return re.sub(r'<tbody data-packed="([^"]+)"[^>]*>', lambda found: "<tbody>" + unpacked(found[1]), page)


def run_of(page: str, run_id: str) -> dict[str, Any]:
    """What is shown when a run is opened."""
    packed = json.loads(re.search(r'id="runs-data">(.*?)</script>', page, flags=re.S)[1])
    found: dict[str, Any] = json.loads(unpacked(packed[run_id]))
    return found


def section_of(page: str, name: str) -> str:
    """The text of a section."""
    return page.partition(f'id="{name}"')[2].partition("</section>")[0]
