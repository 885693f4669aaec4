//! What the tables must hold for a workload to run as it was asked for.

/// A query that must return a row before anything is driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Premise {
    /// The query.
    pub sql: String,
    /// What is wrong when it returns none.
    pub otherwise: String,
    /// What would help.
    pub remedy: String,
}
