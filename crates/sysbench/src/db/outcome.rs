//! How statements are counted.

/// What a statement comes to in the counts of its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It returned a result set.
    Read,
    /// It changed rows.
    Write,
    /// Neither, such as COMMIT, or an UPDATE that changed nothing.
    Other,
    /// It failed.
    Error,
    /// It failed since the connection was lost, which is made anew.
    Reconnect,
}

/// Counts statements; the same thread always.
pub trait Tally {
    /// One more.
    fn add(&self, outcome: Outcome);
}
