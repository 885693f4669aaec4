//! The options of TPC-C.

use super::dialect::Dialect;
use super::option_table::{OptionRow, ROWS};
use crate::WorkloadError;
use crate::nearest::nearest;
use crate::storage_engine::lacks_foreign_keys;

/// Whether the tool's quirks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fidelity {
    /// As the tool really does it.
    Tool,
    /// Every quirk of the dialect repaired.
    Fixed,
}

/// What becomes of the ten foreign keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignKeys {
    None,
    /// They are there, and no session heeds them (`foreign_key_checks=0`).
    Declared,
    Enforced,
}

/// What long texts are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strings {
    /// One letter again and again, which engines that compress love.
    Repeated,
    Random,
}

/// Order of the columns in the primary keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyOrder {
    /// Warehouse, district, number.
    Normal,
    /// Number, district, warehouse: tpcc-mysql's `schema2`.
    Reversed,
}

/// How a transaction reaches the server, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    Statements,
    Procedures,
}

/// Where a terminal's transactions begin, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Fixed,
    Any,
}

/// How transaction types are drawn, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MixLaw {
    /// From a shuffled deck of 23 cards for each user.
    Deck,
    Weights,
}

/// When deliveries are done, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryLaw {
    /// By one worker for each ten terminals, from a queue.
    Queue,
    Inline,
}

/// Isolation level of sysbench-tpcc's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    RepeatableRead,
    ReadCommitted,
    Serializable,
}

/// All options of all dialects. What a dialect doesn't have keeps the value that describes what it does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
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
    pub(crate) mix: MixLaw,
    /// Of new_order, payment, order_status, delivery, stock_level.
    pub(crate) weights: [u32; 5],
    pub(crate) delivery: DeliveryLaw,
}

impl Options {
    /// The dialect's defaults. At `fidelity=fixed` long texts are random.
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
            mix: MixLaw::Deck,
            weights: [45, 43, 4, 4, 4],
            delivery: if dialect == Dialect::Standard {
                DeliveryLaw::Queue
            } else {
                DeliveryLaw::Inline
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
        for (name, value) in given {
            let row = options.row_for(name)?;
            (row.set)(&mut options, value).map_err(|allowed| invalid(name, value, allowed))?;
        }
        options.follow(given);
        options.check(named)?;
        Ok(options)
    }

    /// Dialect and fidelity decide the other defaults, so they are looked for first.
    fn defaults_of(
        named: Option<Dialect>,
        given: &[(String, String)],
    ) -> Result<Self, WorkloadError> {
        let mut chosen = Self::new(named.unwrap_or(Dialect::Standard), Fidelity::Tool);
        let rows = ROWS
            .iter()
            .filter(|row| matches!(row.name, "dialect" | "fidelity"));
        for row in rows {
            for (name, value) in given.iter().filter(|(name, _)| name == row.name) {
                (row.set)(&mut chosen, value).map_err(|allowed| invalid(name, value, allowed))?;
            }
        }
        Ok(Self::new(chosen.dialect, chosen.fidelity))
    }

    /// Defaults that depend on other options.
    fn follow(&mut self, given: &[(String, String)]) {
        let is_given = |wanted: &str| given.iter().any(|(name, _)| name == wanted);
        if !self.keyandthink && !is_given("delivery") {
            self.delivery = DeliveryLaw::Inline;
        }
    }

    /// What can only be judged when all values are known.
    fn check(&self, named: Option<Dialect>) -> Result<(), WorkloadError> {
        if named.is_some_and(|named| named != self.dialect) {
            let allowed = "the dialect that the workload's name says";
            return Err(invalid("dialect", self.dialect.word(), allowed));
        }
        let has_smallint = self.dialect.has_percona_schema();
        if has_smallint && self.warehouses > SMALLINT_WAREHOUSES {
            let allowed = "1 to 32767 (a SMALLINT in this dialect's schema)";
            return Err(invalid("warehouses", &self.warehouses.to_string(), allowed));
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
            return Err(invalid("fk", word, &allowed));
        }
        Ok(())
    }

    /// Finds the option under any of its spellings, among those that the dialect has.
    fn row_for(&self, given: &str) -> Result<&'static OptionRow, WorkloadError> {
        let spelt = given.replace('-', "_");
        let name = match spelt.as_str() {
            "count_ware" => "warehouses",
            "storage_engine" => "mysql_storage_engine",
            "mysql_table_options" => "create_table_options",
            "history_pk" => "force_pk",
            "think" => "keyandthink",
            other => other,
        };
        let known = || ROWS.iter().filter(|row| row.belongs_to(self.dialect));
        known()
            .find(|row| row.name == name)
            .ok_or_else(|| WorkloadError::UnknownOption {
                workload: format!("tpcc/{}", self.dialect.word()),
                option: given.to_owned(),
                nearest: nearest(name, known().map(|row| row.name)).to_owned(),
            })
    }

    /// Every option of the dialect with its value, in the order of the table.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        ROWS.iter()
            .filter(|row| row.belongs_to(self.dialect))
            .map(|row| (row.name.to_owned(), (row.get)(self)))
            .collect()
    }

    pub(crate) fn is_fixed(&self) -> bool {
        self.fidelity == Fidelity::Fixed
    }

    /// What follows the name of a table in set number `set`, from 0: sysbench-tpcc always numbers its sets.
    pub(crate) fn table_suffix(&self, set: u32) -> String {
        if self.dialect == Dialect::SysbenchTpcc {
            (set + 1).to_string()
        } else {
            String::new()
        }
    }
}

const SMALLINT_WAREHOUSES: u32 = i16::MAX as u32;

fn invalid(option: &str, value: &str, allowed: &str) -> WorkloadError {
    WorkloadError::InvalidValue {
        option: option.to_owned(),
        value: value.to_owned(),
        allowed: allowed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(named: Option<Dialect>, given: &[(&str, &str)]) -> Result<Options, String> {
        let given: Vec<_> = given
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect();
        Options::read(named, &given).map_err(|error| error.to_string())
    }

    #[test]
    fn every_default_reads_back_as_itself_in_its_dialect() {
        for dialect in Dialect::ALL {
            for fidelity in [Fidelity::Tool, Fidelity::Fixed] {
                let options = Options::new(dialect, fidelity);
                let given = options.list();
                assert_eq!(Options::read(Some(dialect), &given), Ok(options));
            }
        }
    }

    #[test]
    fn the_dialect_decides_the_other_defaults_wherever_it_stands() {
        let options = read(None, &[("use_fk", "0"), ("dialect", "sysbench-tpcc")]).unwrap();
        assert_eq!((options.warehouses, options.fk), (100, ForeignKeys::None));
        assert_eq!(options.strings, Strings::Repeated);
        let fixed = read(Some(Dialect::SysbenchTpcc), &[("fidelity", "fixed")]).unwrap();
        assert_eq!(fixed.strings, Strings::Random);
    }

    #[test]
    fn options_go_by_the_names_of_their_tools() {
        let hammerdb = read(
            Some(Dialect::Hammerdb),
            &[
                ("count-ware", "5"),
                ("history_pk", "on"),
                ("storage_engine", "rocksdb"),
            ],
        )
        .unwrap();
        assert_eq!(hammerdb.warehouses, 5);
        assert!(hammerdb.force_pk);
        assert_eq!(hammerdb.mysql_storage_engine, "rocksdb");
        let sysbench = read(
            Some(Dialect::SysbenchTpcc),
            &[("scale", "3"), ("enable_purge", "yes"), ("trx_level", "RC")],
        )
        .unwrap();
        assert_eq!(sysbench.warehouses, 3);
        assert!(sysbench.enable_purge);
        assert_eq!(sysbench.trx_level, Isolation::ReadCommitted);
    }

    #[test]
    fn without_thinking_deliveries_are_inline_unless_asked_for_otherwise() {
        let law = |given: &[(&str, &str)]| read(None, given).unwrap().delivery;
        assert_eq!(law(&[]), DeliveryLaw::Queue);
        assert_eq!(law(&[("think", "off")]), DeliveryLaw::Inline);
        let asked = law(&[("think", "off"), ("delivery", "queue")]);
        assert_eq!(asked, DeliveryLaw::Queue);
    }

    #[test]
    fn options_of_other_dialects_and_mistyped_ones_are_refused_with_the_nearest() {
        let message = read(Some(Dialect::TpccMysql), &[("tables", "2")]).unwrap_err();
        assert!(
            message.contains("tpcc/tpcc-mysql has no option"),
            "{message}"
        );
        let message = read(None, &[("warehuoses", "2")]).unwrap_err();
        assert!(message.contains("\"warehouses\""), "{message}");
    }

    #[test]
    fn engines_without_foreign_keys_are_found_before_the_tables_are_filled() {
        let rocksdb = ("mysql_storage_engine", "rocksdb");
        for dialect in [Dialect::TpccMysql, Dialect::SysbenchTpcc] {
            let message = read(Some(dialect), &[rocksdb]).unwrap_err();
            assert!(message.contains("rocksdb has no foreign keys"), "{message}");
            assert!(read(Some(dialect), &[rocksdb, ("fk", "none")]).is_ok());
        }
        assert!(read(Some(Dialect::Standard), &[rocksdb]).is_ok());
    }

    #[test]
    fn values_out_of_range_are_refused_with_what_is_allowed() {
        for (name, value, hint) in [
            ("warehouses", "0", "1 to"),
            ("warehouses", "32768", "32767"),
            ("dialect", "oracle", "hammerdb"),
            ("fk", "on", "declared"),
            ("weights", "1,2,3", "five"),
            ("weights", "0,0,0,0,0", "not all 0"),
            ("c_load", "256", "0 to 255"),
        ] {
            let message = read(None, &[(name, value)]).unwrap_err();
            assert!(
                message.contains(hint) && message.contains(name),
                "{message}"
            );
        }
        let message = read(Some(Dialect::Hammerdb), &[("dialect", "standard")]).unwrap_err();
        assert!(message.contains("name says"), "{message}");
    }
}
