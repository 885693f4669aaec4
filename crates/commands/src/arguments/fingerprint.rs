//! Defines the arguments of `fingerprint`.

use super::{CheckTimeout, ServerArguments, ServerTimeout, WorkloadOptions};
use crate::cli_error::CliError;
use crate::order::{
    ANSWER_TIMEOUT_NS, ErrorOrder, LoadOrder, PacingOrder, PhaseOrder, SCHEMA_VERSION,
    WorkloadChoice,
};
use clap::Args;
use dbdyno_drive::{PreparedFull, Protocol};
use dbdyno_workload::RandomKind;
use std::collections::BTreeMap;

/// A day: longer than anybody waits.
const LONGEST_NS: u64 = 86_400_000_000_000;
const DRAIN_NS: u64 = 60_000_000_000;

const LONG_ABOUT: &str = "\
Send the same events to a server, one after the other, then compute checksums of its tables.

Two servers that were filled alike and answer alike end with the same two checksums: one of the
statements, many of which are built from earlier answers, and one of the tables. One connection
sends the events; the server's clock stands still for it (SET timestamp), so that times in rows
are equal, too. The events change the tables: fill them again, or restore them, before a
measurement. With --events 0 nothing is sent before the checksums are computed.";

const EXAMPLES: &str = "\
Examples:
  Compare two servers:
    dbdyno-load fingerprint tpcc/standard --warehouses 1 --socket /run/a.sock > a
    dbdyno-load fingerprint tpcc/standard --warehouses 1 --socket /run/b.sock > b
    diff a b

  Checksums of the tables without sending anything:
    dbdyno-load fingerprint sysbench/oltp_read_write --rows 50000 --events 0 --socket /run/a.sock";

/// Sends the same events to a server and sums up its tables.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Send the same events to a server, one by one, and checksum its tables",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct FingerprintArguments {
    /// Workload, such as tpcc/standard
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: String,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) sending: SendingArguments,

    #[command(flatten)]
    pub(crate) check: CheckTimeout,

    #[command(flatten)]
    pub(crate) server_timeout: ServerTimeout,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// What is sent.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Sending")]
pub(crate) struct SendingArguments {
    /// Events to send, 0 for none
    #[arg(long, value_name = "COUNT", default_value_t = 500)]
    pub(crate) events: u64,

    /// How statements are sent
    #[arg(long, value_enum, value_name = "HOW", default_value = "prepared")]
    pub(crate) protocol: Protocol,

    /// Random number generator
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "sysbench")]
    pub(crate) rng: RandomKind,

    /// Seed of the random numbers
    #[arg(long, alias = "rand-seed", value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl FingerprintArguments {
    /// The events as a load: one user, who takes as long as it takes.
    pub(crate) fn order(&self) -> Result<LoadOrder, CliError> {
        Ok(LoadOrder {
            schema_version: SCHEMA_VERSION,
            target: self.server.target()?,
            role_targets: BTreeMap::new(),
            workload: WorkloadChoice::new(self.workload.clone(), &self.options.0),
            protocol: self.sending.protocol,
            rng: self.sending.rng,
            seed: self.sending.seed,
            concurrency: 1,
            workers: Some(1),
            cpus: None,
            pacing: PacingOrder::Closed { think: None },
            phases: vec![PhaseOrder {
                name: "events".to_owned(),
                duration_ns: LONGEST_NS,
            }],
            errors: ErrorOrder::default(),
            prepared_full: PreparedFull::default(),
            drain_ns: DRAIN_NS,
            answer_timeout_ns: Some(ANSWER_TIMEOUT_NS),
            events: Some(self.sending.events),
            digest_events: None,
            counts_every_ns: None,
            share: None,
            start_at_ns: None,
            is_commanded: false,
            agents: Vec::new(),
        })
    }
}
