"""The one option file that a private server reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno.configure._engine import Engine
from dbdyno.configure._setting import Setting
from dbdyno.engines import EngineFamily


def launch_options(installation: Engine, family: EngineFamily, data_directory: Path, temporary: Path) -> dict[str, str]:
    """Options that make an unpacked engine find its own files and nothing of the host's; an image has its own."""
    if installation.image:
        return {"datadir": str(data_directory), "tmpdir": str(temporary), **family.launch}
    return {
        "basedir": str(installation.base_directory),
        "datadir": str(data_directory),
        "lc_messages_dir": str(installation.share_directory),
        "character_sets_dir": str(installation.charsets_directory),
        "plugin_dir": str(installation.plugin_directory),
        "tmpdir": str(temporary),
        **family.launch,
    }


def option_file(launch: Mapping[str, str], settings: Sequence[Setting]) -> str:
    """Text of the option file, the reasons beside the options.

    >>> print(option_file({"port": "0"}, [Setting("skip_log_bin", "", "off on all")]))
    # Written by dbdyno; the server reads nothing else.
    [mysqld]
    port = 0
    <BLANKLINE>
    # off on all
    skip_log_bin
    <BLANKLINE>
    """
    lines = ["# Written by dbdyno; the server reads nothing else.", "[mysqld]"]
    lines += [f"{name} = {_quoted(value)}" if value else name for name, value in launch.items()]
    for setting in settings:
        lines += ["", f"# {' '.join(setting.reason.split())}"]
        bare = not setting.value and setting.option.startswith("skip_")
        lines.append(setting.option if bare else f"{setting.option} = {_quoted(setting.value)}".rstrip())
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    """A value as option files want it: quoted where a comment sign or a space would end it.

    >>> _quoted("a;b"), _quoted("64M"), _quoted("x # y")
    ('"a;b"', '64M', '"x # y"')
    """
    value = value.replace("\n", " ")
    return f'"{value}"' if any(c in value for c in " #;\"'") else value
