//! Defines what `workload.toml` may say. What the words mean is judged where they are used.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Names and what stands under them, each name with its place in the file.
pub(super) type Named<T> = BTreeMap<Spanned<String>, T>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    #[serde(default)]
    pub(super) description: String,
    /// Mean rest after each event, of transactions that set none.
    pub(super) think_ms: Option<Spanned<f64>>,
    #[serde(alias = "think_law")]
    pub(super) think_distribution: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) parameters: Named<Spanned<GeneratorForm>>,
    pub(super) transactions: Named<TransactionForm>,
    #[serde(default)]
    pub(super) tables: Named<TableForm>,
    #[serde(default)]
    pub(super) phases: Vec<Spanned<PhaseForm>>,
}

/// Says how values are drawn: exactly one kind, and the settings of that kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GeneratorForm {
    pub(super) uniform: Option<[i64; 2]>,
    pub(super) zipf: Option<[i64; 2]>,
    pub(super) latest: Option<[i64; 2]>,
    pub(super) latest_of: Option<String>,
    pub(super) hotspot: Option<[i64; 2]>,
    pub(super) moving_hotspot: Option<[i64; 2]>,
    pub(super) sequence: Option<i64>,
    pub(super) text: Option<[u32; 2]>,
    pub(super) choose: Option<Vec<Choice>>,
    pub(super) exponent: Option<f64>,
    pub(super) scatter: Option<bool>,
    pub(super) window: Option<u32>,
    pub(super) hot_share: Option<f64>,
    pub(super) hot_draws: Option<f64>,
    pub(super) moves_after: Option<u32>,
    pub(super) block: Option<u32>,
}

/// A value written out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Choice {
    /// A whole number.
    Int(i64),
    /// Another number.
    Double(f64),
    /// Text.
    Text(String),
}

/// A type of transaction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransactionForm {
    pub(super) weight: Option<Spanned<f64>>,
    pub(super) think_ms: Option<Spanned<f64>>,
    /// Role of the server that it goes to, if that isn't the main one.
    pub(super) role: Option<Spanned<String>>,
    /// Its file, if it isn't named as the transaction is.
    pub(super) file: Option<Spanned<String>>,
    /// Its statements, instead of a file.
    pub(super) statements: Option<Vec<Spanned<String>>>,
}

/// A table that is filled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableForm {
    pub(super) rows: Spanned<u64>,
    pub(super) columns: Named<Spanned<GeneratorForm>>,
}

/// A stretch of a run with its own rate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PhaseForm {
    pub(super) name: String,
    pub(super) seconds: u32,
    pub(super) rate_per_s: Option<f64>,
    /// The rate at its end, if it goes there in a straight line.
    pub(super) to_per_s: Option<f64>,
    /// Weights that replace those of the transactions.
    pub(super) weights: Option<Named<f64>>,
}

/// Returns the names in the order in which they stand in the file.
pub(super) fn in_order<T>(named: &Named<T>) -> Vec<(&Spanned<String>, &T)> {
    let mut entries: Vec<_> = named.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}
