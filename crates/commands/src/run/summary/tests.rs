//! Checks the summary of small runs, as people see it.

use super::*;
use crate::order::LoadOrder;
use dbdyno_drive::{Cause, NetworkPath, NetworkTraffic, Outage, SessionReadBack};
use dbdyno_meter::{Interval, IntervalShape, SECOND_NS};
use serde_json::{Value, json};

const ORDER: &str = include_str!("../../../../../contract/samples/load-order-fixed-rate.json");
#[derive(Clone, Copy, PartialEq)]
enum Pacing {
    Closed,
    Open,
}

/// Returns a load of sixteen connections: point selects at a fixed rate, or read-write in a closed loop.
fn load(pacing: Pacing) -> Load {
    let mut order: Value = serde_json::from_str(ORDER).unwrap();
    order["concurrency"] = json!(16);
    if pacing == Pacing::Closed {
        order["pacing"] = json!({"kind": "closed"});
        order["workload"]["name"] = json!("sysbench/oltp_read_write");
    }
    let order: LoadOrder = serde_json::from_value(order).unwrap();
    order.load().unwrap()
}

/// Returns the text after one second that `fill` fills.
fn text(pacing: Pacing, outages: Vec<Outage>, fill: impl Fn(&mut Interval)) -> String {
    text_over(None, pacing, outages, fill)
}

/// Returns the same over a network.
fn text_over(
    network: Option<(NetworkPath, NetworkTraffic)>,
    pacing: Pacing,
    outages: Vec<Outage>,
    fill: impl Fn(&mut Interval),
) -> String {
    let (path, traffic) = network.unzip();
    let load = load(pacing);
    let shape = IntervalShape {
        transaction_types: load.workload.spec().transaction_types.len(),
        statement_types: load.workload.spec().statement_types.len(),
        open_loop: load.pacing.has_due_instants(),
    };
    let mut interval = Interval::new(shape);
    interval.duration_ns = SECOND_NS;
    interval.connections_live = load.concurrency;
    fill(&mut interval);
    let mut window = Totals::new(shape);
    window.add(&interval);
    let mut outcome = RunOutcome::nothing(Status::Complete);
    outcome.longest_silence_ns = 41_000_000;
    outcome.outages = outages;
    outcome.network = traffic;
    let start = Start {
        monotonic_ns: 10 * SECOND_NS,
        realtime_ns: 1_795_000_000 * SECOND_NS,
        session: SessionReadBack::default(),
        role_session: None,
        connect_ns: 0,
        connect_retries: 0,
        prepared_statements: 0,
        statements_as_text: 0,
        network: path,
    };
    let summary = Summary {
        load: &load,
        start: &start,
        window: &window,
        readings: &[],
        outcome: &outcome,
    };
    let mut out = Vec::new();
    summary.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn times_of_a_closed_loop_stand_under_the_longest_silence() {
    let shown = text(Pacing::Closed, Vec::new(), |_| {});
    let (_, below) = shown
        .split_once("are not counted; longest time without any reply 41 ms\n")
        .unwrap();
    assert!(below.starts_with("  times in ms"), "{shown}");
    assert!(shown.contains("\n    commit "), "{shown}");
}

#[test]
fn the_way_to_the_server_is_told_where_there_is_one() {
    assert!(!text(Pacing::Closed, Vec::new(), |_| {}).contains("network"));
    let mut path = NetworkPath {
        connections: 64,
        least_round_trip_ns: 1_032_000,
        median_round_trip_ns: 1_100_000,
        mtu_bytes: 1_500,
        congestion_control: "cubic".to_owned(),
    };
    let traffic = NetworkTraffic {
        segments_sent: 12_345,
        segments_retransmitted: 3,
        segments_out_of_order: 7,
    };
    let network = Some((path.clone(), traffic));
    let shown = text_over(network, Pacing::Closed, Vec::new(), |_| {});
    assert!(
        shown.contains(
            "round trip 1.032 ms, median of 64 connections 1.100 ms; packets up to 1,500 bytes, cubic\n"
        ),
        "{shown}"
    );
    assert!(
        ["12,345 segments sent", ", 3 of them", "; 7 received"]
            .iter()
            .all(|count| shown.contains(count)),
        "{shown}"
    );
    path.connections = 1;
    let shown = text_over(Some((path, traffic)), Pacing::Closed, Vec::new(), |_| {});
    assert!(shown.contains("round trip 1.032 ms; packets"), "{shown}");
}

#[test]
fn first_attempts_stand_apart_when_some_were_repeated() {
    assert!(!text(Pacing::Closed, Vec::new(), |_| {}).contains("first attempts"));
    let shown = text(Pacing::Closed, Vec::new(), |interval| {
        interval.transactions[0].retries.add(1213);
        interval.transactions[0].first_attempt.record(2_000_000);
        interval.transactions[0].service.record(5_000_000);
    });
    assert!(
        shown.contains("  of which first attempts          1     2.000"),
        "{shown}"
    );
    assert!(
        shown.contains("repeats                1213 × 1\n"),
        "{shown}"
    );
}

#[test]
fn an_open_loop_tells_how_late_the_client_was() {
    let shown = text(Pacing::Open, Vec::new(), |interval| {
        interval.lateness.as_mut().unwrap().record(3_000_000);
        interval.transactions[0].response.record(9_000_000);
    });
    assert!(shown.contains("p99 3.000 ms, max 3.000 ms"), "{shown}");
    assert!(shown.contains("point_select, response"), "{shown}");
    assert!(!shown.contains("longest time without any reply"), "{shown}");
}

#[test]
fn the_client_tells_what_it_cost_and_lacked() {
    let shown = text(Pacing::Closed, Vec::new(), |interval| {
        interval.tally.reads = 1_000;
        let worker = &mut interval.workers[0];
        worker.busy_ns = 250_000_000;
        worker.cpu_ns = 3_210_000;
        worker.wake_ups = 400;
        worker.served = 1_000;
        worker.cpu_wait_ns = 20_000_000;
    });
    for figure in ["busiest worker 25 % busy", "3.21 µs", "2.5 replies"] {
        assert!(shown.contains(figure), "{shown}");
    }
    assert!(
        shown.contains("waited for a processor 2.0 % of the time"),
        "{shown}"
    );
}

#[test]
fn missing_connections_and_outages_are_told() {
    let outage = |first_success_ns, regained_ns| Outage {
        start_ns: 15 * SECOND_NS + 250_000_000,
        first_success_ns,
        restored_ns: first_success_ns,
        connections_lost: 16,
        cause: Cause::Server,
        all_lost: true,
        former_tps: Some(1189.5),
        regained_ns,
    };
    let mut idle = outage(None, None);
    idle.former_tps = Some(0.0);
    let outages = vec![outage(Some(17 * SECOND_NS), Some(20 * SECOND_NS)), idle];
    let shown = text(Pacing::Closed, outages, |interval| {
        interval.connections_live = 3
    });
    assert!(
        shown.contains("3 of 16 at the end of the worst second"),
        "{shown}"
    );
    let ended = ":45.250 connections lost 16 times, none left; first answer after 1.750 s; all open again after 1.750 s; \
                 95 % of the former 1190 tps after 4.750 s\n";
    assert!(shown.contains(ended), "{shown}");
    assert!(shown.contains("first answer not before the end"), "{shown}");
    assert_eq!(
        shown.matches("the former").count(),
        1,
        "no throughput is regained where there was none: {shown}"
    );
}

#[test]
fn a_type_that_never_came_has_dashes() {
    let shown = text(Pacing::Closed, Vec::new(), |_| {});
    let mut rows = shown.lines().filter(|line| line.contains("point_select"));
    let row = rows.next().unwrap();
    let words: Vec<_> = row.split_whitespace().skip(1).collect();
    assert_eq!(words, ["0", "-", "-", "-", "-", "-", "-"], "{shown}");
}

#[test]
fn counts_among_the_figures_have_no_decimals() {
    let shown = [12.0, 4_548.0, 9.875, 1_234.5, 0.0].map(super::figure_text);
    assert_eq!(shown, ["12", "4,548", "9.875", "1,235", "0"]);
}
