//! Defines what can be wrong with the choice of a workload.

use dbdyno_chance::RandomSource;

/// A workload that can't be made as asked for. All of these are the order's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// No workload of this name.
    #[error("unknown workload {name:?}{} (known: {known})", meant_words(nearest.as_deref()))]
    UnknownWorkload {
        /// What was asked for.
        name: String,
        /// The known name that was probably meant.
        nearest: Option<String>,
        /// All known names, with commas.
        known: String,
    },
    /// A transaction type that the workload doesn't have.
    #[error(
        "{workload} has no transaction type {name:?}; the nearest one is {nearest:?} (known: {known})"
    )]
    UnknownTransactionType {
        /// The workload.
        workload: String,
        /// What was asked for.
        name: String,
        /// The known type most like it.
        nearest: String,
        /// All known types, with commas.
        known: String,
    },
    /// An option that the workload doesn't have.
    #[error("{workload} has no option {option:?}; the nearest one is {nearest:?}")]
    UnknownOption {
        /// The workload.
        workload: String,
        /// What was given.
        option: String,
        /// The known option most like it.
        nearest: String,
    },
    /// A value that the option can't have.
    #[error("option {option} can't be {value:?}: {allowed} is allowed")]
    InvalidValue {
        /// The option.
        option: String,
        /// What was given.
        value: String,
        /// What would be right.
        allowed: String,
    },
    /// More statements than a connection can distinguish.
    #[error(
        "{tables} tables need {statements} statements per connection, but at most {most} are allowed; choose fewer tables"
    )]
    TooManyStatements {
        /// The option `tables`.
        tables: u32,
        /// Statements of all tables.
        statements: u64,
        /// The largest count that works.
        most: u64,
    },
    /// Something is wrong in a file that describes the workload.
    #[error("{file}:{line}: {what}")]
    InFile {
        /// Path of the file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What, and what would be right.
        what: String,
    },
    /// A file that describes the workload can't be read.
    #[error("{file} can't be read: {why}")]
    Unreadable {
        /// Path of the file.
        file: String,
        /// The system's words, and what would be right.
        why: String,
    },
    /// A seed of which the generator would use only a part.
    #[error(
        "seed {seed} is too large for rng=sysbench, which has 32 bits; choose one below 4294967296, or rng=dbdyno"
    )]
    SeedTooLarge {
        /// The seed.
        seed: u64,
    },
}

impl WorkloadError {
    /// Makes the error for a value that `option` can't have, and what would be right.
    pub(crate) fn invalid(option: &str, value: &str, allowed: &str) -> Self {
        Self::InvalidValue {
            option: option.to_owned(),
            value: value.to_owned(),
            allowed: allowed.to_owned(),
        }
    }

    /// Refuses a seed that would be cut.
    pub(crate) fn check_seed(source: RandomSource) -> Result<(), Self> {
        if source.seed_fits() {
            return Ok(());
        }
        Err(Self::SeedTooLarge { seed: source.seed })
    }
}

fn meant_words(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; the nearest known name is {nearest:?}")
    })
}
