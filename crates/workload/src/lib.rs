//! What a client does: the events of a workload, the statements they are made of, and the rows that
//! fill its tables.
//!
//! A [`Workload`] is shared by all workers and never changes while it runs; it hands out one [`User`]
//! a connection. A user is asked for one statement at a time, so a statement may depend on the reply
//! to the one before it (TPC-C needs that, sysbench OLTP does not). This crate leaves the sending, the
//! timing and the repeats to `dbdyno-drive`.

mod call;
mod event;

pub use call::Call;
pub use event::{
    Class, Facts, StatementTemplate, StatementType, Step, TransactionType, User, Workload,
};
