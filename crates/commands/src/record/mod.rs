//! Defines the records of a run for programs: one JSON object per line, as in `contract/`.

mod content;
mod fingerprint;
mod interval;
mod load;
mod named;
mod outage;
mod packed;
mod populate;
mod search;
mod share;
mod verify;
mod writer;

pub(crate) use content::content_sha256;
pub(crate) use fingerprint::FingerprintRecord;
pub(crate) use interval::{IntervalLine, StatementLine, TransactionLine, TypeNames, WorkerLine};
pub(crate) use load::{
    CountersLine, DigestRecord, End, Message, NetworkPathRecord, NetworkTrafficRecord, Start,
};
pub(crate) use named::Named;
pub(crate) use outage::{OutageRecord, word_of};
pub(crate) use packed::{Packed, PackedSecond, PackedTransaction, all_responses, all_services};
pub(crate) use populate::{PopulateEnd, PopulateProgress, PopulateStart, TableRecord};
pub(crate) use search::ProbeLine;
pub(crate) use verify::{ConditionAsked, ConditionLine, SpaceLine, TableSpace, VerifyEnd};
pub(crate) use writer::{RecordWriter, is_closed_pipe};

/// Name and version of this program, as in every first record.
pub(crate) const PROGRAM: &str = concat!("dbdyno-load ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod shape;
