//! Defines the steps of the benchmark, and how much each asks of one client.

use super::options::InsertBenchmarkOptions;
use std::fmt;

/// One run of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BenchmarkStep {
    /// `l.i0`: tables made, rows inserted in key order, no secondary keys.
    Load,
    /// `l.x`: a few rows, then the secondary keys.
    Keys,
    /// `l.i1`: inserts, and deletes if asked for, with all keys.
    Write,
    /// `l.i2`: the same with small transactions.
    WriteSmall,
    /// `settle`: statistics, and the server's own arrears.
    Settle,
    /// `qr<R>`, `qp<R>`: queries together with so many inserts a second and client.
    Query { reads: ReadKind, rate_per_s: u32 },
}

/// Says what is queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadKind {
    /// Ranges of the secondary keys.
    Range,
    /// Points of the primary key.
    Point,
}

/// Highest rate that is taken for meant.
const HIGHEST_PER_S: u32 = 1_000_000;

/// The values that the option allows.
pub(super) const ALLOWED: &str = "l.i0, l.x, l.i1, l.i2, settle, or qr or qp with inserts a second, such as qr100, 0 to 1000000 of them,";

/// Rows of `l.x`, over all clients.
const KEYS_ROWS: u64 = 100;

impl BenchmarkStep {
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let query = |reads, rate: &str| {
            let rate_per_s = rate
                .parse()
                .ok()
                .filter(|rate| (0..=HIGHEST_PER_S).contains(rate));
            let rate_per_s = rate_per_s.ok_or(ALLOWED)?;
            Ok(Self::Query { reads, rate_per_s })
        };
        match text {
            "l.i0" => Ok(Self::Load),
            "l.x" => Ok(Self::Keys),
            "l.i1" => Ok(Self::Write),
            "l.i2" => Ok(Self::WriteSmall),
            "settle" => Ok(Self::Settle),
            _ => match (text.strip_prefix("qr"), text.strip_prefix("qp")) {
                (Some(rate), _) => query(ReadKind::Range, rate),
                (_, Some(rate)) => query(ReadKind::Point, rate),
                _ => Err(ALLOWED),
            },
        }
    }

    /// Returns whether rows are deleted behind those inserted, if the options ask for that.
    pub(super) fn may_delete(self) -> bool {
        matches!(self, Self::Write | Self::WriteSmall | Self::Query { .. })
    }

    pub(super) fn reads(self) -> Option<ReadKind> {
        match self {
            Self::Query { reads, .. } => Some(reads),
            _ => None,
        }
    }

    /// Inserts a second and client; `None`: as many as the server takes.
    pub(super) fn rate_per_s(self) -> Option<u32> {
        match self {
            Self::Query { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
    }

    /// Days after the first one on which the step's rows are dated: each step has its own days, in the usual order.
    pub(super) fn first_day(self) -> u64 {
        match self {
            Self::Load => 0,
            Self::Keys => 100,
            Self::Write => 101,
            Self::WriteSmall => 201,
            Self::Settle | Self::Query { .. } => 301,
        }
    }

    fn rows_per_commit(self) -> u64 {
        match self {
            Self::Load | Self::Keys => 100,
            Self::Write | Self::Query { .. } => 50,
            Self::WriteSmall => 5,
            Self::Settle => 1,
        }
    }

    /// Counts rows over all clients that are started.
    fn rows(self, options: &InsertBenchmarkOptions, clients: u32) -> u64 {
        let small = options.nr2 / 5;
        match self {
            Self::Load => options.nr1,
            Self::Keys => KEYS_ROWS,
            Self::Write => options.nr2 - small,
            Self::WriteSmall => small,
            Self::Settle => 0,
            Self::Query { rate_per_s, .. } => {
                u64::from(options.step_seconds) * u64::from(rate_per_s) * u64::from(clients)
            }
        }
    }
}

impl fmt::Display for BenchmarkStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => f.write_str("l.i0"),
            Self::Keys => f.write_str("l.x"),
            Self::Write => f.write_str("l.i1"),
            Self::WriteSmall => f.write_str("l.i2"),
            Self::Settle => f.write_str("settle"),
            Self::Query { reads, rate_per_s } => {
                let letters = match reads {
                    ReadKind::Range => "qr",
                    ReadKind::Point => "qp",
                };
                write!(f, "{letters}{rate_per_s}")
            }
        }
    }
}

/// A step with its options: what each client has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepPlan {
    pub(super) step: BenchmarkStep,
    /// Clients that are started.
    pub(super) clients: u32,
    /// Rows over all clients, as asked for.
    pub(super) rows_total: u64,
    pub(super) rows_per_commit: u64,
    /// Statements of each client. Its rows are rounded up to full ones; what doesn't divide by the clients is left out.
    pub(super) rounds: u64,
}

impl StepPlan {
    pub(super) fn of(step: BenchmarkStep, options: &InsertBenchmarkOptions) -> Self {
        let clients = match step {
            BenchmarkStep::Settle => 1,
            BenchmarkStep::Keys if options.one_table => 1, // the keys are made once
            _ => options.clients,
        };
        let mut rows_per_commit = match options.rows_per_commit {
            0 => step.rows_per_commit(),
            count => u64::from(count),
        };
        if let Some(rate @ 1..) = step.rate_per_s() {
            rows_per_commit = rows_per_commit.min(u64::from(rate));
        }
        let rows_total = step.rows(options, clients);
        let asked = rows_total / u64::from(clients);
        let fewest = u64::from(step == BenchmarkStep::Keys);
        Self {
            step,
            clients,
            rows_total,
            rows_per_commit,
            rounds: asked.div_ceil(rows_per_commit).max(fewest),
        }
    }

    /// Counts rows that each client inserts.
    pub(super) fn rows_per_client(&self) -> u64 {
        self.rounds * self.rows_per_commit
    }

    /// Returns the statements per second and client, where there is a rate.
    pub(super) fn rounds_per_s(&self) -> Option<u64> {
        let rate = self.step.rate_per_s()?;
        Some(u64::from(rate).div_ceil(self.rows_per_commit))
    }
}

#[cfg(test)]
mod tests {
    use super::BenchmarkStep;

    #[test]
    fn steps_read_back_as_themselves() {
        for word in ["l.i0", "l.x", "l.i1", "l.i2", "settle", "qr100", "qp0"] {
            assert_eq!(BenchmarkStep::read(word).unwrap().to_string(), word);
        }
        for word in ["", "l.i3", "qr", "qr-1", "qs100", "qp1000001"] {
            assert!(BenchmarkStep::read(word).is_err(), "{word}");
        }
    }
}
