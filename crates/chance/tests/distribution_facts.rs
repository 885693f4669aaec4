//! Checks draws of dbdyno's generator against the recorded masses, quantiles and bands of each
//! distribution.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_chance::{Distribution, RandomKind, RandomSource};
use serde_json::Value;
use std::path::Path;

fn facts() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contract/vectors/sysbench_distributions.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

const DRAWS: u32 = 1_000_000;

/// Counts each rank in a million draws over 1..=n.
fn sample(distribution: Distribution, fact: &Value) -> Vec<u32> {
    let count = u32::try_from(fact["n"].as_u64().unwrap()).unwrap();
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 7,
    };
    let mut stream = source.worker("facts", 0);
    let sampler = distribution.sampler(1, count);
    let mut tally = vec![0; count as usize + 1];
    for _ in 0..DRAWS {
        tally[sampler.draw(&mut stream) as usize] += 1;
    }
    tally
}

/// Returns the share of the draws up to `rank`.
fn share(tally: &[u32], rank: u32) -> f64 {
    f64::from(tally[..=rank as usize].iter().sum::<u32>()) / f64::from(DRAWS)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn check_masses_and_quantiles(tally: &[u32], fact: &Value, masses: &str, bound: f64) {
    for (rank, mass) in fact[masses].as_object().unwrap() {
        let found = share(tally, rank.parse().unwrap());
        assert!(
            (found - number(mass)).abs() < bound,
            "P(<= {rank}): {found}, not {mass}"
        );
    }
    for (level, rank) in fact["quantile_rank"].as_object().unwrap() {
        let level: f64 = level.parse().unwrap();
        let rank = u32::try_from(rank.as_u64().unwrap()).unwrap();
        assert!(
            share(tally, rank) > level - bound,
            "quantile {level} beyond {rank}"
        );
        assert!(
            share(tally, rank - 1) < level + bound,
            "quantile {level} below {rank}"
        );
    }
}

#[test]
fn masses_and_quantiles_are_where_the_formulas_put_them() {
    let facts = facts();
    let bound = number(&facts["sample_test"]["max_cdf_distance"]);
    for fact in facts["zipfian"].as_array().unwrap() {
        let exponent = number(&fact["exponent"]);
        let drawn = sample(Distribution::Zipfian { exponent }, fact);
        check_masses_and_quantiles(&drawn, fact, "head_mass", bound);
    }
    for fact in facts["pareto"].as_array().unwrap() {
        let drawn = sample(
            Distribution::Pareto {
                h: number(&fact["h"]),
            },
            fact,
        );
        check_masses_and_quantiles(&drawn, fact, "cdf", bound);
    }
}

#[test]
fn the_bell_has_its_mean_and_width() {
    let facts = facts();
    for fact in facts["gaussian"].as_array().unwrap() {
        let iterations = u32::try_from(fact["iterations"].as_u64().unwrap()).unwrap();
        let drawn = sample(Distribution::Gaussian { iterations }, fact);
        let count = f64::from(DRAWS);
        let moment = |of: &dyn Fn(f64) -> f64| {
            let ranks = drawn.iter().enumerate();
            ranks
                .map(|(rank, &n)| f64::from(n) * of(rank as f64))
                .sum::<f64>()
                / count
        };
        let mean = moment(&|rank| rank);
        let variance = moment(&|rank| (rank - mean).powi(2));
        let sd = number(&fact["sd"]);
        assert!(
            (mean - number(&fact["mean_rank"])).abs() < 5.0 * sd / count.sqrt(),
            "mean {mean}"
        );
        assert!(
            (variance.sqrt() / sd - 1.0).abs() < 5.0 / (2.0 * count).sqrt(),
            "sd {variance}"
        );
    }
}

#[test]
fn three_quarters_of_special_fall_in_the_recorded_band() {
    let facts = facts();
    for fact in facts["special"].as_array().unwrap() {
        let whole = |name: &str| u32::try_from(fact[name].as_u64().unwrap()).unwrap();
        let drawn = sample(
            Distribution::Special {
                iterations: whole("iterations"),
                percent: whole("pct"),
                reserved: whole("res"),
            },
            fact,
        );
        let (first, last) = (whole("hot_band_first_rank"), whole("hot_band_last_rank"));
        let in_band = share(&drawn, last) - share(&drawn, first - 1);
        // The bell adds a little: its density in the middle times the width of the band.
        let bell = number(&fact["p_gaussian_branch"]) * number(&fact["hot_band_width"])
            / (number(&fact["gaussian_branch_sd"]) * 2.0_f64.sqrt() * std::f64::consts::PI.sqrt());
        let expected = number(&fact["p_hot_branch"]) + bell;
        assert!(
            (in_band - expected).abs() < 0.004,
            "{in_band}, not {expected}"
        );
        let most = drawn.iter().max().unwrap();
        let hottest = drawn.iter().position(|n| n == most).unwrap() as u32;
        assert!((first..=last).contains(&hottest));
    }
}
