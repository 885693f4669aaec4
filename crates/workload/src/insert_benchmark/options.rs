//! Holds the options, with the tool's names where it has them: those of iq.sh for sizes, those of iibench.py
//! for the rest.

use super::NAME;
use super::option_table::TABLE;
use super::step::{BenchmarkStep, ReadKind, StepPlan};
use crate::WorkloadError;

/// All options; values are checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InsertBenchmarkOptions {
    pub(super) step: BenchmarkStep,
    pub(super) nr1: u64,
    pub(super) nr2: u64,
    pub(super) clients: u32,
    pub(super) one_table: bool,
    pub(super) step_seconds: u32,
    pub(super) settle_seconds: u32,
    pub(super) delete_per_insert: bool,
    pub(super) query_threads: u32,
    pub(super) rows_per_commit: u32,
    pub(super) rows_per_query: u32,
    pub(super) num_secondary_indexes: u32,
    pub(super) data_length_min: u32,
    pub(super) data_length_max: u32,
    pub(super) data_random_pct: u32,
    pub(super) num_partitions: u32,
    pub(super) rows_per_partition: u64,
    pub(super) table_name: String,
    pub(super) unique_checks: bool,
    pub(super) bulk_load: bool,
    pub(super) htap_transaction_seconds: u32,
    pub(super) mysql_storage_engine: String,
    pub(super) fidelity: String,
}

impl Default for InsertBenchmarkOptions {
    fn default() -> Self {
        Self {
            step: BenchmarkStep::Write,
            nr1: 1_000_000,
            nr2: 100_000,
            clients: 1,
            one_table: false,
            step_seconds: 60,
            settle_seconds: 0,
            delete_per_insert: false,
            query_threads: 1,
            rows_per_commit: 0,
            rows_per_query: 10,
            num_secondary_indexes: 3,
            data_length_min: 10,
            data_length_max: 20,
            data_random_pct: 50,
            num_partitions: 0,
            rows_per_partition: 0,
            table_name: "pi".to_owned(),
            unique_checks: true,
            bulk_load: true,
            htap_transaction_seconds: 0,
            mysql_storage_engine: "innodb".to_owned(),
            fidelity: "tool".to_owned(),
        }
    }
}

impl InsertBenchmarkOptions {
    /// Reads names and values as the user wrote them, over the defaults.
    pub(super) fn read(given: &[(String, String)]) -> Result<Self, WorkloadError> {
        let mut options = Self::default();
        TABLE.read(NAME, &mut options, given)?;
        options.check()?;
        Ok(options)
    }

    /// Checks what can only be judged when all values are known.
    fn check(&self) -> Result<(), WorkloadError> {
        if self.data_length_max < self.data_length_min {
            let value = self.data_length_max.to_string();
            return Err(WorkloadError::invalid(
                "data_length_max",
                &value,
                "data_length_min or more",
            ));
        }
        if self.one_table && self.delete_per_insert && self.clients > 1 {
            let allowed =
                "off with one_table and several clients, which would delete each other's rows,";
            return Err(WorkloadError::invalid("delete_per_insert", "on", allowed));
        }
        if self.num_secondary_indexes == 0 && self.step.reads() == Some(ReadKind::Range) {
            let allowed = "1 or more with a step that reads ranges";
            return Err(WorkloadError::invalid(
                "num_secondary_indexes",
                "0",
                allowed,
            ));
        }
        if self.num_partitions > 0 && self.rows_per_partition == 0 {
            let allowed = "1 or more with num_partitions";
            return Err(WorkloadError::invalid("rows_per_partition", "0", allowed));
        }
        Ok(())
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.fidelity == "fixed"
    }

    pub(super) fn is_rocksdb(&self) -> bool {
        self.mysql_storage_engine.eq_ignore_ascii_case("rocksdb")
    }

    /// Returns whether the step deletes as many rows as it inserts.
    pub(super) fn deletes(&self) -> bool {
        self.delete_per_insert && self.step.may_delete()
    }

    /// Returns whether the step makes secondary keys.
    pub(super) fn adds_keys(&self) -> bool {
        self.step == BenchmarkStep::Keys && self.num_secondary_indexes > 0
    }

    /// Returns whether the step is MyRocks' bulk load.
    pub(super) fn loads_in_bulk(&self) -> bool {
        self.is_rocksdb() && self.bulk_load && self.step == BenchmarkStep::Load
    }

    /// Returns whether connections that write are to leave checks of unique keys out.
    pub(super) fn leaves_checks_out(&self) -> bool {
        self.is_rocksdb() && !self.unique_checks
    }

    /// Returns whether the inserter sets its session up.
    pub(super) fn sets_up(&self) -> bool {
        self.loads_in_bulk() || self.leaves_checks_out()
    }

    /// Counts the tables.
    pub(super) fn tables(&self) -> u32 {
        if self.one_table { 1 } else { self.clients }
    }

    /// Returns the number of the table, from 0, on which a client works.
    pub(super) fn table_of(&self, client: u32) -> u32 {
        if self.one_table { 0 } else { client }
    }

    /// Returns what one step comes to with these options.
    pub(super) fn plan_of(&self, step: BenchmarkStep) -> StepPlan {
        StepPlan::of(step, self)
    }

    /// Returns every option with its value, in the order of the table.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        TABLE.list(NAME, self)
    }
}

#[cfg(test)]
mod tests {
    use super::InsertBenchmarkOptions;
    use crate::option_table::given;

    fn read(pairs: &[(&str, &str)]) -> Result<InsertBenchmarkOptions, String> {
        InsertBenchmarkOptions::read(&given(pairs)).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_those_of_the_load() {
        assert_eq!(read(&[("rows", "77")]).unwrap().nr1, 77);
        assert_eq!(read(&[("table-size", "78")]).unwrap().nr1, 78);
    }

    #[test]
    fn wrong_values_are_refused_with_what_is_allowed() {
        for (given, hint) in [
            (&[("step", "l.i9")][..], "l.i0, l.x"),
            (&[("data_length_min", "30")], "data_length_min or more"),
            (&[("num_partitions", "3")], "1 or more"),
            (
                &[("step", "qr100"), ("num_secondary_indexes", "0")],
                "1 or more",
            ),
            (&[("clients", "0")], "1 to 4000"),
            (&[("nr3", "5")], "\"nr1\""),
            (
                &[
                    ("one_table", "on"),
                    ("clients", "2"),
                    ("delete_per_insert", "on"),
                ],
                "off with one_table",
            ),
        ] {
            let message = read(given).unwrap_err();
            assert!(message.contains(hint), "{message}");
        }
    }
}
