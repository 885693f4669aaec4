"""`dbdyno serve`: serves a page over many results folders, with what runs now."""

from __future__ import annotations

import argparse
import contextlib
import ipaddress
import os
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from dbdyno.cli._color import tell
from dbdyno.cli._folder import add_check_options, check_of
from dbdyno.cli._help import add_command as add
from dbdyno.core import StoreError

DEFAULT_PORT = 8017
_STORY = """\
Serves a page over all results folders at or below a folder: what each study asked, what it found, how far
it is; for one that runs now the current second, the level so far and the time left. Reports are made when
they are opened. Nothing is written into the folders, and a study is not asked to do anything: the page
reads what it writes.

  dbdyno serve results                       then open http://127.0.0.1:8017/
  dbdyno serve results --port 0              any free port; the address is printed
  ssh -L 8017:127.0.0.1:8017 bench           and look at a bench machine's studies from the desk
  curl -s http://127.0.0.1:8017/metrics      figures of the run under way for Prometheus (OpenMetrics)

Only this machine can reach it unless --host says otherwise. There is no password and no encryption:
whoever reaches it reads everything in the folders, such as settings, host names and server logs. Requests
that call the server by a name that is not its own are refused; --allow-host lets a name be used, such as
that of a proxy before it.

It runs at the lowest priority, and looking on costs a measurement little; opening the report of a study
that runs on the same machine costs it processor time. Ctrl-C ends it.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "serve", _STORY, _serve)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder with results folders in it or below")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N", help=f"0: any free one (default: {DEFAULT_PORT})"
    )
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name that requests may use, besides this machine's; may be repeated",
    )
    add_check_options(parser)


def _serve(choices: argparse.Namespace) -> int:
    from dbdyno.serve import serving  # late: see _main

    if not choices.folder.is_dir():
        raise StoreError(f"{choices.folder} is not a folder", "", "give the folder that results folders lie in")
    with contextlib.suppress(OSError):
        os.nice(19)
    checked = serving(choices.folder, choices.host, choices.port, choices.allow_host, check_of(choices))
    with _until_stopped() as stopped, checked as place:
        host, port = place
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{port}/", flush=True)
        if not _is_loopback(host):
            tell(
                f"warning: everyone who reaches {shown}:{port} can read all results below {choices.folder}: settings, "
                "host names, server logs; there is no password"
            )
        stopped.wait()
    return 0


@contextlib.contextmanager
def _until_stopped() -> Any:  # noqa: ANN401
    """An event that Ctrl-C, SIGTERM and a terminal that goes away set; the last not under ``nohup``."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
