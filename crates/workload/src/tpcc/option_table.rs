//! Lists the options, one row each: name, help, which dialects have it, how its value is read and written.

use super::dialect::Dialect;
use super::options::{
    Calls, DeliveryMode, Fidelity, ForeignKeys, Home, Isolation, KeyOrder, MixMethod, Strings,
    TpccOptions as Options,
};
use crate::OptionInfo;
use crate::option_table::{OptionRow, OptionTable, option_row, option_switch};
use crate::option_value::{identifier, sql_tail, switch, switch_word, whole};

/// A row whose value is one of a few words.
macro_rules! choice {
    ($name:ident, $help:literal, $allowed:literal, { $($word:literal => $value:expr),+ $(,)? }) => {
        OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: false,
            shapes_data: false,
            of: &[],
            set: |options: &mut Options, text| {
                options.$name = match text {
                    $($word => $value,)+
                    _ => return Err($allowed),
                };
                Ok(())
            },
            get: |options: &Options| {
                let words = [$(($word, $value)),+];
                let found = words.into_iter().find(|(_, value)| *value == options.$name);
                found.map_or_else(String::new, |(word, _)| word.to_owned())
            },
        }
    };
}

const SYSBENCH: &[&str] = &["sysbench-tpcc"];
const MYSQL: &[&str] = &["tpcc-mysql"];
const HAMMER: &[&str] = &["hammerdb"];
const STANDARD: &[&str] = &["standard"];

const WAREHOUSES: OptionRow<Options> = option_row!(
    warehouses,
    "Warehouses (per table set)",
    |text| whole(text, 1, 1_000_000, "a whole number, 1 to 1000000,")
)
.shapes_data();

const SCALE: OptionRow<Options> = OptionRow {
    name: "scale",
    help: "sysbench-tpcc: the same as warehouses",
    of: SYSBENCH,
    ..WAREHOUSES
};

const TABLES: OptionRow<Options> = option_row!(
    tables,
    "sysbench-tpcc: number of table sets",
    |text| whole(text, 1, 65_535, "a whole number, 1 to 65535,")
)
.shapes_data()
.only(SYSBENCH);

const C_LOAD: OptionRow<Options> = option_row!(
    c_load,
    "Constant C of the last names in the tables; that of the run is chosen to fit it",
    |text| whole(text, 0, 255, "a whole number, 0 to 255,")
)
.shapes_data()
.only(&["standard", "sysbench-tpcc", "tpcc-mysql"]);

const ROWS: &[OptionRow<Options>] = &[
    choice!(dialect, "Implementation of TPC-C to imitate: standard, sysbench-tpcc, tpcc-mysql, hammerdb",
    "standard, sysbench-tpcc, tpcc-mysql or hammerdb", {
        "standard" => Dialect::Standard,
        "sysbench-tpcc" => Dialect::SysbenchTpcc,
        "tpcc-mysql" => Dialect::TpccMysql,
        "hammerdb" => Dialect::Hammerdb,
    }).shapes_data(),
    choice!(fidelity, "tool: with the tool's quirks; fixed: with every quirk repaired", "tool or fixed", {
        "tool" => Fidelity::Tool,
        "fixed" => Fidelity::Fixed,
    }).shapes_data(),
    WAREHOUSES,
    SCALE,
    TABLES,
    choice!(fk, "Foreign keys: none; declared, with checks off in every session; enforced",
    "none, declared or enforced", {
        "none" => ForeignKeys::None,
        "declared" => ForeignKeys::Declared,
        "enforced" => ForeignKeys::Enforced,
    }).shapes_data(),
    OptionRow {
        name: "use_fk",
        help: "sysbench-tpcc: on for fk=declared, off for fk=none",
        is_switch: true,
        shapes_data: true,
        of: SYSBENCH,
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
    option_switch!(force_pk, "Give history a numbered primary key", yes_or_no).shapes_data(),
    choice!(key_order, "tpcc-mysql: with reversed, primary keys begin with the row's number (its schema2)",
    "normal or reversed", {
        "normal" => KeyOrder::Normal,
        "reversed" => KeyOrder::Reversed,
    }).shapes_data().only(MYSQL),
    option_switch!(partition, "hammerdb: order_line in partitions from 200 warehouses on", yes_or_no).shapes_data().only(HAMMER),
    choice!(strings, "Long texts: random, or one letter repeated as sysbench-tpcc has them",
    "random or repeated", {
        "random" => Strings::Random,
        "repeated" => Strings::Repeated,
    }).shapes_data(),
    option_row!(mysql_storage_engine, "Storage engine of the tables", identifier).shapes_data(),
    option_row!(create_table_options, "Text added at the end of CREATE TABLE", sql_tail).shapes_data(),
    C_LOAD,
    choice!(trx_level, "sysbench-tpcc: isolation level RR, RC or SER", "RR, RC or SER", {
        "RR" => Isolation::RepeatableRead,
        "RC" => Isolation::ReadCommitted,
        "SER" => Isolation::Serializable,
    }).only(SYSBENCH),
    option_switch!(splittable, "sysbench-tpcc: START TRANSACTION READ WRITE or READ ONLY instead of BEGIN", yes_or_no)
        .only(SYSBENCH),
    option_switch!(enable_purge, "sysbench-tpcc: also delete old orders", yes_or_no).only(SYSBENCH),
    option_switch!(prepared, "hammerdb: prepare its procedure calls in SQL", yes_or_no).only(HAMMER),
    option_switch!(no_stored_procs, "hammerdb: single statements instead of stored procedures", yes_or_no).shapes_data().only(HAMMER),
    option_switch!(allwarehouse, "hammerdb: each transaction draws one of the user's own warehouses", yes_or_no)
        .only(HAMMER),
    option_switch!(keyandthink, "standard, hammerdb: keying and thinking times in closed loops", yes_or_no)
        .only(&["standard", "hammerdb"]),
    choice!(calls, "standard: single statements or stored procedures", "statements or procedures", {
        "statements" => Calls::Statements,
        "procedures" => Calls::Procedures,
    }).shapes_data().only(STANDARD),
    choice!(home, "standard: a user keeps its warehouse (fixed) or draws one for each transaction (any)",
    "fixed or any", {
        "fixed" => Home::Fixed,
        "any" => Home::Any,
    }).only(STANDARD),
    choice!(mix, "standard: types from a shuffled deck of 23 cards, or by weights", "deck or weights", {
        "deck" => MixMethod::Deck,
        "weights" => MixMethod::Weights,
    }).only(STANDARD),
    OptionRow {
        name: "weights",
        help: "standard: weights of new order, payment, order status, delivery, stock level",
        is_switch: false,
        shapes_data: false,
        of: STANDARD,
        set: |options, text| {
            options.weights = weights(text).ok_or("five whole numbers with commas, not all 0,")?;
            Ok(())
        },
        get: |options| options.weights.map(|weight| weight.to_string()).join(","),
    },
    choice!(delivery, "standard: deliveries deferred in a queue, or inline", "queue or inline", {
        "queue" => DeliveryMode::Queue,
        "inline" => DeliveryMode::Inline,
    }).only(STANDARD),
];

/// Reads yes and no, as sysbench-tpcc says.
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

pub(super) const TABLE: OptionTable<Options> = OptionTable {
    family: "Options of TPC-C",
    rows: ROWS,
    aliases: &[
        ("count_ware", "warehouses"),
        ("storage_engine", "mysql_storage_engine"),
        ("mysql_table_options", "create_table_options"),
        ("history_pk", "force_pk"),
        ("think", "keyandthink"),
    ],
};

/// Returns every option of the family with its default in the dialect `standard`, or the first that has it.
pub(super) fn described() -> Vec<(OptionInfo, String)> {
    TABLE.described(|row| {
        let first = row.of.first().and_then(|word| Dialect::named(word));
        Options::new(first.unwrap_or(Dialect::Standard), Fidelity::Tool)
    })
}
