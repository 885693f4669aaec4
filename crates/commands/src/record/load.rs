//! Writes the first and last records of a run, and the messages between.

use super::PROGRAM;
use super::named::Named;
use super::outage::{OutageRecord, word_of};
use super::search::AnswerRecord;
use super::share::ShareRecord;
use crate::expected_counts::{most_per_minute, ratio_by_mix};
use crate::order::{LoadOrder, PacingOrder, SCHEMA_VERSION};
use crate::statement_protocol::protocol_word;
use dbdyno_drive::{Level, Load, NetworkPath, NetworkTraffic, RunOutcome, SessionReadBack, Status};
use dbdyno_wire::Compression;
use dbdyno_workload::{Metric, RandomKind, ServerCount, ServerCounts, UserDigest, Workload};
use serde::{Deserialize, Serialize};

/// Records that all connections are ready.
#[derive(Debug, Serialize)]
pub(crate) struct Start<'a> {
    record: &'static str,
    schema_version: u32,
    program: &'static str,
    monotonic_ns: u64,
    realtime_ns: u64,
    session: SessionRecord<'a>,
    workload: WorkloadRecord,
    protocol: &'static str,
    rng: RandomKind,
    seed: u64,
    concurrency: u32,
    workers: u32,
    pacing: &'a PacingOrder,
    route: &'static str,
    /// The other server, if transactions have a role.
    role: Option<RoleRecord<'a>>,
    transaction_types: &'a [&'static str],
    statement_types: &'a [&'static str],
    connect_ns: u64,
    connect_retries: u64,
    prepared_statements: u64,
    statements_as_text: u64,
    server_counts: Option<ServerCountsRecord<'a>>,
    /// The path to the server; null over a socket.
    network: Option<NetworkPathRecord>,
    /// Present only if this process is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<ShareRecord<'a>>,
}

/// Describes the server's own counts, as the workload defines them.
#[derive(Debug, Serialize)]
struct ServerCountsRecord<'a> {
    counts: Vec<ServerCountRecord<'a>>,
    ratio: Option<f64>,
}

#[derive(Debug, Serialize)]
struct ServerCountRecord<'a> {
    name: &'a str,
    title: &'a str,
    transactions: Vec<&'a str>,
    statements: Vec<&'a str>,
    with_rollbacks: bool,
    most_per_minute: Option<f64>,
}

impl<'a> ServerCountsRecord<'a> {
    fn of(counts: &'a ServerCounts, load: &'a Load) -> Self {
        let spec = load.workload.spec();
        let names = |types: &[&'static str], numbers: &[u8]| {
            let numbers = numbers.iter();
            numbers.map(|number| types[usize::from(*number)]).collect()
        };
        let of_each = |count: &'a ServerCount| ServerCountRecord {
            name: count.name,
            title: count.title,
            transactions: names(&spec.transaction_types, &count.grows_by),
            statements: names(&spec.statement_types, &count.grows_by_statements),
            with_rollbacks: count.grows_by_rollbacks,
            most_per_minute: most_per_minute(count, load),
        };
        Self {
            counts: counts.counts.iter().map(of_each).collect(),
            ratio: ratio_by_mix(counts, load),
        }
    }
}

/// Describes the path to the server when all connections were open.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NetworkPathRecord {
    pub(crate) connections: u32,
    pub(crate) least_round_trip_ns: u64,
    pub(crate) median_round_trip_ns: u64,
    pub(crate) mtu_bytes: u32,
    pub(crate) congestion_control: String,
}

impl NetworkPathRecord {
    fn of(path: &NetworkPath) -> Self {
        Self {
            connections: path.connections,
            least_round_trip_ns: path.least_round_trip_ns,
            median_round_trip_ns: path.median_round_trip_ns,
            mtu_bytes: path.mtu_bytes,
            congestion_control: path.congestion_control.clone(),
        }
    }
}

/// Describes the server of a role.
#[derive(Debug, Serialize)]
struct RoleRecord<'a> {
    name: &'a str,
    route: &'static str,
    session: SessionRecord<'a>,
}

impl<'a> RoleRecord<'a> {
    fn of(order: &'a LoadOrder, load: &'a Load, start: &'a dbdyno_drive::Start) -> Option<Self> {
        let name = load.workload.spec().role.as_deref()?;
        let place = order.role_targets.get(name)?;
        Some(Self {
            name,
            route: order.target.at(place).route(),
            session: SessionRecord::of(start.role_session.as_ref()?),
        })
    }
}

#[derive(Debug, Serialize)]
struct SessionRecord<'a> {
    server_version: &'a str,
    auth_plugin: &'a str,
    tls_version: Option<&'a str>,
    tls_cipher: Option<&'a str>,
    compression: Compression,
    isolation: &'a str,
    autocommit: bool,
    snapshot_isolation: Option<bool>,
    character_set: &'a str,
    collation: &'a str,
}

/// States what makes a workload's figures comparable with another tool's.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WorkloadRecord {
    pub(crate) name: String,
    pub(crate) imitates: String,
    pub(crate) options: Named<String, String>,
    pub(crate) quirks: Vec<String>,
}

impl WorkloadRecord {
    pub(crate) fn of(workload: &dyn Workload) -> Self {
        let facts = &workload.spec().metadata;
        Self {
            name: workload.spec().name.to_owned(),
            imitates: facts.imitates.clone(),
            options: Named(facts.options.clone()),
            quirks: facts.quirks.clone(),
        }
    }
}

impl<'a> Start<'a> {
    pub(crate) fn of(order: &'a LoadOrder, load: &'a Load, start: &'a dbdyno_drive::Start) -> Self {
        Self {
            record: "start",
            schema_version: SCHEMA_VERSION,
            program: PROGRAM,
            monotonic_ns: start.monotonic_ns,
            realtime_ns: start.realtime_ns,
            session: SessionRecord::of(&start.session),
            workload: WorkloadRecord::of(&*load.workload),
            protocol: protocol_word(load),
            rng: order.rng,
            seed: order.seed,
            concurrency: load.connections(),
            workers: load.workers,
            pacing: &order.pacing,
            route: order.target.route(),
            role: RoleRecord::of(order, load, start),
            transaction_types: &load.workload.spec().transaction_types,
            statement_types: &load.workload.spec().statement_types,
            connect_ns: start.connect_ns,
            connect_retries: start.connect_retries,
            prepared_statements: start.prepared_statements,
            statements_as_text: start.statements_as_text,
            server_counts: load
                .workload
                .spec()
                .server_counts
                .as_ref()
                .map(|counts| ServerCountsRecord::of(counts, load)),
            network: start.network.as_ref().map(NetworkPathRecord::of),
            share: ShareRecord::of(order, load, start),
        }
    }
}

impl<'a> SessionRecord<'a> {
    fn of(session: &'a SessionReadBack) -> Self {
        Self {
            server_version: &session.server_version,
            auth_plugin: &session.auth_plugin,
            tls_version: session.tls_version.as_deref(),
            tls_cipher: session.tls_cipher.as_deref(),
            compression: session.compression,
            isolation: &session.isolation,
            autocommit: session.autocommit,
            snapshot_isolation: session.snapshot_isolation,
            character_set: &session.character_set,
            collation: &session.collation,
        }
    }
}

/// Holds a message for people.
#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    record: &'static str,
    level: &'static str,
    text: &'a str,
}

impl<'a> Message<'a> {
    pub(crate) fn of(level: Level, text: &'a str) -> Self {
        let level = match level {
            Level::Info => "info",
            Level::Warning => "warning",
        };
        Self {
            record: "message",
            level,
            text,
        }
    }
}

/// Holds the server's own counts after so many seconds of the run.
#[derive(Debug, Serialize)]
pub(crate) struct CountersLine {
    record: &'static str,
    second: u32,
    monotonic_ns: u64,
    values: Named<&'static str, u64>,
}

impl CountersLine {
    pub(crate) fn of(
        second: u32,
        monotonic_ns: u64,
        names: impl Iterator<Item = &'static str>,
        values: &[u64],
    ) -> Self {
        Self {
            record: "counters",
            second,
            monotonic_ns,
            values: Named(names.zip(values.iter().copied()).collect()),
        }
    }
}

/// Accounts for the run.
#[derive(Debug, Serialize)]
pub(crate) struct End {
    record: &'static str,
    status: &'static str,
    reason: String,
    error_code: Option<u16>,
    failure_kind: Option<&'static str>,
    scheduled: u64,
    completed: u64,
    failed: u64,
    unsent: u64,
    in_flight_at_end: u64,
    abandoned: u64,
    longest_silence_ns: u64,
    outages: Vec<OutageRecord>,
    /// Traffic on the path to the server; null over a socket.
    network: Option<NetworkTrafficRecord>,
    search: Option<AnswerRecord>,
    figures: Vec<FigureRecord>,
    digests: Vec<DigestRecord>,
    process_cpu_ns: u64,
    peak_rss_bytes: u64,
    /// Present only for a share, which is to begin with the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    began_late_ns: Option<u64>,
    /// Of each: the begin, since when a request was out or due, and the end, as its merged record needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    silences: Option<Vec<(u64, u64, u64)>>,
    /// How long the events `unsent` and `in_flight_at_end` had been due, as requirements on the merged run need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unended: Option<String>,
}

impl End {
    pub(crate) fn of(
        outcome: &RunOutcome,
        is_share: bool,
        figures: &[Metric],
        digests: &[UserDigest],
    ) -> Self {
        let (status, reason, failure) = match &outcome.status {
            Status::Complete => ("complete", String::new(), None),
            Status::Interrupted => ("interrupted", "stopped by a signal".to_owned(), None),
            Status::Failed(failure) => ("failed", failure.to_string(), Some(failure)),
        };
        Self {
            record: "end",
            status,
            reason,
            error_code: failure.and_then(|failure| failure.code),
            failure_kind: failure.map(|failure| word_of(failure.cause)),
            scheduled: outcome.scheduled,
            completed: outcome.completed,
            failed: outcome.failed,
            unsent: outcome.unsent,
            in_flight_at_end: outcome.in_flight_at_end,
            abandoned: outcome.abandoned,
            longest_silence_ns: outcome.longest_silence_ns,
            outages: outcome.outages.iter().map(OutageRecord::of).collect(),
            network: outcome.network.map(NetworkTrafficRecord::of),
            search: outcome.search.as_ref().map(AnswerRecord::of),
            figures: figures.iter().map(FigureRecord::of).collect(),
            digests: digests.iter().map(DigestRecord::of).collect(),
            process_cpu_ns: outcome.process_cpu_ns,
            peak_rss_bytes: outcome.peak_rss_bytes,
            began_late_ns: is_share.then_some(outcome.began_late_ns),
            silences: is_share.then(|| {
                let silences = outcome.silences.iter();
                silences
                    .map(|silence| (silence.start_ns, silence.asked_ns, silence.end_ns))
                    .collect()
            }),
            unended: (is_share && outcome.unended.count() > 0).then(|| outcome.unended.encode()),
        }
    }
}

/// Counts the segments of the connections that were open at the end, from their log-ins on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct NetworkTrafficRecord {
    pub(crate) segments_sent: u64,
    pub(crate) segments_retransmitted: u64,
    pub(crate) segments_out_of_order: u64,
}

impl NetworkTrafficRecord {
    fn of(traffic: NetworkTraffic) -> Self {
        Self {
            segments_sent: traffic.segments_sent,
            segments_retransmitted: traffic.segments_retransmitted,
            segments_out_of_order: traffic.segments_out_of_order,
        }
    }
}

/// Holds a figure that the workload reports about the run.
#[derive(Debug, Serialize)]
struct FigureRecord {
    name: String,
    meaning: String,
    value: Option<f64>,
    held: Option<bool>,
}

impl FigureRecord {
    fn of(figure: &Metric) -> Self {
        Self {
            name: figure.name.clone(),
            meaning: figure.meaning.clone(),
            value: figure.value,
            held: figure.held,
        }
    }
}

/// Holds the digest of one user's statements.
#[derive(Debug, Serialize)]
pub(crate) struct DigestRecord {
    /// From 1.
    pub(crate) user: u32,
    pub(crate) events: u64,
    pub(crate) sha256: String,
}

impl DigestRecord {
    pub(crate) fn of(digest: &UserDigest) -> Self {
        Self {
            user: digest.user + 1,
            events: digest.events,
            sha256: digest.to_string(),
        }
    }
}
