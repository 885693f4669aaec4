//! Defines the records of a run in sysbench's form, and their fields.

use crate::record::OutageRecord;
use dbdyno_meter::{ErrorCodeCounts, HistogramSnapshot, clock};
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::db::Encryption;
use dbdyno_sysbench::text::Counts;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Serialize)]
pub(super) struct StartRecord<'a> {
    pub(super) record: &'static str,
    pub(super) schema_version: u32,
    pub(super) program: &'static str,
    pub(super) imitates: String,
    pub(super) benchmark: &'a str,
    pub(super) threads: u32,
    pub(super) rate: u32,
    /// The intervals of this time are not part of the end's figures.
    pub(super) warm_up_ns: u64,
    pub(super) time_limit_ns: u64,
    pub(super) events_limit: u64,
    pub(super) seed: u32,
    pub(super) ignored_errors: String,
}

#[derive(Debug, Serialize)]
pub(super) struct IntervalRecord {
    pub(super) record: &'static str,
    /// From 0, counted from when the users began.
    pub(super) second: u64,
    pub(super) monotonic_ns: u64,
    pub(super) realtime_ns: u64,
    pub(super) duration_ns: u64,
    pub(super) threads_running: u32,
    #[serde(flatten)]
    pub(super) figures: Figures,
}

#[derive(Debug, Serialize)]
pub(super) struct EndRecord {
    pub(super) record: &'static str,
    pub(super) exit_code: u8,
    /// Why the run failed, if it lacked a connection.
    pub(super) reason: String,
    pub(super) failure_kind: Option<&'static str>,
    pub(super) outages: Vec<OutageRecord>,
    pub(super) duration_ns: u64,
    /// Arrivals that no user took, with `--rate`.
    pub(super) backlog: Option<u64>,
    pub(super) process_cpu_ns: u64,
    pub(super) connections: ConnectionsRecord,
    #[serde(flatten)]
    pub(super) figures: Figures,
}

/// How many connections were made, and whether others could read their traffic.
#[derive(Debug, Serialize)]
pub(super) struct ConnectionsRecord {
    pub(super) encrypted: u64,
    pub(super) plain: u64,
    pub(super) tls_version: Option<String>,
    pub(super) tls_cipher: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Figures {
    pub(super) events: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) others: u64,
    pub(super) errors: u64,
    pub(super) reconnects: u64,
    pub(super) errors_by_code: BTreeMap<String, u64>,
    /// HdrHistogram V2, deflated, base64, nanoseconds; with `--rate` the wait in the queue included.
    pub(super) response: Option<String>,
}

/// Holds the counts of one moment.
#[derive(Default, Clone)]
pub(super) struct CountsSnapshot {
    pub(super) at_ns: u64,
    pub(super) counts: Counts,
    pub(super) codes: BTreeMap<String, u64>,
    pub(super) times: HistogramSnapshot,
}

impl ConnectionsRecord {
    pub(super) fn of(encryption: Encryption) -> Self {
        let (version, cipher) = encryption
            .facts
            .map(|facts| (facts.version, facts.cipher))
            .unzip();
        Self {
            encrypted: encryption.encrypted,
            plain: encryption.plain,
            tls_version: version,
            tls_cipher: cipher,
        }
    }
}

impl CountsSnapshot {
    /// Reads them. After the end of the run they are those of its end, however long a script takes to tidy up.
    pub(super) fn read(engine: &Engine) -> Self {
        let figures = &engine.figures;
        Self {
            at_ns: engine
                .control
                .ended_ns()
                .unwrap_or_else(clock::monotonic_ns),
            counts: figures.counts(),
            codes: by_code(&figures.codes()),
            times: figures.read_times(),
        }
    }

    /// Returns what had been counted when the measured time began: with the users, or at the end of a warm-up, whose
    /// events have no times. `None`: it did not begin.
    pub(super) fn where_measuring_began(engine: &Engine) -> Option<Self> {
        if engine.settings.warmup_s == 0 {
            let at_ns = engine.control.began_ns()?;
            return Some(Self {
                at_ns,
                ..Self::default()
            });
        }
        let warm_up = engine.figures.warm_up()?;
        Some(Self {
            at_ns: warm_up.ended_ns,
            counts: warm_up.counts,
            codes: by_code(&warm_up.codes),
            times: HistogramSnapshot::default(),
        })
    }

    pub(super) fn since(&self, earlier: &Self) -> Figures {
        let counts = self.counts.since(&earlier.counts);
        let times = self.times.since(&earlier.times);
        let new_codes = self.codes.iter().map(|(code, count)| {
            let known = earlier.codes.get(code).copied().unwrap_or(0);
            (code.clone(), count - known)
        });
        Figures {
            events: counts.events,
            reads: counts.reads,
            writes: counts.writes,
            others: counts.other,
            errors: counts.errors,
            reconnects: counts.reconnects,
            errors_by_code: new_codes.filter(|(_, count)| *count > 0).collect(),
            response: (times.count() > 0).then(|| times.encode()),
        }
    }
}

fn by_code(counts: &ErrorCodeCounts) -> BTreeMap<String, u64> {
    let counts = counts.iter();
    counts
        .map(|(code, count)| (code.to_string(), count))
        .collect()
}

/// Names the errors that are ignored, as `--mysql-ignore-errors` does.
pub(super) fn ignored_errors(engine: &Engine) -> String {
    match &engine.settings.database.ignore {
        dbdyno_sysbench::IgnoreErrors::All => "all".to_owned(),
        dbdyno_sysbench::IgnoreErrors::Codes(codes) => {
            let codes: Vec<String> = codes.iter().map(u16::to_string).collect();
            codes.join(",")
        }
    }
}
