//! Samples Zipf's law by the method of Gray et al.

use dbdyno_chance::Stream;

/// From so many ids on, the tool approximates zeta.
const EXACT_BELOW: u64 = 100_000;

/// Places 0 to n-1, the first the most likely. All that a draw needs is worked out once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Zipf {
    count: u64,
    zeta: f64,
    eta: f64,
    /// Below this share of zeta, counted from 0, lies the second place.
    second: f64,
    /// 1/(1-s).
    power: f64,
}

impl Zipf {
    /// Creates it for a shape below 1: the formulas do not cover others.
    pub(super) fn new(count: u64, shape: f64) -> Self {
        let n = count as f64;
        let zeta = zeta(count, shape);
        let zeta_of_two = 1.0 + 0.5_f64.powf(shape);
        Self {
            count,
            zeta,
            eta: (1.0 - (2.0 / n).powf(1.0 - shape)) / (1.0 - zeta_of_two / zeta),
            second: zeta_of_two,
            power: 1.0 / (1.0 - shape),
        }
    }

    pub(super) fn draw(&self, stream: &mut Stream) -> u64 {
        self.place(stream.next_double())
    }

    /// Returns the place that a draw from [0, 1) leads to.
    pub(super) fn place(&self, draw: f64) -> u64 {
        let share = draw * self.zeta;
        if share < 1.0 {
            return 0;
        }
        if share < self.second {
            return 1;
        }
        let place = self.count as f64 * (self.eta * draw - self.eta + 1.0).powf(self.power);
        (place as u64).min(self.count - 1)
    }
}

fn zeta(count: u64, shape: f64) -> f64 {
    if count < EXACT_BELOW {
        return (1..=count).map(|k| (k as f64).powf(-shape)).sum();
    }
    let rest = 1.0 - shape;
    (count as f64).powf(rest) / rest + 0.58 - 1.0 / rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_inside_even_for_one_id() {
        for count in [1, 2, 3, 99_999, 100_000] {
            let zipf = Zipf::new(count, 0.8);
            for draw in [0.0, 0.3, 0.999_999, 1.0 - f64::EPSILON] {
                assert!(zipf.place(draw) < count.max(2), "{count} {draw}");
            }
        }
    }

    #[test]
    fn the_first_place_has_the_share_of_the_law() {
        let zipf = Zipf::new(10_000, 0.8);
        let mut stream = Stream::from_state([1, 2]);
        let first = (0..100_000).filter(|_| zipf.draw(&mut stream) == 0).count() as f64;
        let expected = 100_000.0 / zeta(10_000, 0.8);
        assert!(
            (first - expected).abs() < 5.0 * expected.sqrt(),
            "{first} of {expected}"
        );
    }
}
