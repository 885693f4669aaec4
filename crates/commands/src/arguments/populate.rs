//! Defines the arguments of `populate` and `cleanup`.

use super::parse::nanoseconds;
use super::{CheckTimeout, DdlTimeout, ServerArguments, ServerTimeout, WorkloadOptions};
use crate::cli_error::CliError;
use crate::order::{LoadBy, OrderFile, PopulateOrder, SCHEMA_VERSION, WorkloadChoice, read_order};
use clap::Args;
use dbdyno_workload::RandomKind;
use std::num::NonZeroU32;

const POPULATE_ABOUT: &str = "\
Create a workload's tables, fill them, add their indexes, and check the rows against what was sent.

Tables, and ranges of keys within a table, are filled in parallel; the rows are the same for any
number of connections and any --load-by. A lost connection is replaced and its part repeated,
without duplicate or missing rows. --resume continues a filling that did not finish. A missing
schema is created if its name begins with dbdyno_. Existing tables are never touched.";

const POPULATE_EXAMPLE: &str = "\
Example:
  dbdyno-load populate sysbench/oltp_read_write --tables 4 --rows 50000 --storage-engine rocksdb \\
      --socket /run/mysqld/mysqld.sock --user app --password-file app.password";

const CLEANUP_EXAMPLE: &str = "\
Example:
  dbdyno-load cleanup sysbench/oltp_read_write --tables 4 --socket /run/mysqld/mysqld.sock";

/// Fills the tables of a workload.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Create and fill a workload's tables",
    long_about = POPULATE_ABOUT,
    after_long_help = POPULATE_EXAMPLE
)]
pub(crate) struct PopulateArguments {
    /// Workload, such as sysbench/oltp_read_write, or sql:DIRECTORY for your own SQL files
    #[arg(value_name = "WORKLOAD", required_unless_present = "order")]
    pub(crate) workload: Option<String>,

    /// Read all arguments from an order file, - for standard input; records go to standard output
    #[arg(long, value_name = "FILE|-", exclusive = true)]
    pub(crate) order: Option<OrderFile>,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) filling: FillingArguments,

    #[command(flatten)]
    pub(crate) ddl: DdlTimeout,

    #[command(flatten)]
    pub(crate) check: CheckTimeout,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}

/// How tables are filled.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Filling")]
pub(crate) struct FillingArguments {
    /// Connections, each filling one part of a table at a time
    #[arg(long, alias = "threads", value_name = "COUNT", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) connections: u32,

    /// Random number generator
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "sysbench")]
    pub(crate) rng: RandomKind,

    /// Seed of the random numbers
    #[arg(long, alias = "rand-seed", value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// How rows are sent to the server
    ///
    /// All ways load the same rows. auto chooses a file or the values of a prepared INSERT, depending on the server, the
    /// length of the values, and whether connections have to share a table that LOAD DATA would lock.
    #[arg(long, value_enum, value_name = "WAY", default_value = "auto")]
    pub(crate) load_by: LoadBy,

    /// Fill without redo log, unsafe in a crash (MySQL since 8.0.21): a crash then destroys all data of the server
    ///
    /// Sends ALTER INSTANCE DISABLE INNODB REDO_LOG. However the filling ends, the redo log is switched on again and its
    /// state is checked, unless dbdyno-load itself is killed. For servers that hold nothing else. It saves MySQL an eighth
    /// to a third of its CPU time.
    #[arg(long)]
    pub(crate) accelerate: bool,

    /// Continue a filling that did not finish
    #[arg(long)]
    pub(crate) resume: bool,

    /// How long to wait for a server that is gone, or answers no connection
    ///
    /// While a statement runs, another connection logs in from time to time. If these log-ins get no answer for this
    /// long, dbdyno-load gives up, even if the statement has time left.
    #[arg(long, alias = "patience", value_name = "DURATION", default_value = "60s", value_parser = nanoseconds)]
    pub(crate) server_timeout: u64,

    /// Commit after this many rows [default: one transaction for each part of a table, up to 100,000s of rows]
    ///
    /// For storage engines that limit the size of a transaction. With the same number, --resume continues after the last
    /// transaction that was committed.
    #[arg(long, value_name = "COUNT")]
    pub(crate) transaction_rows: Option<NonZeroU32>,

    /// Do not read the tables back to check their rows
    #[arg(long)]
    pub(crate) no_check: bool,

    /// Print records, one JSON object per line, instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl PopulateArguments {
    /// What is to be filled, whichever way it was said.
    pub(crate) fn order(&self) -> Result<PopulateOrder, CliError> {
        match &self.order {
            Some(file) => read_order(file),
            None => self.spoken_order(),
        }
    }

    fn spoken_order(&self) -> Result<PopulateOrder, CliError> {
        Ok(PopulateOrder {
            schema_version: SCHEMA_VERSION,
            target: self.server.target()?,
            workload: WorkloadChoice::new(
                self.workload.clone().unwrap_or_default(),
                &self.options.0,
            ),
            storage_engine: None, // it is among the options of the workload
            rng: self.filling.rng,
            seed: self.filling.seed,
            connections: self.filling.connections,
            check: !self.filling.no_check,
            load_by: self.filling.load_by,
            accelerate: self.filling.accelerate,
            resume: self.filling.resume,
            transaction_rows: self.filling.transaction_rows,
            server_timeout_ns: self.filling.server_timeout,
            ddl_timeout_ns: self.ddl.ddl_timeout,
            check_timeout_ns: self.check.check_timeout,
        })
    }
}

/// Drops the tables of a workload.
#[derive(Debug, Clone, Args)]
#[command(about = "Drop a workload's tables", after_long_help = CLEANUP_EXAMPLE)]
pub(crate) struct CleanupArguments {
    /// Workload, such as sysbench/oltp_read_write, or sql:DIRECTORY for your own SQL files
    #[arg(value_name = "WORKLOAD")]
    pub(crate) workload: String,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    #[command(flatten)]
    pub(crate) ddl: DdlTimeout,

    #[command(flatten)]
    pub(crate) server_timeout: ServerTimeout,

    #[command(flatten)]
    pub(crate) options: WorkloadOptions,
}
