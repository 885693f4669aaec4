//! One row an option: name, help, which dialects have it, how its value is read and written.

use super::dialect::Dialect;
use super::options::{
    Calls, DeliveryLaw, Fidelity, ForeignKeys, Home, Isolation, KeyOrder, MixLaw, Options, Strings,
};
use crate::OptionInfo;
use crate::option_value::{identifier, sql_tail, switch, switch_word, whole};

/// Reads a value into its place, or says what is allowed.
type Set = fn(&mut Options, &str) -> Result<(), &'static str>;

/// An option of the family.
pub(crate) struct OptionRow {
    pub(crate) name: &'static str,
    help: &'static str,
    is_switch: bool,
    /// None: all of them.
    dialects: &'static [Dialect],
    pub(crate) set: Set,
    pub(crate) get: fn(&Options) -> String,
}

impl OptionRow {
    pub(crate) fn belongs_to(&self, dialect: Dialect) -> bool {
        self.dialects.is_empty() || self.dialects.contains(&dialect)
    }
}

/// A row whose value is one of a few words.
macro_rules! choice {
    ($name:ident, $help:literal, $dialects:expr, $allowed:literal, { $($word:literal => $value:expr),+ $(,)? }) => {
        OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: false,
            dialects: $dialects,
            set: |options, text| {
                options.$name = match text {
                    $($word => $value,)+
                    _ => return Err($allowed),
                };
                Ok(())
            },
            get: |options| {
                let words = [$(($word, $value)),+];
                let found = words.into_iter().find(|(_, value)| *value == options.$name);
                found.map_or_else(String::new, |(word, _)| word.to_owned())
            },
        }
    };
}

/// A row that is on or off.
macro_rules! flag {
    ($name:literal, $place:ident, $help:literal, $dialects:expr) => {
        OptionRow {
            name: $name,
            help: $help,
            is_switch: true,
            dialects: $dialects,
            set: |options, text| {
                options.$place = yes_or_no(text)?;
                Ok(())
            },
            get: |options| switch_word(options.$place),
        }
    };
}

/// A row of any other kind.
macro_rules! row {
    ($name:literal, $place:ident, $help:literal, $dialects:expr, |$text:ident| $read:expr) => {
        OptionRow {
            name: $name,
            help: $help,
            is_switch: false,
            dialects: $dialects,
            set: |options, $text| {
                options.$place = $read?;
                Ok(())
            },
            get: |options| options.$place.to_string(),
        }
    };
}

const SYSBENCH: &[Dialect] = &[Dialect::SysbenchTpcc];
const MYSQL: &[Dialect] = &[Dialect::TpccMysql];
const HAMMER: &[Dialect] = &[Dialect::Hammerdb];
const STANDARD: &[Dialect] = &[Dialect::Standard];
const WAREHOUSES: &str = "a whole number, 1 to 1000000,";

pub(crate) const ROWS: &[OptionRow] = &[
    choice!(dialect, "TPC-C as whom: standard, sysbench-tpcc, tpcc-mysql, hammerdb", &[],
    "standard, sysbench-tpcc, tpcc-mysql or hammerdb", {
        "standard" => Dialect::Standard,
        "sysbench-tpcc" => Dialect::SysbenchTpcc,
        "tpcc-mysql" => Dialect::TpccMysql,
        "hammerdb" => Dialect::Hammerdb,
    }),
    choice!(fidelity, "tool: with the tool's quirks; fixed: with every quirk repaired", &[], "tool or fixed", {
        "tool" => Fidelity::Tool,
        "fixed" => Fidelity::Fixed,
    }),
    row!(
        "warehouses",
        warehouses,
        "Warehouses (of each table set)",
        &[],
        |text| whole(text, 1, 1_000_000, WAREHOUSES)
    ),
    row!(
        "scale",
        warehouses,
        "sysbench-tpcc: its name for warehouses",
        SYSBENCH,
        |text| whole(text, 1, 1_000_000, WAREHOUSES)
    ),
    row!(
        "tables",
        tables,
        "sysbench-tpcc: table sets",
        SYSBENCH,
        |text| whole(text, 1, 65_535, "a whole number, 1 to 65535,")
    ),
    choice!(fk, "Foreign keys: none; declared, with checks off in every session; enforced", &[],
    "none, declared or enforced", {
        "none" => ForeignKeys::None,
        "declared" => ForeignKeys::Declared,
        "enforced" => ForeignKeys::Enforced,
    }),
    OptionRow {
        name: "use_fk",
        help: "sysbench-tpcc: on for fk=declared, off for fk=none",
        is_switch: true,
        dialects: SYSBENCH,
        set: |options, text| {
            options.fk = if yes_or_no(text)? {
                ForeignKeys::Declared
            } else {
                ForeignKeys::None
            };
            Ok(())
        },
        get: |options| switch_word(options.fk != ForeignKeys::None),
    },
    flag!(
        "force_pk",
        force_pk,
        "A numbered primary key for history",
        &[]
    ),
    choice!(key_order, "tpcc-mysql: reversed puts the number first in primary keys (its schema2)", MYSQL,
    "normal or reversed", {
        "normal" => KeyOrder::Normal,
        "reversed" => KeyOrder::Reversed,
    }),
    flag!(
        "partition",
        partition,
        "hammerdb: order_line in partitions from 200 warehouses on",
        HAMMER
    ),
    choice!(strings, "Long texts: random, or one letter repeated as sysbench-tpcc has them", &[],
    "random or repeated", {
        "random" => Strings::Random,
        "repeated" => Strings::Repeated,
    }),
    row!(
        "mysql_storage_engine",
        mysql_storage_engine,
        "Storage engine of the tables",
        &[],
        |text| identifier(text)
    ),
    row!(
        "create_table_options",
        create_table_options,
        "Words that follow at the end of CREATE TABLE",
        &[],
        |text| sql_tail(text)
    ),
    row!(
        "c_load",
        c_load,
        "Constant of the last names in the population; the run's is chosen to suit it",
        &[Dialect::Standard, Dialect::SysbenchTpcc, Dialect::TpccMysql],
        |text| whole(text, 0, 255, "a whole number, 0 to 255,")
    ),
    choice!(trx_level, "sysbench-tpcc: isolation level RR, RC or SER", SYSBENCH, "RR, RC or SER", {
        "RR" => Isolation::RepeatableRead,
        "RC" => Isolation::ReadCommitted,
        "SER" => Isolation::Serializable,
    }),
    flag!(
        "splittable",
        splittable,
        "sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN",
        SYSBENCH
    ),
    flag!(
        "enable_purge",
        enable_purge,
        "sysbench-tpcc: old orders are deleted, too",
        SYSBENCH
    ),
    flag!(
        "prepared",
        prepared,
        "hammerdb: its calls prepared in SQL",
        HAMMER
    ),
    flag!(
        "no_stored_procs",
        no_stored_procs,
        "hammerdb: statements one by one",
        HAMMER
    ),
    flag!(
        "allwarehouse",
        allwarehouse,
        "hammerdb: each transaction draws one of the user's own warehouses",
        HAMMER
    ),
    flag!(
        "keyandthink",
        keyandthink,
        "standard, hammerdb: keying and thinking time in closed loops",
        &[Dialect::Standard, Dialect::Hammerdb]
    ),
    choice!(calls, "standard: statements or stored procedures", STANDARD, "statements or procedures", {
        "statements" => Calls::Statements,
        "procedures" => Calls::Procedures,
    }),
    choice!(home, "standard: whether a user keeps its warehouse (fixed) or draws one each time (any)", STANDARD,
    "fixed or any", {
        "fixed" => Home::Fixed,
        "any" => Home::Any,
    }),
    choice!(mix, "standard: types from a shuffled deck of 23 cards, or by weights", STANDARD, "deck or weights", {
        "deck" => MixLaw::Deck,
        "weights" => MixLaw::Weights,
    }),
    OptionRow {
        name: "weights",
        help: "standard: of new order, payment, order status, delivery, stock level",
        is_switch: false,
        dialects: STANDARD,
        set: |options, text| {
            options.weights = weights(text).ok_or("five whole numbers with commas, not all 0,")?;
            Ok(())
        },
        get: |options| options.weights.map(|weight| weight.to_string()).join(","),
    },
    choice!(delivery, "standard: deliveries deferred in a queue, or inline", STANDARD, "queue or inline", {
        "queue" => DeliveryLaw::Queue,
        "inline" => DeliveryLaw::Inline,
    }),
];

/// sysbench-tpcc says yes and no.
fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => switch(other),
    }
}

fn weights(text: &str) -> Option<[u32; 5]> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    let weights: [u32; 5] = numbers.ok()?.try_into().ok()?;
    let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    (1..=1_000_000).contains(&sum).then_some(weights)
}

/// Options that say which tables and procedures there are, and what they hold.
const SHAPING: &[&str] = &[
    "dialect",
    "fidelity",
    "warehouses",
    "scale",
    "tables",
    "fk",
    "use_fk",
    "force_pk",
    "key_order",
    "partition",
    "strings",
    "mysql_storage_engine",
    "create_table_options",
    "c_load",
    "no_stored_procs",
    "calls",
];

/// Every option of the family with its default in the dialect `standard`, or the first that has it.
pub(crate) fn option_table() -> impl Iterator<Item = (OptionInfo, String)> {
    ROWS.iter().map(|row| {
        let first = row.dialects.first().copied().unwrap_or(Dialect::Standard);
        let info = OptionInfo {
            name: row.name,
            help: row.help,
            is_switch: row.is_switch,
            shapes_data: SHAPING.contains(&row.name),
            family: "Options of TPC-C",
        };
        (info, (row.get)(&Options::new(first, Fidelity::Tool)))
    })
}
