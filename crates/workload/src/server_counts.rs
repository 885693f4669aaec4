//! Reads what the server itself counts of a workload, to compare it with what the client counted.

use crate::{StatementType, TransactionType};

/// The server's own counts of the work. They are read where phases begin and end; what they grow by between two
/// readings is a rate that no client can be wrong about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerCounts {
    /// Each count.
    pub counts: Vec<ServerCount>,
    /// What the workload's own mix makes of the second count divided by the first, in the long run.
    pub ratio: Option<f64>,
}

/// A number that the server lets grow with the work done.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCount {
    /// Name in records, such as `sum_d_next_o_id`.
    pub name: &'static str,
    /// What its growth per minute is called, such as `NOPM`.
    pub title: &'static str,
    /// The query. The integers in the last column of all its rows, added up, are the count.
    pub sql: String,
    /// The transactions that let it grow by one each.
    pub grows_by: Vec<TransactionType>,
    /// The statements that let it grow by one each, where transactions don't say it: one may commit several times.
    pub grows_by_statements: Vec<StatementType>,
    /// Whether transactions that end in a rollback let it grow, too.
    pub grows_by_rollbacks: bool,
    /// The largest growth per minute that the workload's own waits allow, in a closed loop.
    pub most_per_minute: Option<f64>,
}
