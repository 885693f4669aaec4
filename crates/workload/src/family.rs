//! Defines what a family of workloads gives to the catalogue.

use crate::{Population, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use std::sync::Arc;

/// Options as given: name and value.
pub(crate) type GivenOptions = [(String, String)];

/// Workloads that are made in the same way and share their options.
pub(crate) struct Family {
    /// What the names of its workloads begin with.
    pub(crate) name: &'static str,
    /// The full names of its workloads.
    pub(crate) names: fn() -> Vec<String>,
    /// Whether a name, full or short, means one of its workloads (which may not be there all the same).
    pub(crate) claims: fn(&str) -> bool,
    /// Every option with its default as text.
    pub(crate) options: fn() -> Vec<(OptionInfo, String)>,
    /// Makes a workload for so many users.
    pub(crate) workload: MakeWorkload,
    /// Makes the dataset of a workload.
    pub(crate) population: MakePopulation,
}

type MakeWorkload =
    fn(&str, &GivenOptions, RandomSource, u32) -> Result<Arc<dyn Workload>, WorkloadError>;
type MakePopulation =
    fn(&str, &GivenOptions, RandomSource) -> Result<Arc<dyn Population>, WorkloadError>;

/// An option of a workload, for help texts and argument parsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionInfo {
    /// Name as the imitated tool writes it, with underscores.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// On or off.
    pub is_switch: bool,
    /// Whether it shapes the tables and their rows; any other only shapes the load.
    pub shapes_data: bool,
    /// Whose option it is, as a heading of help texts.
    pub family: &'static str,
}
