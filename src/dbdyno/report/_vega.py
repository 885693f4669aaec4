"""Loads the chart library that a page carries: Vega, Vega-Lite and Vega-Embed in one script.

vl-convert makes the script by running a bundler in its own JavaScript engine, longer than most reports take. It is
the same for each version of vl-convert, so it is kept in the user's cache folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from functools import cache
from importlib import metadata
from pathlib import Path

from dbdyno.report._converter import ChartConverter

_DIGEST_CHARS = 64


@cache
def vega_script() -> str:
    """Return the script, safe inside a ``script`` element."""
    cache_path = _cache_folder() / f"vega-{metadata.version('vl-convert-python')}.js"
    return _read_cached_script(cache_path) or _make_script(cache_path)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dbdyno"


def _read_cached_script(cache_path: Path) -> str:
    """Return the kept script; empty where there is none, it is not this user's, or it is not whole."""
    try:
        descriptor = os.open(cache_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, encoding="utf-8", newline="") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return ""
            digest, script = file.read(_DIGEST_CHARS), file.read()
    except (OSError, UnicodeDecodeError):
        return ""
    return script if digest == _script_digest(script) else ""


def _make_script(cache_path: Path) -> str:
    with ChartConverter() as converter:
        bundled = converter.bundle()
    script = bundled.replace("</script", "<\\/script")
    with contextlib.suppress(OSError):  # without a cache the next report is no faster
        cache_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = cache_path.with_name(f".{cache_path.name}.{os.getpid()}")
        temporary.write_text(_script_digest(script) + script, encoding="utf-8", newline="")
        temporary.replace(cache_path)
    return script


def _script_digest(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()
