//! Defines the arguments of `run`.

use super::pacing::PacingArguments;
use super::parse::{
    Limit, TimeLimit, ValueList, code_list, cpu_list, further_error, limit, nanoseconds,
    role_target, seconds, switch, time_limit,
};
use super::requirement::Requirement;
use super::share::ShareArguments;
use super::{ServerArguments, WorkloadOptions};
use crate::cli_error::CliError;
use crate::order::{
    ErrorOrder, LoadOrder, OrderFile, PacingOrder, PhaseOrder, Place, SCHEMA_VERSION,
    WorkloadChoice, read_order_text,
};
use clap::Args;
use dbdyno_drive::{FurtherError, PreparedFull, Protocol};
use dbdyno_workload::{RandomKind, RetryValues};
use std::io;
use std::path::PathBuf;

/// Repeats of an event where the imitated tool would go on for ever.
const RETRY_LIMIT: u32 = 100;

const LONG_ABOUT: &str = "\
Drive a workload with many connections and report each second.

Without --rate the loop is closed: a connection starts its next event when the previous one is
done (after its think time, with --think), so waits behind a stall are not counted. With --rate
the loop is open: events are due at scheduled times, and an event's response time starts when it
was due, even if no connection was free or this program was late. A rate may change in steps,
ramps and pauses, and differ by transaction type. `dbdyno-load search` finds the highest rate
that a server sustains.";

const EXAMPLES: &str = "\
Examples:
  16 connections, 10 seconds of warm-up, then one measured minute:
    dbdyno-load run sysbench/oltp_read_write --tables 4 --rows 50000 --threads 16 --warm-up 10s --time 60s \\
        --socket /run/mysqld/mysqld.sock --user app --password-file app.password

  2,000 events per second at random intervals, as from independent visitors; records go to a file:
    dbdyno-load run sysbench/oltp_point_select --host db.example --rate 2000 --threads 64 \\
        --json-lines run.jsonl

  30 seconds at 500 events per second, a one-minute ramp to 2,000, then 2,000 to the end:
    dbdyno-load run sysbench/oltp_point_select --host db.example --rate 500:30s,500..2000:60s,2000 --threads 64

  200 users with a mean think time of ten seconds:
    dbdyno-load run sysbench/oltp_read_write --host db.example --threads 200 --think 10s

  A gate for continuous integration; the exit code is 1 if a requirement does not hold:
    dbdyno-load run sysbench/oltp_point_select --host db.example --rate 2000 --threads 64 \\
        --require 'p99<20ms' --require 'errors<0.1%'

  The second of three hosts that act as one client of 48 connections; all start at the same time:
    dbdyno-load run sysbench/oltp_read_write --host db.example --threads 48 --share 2/3 --start-at 1795000000 \\
        --json-lines 2.jsonl

  Three hosts as one client of 48 connections, run from here by SSH; each has the password file:
    dbdyno-load run sysbench/oltp_read_write --host db.example --threads 48 --password-file app.password \\
        --agents c1,c2,c3

  The way the lab starts it:
    dbdyno-load run --order - < contract/samples/load-order.json";

/// Drives a workload.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Drive a workload and report each second",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct RunArguments {
    /// Workload, such as sysbench/oltp_read_write, or sql:DIRECTORY for your own SQL files
    #[arg(value_name = "WORKLOAD", required_unless_present = "order")]
    pub(crate) workload: Option<String>,

    /// Read all arguments from an order file, - for standard input; records go to standard output
    ///
    /// No other argument is allowed. The project's folder contract/ describes the fields of orders and
    /// records. An unknown field is an error.
    #[arg(long, value_name = "FILE|-", exclusive = true)]
    pub(crate) order: Option<OrderFile>,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) load: LoadArguments,

    #[command(flatten)]
    pub(crate) pacing: PacingArguments,

    #[command(flatten)]
    pub(crate) share: ShareArguments,

    #[command(flatten)]
    pub(crate) errors: ErrorArguments,

    /// Time between progress lines, 0 for none
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "1s", help_heading = "Output")]
    pub(crate) report_interval: u32,

    /// Report a SHA-256 of the statements in the first EVENTS events of each user
    ///
    /// Two runs with equal digests sent the same statements and values in the same order, whatever the protocol and
    /// the number of workers. `dbdyno-load sample --digest` prints the same digest without a server. Attempts that
    /// were repeated are not included.
    #[arg(
        long,
        value_name = "EVENTS",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Output"
    )]
    pub(crate) digest: Option<u64>,

    /// Read the server's own counts at this interval, too; always where phases begin and end
    ///
    /// These are NOPM and TPM of TPC-C. The interval is in whole seconds. Each reading is a record of kind counters; the
    /// summary uses the readings at the start and the end of the last phase. Reading NOPM sums up all districts, so
    /// choose a long interval with thousands of warehouses.
    #[arg(long, value_name = "DURATION", value_parser = nanoseconds, help_heading = "Output")]
    pub(crate) counts_every: Option<u64>,

    /// Exit with 1 unless the measured window meets this: p99<20ms, errors<0.1%, tps>=1000; may be given several times
    ///
    /// Write a metric, then < <= > or >=, then a limit. p50 p95 p99 p999 max take ns, us, ms or s; they are response
    /// times in an open loop and with --think, otherwise service times. errors is the share of transactions that met an
    /// error, including those that a repeat completed; failed is the share that was given up; both take %. tps, qps and
    /// reconnects take plain numbers. A line for each requirement follows the summary: PASS or FAIL and the value. A
    /// metric that was not measured fails. Events that had not ended at the end of the window count in p50 to max with the
    /// time that they had waited. If many due events were not done, errors and failed do not hold.
    #[arg(long, value_name = "EXPRESSION", help_heading = "Output")]
    pub(crate) require: Vec<Requirement>,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// Connections, statements, threads.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArguments {
    /// Connections, each with one event in flight [default: 1, or as many as the workload has parts]
    #[arg(long, visible_alias = "threads", aliases = ["connections", "users"], value_name = "COUNT")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) concurrency: Option<u32>,

    /// Server for transactions of a SQL directory with this role: HOST, HOST:PORT or the path of a socket
    ///
    /// User, password, schema and encryption are those of the main server. Each user has a connection to both servers.
    #[arg(long = "target", value_name = "ROLE=ADDRESS", value_parser = role_target)]
    pub(crate) role_targets: Vec<(String, Place)>,

    /// How statements are sent
    #[arg(
        long,
        alias = "db-ps-mode",
        value_enum,
        value_name = "HOW",
        default_value = "prepared"
    )]
    pub(crate) protocol: Protocol,

    /// Random number generator
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "sysbench")]
    pub(crate) rng: RandomKind,

    /// Seed of the random numbers
    #[arg(long, alias = "rand-seed", value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Worker threads [default: one per 4 processors, at most one per 32 connections]
    ///
    /// One worker drives hundreds of thousands of statements per second, and each further one takes
    /// processor time from a server on the same machine. With --cpus the default is one per processor
    /// given, at most one per 32 connections. In an open loop a worker's events wait for a connection of
    /// the same worker.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) workers: Option<u32>,

    /// Processors for the workers, one each in turn: 1 or 0,2-3
    #[arg(long, value_name = "LIST", value_parser = |text: &str| cpu_list(text).map(ValueList))]
    pub(crate) cpus: Option<ValueList<usize>>,

    /// How long events that are unfinished at the end may take
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = nanoseconds)]
    pub(crate) drain: u64,

    /// Longest wait for any byte of a statement's answer; `none` waits for ever
    ///
    /// After this time the connection counts as lost (error 2013), which ends the run unless 2013 is ignored. The default
    /// is long, so that slow answers are measured: lock waits of 50 s, several in one statement, or write stops of
    /// minutes. A silence of 300 s is a hang; InnoDB itself ends a server after 600 s. Lower the time to notice a hang
    /// sooner, raise it for statements that compute longer before their first row. --path-timeout notices a dead path
    /// sooner. The time is checked once a second, also on Unix sockets.
    #[arg(long, value_name = "DURATION|none", default_value = "300s", value_parser = time_limit)]
    pub(crate) answer_timeout: TimeLimit,
}

/// What happens after an error of the server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Errors")]
pub(crate) struct ErrorArguments {
    /// Error codes after which an event is repeated; any other ends the run [default: the imitated tool's]
    ///
    /// sysbench's are 1213,1020,1205: deadlock, record changed, lock wait timeout. With 2006 and 2013, lost
    /// connections are opened and prepared again. `none` stands for no code. HammerDB continues after any error.
    #[arg(long, alias = "mysql-ignore-errors", value_name = "CODES")]
    #[arg(value_parser = |text: &str| code_list(text).map(ValueList))]
    pub(crate) ignore_errors: Option<ValueList<u16>>,

    /// Further errors after which an event is repeated: 1180/149,1296
    ///
    /// 1180/149 is error 1180 whose message names the storage engine's error 149, a conflict at COMMIT. 1180 alone is
    /// any error at COMMIT, even a full disk.
    #[arg(long, value_name = "CODE[/CAUSE]", value_delimiter = ',', value_parser = further_error)]
    pub(crate) also_repeat: Vec<FurtherError>,

    /// Send ROLLBACK before an event is repeated [default: as the imitated tool; sysbench's OLTP scripts do not]
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on", value_parser = switch)]
    pub(crate) rollback_first: Option<bool>,

    /// Repeats after which an event counts as failed; `none` repeats until it succeeds [default: as the imitated tool;
    /// sysbench workloads: 100, where sysbench itself has no limit]
    #[arg(long, value_name = "COUNT|none", value_parser = limit)]
    pub(crate) retry_limit: Option<Limit>,

    /// Values of a repeated event [default: as the imitated tool; sysbench: new]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) repeat_draws: Option<RetryValues>,

    /// Longest random wait before the third attempt; doubles with each further one, up to 64 times this
    ///
    /// The waits separate events that keep conflicting with each other. They are part of the event's response time.
    /// 0s: no wait.
    #[arg(long, value_name = "DURATION", default_value = "1ms", value_parser = nanoseconds)]
    pub(crate) retry_pause: u64,

    /// What to do when max_prepared_stmt_count is reached
    #[arg(long, value_enum, value_name = "WHAT", default_value = "stop")]
    pub(crate) prepared_full: PreparedFull,
}

/// What is kept.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Write the records to this file, one JSON object per line; - for standard output, instead of text
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json_lines: Option<PathBuf>,

    /// Write an HdrHistogram log to this file: times by type, second by second, for HdrHistogram's own tools
    ///
    /// Lines without a tag hold the response times of all events; tags are response:TYPE, service:TYPE
    /// and first_attempt:TYPE by transaction type, statement:TYPE, and lateness of an open loop.
    #[arg(long, value_name = "FILE")]
    pub(crate) hdr_log: Option<PathBuf>,

    /// Write a Parquet table of the seconds to this file; Arrow, DuckDB, pandas and others read it
    ///
    /// Each second has a row of kind all, and one for each transaction and statement type: counts, rates,
    /// quantiles in nanoseconds, histograms as HdrHistogram V2. The file can be read once the run has ended.
    #[arg(long, value_name = "FILE")]
    pub(crate) parquet: Option<PathBuf>,
}

impl RunArguments {
    /// What is to be driven, whichever way it was said, and the text of an order file. What the arguments leave open, the
    /// workload's own rates and phases fill; an order file leaves nothing open.
    pub(crate) fn order(&self) -> anyhow::Result<(LoadOrder, Option<String>)> {
        match &self.order {
            Some(file) => {
                let (order, text) = read_order_text(file)?;
                Ok((order, Some(text)))
            }
            None => Ok((self.completed_order()?, None)),
        }
    }

    fn completed_order(&self) -> anyhow::Result<LoadOrder> {
        let mut order = self.spoken_order()?;
        if self.share.sources_from_input {
            order.workload.receive_sources(&mut io::stdin().lock())?;
        }
        order.share = self.share.share;
        order.start_at_ns = self.share.start_at;
        order.is_commanded = self.share.commanded;
        order.agents = self.share.agent_orders();
        order.digest_events = self.digest;
        order.counts_every_ns = self.counts_every;
        if self.load.concurrency.is_none() {
            order.follow_users()?;
        }
        if self.pacing.leaves_rates() {
            order.follow_course(self.pacing.leaves_phases())?;
        }
        Ok(order)
    }

    fn spoken_order(&self) -> Result<LoadOrder, CliError> {
        self.pacing.refuse_no_window()?;
        let when = When {
            pacing: self.pacing.pacing(),
            phases: self.pacing.phases(),
            events: self.pacing.events,
        };
        let what = WorkloadChoice::new(self.workload.clone().unwrap_or_default(), &self.options.0);
        spoken_order(what, &self.server, &self.load, &self.errors, when)
    }
}

/// When events are due, and how long.
pub(super) struct When {
    pub(super) pacing: PacingOrder,
    pub(super) phases: Vec<PhaseOrder>,
    pub(super) events: Option<u64>,
}

/// The arguments as an order.
pub(super) fn spoken_order(
    workload: WorkloadChoice,
    server: &ServerArguments,
    load: &LoadArguments,
    errors: &ErrorArguments,
    when: When,
) -> Result<LoadOrder, CliError> {
    Ok(LoadOrder {
        schema_version: SCHEMA_VERSION,
        target: server.target()?,
        role_targets: load.role_targets.iter().cloned().collect(),
        workload,
        protocol: load.protocol,
        rng: load.rng,
        seed: load.seed,
        concurrency: load.concurrency.unwrap_or(1),
        workers: load.workers,
        cpus: load.cpus.clone().map(|ValueList(cpus)| cpus),
        pacing: when.pacing,
        phases: when.phases,
        errors: ErrorOrder {
            ignore: errors.ignore_errors.clone().map(|ValueList(codes)| codes),
            also: errors.also_repeat.clone(),
            rollback_first: errors.rollback_first,
            retry_limit: errors.retry_limit.map(|Limit(limit)| limit),
            retry_limit_otherwise: Some(RETRY_LIMIT),
            draws: errors.repeat_draws,
            pause_ns: errors.retry_pause,
        },
        prepared_full: errors.prepared_full,
        drain_ns: load.drain,
        answer_timeout_ns: load.answer_timeout.0,
        events: when.events,
        digest_events: None,
        counts_every_ns: None,
        share: None,
        start_at_ns: None,
        is_commanded: false,
        agents: Vec::new(),
    })
}
