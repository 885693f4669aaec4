"""A server that is slowed on purpose has the library, also in a home with a space and next to an allocator."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.configure._call_delays import check_delays, delay_variables
from dbdyno.core import NO_DELAYS, CallDelays, ConfigureError
from dbdyno.hosts import LocalHost

DELAYS = CallDelays(flush_ns=1_000_000)
OTHER = "/none/libjemalloc.so.2"


def _is_loaded(variables: dict[str, str]) -> bool:
    """Return whether a process that is started with these variables has the library."""
    host = LocalHost()
    process = host.spawn(["sleep", "60"], stdout=None, stderr=None, env=variables)
    try:
        while b"libc." not in Path(f"/proc/{process.pid}/maps").read_bytes():
            pass
        check_delays(DELAYS, process.pid, host)
    except ConfigureError:
        return False
    finally:
        process.kill()
        process.wait(10)
    return True


@pytest.mark.parametrize("preloaded", ["", OTHER])
def test_the_library_is_loaded_from_a_folder_without_a_space_and_before_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preloaded: str
) -> None:
    monkeypatch.setenv("LD_PRELOAD", preloaded)
    spaced, plain = tmp_path / "my home", tmp_path / "plain"
    spaced.mkdir()
    plain.mkdir()
    variables = delay_variables(DELAYS, [spaced, plain], LocalHost())
    library = plain / "call_delays.so"
    assert variables["LD_PRELOAD"].split(":") == [str(library), *([preloaded] if preloaded else [])]
    assert variables["DBDYNO_FLUSH_DELAY_NS"] == "1000000"
    assert _is_loaded(variables)
    assert not _is_loaded({**variables, "LD_PRELOAD": f"{spaced}/call_delays.so"})


def test_without_a_folder_that_ld_so_can_read_the_server_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(ConfigureError, match="my home"):
        delay_variables(DELAYS, [tmp_path / "my home"], LocalHost())


def test_a_server_that_is_not_slowed_needs_no_library(tmp_path: Path) -> None:
    assert delay_variables(NO_DELAYS, [tmp_path / "my home"], LocalHost()) == {}
    check_delays(NO_DELAYS, 0, LocalHost())
