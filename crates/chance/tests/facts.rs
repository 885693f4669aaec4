//! The recorded facts of each distribution (masses, quantiles, bands) against draws of dbdyno's own generator.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

use dbdyno_chance::{Distribution, RandomKind, RandomSource};
use serde_json::Value;
use std::path::Path;

fn facts() -> Option<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/workloads/sysbench_distributions.json");
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: the test vectors are not beside this repository");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

/// A million draws over 1..=n, sorted.
fn sample(distribution: Distribution, fact: &Value) -> Vec<u32> {
    let count = u32::try_from(fact["n"].as_u64().unwrap()).unwrap();
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 7,
    };
    let mut stream = source.worker("facts", 0);
    let sampler = distribution.over(1, count);
    let mut drawn: Vec<u32> = (0..1_000_000).map(|_| sampler.draw(&mut stream)).collect();
    drawn.sort_unstable();
    drawn
}

/// Share of the draws up to `rank`.
fn share(sorted: &[u32], rank: u32) -> f64 {
    sorted.partition_point(|&value| value <= rank) as f64 / sorted.len() as f64
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn check_masses_and_quantiles(sorted: &[u32], fact: &Value, masses: &str, bound: f64) {
    for (rank, mass) in fact[masses].as_object().unwrap() {
        let found = share(sorted, rank.parse().unwrap());
        assert!(
            (found - number(mass)).abs() < bound,
            "P(<= {rank}): {found}, not {mass}"
        );
    }
    for (level, rank) in fact["quantile_rank"].as_object().unwrap() {
        let level: f64 = level.parse().unwrap();
        let rank = u32::try_from(rank.as_u64().unwrap()).unwrap();
        assert!(
            share(sorted, rank) > level - bound,
            "quantile {level} beyond {rank}"
        );
        assert!(
            share(sorted, rank - 1) < level + bound,
            "quantile {level} below {rank}"
        );
    }
}

#[test]
fn masses_and_quantiles_are_where_the_formulas_put_them() {
    let Some(facts) = facts() else { return };
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
    let Some(facts) = facts() else { return };
    for fact in facts["gaussian"].as_array().unwrap() {
        let iterations = u32::try_from(fact["iterations"].as_u64().unwrap()).unwrap();
        let drawn = sample(Distribution::Gaussian { iterations }, fact);
        let count = drawn.len() as f64;
        let mean = drawn.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
        let variance = drawn
            .iter()
            .map(|&v| (f64::from(v) - mean).powi(2))
            .sum::<f64>()
            / count;
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
    let Some(facts) = facts() else { return };
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
        let hottest = drawn
            .chunk_by(|a, b| a == b)
            .max_by_key(|run| run.len())
            .unwrap()[0];
        assert!((first..=last).contains(&hottest));
    }
}
