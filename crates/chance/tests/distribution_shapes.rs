//! Checks a million draws of each distribution against its exact cumulative distribution.
//!
//! The bound on the largest distance is that of Dvoretzky, Kiefer and Wolfowitz: a correct generator passes it with a
//! probability below one in a million, and the seed is fixed so that the verdict is too.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_chance::{Distribution, RandomKind, RandomSource};

const DRAWS: u32 = 1_000_000;
const MAX_CDF_DISTANCE: f64 = 0.002_693_386_134_452_71;

/// Returns the largest distance between the draws over 1..=count and `exact(rank)` = P(draw <= rank).
fn distance(distribution: Distribution, count: u32, exact: impl Fn(u32) -> f64) -> f64 {
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 20_240_601,
    };
    let mut stream = source.worker("shapes", 0);
    let sampler = distribution.sampler(1, count);
    let mut tally = vec![0_u32; count as usize + 1];
    for _ in 0..DRAWS {
        tally[sampler.draw(&mut stream) as usize] += 1;
    }
    assert_eq!(tally[0], 0);
    let mut drawn = 0;
    let mut largest: f64 = 0.0;
    for rank in 1..=count {
        drawn += tally[rank as usize];
        let share = f64::from(drawn) / f64::from(DRAWS);
        largest = largest.max((share - exact(rank)).abs());
    }
    largest
}

fn assert_close(distribution: Distribution, count: u32, exact: impl Fn(u32) -> f64) {
    let found = distance(distribution, count, exact);
    assert!(
        found < MAX_CDF_DISTANCE,
        "{distribution:?} over 1..={count}: {found}"
    );
}

/// Computes P(sum of `terms` uniform draws <= x), the Irwin-Hall distribution.
fn irwin_hall(terms: u32, x: f64) -> f64 {
    let x = x.clamp(0.0, f64::from(terms));
    let power = i32::try_from(terms).unwrap();
    let mut sum = 0.0;
    let mut binomial = 1.0;
    for k in 0..=terms {
        if f64::from(k) > x {
            break;
        }
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * binomial * (x - f64::from(k)).powi(power);
        binomial = binomial * f64::from(terms - k) / f64::from(k + 1);
    }
    sum / (1..=terms).map(f64::from).product::<f64>()
}

#[test]
fn uniform_draws_are_even() {
    for count in [10, 1000] {
        assert_close(Distribution::Uniform, count, |rank| {
            f64::from(rank) / f64::from(count)
        });
    }
}

#[test]
fn gaussian_draws_follow_the_sum_of_twelve() {
    let count = 1000;
    assert_close(Distribution::GAUSSIAN, count, |rank| {
        irwin_hall(12, 12.0 * f64::from(rank) / f64::from(count))
    });
}

#[test]
fn special_draws_follow_bell_and_band() {
    for (count, percent, reserved) in [(1000, 1, 75), (100_000, 1, 75), (10_000, 5, 50)] {
        let distribution = Distribution::Special {
            iterations: 12,
            percent,
            reserved,
        };
        let width = f64::from(count - 1);
        let bell_share = 1.0 - f64::from(reserved) / 100.0;
        let band = |rank: f64| {
            let start = width / 2.0 - width * f64::from(percent) / 200.0;
            let drawn = (rank - start) / (width * f64::from(percent) / 100.0 + 1.0);
            drawn.clamp(bell_share, 1.0) - bell_share
        };
        assert_close(distribution, count, |rank| {
            let rank = f64::from(rank);
            bell_share * irwin_hall(12, 12.0 * rank / width) + band(rank)
        });
    }
}

#[test]
fn pareto_draws_follow_the_power() {
    for (count, h, power) in [
        (1000, 0.2, 7.212_567_439_010_781),
        (1_000_000, 0.1, 21.854_345_326_782_834),
    ] {
        assert_close(Distribution::Pareto { h }, count, |rank| {
            (f64::from(rank) / f64::from(count)).powf(1.0 / power)
        });
    }
}

#[test]
fn zipfian_draws_follow_zipfs_law() {
    for (count, exponent) in [
        (1000_u32, 0.8),
        (10_000, 0.8),
        (100_000, 1.0),
        (1000, 0.2),
        (1000, 1.5),
        (50, 0.0),
    ] {
        let mut masses = vec![0.0];
        for rank in 1..=count {
            masses.push(masses[rank as usize - 1] + f64::from(rank).powf(-exponent));
        }
        let total = masses[count as usize];
        assert_close(Distribution::Zipfian { exponent }, count, |rank| {
            masses[rank as usize] / total
        });
    }
}

/// The tests above must be able to fail: neighbours of each distribution are told apart.
#[test]
fn a_slightly_wrong_distribution_is_noticed() {
    let uniform = |rank: u32| f64::from(rank) / 1000.0;
    assert!(distance(Distribution::Zipfian { exponent: 0.02 }, 1000, uniform) > MAX_CDF_DISTANCE);
    let pareto = |rank: u32| (f64::from(rank) / 1000.0).powf(1.0 / 7.212_567);
    assert!(distance(Distribution::Pareto { h: 0.205 }, 1000, pareto) > MAX_CDF_DISTANCE);
}
