//! Samples Zipf's law by rejection-inversion (Hörmann and Derflinger 1996), as the master branch of sysbench
//! does.

use crate::Stream;

/// Draws ranks 1 to n with P(rank) proportional to rank^-exponent.
///
/// The rank is not scrambled: rank 1 is the most frequent one and neighbours are nearly as frequent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Zipf {
    count: u32,
    exponent: f64,
    /// Where the hat's integral starts: H(1.5) - 1.
    low: f64,
    /// Where it ends: H(n + 0.5).
    high: f64,
    /// A rank this close to its real-valued draw is accepted without a further check.
    squeeze: f64,
}

impl Zipf {
    /// Samples ranks 1 to `count`, at least one, with an exponent of zero or more.
    pub(crate) fn new(count: u32, exponent: f64) -> Self {
        let squeeze_at = integral(2.5, exponent) - density(2.0, exponent);
        Self {
            count,
            exponent,
            low: integral(1.5, exponent) - 1.0,
            high: integral(f64::from(count) + 0.5, exponent),
            squeeze: 2.0 - integral_inverse(squeeze_at, exponent),
        }
    }

    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u32 {
        loop {
            let area = self.high + stream.next_double() * (self.low - self.high);
            let real = integral_inverse(area, self.exponent);
            let rank = ((real + 0.5) as u32).clamp(1, self.count);
            let exact = f64::from(rank);
            if exact - real <= self.squeeze
                || area >= integral(exact + 0.5, self.exponent) - density(exact, self.exponent)
            {
                return rank;
            }
        }
    }
}

/// Computes h(x) = x^-e.
fn density(x: f64, exponent: f64) -> f64 {
    (-exponent * x.ln()).exp()
}

/// Computes H(x) = (x^(1-e) - 1) / (1 - e), or ln x if e is 1, in a form that is smooth around 1.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    exp_m1_over(log * (1.0 - exponent)) * log
}

/// Computes the inverse of H.
fn integral_inverse(area: f64, exponent: f64) -> f64 {
    // Rounding may carry the product past the pole of the logarithm.
    let product = (area * (1.0 - exponent)).max(-1.0);
    (ln_1p_over(product) * area).exp()
}

/// Below this the quotients are computed from their series.
const SERIES_BELOW: f64 = 1e-8;

/// Computes (e^x - 1) / x.
fn exp_m1_over(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.exp_m1() / x
    } else {
        1.0 + x * 0.5 * (1.0 + x * (1.0 / 3.0) * (1.0 + 0.25 * x))
    }
}

/// Computes ln(1 + x) / x.
fn ln_1p_over(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.ln_1p() / x
    } else {
        1.0 - x * (0.5 - x * (1.0 / 3.0 - 0.25 * x))
    }
}

#[cfg(test)]
mod tests {
    use super::{Zipf, integral, integral_inverse};
    use crate::Stream;

    #[test]
    fn the_inverse_undoes_the_integral() {
        for exponent in [0.0, 0.2, 0.8, 1.0, 1.5] {
            for x in [1.0, 2.5, 1000.5] {
                let back = integral_inverse(integral(x, exponent), exponent);
                assert!((back - x).abs() < 1e-9 * x, "{exponent} {x} {back}");
            }
        }
    }

    #[test]
    fn one_rank_is_the_only_rank() {
        let mut stream = Stream::from_state([1, 2]);
        assert_eq!(Zipf::new(1, 0.8).draw(&mut stream), 1);
    }
}
