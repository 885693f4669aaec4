//! Defines what a client does: the events of a workload, the statements they are made of, and the rows that
//! fill its tables.
//!
//! A [`Workload`] is shared by all workers and never changes while it runs; it hands out one [`User`]
//! a connection. A user is asked for one statement at a time, so a statement may depend on the reply
//! to the one before it (TPC-C needs that, sysbench OLTP does not): such users are written as scripts. A [`Population`] makes the rows
//! of the tables. This crate leaves the sending, the timing and the repeats to `dbdyno-drive`.
//!
//! ```
//! use dbdyno_workload::{Call, RandomKind, RandomSource, NextAction, workload};
//!
//! let source = RandomSource { kind: RandomKind::Sysbench, seed: 1 };
//! let options = [("tables".to_owned(), "2".to_owned()), ("rows".to_owned(), "1000".to_owned())];
//! let read_write = workload("sysbench/oltp_read_write", &options, source, 1)?;
//! let (mut user, mut call) = (read_write.user(0), Call::default());
//! user.start_event(None);
//! assert_eq!(user.next(None, &mut call), NextAction::Send);
//! assert_eq!(read_write.spec().statements[usize::from(call.statement)].text, "BEGIN");
//! # Ok::<(), dbdyno_workload::WorkloadError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bulk_insert;
mod call;
mod canned;
mod catalog;
mod counted;
mod decimal;
mod digest;
mod error;
mod event;
mod event_time;
mod family;
mod growing_insert;
mod insert_benchmark;
mod linkbench;
mod nearest;
mod oltp;
mod option_table;
mod option_value;
mod population;
mod precondition;
mod quirks;
mod rate_profile;
mod row_form;
mod server_counts;
mod sql_files;
mod storage_engine;
mod tpcc;
mod transaction_script;
pub mod transcript;

pub use call::Call;
pub use catalog::{
    FamilyInfo, families, name_schema, option_table, population, transaction_type, workload,
    workload_names,
};
pub use counted::{counted, form_for};
pub use dbdyno_chance::{RandomKind, RandomSource};
pub use digest::{Digested, UserDigest};
pub use error::WorkloadError;
pub use event::{
    Class, Metadata, Metric, NextAction, Readiness, Response, RetryAfter, RetryPolicy, RetryValues,
    StatementTemplate, StatementType, TransactionType, User, UserDraws, Workload, WorkloadSpec,
};
pub use family::OptionInfo;
pub use growing_insert::{GrowingInsert, STATEMENT_BYTES};
pub use nearest::{nearest, probably_meant};
/// The table in which a filling of the tables records its steps. It exists as long as the filling is not complete.
pub const STEP_LOG_TABLE: &str = "dbdyno_filling";

pub use population::{
    Check, CheckPhase, Compression, Condition, InvariantScope, Population, RowSource,
};
pub use precondition::Precondition;
pub use quirks::{Quirk, quirk, quirks};
pub use rate_profile::{RateProfile, RateSegment};
pub use row_form::RowForm;
pub use server_counts::{ServerCount, ServerCounts};
pub use sql_files::{SQL_SOURCES, portable_name, source_files};
