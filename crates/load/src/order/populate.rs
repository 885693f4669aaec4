//! The order of `dbdyno-load populate`: `contract/populate-order.schema.json`.

use super::load::check_version;
use super::{Generator, LoadBy, Target, WorkloadChoice};
use dbdyno_workload::{Population, RandomSource, population};
use serde::Deserialize;
use std::sync::Arc;

/// The option of a workload that names the storage engine of its tables.
const STORAGE_ENGINE: &str = "mysql_storage_engine";

/// What is to be filled.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PopulateOrder {
    pub(crate) schema_version: u32,
    pub(crate) target: Target,
    pub(crate) workload: WorkloadChoice,
    /// `None`: the workload's default.
    pub(crate) storage_engine: Option<String>,
    pub(crate) rng: Generator,
    pub(crate) seed: u64,
    pub(crate) connections: u32,
    /// Whether the rows are read again and compared with what was sent.
    #[serde(default)]
    pub(crate) check: bool,
    #[serde(default)]
    pub(crate) load_by: LoadBy,
    /// Whether the server's redo log is switched off while it is filled.
    #[serde(default)]
    pub(crate) accelerate: bool,
    /// Whether a filling that was broken off is to be gone on with.
    #[serde(default)]
    pub(crate) resume: bool,
    /// How long a server that is gone is waited for.
    #[serde(default = "a_minute")]
    pub(crate) patience_ns: u64,
}

fn a_minute() -> u64 {
    60_000_000_000
}

impl PopulateOrder {
    /// All that the rows depend on, so that nobody goes on with another filling than the one that was begun.
    pub(crate) fn identity(&self) -> anyhow::Result<String> {
        let mut options = self.workload.option_texts()?;
        options.extend(self.storage_engine_option());
        options.sort();
        let options: Vec<_> = options
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let (name, kind) = (
            &self.workload.name,
            dbdyno_workload::RandomKind::from(self.rng).word(),
        );
        Ok(format!(
            "{name} {} rng={kind} seed={}",
            options.join(" "),
            self.seed
        ))
    }

    fn storage_engine_option(&self) -> Option<(String, String)> {
        let engine = self.storage_engine.clone()?;
        Some((STORAGE_ENGINE.to_owned(), engine))
    }

    /// Checks the order and makes the rows' source of it.
    pub(crate) fn population(&self) -> anyhow::Result<Arc<dyn Population>> {
        check_version(self.schema_version)?;
        let mut options = self.workload.option_texts()?;
        options.extend(self.storage_engine_option());
        let source = RandomSource {
            kind: self.rng.into(),
            seed: self.seed,
        };
        Ok(population(&self.workload.name, &options, source)?)
    }
}
