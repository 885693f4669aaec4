"""Knows what the client can do on this machine, and how much of that a run used."""

from dbdyno.measure.client._calibrate import OnPoint, calibrate, calibration_key, null_server
from dbdyno.measure.client._calibration import (
    Calibration,
    CalibrationKey,
    CalibrationPoint,
    CostCurve,
    calibration_to_json,
    read_calibration,
    write_calibration,
)
from dbdyno.measure.client._use import ClientCapacity, ClientUse, client_use

__all__ = [
    "Calibration",
    "CalibrationKey",
    "CalibrationPoint",
    "ClientCapacity",
    "ClientUse",
    "CostCurve",
    "OnPoint",
    "calibrate",
    "calibration_key",
    "calibration_to_json",
    "client_use",
    "null_server",
    "read_calibration",
    "write_calibration",
]
