"""Whether a memory tier binds: storage engines that read through the page cache have all memory beside it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.core import Caveat, format_memory
from dbdyno.engines import storage_engines


def unbounded_cache(
    storage_engine: str, variables: Mapping[str, str], tier_bytes: int, available_bytes: int
) -> Caveat | None:
    """The caveat of a run whose server nothing bounds; None where its engine reads past the page cache.

    Parameters
    ----------
    variables : of the server, names in lower case
    available_bytes : memory of the machine that can be had without swapping

    >>> unbounded_cache("rocksdb", {"rocksdb_use_direct_reads": "OFF"}, 1 << 26, 1 << 34).code
    'page-cache-unbounded'
    >>> unbounded_cache("rocksdb", {"rocksdb_use_direct_reads": "ON"}, 1 << 26, 1 << 34)
    """
    engine = storage_engines().get(storage_engine)
    if engine is None or not engine.page_cache or available_bytes <= tier_bytes:
        return None
    if engine.direct_reads and variables.get(engine.direct_reads, "").upper() in ("ON", "1"):
        return None
    text = (
        f"{engine.title} reads its files through the page cache, which nothing bounded: beside its tier of "
        f"{format_memory(tier_bytes)} it had the memory that the machine had left; [limits] memory binds it"
    )
    return Caveat("page-cache-unbounded", text)
