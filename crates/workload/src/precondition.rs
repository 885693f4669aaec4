//! Defines what the tables must hold before a workload can run as asked.

/// A query that must return a row before anything is driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precondition {
    /// The query.
    pub sql: String,
    /// What is wrong when it returns none.
    pub otherwise: String,
    /// What would help.
    pub remedy: String,
}
