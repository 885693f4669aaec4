"""Configures servers, starts them, and reads settings back: no option is trusted that the server does not confirm.

Options come from the tables of `engines`, their values from one baseline that is equal in effect on every
target. Passwords stay in files that only their owner reads.
"""

from dbdyno.configure._baseline import own_values
from dbdyno.configure._choose import RequestedOptions, ServerSize, check_settings, choose_settings, settings_of_series
from dbdyno.configure._container import remove_noted_containers
from dbdyno.configure._crash_report import CrashReport, disk_full_line
from dbdyno.configure._endpoint import LOAD_USER, Credentials, Endpoint, NetworkAccess, NetworkClient, credentials_file
from dbdyno.configure._engine import Engine
from dbdyno.configure._initialise import copy_data_directory, initialise
from dbdyno.configure._network import trial_listener
from dbdyno.configure._options import RESERVED_OPTIONS, ServerBuild, Setting, option_file
from dbdyno.configure._orphan import ServerNote, end_orphan, read_note
from dbdyno.configure._readback import read_back
from dbdyno.configure._server import Server, attach_server
from dbdyno.configure._shaping import (
    Interface,
    TrafficShaper,
    check_shaping,
    configured_queues,
    find_shaper,
    shaping_commands,
    shaping_obstacle,
    shaping_remedy,
    undo_left_shape,
)
from dbdyno.configure._start import start_server
from dbdyno.configure._start_order import StartOrder

__all__ = [
    "LOAD_USER",
    "RESERVED_OPTIONS",
    "CrashReport",
    "Credentials",
    "Endpoint",
    "Engine",
    "Interface",
    "NetworkAccess",
    "NetworkClient",
    "RequestedOptions",
    "Server",
    "ServerBuild",
    "ServerNote",
    "ServerSize",
    "Setting",
    "StartOrder",
    "TrafficShaper",
    "attach_server",
    "check_settings",
    "check_shaping",
    "choose_settings",
    "configured_queues",
    "copy_data_directory",
    "credentials_file",
    "disk_full_line",
    "end_orphan",
    "find_shaper",
    "initialise",
    "option_file",
    "own_values",
    "read_back",
    "read_note",
    "remove_noted_containers",
    "settings_of_series",
    "shaping_commands",
    "shaping_obstacle",
    "shaping_remedy",
    "start_server",
    "trial_listener",
    "undo_left_shape",
]
