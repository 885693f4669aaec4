"""Libraries that a process runs with and that its engine did not bring, by what the kernel maps."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

_MAPPING_RE = re.compile(r"^\S+ ..x. \S+ \S+ [1-9]\d* +(?P<path>/.*?)(?P<deleted> \(deleted\))?$", re.MULTILINE)
_CHUNK_BYTES = 1 << 20


def mapped_libraries(pid: int, inside: Sequence[Path], proc: Path = Path("/proc")) -> list[dict[str, str]]:
    """Find the files whose code a process has mapped, by path, each with its SHA-256.

    Parameters
    ----------
    inside : folders whose files are known otherwise, such as those of the server's own installation

    Returns
    -------
    ``path`` as the process sees it; ``sha256``, or ``lacks``: why there is none. Empty where the process can't be
    looked at
    """
    try:
        maps = (proc / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    found: dict[str, dict[str, str]] = {}
    for match in _MAPPING_RE.finditer(maps):
        path = match["path"]
        if path not in found and not any(Path(path).is_relative_to(folder) for folder in inside):
            found[path] = {"path": path, **_digest(proc / str(pid), match)}
    return [found[path] for path in sorted(found)]


def _digest(process: Path, mapping: re.Match[str]) -> dict[str, str]:
    """The checksum of the file that is mapped, seen through the root folder of the process: it may be a container's."""
    if mapping["deleted"]:
        return {"lacks": "the file was removed or replaced since it was mapped"}
    file = process / "root" / mapping["path"].lstrip("/")
    try:
        facts = file.stat()
        return {"sha256": _sha256(str(file), facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)}
    except OSError as error:
        return {"lacks": error.strerror or type(error).__name__}


@functools.lru_cache(maxsize=512)
def _sha256(path: str, *_identity: int) -> str:
    """Read once for each file as it is: runs of a study map the same ones."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
