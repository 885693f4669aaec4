//! Holds the options of TPC-C.

mod choices;
#[cfg(test)]
mod tests;

use super::dialect::Dialect;
use super::option_table::TABLE;
use crate::WorkloadError;
use crate::storage_engine::lacks_foreign_keys;

pub(crate) use choices::{
    Calls, DeliveryMode, Fidelity, ForeignKeys, Home, Isolation, KeyOrder, MixMethod, Strings,
};

/// All options of all dialects. What a dialect doesn't have keeps the value that describes what it does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TpccOptions {
    pub(crate) dialect: Dialect,
    pub(crate) fidelity: Fidelity,
    /// Warehouses a table set.
    pub(crate) warehouses: u32,
    /// Table sets; the names of more than one, and always in sysbench-tpcc's schema, end in their number.
    pub(crate) tables: u32,
    pub(crate) fk: ForeignKeys,
    /// A column `id` as history's primary key.
    pub(crate) force_pk: bool,
    pub(crate) key_order: KeyOrder,
    pub(crate) partition: bool,
    pub(crate) strings: Strings,
    pub(crate) mysql_storage_engine: String,
    pub(crate) create_table_options: String,
    /// NURand's constant for last names in the population (C-Load).
    pub(crate) c_load: u32,
    pub(crate) trx_level: Isolation,
    pub(crate) splittable: bool,
    pub(crate) enable_purge: bool,
    pub(crate) prepared: bool,
    pub(crate) no_stored_procs: bool,
    pub(crate) allwarehouse: bool,
    pub(crate) keyandthink: bool,
    pub(crate) calls: Calls,
    pub(crate) home: Home,
    pub(crate) mix: MixMethod,
    /// Of new_order, payment, order_status, delivery, stock_level.
    pub(crate) weights: [u32; 5],
    pub(crate) delivery: DeliveryMode,
}

impl TpccOptions {
    /// Makes the dialect's defaults. At `fidelity=fixed` long texts are random.
    pub(crate) fn new(dialect: Dialect, fidelity: Fidelity) -> Self {
        let is_sysbench = dialect == Dialect::SysbenchTpcc;
        Self {
            dialect,
            fidelity,
            warehouses: if is_sysbench { 100 } else { 1 },
            tables: 1,
            fk: match dialect {
                Dialect::SysbenchTpcc => ForeignKeys::Declared,
                Dialect::TpccMysql => ForeignKeys::Enforced,
                Dialect::Hammerdb | Dialect::Standard => ForeignKeys::None,
            },
            force_pk: false,
            key_order: KeyOrder::Normal,
            partition: false,
            strings: if is_sysbench && fidelity == Fidelity::Tool {
                Strings::Repeated
            } else {
                Strings::Random
            },
            mysql_storage_engine: "innodb".to_owned(),
            create_table_options: String::new(),
            c_load: 123, // HammerDB's, which never changes it
            trx_level: Isolation::RepeatableRead,
            splittable: false,
            enable_purge: false,
            prepared: false,
            no_stored_procs: false,
            allwarehouse: false,
            keyandthink: dialect == Dialect::Standard,
            calls: Calls::Statements,
            home: Home::Fixed,
            mix: MixMethod::Deck,
            weights: [45, 43, 4, 4, 4],
            delivery: if dialect == Dialect::Standard {
                DeliveryMode::Queue
            } else {
                DeliveryMode::Inline
            },
        }
    }

    /// Reads names and values as the user wrote them, over the dialect's defaults. `named` is the dialect that the
    /// workload's name says.
    pub(crate) fn read(
        named: Option<Dialect>,
        given: &[(String, String)],
    ) -> Result<Self, WorkloadError> {
        let mut options = Self::defaults_of(named, given)?;
        TABLE.read(&options.dialect.workload(), &mut options, given)?;
        options.follow(given);
        options.check(named)?;
        Ok(options)
    }

    /// Looks for dialect and fidelity first, for they decide the other defaults.
    fn defaults_of(
        named: Option<Dialect>,
        given: &[(String, String)],
    ) -> Result<Self, WorkloadError> {
        let mut chosen = Self::new(named.unwrap_or(Dialect::Standard), Fidelity::Tool);
        let rows = TABLE
            .rows
            .iter()
            .filter(|row| matches!(row.name, "dialect" | "fidelity"));
        for row in rows {
            for (_, value) in given.iter().filter(|(name, _)| name == row.name) {
                row.read(&mut chosen, value)?;
            }
        }
        Ok(Self::new(chosen.dialect, chosen.fidelity))
    }

    /// Defaults that depend on other options.
    fn follow(&mut self, given: &[(String, String)]) {
        let is_given = |wanted: &str| given.iter().any(|(name, _)| name == wanted);
        if !self.keyandthink && !is_given("delivery") {
            self.delivery = DeliveryMode::Inline;
        }
    }

    /// Checks what can only be judged when all values are known.
    fn check(&self, named: Option<Dialect>) -> Result<(), WorkloadError> {
        if named.is_some_and(|named| named != self.dialect) {
            let allowed = "the dialect that the workload's name says";
            return Err(WorkloadError::invalid(
                "dialect",
                self.dialect.word(),
                allowed,
            ));
        }
        let has_smallint = self.dialect.has_percona_schema();
        if has_smallint && self.warehouses > SMALLINT_WAREHOUSES {
            let allowed = "1 to 32767 (a SMALLINT in this dialect's schema)";
            return Err(WorkloadError::invalid(
                "warehouses",
                &self.warehouses.to_string(),
                allowed,
            ));
        }
        self.check_foreign_keys()
    }

    fn check_foreign_keys(&self) -> Result<(), WorkloadError> {
        let engine = &self.mysql_storage_engine;
        if self.fk != ForeignKeys::None && lacks_foreign_keys(engine) {
            let word = match self.fk {
                ForeignKeys::Declared => "declared",
                _ => "enforced",
            };
            let allowed =
                format!("none (on all engines of a comparison), as {engine} has no foreign keys,");
            return Err(WorkloadError::invalid("fk", word, &allowed));
        }
        Ok(())
    }

    /// Returns every option of the dialect with its value, in the order of the table.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        TABLE.list(&self.dialect.workload(), self)
    }

    pub(crate) fn is_fixed(&self) -> bool {
        self.fidelity == Fidelity::Fixed
    }

    /// Returns what follows the name of a table in set number `set`, from 0: sysbench-tpcc always numbers its sets.
    pub(crate) fn table_suffix(&self, set: u32) -> String {
        if self.dialect == Dialect::SysbenchTpcc {
            (set + 1).to_string()
        } else {
            String::new()
        }
    }
}

const SMALLINT_WAREHOUSES: u32 = i16::MAX as u32;
