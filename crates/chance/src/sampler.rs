//! Draws numbers of an interval from a distribution.

use crate::zipf::Zipf;
use crate::{Distribution, Stream};

/// Draws whole numbers of one interval. Values that don't change from draw to draw are computed once, in advance.
///
/// The order of the floating-point operations is that of sysbench, so results agree to the last number.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampler {
    low: u32,
    high: u32,
    shape: SamplerShape,
}

#[derive(Debug, Clone, PartialEq)]
enum SamplerShape {
    Uniform { count: f64 },
    Gaussian { count: f64, bell: Bell },
    Special(Special),
    Pareto { count: f64, power: f64 },
    Zipfian(Zipf),
}

impl Sampler {
    pub(crate) fn new(distribution: Distribution, low: u32, high: u32) -> Self {
        let count = f64::from(high - low) + 1.0;
        let shape = match distribution {
            Distribution::Uniform => SamplerShape::Uniform { count },
            Distribution::Gaussian { iterations } => SamplerShape::Gaussian {
                count,
                bell: Bell::new(iterations),
            },
            Distribution::Special {
                iterations,
                percent,
                reserved,
            } => SamplerShape::Special(Special::new(high - low, iterations, percent, reserved)),
            Distribution::Pareto { h } => SamplerShape::Pareto {
                count,
                power: h.ln() / (1.0 - h).ln(),
            },
            Distribution::Zipfian { exponent } => {
                // The full 32-bit interval has one number more than 32 bits can count.
                SamplerShape::Zipfian(Zipf::new((high - low).saturating_add(1), exponent))
            }
        };
        Self { low, high, shape }
    }

    /// Returns the next number of the interval.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        let place = match &self.shape {
            SamplerShape::Uniform { count } => (stream.next_double() * count) as u32,
            SamplerShape::Gaussian { count, bell } => bell.draw_mean(stream, *count) as u32,
            SamplerShape::Special(special) => special.draw(stream),
            SamplerShape::Pareto { count, power } => {
                (count * stream.next_double().powf(*power)) as u32
            }
            SamplerShape::Zipfian(zipf) => zipf.draw(stream) - 1,
        };
        self.low + place.min(self.high - self.low)
    }
}

/// Draws the mean of some uniform draws.
#[derive(Debug, Clone, PartialEq)]
struct Bell {
    iterations: u32,
    share: f64,
}

impl Bell {
    fn new(iterations: u32) -> Self {
        let share = 1.0 / f64::from(iterations);
        Self { iterations, share }
    }

    /// Returns the mean of draws of [0, width).
    #[inline]
    fn draw_mean(&self, stream: &mut Stream, width: f64) -> f64 {
        let mut sum = 0.0;
        for _ in 0..self.iterations {
            sum += stream.next_double() * width;
        }
        sum * self.share
    }
}

/// Implements sysbench 1.0's `special`. One draw decides between bell and band, and the *same* draw, by then known to
/// be in the upper part, chooses the place in the band: so the band is filled only in that part (quirk Q-SB-2).
#[derive(Debug, Clone, PartialEq)]
struct Special {
    /// Distance from the lowest to the highest number.
    width: f64,
    /// A draw belongs to the bell if its product with this is below `width`.
    stretched_width: f64,
    band_width: f64,
    band_start: f64,
    bell: Bell,
}

impl Special {
    fn new(distance: u32, iterations: u32, percent: u32, reserved: u32) -> Self {
        let (width, percent) = (f64::from(distance), f64::from(percent));
        Self {
            width,
            stretched_width: width * (100.0 / (100.0 - f64::from(reserved))),
            band_width: width * (percent / 100.0) + 1.0,
            band_start: width / 2.0 - width * (percent / 200.0),
            bell: Bell::new(iterations),
        }
    }

    #[inline]
    fn draw(&self, stream: &mut Stream) -> u32 {
        let drawn = stream.next_double();
        if drawn * self.stretched_width < self.width {
            return (self.bell.draw_mean(stream, 1.0) * self.width) as u32;
        }
        (drawn * self.band_width + self.band_start) as u32
    }
}

#[cfg(test)]
mod tests {
    use crate::{Distribution, RandomKind, RandomSource, Stream};

    fn first(distribution: Distribution, count: usize) -> Vec<u32> {
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: 1,
        };
        let mut stream = source.worker("any", 0);
        let sampler = distribution.sampler(1, 1000);
        (0..count).map(|_| sampler.draw(&mut stream)).collect()
    }

    #[test]
    fn the_first_draws_are_those_of_sysbench() {
        assert_eq!(first(Distribution::Uniform, 3), [812, 377, 895]);
        assert_eq!(first(Distribution::GAUSSIAN, 3), [529, 611, 477]);
        assert_eq!(first(Distribution::SPECIAL, 3), [504, 499, 505]);
        assert_eq!(first(Distribution::PARETO, 3), [222, 1, 449]);
        assert_eq!(first(Distribution::ZIPFIAN, 3), [7, 177, 3]);
    }

    #[test]
    fn an_interval_of_one_number_gives_that_number() {
        let mut stream = Stream::from_state([5, 6]);
        for distribution in [
            Distribution::Uniform,
            Distribution::GAUSSIAN,
            Distribution::SPECIAL,
            Distribution::PARETO,
            Distribution::ZIPFIAN,
        ] {
            let sampler = distribution.sampler(7, 7);
            assert!((0..100).all(|_| sampler.draw(&mut stream) == 7));
        }
    }

    #[test]
    fn the_whole_range_of_32_bits_can_be_drawn_from() {
        let mut stream = Stream::from_state([5, 6]);
        let sampler = Distribution::Uniform.sampler(0, u32::MAX);
        let upper_half = (0..1000)
            .filter(|_| sampler.draw(&mut stream) >= 1 << 31)
            .count();
        assert!((400..600).contains(&upper_half));
    }
}
