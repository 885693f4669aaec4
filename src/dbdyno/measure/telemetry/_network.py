"""Bytes and packets over loopback and over everything else, from /proc/net/dev."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading

_FIELDS = {0: ("received_bytes", "bytes/s"), 1: ("received_packets", "ops/s")}
_FIELDS |= {8: ("sent_bytes", "bytes/s"), 9: ("sent_packets", "ops/s")}


class NetworkSource:
    """``network.loopback.*`` and ``network.other.*``. A socket file's traffic is in neither."""

    name = "network"

    def __init__(self, path: Path = Path("/proc/net/dev")) -> None:
        self._path = path

    def read(self) -> Sequence[Reading]:
        """Read /proc/net/dev."""
        return parse_net_dev(self._path.read_text())


def parse_net_dev(text: str) -> list[Reading]:
    """Readings of the text of /proc/net/dev; its first two lines are headings."""
    totals: Counter[tuple[str, str, str]] = Counter()
    for line in text.splitlines()[2:]:
        interface, _, rest = line.partition(":")
        place = "loopback" if interface.strip() == "lo" else "other"
        fields = rest.split()
        for index, (name, unit) in _FIELDS.items():
            totals[place, name, unit] += int(fields[index])
    return [Reading(f"network.{place}.{name}", value, unit) for (place, name, unit), value in totals.items()]
