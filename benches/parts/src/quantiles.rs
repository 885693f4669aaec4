//! Computes how far a reported quantile is, at worst, from the exact one of the same times.

use dbdyno_chance::{RandomKind, RandomSource, Stream};
use dbdyno_meter::Histogram;

const SECONDS: usize = 10;
const TIMES_A_SECOND: usize = 100_000;
const QUANTILES: [f64; 9] = [0.001, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999];

/// The largest relative error over three laws, every second and all seconds merged.
pub(crate) fn largest_error() -> f64 {
    [uniform, exponential, two_peaks]
        .into_iter()
        .map(|law| error_of(law))
        .fold(0.0, f64::max)
}

fn error_of(law: fn(&mut Stream) -> f64) -> f64 {
    let kind = RandomKind::Dbdyno;
    let mut stream = RandomSource { kind, seed: 1 }.keyed("quantiles", 0);
    let (mut all, mut merged, mut worst) = (Vec::new(), Histogram::new(), 0.0_f64);
    for _ in 0..SECONDS {
        let times: Vec<u64> = (0..TIMES_A_SECOND)
            .map(|_| law(&mut stream) as u64)
            .collect();
        let mut second = Histogram::new();
        times.iter().for_each(|&ns| second.record(ns));
        merged.merge(&second);
        all.extend_from_slice(&times);
        worst = worst.max(error_against(&second, times));
    }
    worst.max(error_against(&merged, all))
}

fn error_against(histogram: &Histogram, mut times: Vec<u64>) -> f64 {
    times.sort_unstable();
    let error = |q: f64| {
        let exact = times[(q * times.len() as f64).ceil() as usize - 1] as f64;
        let told = histogram.quantile_ns(q).unwrap_or(0) as f64;
        (told - exact).abs() / exact
    };
    QUANTILES.into_iter().map(error).fold(0.0, f64::max)
}

/// 4 to 40 ms.
fn uniform(stream: &mut Stream) -> f64 {
    4e6 + stream.next_double() * 36e6
}

/// 15 ms in the mean.
fn exponential(stream: &mut Stream) -> f64 {
    -(1.0 - stream.next_double()).ln() * 15e6
}

/// 98 % about 5 ms, 2 % about 80 ms.
fn two_peaks(stream: &mut Stream) -> f64 {
    let centre = if stream.next_double() < 0.98 {
        5e6
    } else {
        8e7
    };
    centre * (0.95 + 0.1 * stream.next_double())
}
