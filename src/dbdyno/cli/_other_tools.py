"""Maps words of other tools, and near misses that no spelling reveals, to what dbdyno calls the same thing.

>>> meant_option("dbdyno compare", "--clients", "16", ["--concurrency"])
'did you mean --concurrency 16?'
>>> meant_choice("markdown", ["text", "json", "md"])
"did you mean 'md'?"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from dbdyno.nearest import nearest

_OF_STUDIES = dict.fromkeys(
    (
        "--window", "--time", "--duration", "--warm-up", "--warmup", "--repeats", "--tier", "--memory", "--concurrency",
        "--threads", "--workload", "--rows", "--tables", "--set", "--server",
    ),
    "the study file sets it: change it in a copy; or use dbdyno compare, which has options for it",
)  # fmt: skip
_OPTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "dbdyno compare": {
            **dict.fromkeys(("--clients", "--vus", "--virtual-users", "--sessions"), "--concurrency"),
            **dict.fromkeys(("--iterations", "--runs", "--trials", "--rounds", "--count"), "--repeats"),
            **dict.fromkeys(("--buffer-pool", "--buffer-pool-size", "--innodb-buffer-pool-size", "--ram"), "--memory"),
            **dict.fromkeys(
                ("--engine", "--engines", "--target", "--targets"), "dbdyno compare mariadb:11.8 mysql:9.7"
            ),
            **dict.fromkeys(("--dry-run", "--plan"), "dbdyno plan STUDY.toml shows what would run"),
            **dict.fromkeys(("--address", "--url", "--dsn"), "--server"),
            **dict.fromkeys(("--ramp-up", "--rampup", "--warmup-time", "--warm-up-time"), "--warm-up"),
            **dict.fromkeys(("--runtime", "--measure"), "--window"),
            **dict.fromkeys(("--output-dir", "--out", "--results"), "--output"),
            **dict.fromkeys(("--benchmark", "--test", "--script"), "--workload"),
            "-t": "--threads",
            "-c": "--concurrency",
            **dict.fromkeys(("--socket", "-S"), "a running server is named by --server socket:PATH"),
            **dict.fromkeys(("--json", "--format"), "dbdyno show DIR --json prints the results"),
            **dict.fromkeys(("--verbose", "-v", "--debug", "--progress"), "without --quiet, progress is printed"),
            "-n": "--repeats",
            "-j": "--concurrency",
            **dict.fromkeys(("--user", "-u", "--port", "-P"), "a running server is named by --server USER@HOST:PORT"),
            **dict.fromkeys(
                ("--password", "-p"), "export DBDYNO_SERVER_PASSWORD, or name a file with --server-password-file"
            ),
        },
        "dbdyno diff": dict.fromkeys(
            ("--threshold", "--max-slowdown", "--limit", "--tolerance"), "write for example --fail-on slower:3%"
        ),
        "dbdyno judge": {
            **dict.fromkeys(("--warmup", "--warm-up", "--skip"), "judge finds the end of the warm-up by itself"),
            **dict.fromkeys(
                ("--column", "--columns", "--header"), "the first line of the file names its columns: run, second, tps"
            ),
        },
        "dbdyno clean": dict.fromkeys(
            ("--force", "-f", "--yes", "-y", "--all", "--delete", "--dry-run"),
            "clean only lists; --remove stops and removes all that is left over",
        ),
        "dbdyno run": _OF_STUDIES,
        "dbdyno plan": _OF_STUDIES,
        "": {
            **dict.fromkeys(("--markdown", "--md"), "dbdyno report DIR --format md"),
            **dict.fromkeys(("--html", "--page"), "dbdyno report DIR"),
            "--pdf": "dbdyno report DIR --format pdf",
            **dict.fromkeys(
                ("--csv", "--parquet"), "the results folder holds Parquet files; --json prints all numbers"
            ),
            "--format": "--json",
            **dict.fromkeys(("--watch", "--follow"), "dbdyno serve DIR shows a study while it runs"),
            **dict.fromkeys(("-v", "-V"), "dbdyno --version"),
            "--dry-run": "dbdyno plan STUDY.toml shows what would run",
        },
    }
)
"""Command, or "" for all -> option of another tool -> the option that means it, or words."""

_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "markdown": ("md",),
        "txt": ("text",),
        "htm": ("html",),
        **dict.fromkeys(("rm", "delete", "uninstall"), ("remove",)),
        **dict.fromkeys(("install", "download", "fetch", "pull", "add"), ("get",)),
        **dict.fromkeys(("latency", "response", "response-time", "percentile"), ("p50", "p95", "p99")),
        **dict.fromkeys(("throughput", "qps"), ("tps",)),
    }
)
"""Word of another tool -> the choices that mean it, where a command has them."""


def meant_option(command: str, option: str, value: str, option_names: Collection[str]) -> str:
    """Return the hint for an option of another tool; empty where none is known.

    Parameters
    ----------
    option_names : options that the command has
    """
    suggestion = _OPTIONS.get(command, {}).get(option) or _OPTIONS[""].get(option, "")
    if not suggestion.startswith("--"):
        return suggestion
    if suggestion not in option_names:
        return ""
    return f"did you mean {suggestion}{f' {value}' if value and suggestion != '--json' else ''}?"


def meant_choice(word: str, allowed: Iterable[str]) -> str:
    """Return the hint for a word that is no choice: another tool's word, the nearest one, or all choices."""
    choices = list(allowed)
    suggestions = [choice for choice in _CHOICES.get(word.lower(), ()) if choice in choices]
    if suggestions:
        return f"did you mean {', '.join(repr(choice) for choice in suggestions)}?"
    return nearest(word, choices)


def whole_number(text: str) -> int | None:
    """Return the whole number that a rounded or grouped one means; None where it means none.

    >>> whole_number("1e6"), whole_number("10k"), whole_number("2M"), whole_number("1,000"), whole_number("0.5")
    (1000000, 10000, 2000000, 1000, None)
    """
    match = re.fullmatch(
        r"(\d+(?:\.\d+)?)(?:e\+?(\d{1,2})|([kmb]))?", re.sub(r"[,_](?=\d{3})", "", text.strip().lower())
    )
    if match is None:
        return None
    number = float(match[1]) * 10 ** (int(match[2] or 0) or {"k": 3, "m": 6, "b": 9}.get(match[3] or "", 0))
    return int(number) if number.is_integer() else None
