//! Types the options of random numbers.

use super::EarlyExit;
use super::check::not_negative;
use super::table::Table;
use crate::{Dialect, Random, RandomType};

/// Reads what is drawn from, with sysbench's complaints in its order.
pub(super) fn random(table: &Table, dialect: Dialect) -> Result<Random, EarlyExit> {
    let seed = table.int("rand_seed")?.cast_unsigned();
    let kind = random_type(table, dialect)?;
    let special = |name, default| match dialect {
        Dialect::V1_0 => Ok(not_negative(table.int(name)?)),
        Dialect::V1_1 => Ok(default),
    };
    let (iterations, percent, share) = (
        special("rand_spec_iter", 12)?,
        special("rand_spec_pct", 1)?,
        special("rand_spec_res", 75)?,
    );
    Ok(Random {
        kind,
        seed,
        pareto_h: table.double("rand_pareto_h"),
        zipfian_exponent: zipfian_exponent(table, dialect)?,
        iterations,
        special_percent: percent,
        special_share: share,
    })
}

fn random_type(table: &Table, dialect: Dialect) -> Result<RandomType, EarlyExit> {
    let name = table.text("rand_type");
    match (name, dialect) {
        ("uniform", _) => Ok(RandomType::Uniform),
        ("gaussian", _) => Ok(RandomType::Gaussian),
        ("pareto", _) => Ok(RandomType::Pareto),
        ("special", Dialect::V1_0) => Ok(RandomType::Special),
        ("zipfian", Dialect::V1_1) => Ok(RandomType::Zipfian),
        _ => Err(EarlyExit::fatal(&format!(
            "Invalid random numbers distribution: {name}."
        ))),
    }
}

fn zipfian_exponent(table: &Table, dialect: Dialect) -> Result<f64, EarlyExit> {
    if dialect == Dialect::V1_0 {
        return Ok(0.8);
    }
    match table.double("rand_zipfian_exp") {
        exponent if exponent >= 0.0 => Ok(exponent),
        _ => Err(EarlyExit::fatal("--rand-zipfian-exp must be >= 0")),
    }
}
