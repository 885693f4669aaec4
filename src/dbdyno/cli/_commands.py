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
            "gather": "combine the parts of a study, run on several machines, into one results folder",
            "plan": "show what a study would run, and its time, disk and memory; changes nothing",
        },
        "read results": {
            "show": "print the summary of a results folder, or its JSON",
            "explain": "show where in a transaction two targets differ, and why",
            "report": "write the report again from a results folder",
            "serve": "serve a page on all results folders and the study that runs now",
            "claims": "check a published report's claims against results",
        },
        "compare results": {
            "diff": "compare two results folders; can fail a build",
            "history": "find where throughput changed over many results folders",
        },
        "results of other tools": {
            "import": "turn logs of another tool into a results folder",
            "judge": "judge runs from per-second throughput of any tool",
            "audit": "list differences between the compared servers' configurations",
        },
        "engines and settings": {
            "engines": "list, fetch, check and remove engines",
            "settings": "list the settings of studies and the server options they become",
        },
        "this machine": {
            "doctor": "check whether this machine is fit for measurements",
            "calibrate": "measure the load generator's limits on this machine",
            "self-check": "compare an engine with itself: how small a difference shows here?",
            "clean": "list and remove servers and data that killed studies left",
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
        "resume": "dbdyno run STUDY.toml resumes a study; so does the same dbdyno compare again",
        **dict.fromkeys(("init", "new", "create"), "dbdyno compare writes a study file into its results folder"),
        **dict.fromkeys(("test", "try"), "dbdyno compare mariadb:11.8 mysql:9.7, or dbdyno self-check ENGINE"),
        **dict.fromkeys(("results", "open", "view"), "dbdyno show DIR, or dbdyno serve DIR for pages"),
        **dict.fromkeys(("ls", "list"), "dbdyno engines lists engines, dbdyno serve DIR results"),
        **dict.fromkeys(
            ("rm", "delete", "remove", "prune"), "dbdyno clean for data, dbdyno engines remove for engines"
        ),
        **dict.fromkeys(("export", "pdf", "html"), "dbdyno report DIR --format html, md or pdf"),
        "upgrade": "dbdyno compare OLD NEW, such as mariadb:10.11 mariadb:11.8",
        **dict.fromkeys(
            ("stop", "kill", "ps"),
            "dbdyno clean lists servers that run and those that killed studies left; Ctrl-C stops a study",
        ),
        **dict.fromkeys(("logs", "log", "tail"), "dbdyno show DIR, or dbdyno serve DIR while a study runs"),
        **dict.fromkeys(("config", "configure", "set", "options"), "dbdyno settings lists the settings of studies"),
        **dict.fromkeys(("info", "check", "system"), "dbdyno doctor checks this machine, dbdyno engines check engines"),
        **dict.fromkeys(("completion", "man"), "docs/guides/install.md says where completions and manual pages are"),
        "version": "dbdyno --version",
        "help": "dbdyno -h, or dbdyno COMMAND --help",
        "install": "dbdyno engines get ENGINE",
        "sysbench": "dbdyno import sysbench LOGS -o DIR, or dbdyno-load in sysbench's place",
    }
)
"""Word that other tools use -> what a command does for it."""


def grouped_commands() -> str:
    """Return the list of commands as help prints it."""
    lines = []
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:", *(f"  {name:<12}{line}" for name, line in commands.items())]
    return "\n".join(lines[1:])
