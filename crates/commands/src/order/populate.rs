//! Reads the order of `dbdyno-load populate`: `contract/populate-order.schema.json`.

use super::load::check_version;
use super::timeouts::{an_hour, twelve_hours};
use super::{LoadBy, Target, WorkloadChoice};
use dbdyno_workload::{Population, RandomKind, RandomSource, population};
use serde::Deserialize;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The option of a workload that names the storage engine of its tables.
const STORAGE_ENGINE: &str = "mysql_storage_engine";

fn is_storage_engine(option: &str) -> bool {
    matches!(
        option.replace('-', "_").as_str(),
        STORAGE_ENGINE | "storage_engine"
    )
}

/// Describes what to fill.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PopulateOrder {
    pub(crate) schema_version: u32,
    pub(crate) target: Target,
    pub(crate) workload: WorkloadChoice,
    /// `None`: the workload's default.
    pub(crate) storage_engine: Option<String>,
    pub(crate) rng: RandomKind,
    pub(crate) seed: u64,
    pub(crate) connections: u32,
    /// Whether the rows are read again and compared with those sent.
    #[serde(default)]
    pub(crate) check: bool,
    #[serde(default)]
    pub(crate) load_by: LoadBy,
    /// Whether the server's redo log is switched off while it is filled.
    #[serde(default)]
    pub(crate) accelerate: bool,
    /// Whether to resume an interrupted filling.
    #[serde(default)]
    pub(crate) resume: bool,
    /// Rows after which a transaction is committed and a part continues in the next; `None`: one transaction per part.
    #[serde(default)]
    pub(crate) transaction_rows: Option<NonZeroU32>,
    /// How long to wait for a server that is gone.
    #[serde(default = "a_minute")]
    pub(crate) server_timeout_ns: u64,
    /// Time limit of a statement that makes, changes or drops a table.
    #[serde(default = "twelve_hours")]
    pub(crate) ddl_timeout_ns: u64,
    /// Time limit of the check of a table.
    #[serde(default = "an_hour")]
    pub(crate) check_timeout_ns: u64,
}

fn a_minute() -> u64 {
    60_000_000_000
}

impl PopulateOrder {
    /// Returns everything that the rows depend on, so that no other filling is resumed than the one that was begun.
    pub(crate) fn identity(&self) -> anyhow::Result<String> {
        let mut options = self.workload.option_texts()?;
        options.extend(self.storage_engine_option());
        options.extend(self.transaction_rows_option());
        options.sort();
        let options: Vec<_> = options
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let (name, kind) = (&self.workload.name, self.rng.word());
        Ok(format!(
            "{name} {} rng={kind} seed={}",
            options.join(" "),
            self.seed
        ))
    }

    /// Returns the option for transaction rows: a filling must be resumed with transactions of the same size.
    fn transaction_rows_option(&self) -> Option<(String, String)> {
        let rows = self.transaction_rows?;
        Some(("transaction_rows".to_owned(), rows.to_string()))
    }

    /// Returns the storage engine of the step log if entries and rows must be committed together: an engine that limits
    /// its transactions may refuse one at COMMIT that another engine has committed already.
    pub(crate) fn step_log_engine(&self) -> Option<String> {
        self.transaction_rows?;
        let options = self.workload.option_texts().unwrap_or_default();
        let spoken = options
            .into_iter()
            .find(|(name, _)| is_storage_engine(name));
        let engine = self
            .storage_engine
            .clone()
            .or(spoken.map(|(_, engine)| engine))?;
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        Some(engine).filter(|name| !name.is_empty() && name.chars().all(is_name))
    }

    fn storage_engine_option(&self) -> Option<(String, String)> {
        let engine = self.storage_engine.clone()?;
        Some((STORAGE_ENGINE.to_owned(), engine))
    }

    /// Checks the order and builds the rows' source.
    pub(crate) fn population(&self) -> anyhow::Result<Arc<dyn Population>> {
        check_version(self.schema_version)?;
        let mut options = self.workload.option_texts()?;
        options.extend(self.storage_engine_option());
        let source = RandomSource {
            kind: self.rng,
            seed: self.seed,
        };
        Ok(population(&self.workload.name, &options, source)?)
    }
}
