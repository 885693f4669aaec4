"""Lists the commands: each with its one line, in groups by what a user wants to do.

A command's module, with its options, is imported only when that command is called or its help is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GROUPS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "compare engines": {
            "compare": "compare engines and write the report",
            "run": "run a study file; again: resume",
            "gather": "one results folder of the parts of a study, run on several machines",
            "plan": "ordered runs with reasons, time, disk and memory; touches nothing",
        },
        "read results": {
            "show": "summary in the terminal, or for programs",
            "explain": "with which parts of the time a difference goes",
            "report": "rebuild the page from the stored records alone",
            "serve": "a page over many results folders, with what runs now",
            "claims": "whether what a published report prints holds in results",
        },
        "compare results": {
            "diff": "what changed between two results folders; fails a build if asked to",
            "history": "many results folders in a row: where levels moved",
        },
        "results of other tools": {
            "import": "results of other tools, made into a results folder",
            "judge": "judge runs from a file of seconds, measured by any tool",
            "audit": "whether compared servers were alike in effect",
        },
        "engines and settings": {
            "engines": "what can be had here, what is already here",
            "settings": "what a study can set, and what comes of it",
        },
        "this machine": {
            "doctor": "whether this machine is fit to be measured on",
            "calibrate": "what the load generator can do on this machine",
            "self-check": "an engine against itself: what this machine can tell apart",
            "clean": "servers and data that killed studies have left here",
        },
    }
)
SUMMARIES: Mapping[str, str] = MappingProxyType(
    {name: line for group in GROUPS.values() for name, line in group.items()}
)


OTHER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "bench": "dbdyno compare mariadb:11.8 mysql:9.7",
        "benchmark": "dbdyno compare mariadb:11.8 mysql:9.7",
        "start": "dbdyno run STUDY.toml",
        "status": "dbdyno show DIR, or dbdyno serve DIR while it runs",
        "list": "dbdyno engines",
        "version": "dbdyno --version",
        "help": "dbdyno -h, or dbdyno COMMAND --help",
        "install": "dbdyno engines get ENGINE",
        "sysbench": "dbdyno import sysbench LOGS -o DIR, or dbdyno-load in sysbench's place",
    }
)
"""What other tools call what a command does."""


def grouped_commands() -> str:
    """The list of commands as help prints it."""
    lines = []
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:<12}{line}" for name, line in commands.items())]
    return "\n".join(lines[1:])
