//! The order of `dbdyno-load populate`: `contract/populate-order.schema.json`.

use super::load::check_version;
use super::{Generator, Target, WorkloadChoice};
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
}

impl PopulateOrder {
    /// Checks the order and makes the rows' source of it.
    pub(crate) fn population(&self) -> anyhow::Result<Arc<dyn Population>> {
        check_version(self.schema_version)?;
        let mut options = self.workload.option_texts()?;
        if let Some(engine) = &self.storage_engine {
            options.push((STORAGE_ENGINE.to_owned(), engine.clone()));
        }
        let source = RandomSource {
            kind: self.rng.into(),
            seed: self.seed,
        };
        Ok(population(&self.workload.name, &options, source)?)
    }
}
