"""`dbdyno engines`: what can be had here, what is already here."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from rich.table import Table

from dbdyno.cli._help import add_command as add
from dbdyno.cli._words import wide_console
from dbdyno.core import format_bytes

if TYPE_CHECKING:
    from dbdyno.provision import Offer

_STORY = """\
Lists the engines that this machine's package sources offer and those that are here already. An engine is
fetched by the first study that names it, as unpacked, signature-checked packages; nothing is installed.

  dbdyno engines
  dbdyno engines --refresh        ask the package sources again
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "engines", "what can be had here, what is already here", _STORY, _engines)
    parser.add_argument("--refresh", action="store_true", help="ask the package sources again")
    parser.add_argument("--json", action="store_true", help="one JSON list for programs")


def _engines(choices: argparse.Namespace) -> int:
    from dbdyno.hosts import Home, LocalHost  # late: see _main
    from dbdyno.provision import list_offers

    offers = list_offers(LocalHost(), Home.of_user(), refresh=choices.refresh)
    if choices.json:
        print(json.dumps([_offer_object(offer) for offer in offers], indent=1))
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("engine", "version", "storage engines", "from", "here", "download"):
        table.add_column(heading)
    for offer in offers:
        table.add_row(*_row(offer))
    wide_console().print(table)
    return 0


def _row(offer: Offer) -> tuple[str, ...]:
    series = ".".join(offer.version.split(".")[:2])
    size = format_bytes(offer.download_bytes) if offer.download_bytes else ""
    here = "yes" if offer.installed else "no"
    engines = ", ".join(offer.storage_engines)
    return f"{offer.family}:{series}", offer.version, engines, f"{offer.source} {offer.location}", here, size


def _offer_object(offer: Offer) -> dict[str, object]:
    return {
        "family": offer.family,
        "version": offer.version,
        "storage_engines": list(offer.storage_engines),
        "source": offer.source,
        "location": offer.location,
        "installed": offer.installed,
        "download_bytes": offer.download_bytes,
    }
