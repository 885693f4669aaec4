"""`dbdyno serve`: serves a page over many results folders, with what runs now."""

from __future__ import annotations

import argparse
import contextlib
import ipaddress
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

from dbdyno.cli._color import tell
from dbdyno.cli._folder import add_check_options, check_of
from dbdyno.cli._help import add_command as add
from dbdyno.core import StoreError, format_address

DEFAULT_PORT = 8017
_STORY = """\
Serves a page on all results folders at or below a folder: each study's question, answer and progress, and for a running
study the current second, the throughput so far and the time left. A report is built when you open it. The server
does not change results and does not contact running studies. In your own folders it notes which files it has checked
(.checked.json), as every command that reads results does.

  dbdyno serve results                       then open http://127.0.0.1:8017/
  dbdyno serve results --port 0              any free port; the address is printed
  ssh -L 8017:127.0.0.1:8017 bench           to see a remote machine's studies here
  curl -s http://127.0.0.1:8017/metrics      metrics of the current run for Prometheus (OpenMetrics)

Only this machine can reach it unless --host says otherwise. There is no password and no encryption: everyone who
reaches it can read everything in the folders, such as settings, host names and server logs. Requests for an unknown
host name are refused; --allow-host accepts one, such as the name of a proxy.

It runs at the lowest priority, so watching a study hardly affects it; opening the report of a study that runs on the
same machine costs processor time. Ctrl-C ends it.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "serve", _STORY, _serve)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder that contains results folders at any depth")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N", help=f"0: any free one (default: {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="accept requests for this host name, too; may be repeated",
    )
    add_check_options(parser)


def _serve(choices: argparse.Namespace) -> int:
    from dbdyno.serve import serving  # late: see _main

    if not choices.folder.is_dir():
        remedy = "name a folder that contains results folders"
        raise StoreError(f"{choices.folder} is not a folder", "", remedy, code="not-a-folder")
    with contextlib.suppress(OSError):
        os.nice(19)
    server_context = serving(choices.folder, choices.host, choices.port, choices.allow_host, check_of(choices))
    with _stop_signals() as wait_for_stop, server_context as place:
        host, port = place
        address = format_address(host, port)
        print(f"http://{address}/", flush=True)
        if not _is_loopback(host):
            tell(
                f"warning: everyone who reaches {address} can read all results below {choices.folder}: "
                "settings, host names, server logs; there is no password"
            )
        wait_for_stop()
    return 0


@contextlib.contextmanager
def _stop_signals() -> Iterator[Callable[[], int]]:
    """Yield a function that waits for Ctrl-C or SIGTERM, and for the end of the terminal, except under ``nohup``."""
    # Not a threading.Event: a handler that runs while the main thread enters wait() would block on its lock forever.
    received_signals: SimpleQueue[int] = SimpleQueue()

    def receive(number: int, _frame: FrameType | None) -> None:
        received_signals.put(number)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    previous_handlers = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield received_signals.get
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
