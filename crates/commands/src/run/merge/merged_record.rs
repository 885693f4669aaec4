//! Writes the start and the end of several shares as those of one process.

use super::count_check::EventTotals;
use super::share_reader::{EndRow, ShareReader};
use crate::record::{NetworkPathRecord, NetworkTrafficRecord, OutageRecord};
use crate::run::totals::Totals;
use dbdyno_drive::SILENCES_KEPT;
use dbdyno_meter::{Silence, longest_common_silence_ns};
use serde::Serialize;
use serde_json::{Value, json};

/// Holds the result of one share.
pub(super) struct MergedShare {
    pub(super) reader: ShareReader,
    /// Unix time at which its second 0 began.
    pub(super) began_ns: u64,
    /// Complete seconds of the share.
    pub(super) whole_seconds: u32,
    /// Totals of its last phase, up to the second at which the merged run ends.
    pub(super) window: Totals,
}

/// Says how the merged run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::run) struct MergedStatus {
    /// As in an end record.
    pub(in crate::run) status: &'static str,
    pub(in crate::run) reason: String,
    pub(in crate::run) error_code: Option<u16>,
    pub(in crate::run) failure_kind: Option<String>,
}

/// Describes one host. A share that limits the client shows here.
#[derive(Debug, Serialize)]
pub(super) struct HostRecord<'a> {
    pub(super) share: u32,
    pub(super) host: &'a str,
    pub(super) connections: u32,
    workers: u32,
    seconds: u32,
    pub(super) status: &'a str,
    reason: &'a str,
    pub(super) start_skew_ns: i64,
    clock_error_ns: Option<u64>,
    pub(super) busiest_worker_share: f64,
    pub(super) cpu_wait_share: f64,
    pub(super) lateness_p99_ns: Option<u64>,
    pub(super) process_cpu_ns: Option<u64>,
    peak_rss_bytes: Option<u64>,
    /// As in its start.
    network: Option<&'a NetworkPathRecord>,
    /// As in its end; `None` too if it was lost.
    traffic: Option<NetworkTrafficRecord>,
}

impl MergedShare {
    /// Returns how it ended; a share that was killed has not reported it.
    fn ending(&self) -> (&str, &str) {
        match &self.reader.end {
            Some(end) => (&end.status, &end.reason),
            None => (
                "failed",
                self.reader
                    .loss()
                    .unwrap_or("its record stops there: it was killed, or its host was lost"),
            ),
        }
    }

    /// Returns the outcome that the share wrote, or that of its seconds, without events under way.
    fn account(&self) -> EndRow {
        let EventTotals {
            started,
            completed,
            failed,
            ..
        } = self.reader.events;
        let lost = started.saturating_sub(completed + failed);
        self.reader.end.clone().unwrap_or_else(|| EndRow {
            status: String::new(),
            reason: String::new(),
            error_code: None,
            failure_kind: None,
            scheduled: started,
            completed,
            failed: failed + lost,
            unsent: 0,
            in_flight_at_end: lost,
            abandoned: lost,
            longest_silence_ns: 0,
            outages: Vec::new(),
            network: None,
            digests: Vec::new(),
            began_late_ns: 0,
            silences: Vec::new(),
            unended: None,
            process_cpu_ns: 0,
            peak_rss_bytes: 0,
        })
    }

    /// Returns the events that never ended.
    pub(super) fn abandoned(&self) -> u64 {
        self.account().abandoned
    }

    /// Describes the host; `zero_ns` is the common start of all shares.
    pub(super) fn host(&self, zero_ns: u64) -> HostRecord<'_> {
        let (status, reason) = self.ending();
        let end = self.reader.end.as_ref();
        let share = &self.reader.share;
        let lateness = self.window.counts.lateness.as_ref();
        let late_ns = end.map_or(0, |end| end.began_late_ns);
        HostRecord {
            share: share.number,
            host: &share.host,
            connections: self.reader.start.concurrency,
            workers: self.reader.start.workers,
            seconds: self.whole_seconds,
            status,
            reason,
            start_skew_ns: (self.began_ns + late_ns) as i64 - zero_ns as i64,
            clock_error_ns: share.clock_error_ns,
            busiest_worker_share: self.window.busiest_share(),
            cpu_wait_share: self.window.cpu_wait_share(),
            lateness_p99_ns: lateness.and_then(|times| times.quantile_ns(0.99)),
            process_cpu_ns: end.map(|end| end.process_cpu_ns),
            peak_rss_bytes: end.map(|end| end.peak_rss_bytes),
            network: self.reader.start.network.as_ref(),
            traffic: end.and_then(|end| end.network),
        }
    }
}

/// Returns the start of the first share with the connections of all.
pub(super) fn start_of(shares: &[ShareReader]) -> Value {
    let lead = &shares[0];
    let mut start = lead.whole_start.clone();
    let sum = |part: fn(&ShareReader) -> u64| -> u64 { shares.iter().map(part).sum() };
    let connect_ns = shares.iter().map(|share| share.start.connect_ns);
    start["concurrency"] = lead.share.connections.into();
    start["workers"] = sum(|share| share.start.workers.into()).into();
    start["connect_ns"] = connect_ns.max().into();
    start["connect_retries"] = sum(|share| share.start.connect_retries).into();
    start["prepared_statements"] = sum(|share| share.start.prepared_statements).into();
    start["statements_as_text"] = sum(|share| share.start.statements_as_text).into();
    start["network"] = json!(slowest_path(shares));
    if let Some(fields) = start.as_object_mut() {
        fields.remove("share");
    }
    start
}

/// Returns the path of the host that is furthest from the server, with the connections of all that have one. Most
/// transactions may be faster than it shows; none has a longer path.
fn slowest_path(shares: &[ShareReader]) -> Option<NetworkPathRecord> {
    let paths = shares
        .iter()
        .filter_map(|share| share.start.network.as_ref());
    let slowest = paths.clone().max_by_key(|path| path.median_round_trip_ns)?;
    Some(NetworkPathRecord {
        connections: paths.map(|path| path.connections).sum(),
        ..slowest.clone()
    })
}

/// Sums the segments of all shares; `None` if one has reported none, as the sum would be incomplete.
fn traffic(accounts: &[EndRow]) -> Option<NetworkTrafficRecord> {
    let mut all = accounts.iter().map(|end| end.network);
    let first = all.next()??;
    all.try_fold(first, |sum, network| {
        let network = network?;
        Some(NetworkTrafficRecord {
            segments_sent: sum.segments_sent + network.segments_sent,
            segments_retransmitted: sum.segments_retransmitted + network.segments_retransmitted,
            segments_out_of_order: sum.segments_out_of_order + network.segments_out_of_order,
        })
    })
}

/// Returns how the run ended. A share that ended before the others, or not well, ends the run at its second: afterwards
/// the others were a client with fewer connections.
pub(super) fn status_of(shares: &[MergedShare]) -> MergedStatus {
    let all = |wanted: &str| shares.iter().all(|share| share.ending().0 == wanted);
    let longest = shares.iter().map(|share| share.whole_seconds).max();
    let is_short = |share: &&MergedShare| Some(share.whole_seconds) < longest;
    let has_failed = |share: &&MergedShare| share.ending().0 == "failed";
    let culprits = shares.iter().filter(|share| {
        has_failed(share)
            || !all("interrupted") && (is_short(share) || share.ending().0 != "complete")
    });
    let Some(culprit) = culprits.min_by_key(|share| (share.whole_seconds, !has_failed(share)))
    else {
        let is_complete = all("complete");
        let reason = if is_complete {
            ""
        } else {
            "stopped by a signal"
        };
        return MergedStatus {
            status: if is_complete {
                "complete"
            } else {
                "interrupted"
            },
            reason: reason.to_owned(),
            error_code: None,
            failure_kind: None,
        };
    };
    let end = culprit.reader.end.as_ref();
    let (label, second) = (culprit.reader.label(), culprit.whole_seconds + 1);
    let ending = match culprit.ending() {
        (status, "") => status,
        (_, reason) => reason,
    };
    MergedStatus {
        status: "failed",
        reason: format!("{label} ended in second {second}: {ending}"),
        error_code: end.and_then(|end| end.error_code),
        failure_kind: Some(
            end.and_then(|end| end.failure_kind.clone())
                .unwrap_or_else(|| kind_without_end(culprit).to_owned()),
        ),
    }
}

fn kind_without_end(share: &MergedShare) -> &'static str {
    match share.reader.loss() {
        Some(_) => "network",
        None => "client",
    }
}

/// Returns the end record of all shares.
pub(super) fn end_of(shares: &[MergedShare], status: &MergedStatus, zero_ns: u64) -> Value {
    let accounts: Vec<_> = shares.iter().map(MergedShare::account).collect();
    let sum = |part: fn(&EndRow) -> u64| -> u64 { accounts.iter().map(part).sum() };
    let mut digests: Vec<_> = accounts
        .iter()
        .flat_map(|end| end.digests.clone())
        .collect();
    digests.sort_by_key(|digest| digest["user"].as_u64());
    let hosts: Vec<_> = shares.iter().map(|share| share.host(zero_ns)).collect();
    json!({
        "record": "end",
        "status": status.status,
        "reason": status.reason,
        "error_code": status.error_code,
        "failure_kind": status.failure_kind,
        "scheduled": sum(|end| end.scheduled),
        "completed": sum(|end| end.completed),
        "failed": sum(|end| end.failed),
        "unsent": sum(|end| end.unsent),
        "in_flight_at_end": sum(|end| end.in_flight_at_end),
        "abandoned": sum(|end| end.abandoned),
        "longest_silence_ns": longest_silence_ns(shares),
        "outages": outages(shares),
        "network": traffic(&accounts),
        "search": Value::Null,
        "figures": [],
        "digests": digests,
        "process_cpu_ns": sum(|end| end.process_cpu_ns),
        "peak_rss_bytes": sum(|end| end.peak_rss_bytes),
        "hosts": hosts,
    })
}

/// Returns the longest stretch in which all shares were silent. If a share has reported none because it was lost, or
/// only its longest, there can't have been a longer one.
fn longest_silence_ns(shares: &[MergedShare]) -> u64 {
    let ends: Vec<_> = shares
        .iter()
        .filter_map(|share| share.reader.end.as_ref())
        .collect();
    if ends.len() < shares.len() {
        let longest = ends.iter().map(|end| end.longest_silence_ns);
        return longest.min().unwrap_or(0);
    }
    let silences = |end: &&EndRow| -> Vec<Silence> {
        let pairs = end.silences.iter();
        let silence = |&(start_ns, asked_ns, end_ns): &(u64, u64, u64)| Silence {
            start_ns,
            asked_ns,
            end_ns,
        };
        pairs
            .map(silence)
            .filter(|silence| silence.start_ns < silence.end_ns)
            .collect()
    };
    let untold_ns = ends.iter().map(silences).filter_map(|kept| {
        let shortest = kept.iter().map(Silence::length_ns).min();
        shortest.filter(|_| kept.len() == SILENCES_KEPT)
    });
    let untold_ns = untold_ns.max().unwrap_or(0);
    longest_common_silence_ns(ends.iter().map(silences).collect()).max(untold_ns)
}

/// Returns the outages of all shares by the clock of the first. Each share saw only its own recovery of throughput.
fn outages(shares: &[MergedShare]) -> Vec<Value> {
    let lead_ns = shares
        .first()
        .map_or(0, |share| share.reader.start.monotonic_ns);
    let mut all: Vec<(usize, OutageRecord)> = Vec::new();
    for (place, share) in shares.iter().enumerate() {
        let own_ns = share.reader.start.monotonic_ns;
        let here = |ns: u64| (ns + lead_ns).saturating_sub(own_ns);
        let found = share.reader.end.iter().flat_map(|end| end.outages.clone());
        all.extend(found.map(|outage| {
            let moved = OutageRecord {
                start_ns: here(outage.start_ns),
                first_success_ns: outage.first_success_ns.map(here),
                restored_ns: outage.restored_ns.map(here),
                ..outage
            };
            (place, moved)
        }));
    }
    all.sort_by_key(|(_, outage)| outage.start_ns);
    let is_all_lost = |outage: &OutageRecord| {
        outage.all_lost
            && (0..shares.len()).all(|place| {
                all.iter()
                    .any(|(of, other)| *of == place && other.all_lost && overlap(outage, other))
            })
    };
    let written = all.iter().map(|(_, outage)| {
        json!(OutageRecord {
            all_lost: is_all_lost(outage),
            former_tps: None,
            regained_ns: None,
            ..outage.clone()
        })
    });
    written.collect()
}

fn overlap(one: &OutageRecord, other: &OutageRecord) -> bool {
    let end = |outage: &OutageRecord| outage.restored_ns.unwrap_or(u64::MAX);
    one.start_ns < end(other) && other.start_ns < end(one)
}
