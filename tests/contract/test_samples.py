"""What the two languages have agreed on: schemas, samples, and what this side writes and reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from jsonschema import Draft202012Validator

from dbdyno.measure import LoadOrder
from dbdyno.plan import make_plan
from dbdyno.study import parse_study

CONTRACT = Path(__file__).parents[2] / "contract"
SAMPLES = CONTRACT / "samples"
ORDERS = [("load-order", "load-order.json"), ("load-order", "load-order-fixed-rate.json")]
ORDERS += [("load-order", "load-order-think.json"), ("load-order", "load-order-varied-rate.json")]
ORDERS += [("load-order", "load-order-search.json"), ("load-order", "load-order-share.json")]
ORDERS += [("load-order", "load-order-agents.json"), ("populate-order", "populate-order.json")]
RECORDS = [("load-record", "load-records.jsonl"), ("load-record", "load-records-share.jsonl")]
RECORDS += [("load-record", "load-records-merged.jsonl"), ("populate-record", "populate-records.jsonl")]
RECORDS += [("sysbench-record", "sysbench-records.jsonl"), ("verify-record", "verify-records.jsonl")]
RECORDS += [("fingerprint-record", "fingerprint-records.jsonl"), ("threads-record", "threads-records.jsonl")]
STUDY = """
targets = ["mysql:9.7"]
workload = {name = "oltp_read_write", tables = 4, rows = 50000, rand_type = "zipfian", rand_zipfian_exp = 0.9}
axes = {tier = "64MB", concurrency = 16}
measure = {warm_up = "4s", window = "12s", repeats = 1}
"""
TARGET = {
    "socket": "/tmp/s.sock",
    "host": None,
    "port": None,
    "user": "dbdyno",
    "password_file": "/tmp/p",
    "database": "dbdyno_sbtest",
    "tls": "off",
    "tls_ca_file": None,
}


def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((CONTRACT / f"{schema}.schema.json").read_text()))


def _lines(sample: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / sample).read_text().splitlines()]


@pytest.mark.parametrize(("schema", "sample"), ORDERS)
def test_a_sample_order_obeys_its_schema_and_a_typo_does_not(schema: str, sample: str) -> None:
    order = json.loads((SAMPLES / sample).read_text())
    _validator(schema).validate(order)
    assert not _validator(schema).is_valid({**order, "sede": 1})


@pytest.mark.parametrize(("schema", "sample"), RECORDS)
def test_sample_records_obey_their_schema_and_may_grow(schema: str, sample: str) -> None:
    for record in _lines(sample):
        _validator(schema).validate(record)
        _validator(schema).validate({**record, "of_the_future": 1})


def test_sample_histograms_count_what_the_sample_says() -> None:
    (interval,) = [record for record in _lines("load-records.jsonl") if record["record"] == "interval"]
    for counts in (*interval["transactions"].values(), *interval["statements"].values()):
        assert HdrHistogram.decode(counts["service"]).get_total_count() == counts["completed"]


def test_sample_records_in_sysbenchs_form_add_up() -> None:
    start, *intervals, end = _lines("sysbench-records.jsonl")
    assert (start["record"], end["record"]) == ("start", "end")
    for count in ("events", "reads", "writes", "others", "errors", "reconnects"):
        assert end[count] == sum(interval[count] for interval in intervals)
    counted = [HdrHistogram.decode(record["response"]).get_total_count() for record in (*intervals, end)]
    assert counted == [record["events"] for record in (*intervals, end)]


@pytest.mark.parametrize("pacing", ["", "pacing = {rate_per_s = 100.0, arrivals = 'constant'}"])
def test_the_orders_that_a_study_makes_obey_the_schema(pacing: str) -> None:
    study = parse_study(pacing + STUDY, "s.toml")
    (run,) = make_plan(study).runs
    _validator("load-order").validate(LoadOrder(run, study, TARGET, 1).to_json())
