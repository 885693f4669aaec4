//! Declares the options of the scripts, and turns their values into a workload.

use crate::options::{ArgKind, OptionValues, ScriptOption, Value};
use crate::{Dialect, Random, RandomType};

/// An option: name, help, default, kind.
type OptionRow = (&'static str, &'static str, Option<&'static str>, ArgKind);

const COMMON: &[OptionRow] = &[
    (
        "table_size",
        "Number of rows per table",
        Some("10000"),
        ArgKind::Double,
    ),
    (
        "range_size",
        "Range size for range SELECT queries",
        Some("100"),
        ArgKind::Double,
    ),
    ("tables", "Number of tables", Some("1"), ArgKind::Double),
    (
        "point_selects",
        "Number of point SELECT queries per transaction",
        Some("10"),
        ArgKind::Double,
    ),
    (
        "simple_ranges",
        "Number of simple range SELECT queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "sum_ranges",
        "Number of SELECT SUM() queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "order_ranges",
        "Number of SELECT ORDER BY queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "distinct_ranges",
        "Number of SELECT DISTINCT queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "index_updates",
        "Number of UPDATE index queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "non_index_updates",
        "Number of UPDATE non-index queries per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "delete_inserts",
        "Number of DELETE/INSERT combinations per transaction",
        Some("1"),
        ArgKind::Double,
    ),
    (
        "range_selects",
        "Enable/disable all range SELECT queries",
        Some("on"),
        ArgKind::Flag,
    ),
    (
        "auto_inc",
        "Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in other DBMS. When disabled, use client-generated IDs",
        Some("on"),
        ArgKind::Flag,
    ),
    (
        "skip_trx",
        "Don't start explicit transactions and execute all queries in the AUTOCOMMIT mode",
        Some("off"),
        ArgKind::Flag,
    ),
    (
        "secondary",
        "Use a secondary index in place of the PRIMARY KEY",
        Some("off"),
        ArgKind::Flag,
    ),
    (
        "create_secondary",
        "Create a secondary index in addition to the PRIMARY KEY",
        Some("on"),
        ArgKind::Flag,
    ),
    (
        "mysql_storage_engine",
        "Storage engine, if MySQL is used",
        Some("innodb"),
        ArgKind::Text,
    ),
    (
        "pgsql_variant",
        "Use this PostgreSQL variant when running with the PostgreSQL driver. The only currently supported variant is 'redshift'. When enabled, create_secondary is automatically disabled, and delete_inserts is set to 0",
        None,
        ArgKind::Text,
    ),
];

const SINCE_1_1: &[OptionRow] = &[
    (
        "create_table_options",
        "Extra CREATE TABLE options",
        Some(""),
        ArgKind::Text,
    ),
    (
        RECONNECT,
        "Reconnect after every N events. The default (0) is to not reconnect",
        Some("0"),
        ArgKind::Double,
    ),
];

/// Events after which a user connects anew; it is no business of the workload.
const RECONNECT: &str = "reconnect";

const RANDOM_POINTS: &[OptionRow] = &[(
    "random_points",
    "Number of random points in the IN() clause in generated SELECTs",
    Some("10"),
    ArgKind::Double,
)];

const RANDOM_RANGES: &[OptionRow] = &[
    (
        "number_of_ranges",
        "Number of random BETWEEN ranges per SELECT",
        Some("10"),
        ArgKind::Double,
    ),
    (
        "delta",
        "Size of BETWEEN ranges",
        Some("5"),
        ArgKind::Double,
    ),
];

/// Returns what the script of this name declares.
pub(super) fn declared(name: &str, dialect: Dialect) -> Vec<ScriptOption> {
    rows(name, dialect).map(option).collect()
}

fn rows(name: &str, dialect: Dialect) -> impl Iterator<Item = &'static OptionRow> {
    let own = match name {
        "select_random_points" => RANDOM_POINTS,
        "select_random_ranges" => RANDOM_RANGES,
        _ => &[],
    };
    let since = match dialect {
        Dialect::V1_0 => &[],
        Dialect::V1_1 => SINCE_1_1,
    };
    COMMON.iter().chain(since).chain(own)
}

fn option(&(name, description, default, kind): &OptionRow) -> ScriptOption {
    ScriptOption {
        name: name.to_owned(),
        description: description.to_owned(),
        default: default.map(str::to_owned),
        kind,
        has_validator: false,
    }
}

/// Returns the workload's options: the script's values, and the distribution of `--rand-type`. `None` if a value is
/// none that a workload takes.
pub(super) fn of_workload(
    name: &str,
    dialect: Dialect,
    values: &OptionValues,
    random: &Random,
) -> Option<Vec<(String, String)>> {
    let mut options = of_random(random);
    for (option, ..) in rows(name, dialect) {
        if matches!(*option, "pgsql_variant" | RECONNECT) {
            continue;
        }
        let Some(value) = values.get(option) else {
            continue; // the workload has the same default
        };
        options.push(((*option).to_owned(), text(option, value)?));
    }
    Some(options)
}

/// Events after which a user connects anew; 0: never.
pub(super) fn reconnect_after(values: &OptionValues) -> u64 {
    match values.get(RECONNECT) {
        Some(&Value::Double(events)) => events as u64,
        _ => 0,
    }
}

/// Returns the rows of a table that `prewarm` reads at most: as many as are asked for, even where `prepare` leaves the
/// table empty.
pub(super) fn table_rows(values: &OptionValues) -> Option<u64> {
    match values.get("table_size") {
        Some(&Value::Double(rows)) => Some(rows as u64),
        _ => None,
    }
}

/// The scripts count up to these, so that a part of one is none, and less than none is none.
const COUNTS: [&str; 8] = [
    "point_selects",
    "simple_ranges",
    "sum_ranges",
    "order_ranges",
    "distinct_ranges",
    "index_updates",
    "non_index_updates",
    "delete_inserts",
];

/// Of these, too, only the whole counts.
const WHOLE: [&str; 3] = ["tables", "table_size", "range_size"];

/// Returns what the scripts make of a number that is no count.
fn whole(option: &str, number: f64) -> Option<f64> {
    let is_count = COUNTS.contains(&option);
    if number.fract() == 0.0 && number >= 0.0 {
        Some(number)
    } else if is_count && number < 0.0 {
        Some(0.0)
    } else if number.is_finite() && number >= 1.0 && (is_count || WHOLE.contains(&option)) {
        Some(number.floor())
    } else {
        None // where it is less than one, a statement may be prepared that is never executed
    }
}

fn text(option: &str, value: &Value) -> Option<String> {
    Some(match value {
        Value::Flag(is_on) => if *is_on { "on" } else { "off" }.to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Size(number) => number.to_string(),
        Value::Double(number) => format!("{:.0}", whole(option, *number)?),
        Value::Text(text) => text.clone(),
        Value::List(_) => return None,
    })
}

fn of_random(random: &Random) -> Vec<(String, String)> {
    let kind = match random.kind {
        RandomType::Uniform => "uniform",
        RandomType::Gaussian => "gaussian",
        RandomType::Special => "special",
        RandomType::Pareto => "pareto",
        RandomType::Zipfian => "zipfian",
    };
    [
        ("rand_type", kind.to_owned()),
        ("rand_spec_iter", random.iterations.to_string()),
        ("rand_spec_pct", random.special_percent.to_string()),
        ("rand_spec_res", random.special_share.to_string()),
        ("rand_pareto_h", random.pareto_h.to_string()),
        ("rand_zipfian_exp", random.zipfian_exponent.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn numbers_that_are_no_counts_are_what_the_scripts_make_of_them() {
        for (option, number, expected) in [
            ("point_selects", 1.5, Some(1.0)),
            ("point_selects", -2.0, Some(0.0)),
            ("point_selects", -0.5, Some(0.0)),
            ("point_selects", 0.5, None),
            ("tables", 2.9, Some(2.0)),
            ("table_size", -1.0, None),
            ("table_size", 0.0, Some(0.0)),
            ("range_size", f64::INFINITY, None),
            ("random_points", 3.5, None),
            ("random_points", f64::NAN, None),
        ] {
            assert_eq!(whole(option, number), expected, "{option} {number}");
        }
    }
}
