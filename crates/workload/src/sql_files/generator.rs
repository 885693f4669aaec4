//! Draws values.

use super::form::Choice;
use dbdyno_chance::{Sampler, Stream};
use dbdyno_wire::Parameters;
use std::sync::Arc;

/// A kind of values with its settings, ready to draw.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Generator {
    /// Whole numbers of an interval.
    Number {
        low: i64,
        sampler: Sampler,
        mapping: NumberMapping,
    },
    /// A few numbers are drawn often, the others seldom.
    Hotspot(Hotspot),
    /// One number after the other; each user has its own block, a table one for all its rows.
    Sequence { first: i64, block: u64 },
    /// Numbers that a sequence of the same user has given, the latest most often.
    LatestOf { sequence: usize, sampler: Sampler },
    /// Small letters.
    Text { shortest: u32, longest: u32 },
    /// Values written out, each as likely as the others.
    Choose(Vec<Choice>),
}

impl Generator {
    /// Returns the lowest number that it draws, by which sums over a table are kept small and above zero.
    pub(super) fn lowest(&self) -> i64 {
        match self {
            Self::Number { low, .. } => *low,
            Self::Hotspot(hotspot) => hotspot.low,
            Self::Sequence { first, .. } => *first,
            Self::LatestOf { .. } | Self::Text { .. } | Self::Choose(_) => 0,
        }
    }
}

/// Says which numbers of an interval the places of a sampler mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberMapping {
    /// The first place is the lowest number.
    Up,
    /// The first place is the highest number.
    Down { last: u32 },
    /// Neighbouring places are far apart: hot numbers lie all over the interval, as they do where keys were given in no
    /// order of fame. One place for each number, by a step that shares no divisor with their count.
    Scatter { count: u64, step: u64 },
}

impl NumberMapping {
    /// Scatters over so many numbers.
    pub(super) fn scatter(count: u32) -> Self {
        let count = u64::from(count);
        // Steps near the golden section of the interval leave the widest gaps between neighbours.
        let start = (count as f64 * 0.618) as u64;
        let step = (start..).find(|&step| greatest_common_divisor(step, count) == 1);
        Self::Scatter {
            count,
            step: step.unwrap_or(1),
        }
    }

    fn number(self, place: u32) -> u32 {
        match self {
            Self::Up => place,
            Self::Down { last } => last - place,
            Self::Scatter { count, step } => (u64::from(place) * step % count) as u32,
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        return a;
    }
    greatest_common_divisor(b, a % b)
}

/// A share of the numbers that gets a share of the draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hotspot {
    pub(super) low: i64,
    pub(super) count: u32,
    pub(super) hot: u32,
    pub(super) hot_draws: f64,
    /// After so many draws of a user the hot numbers are the next ones. It goes by draws, not by the clock, so that a
    /// seed's values stay the same.
    pub(super) moves_after: Option<u32>,
}

impl Hotspot {
    fn draw(&self, state: &mut GeneratorState) -> i64 {
        let is_hot = self.hot == self.count || state.stream.next_double() < self.hot_draws;
        let place = if is_hot {
            state.stream.below(self.hot)
        } else {
            self.hot + state.stream.below(self.count - self.hot)
        };
        let moves = self
            .moves_after
            .map_or(0, |draws| state.drawn / u64::from(draws));
        let count = u64::from(self.count);
        let start = moves % count * u64::from(self.hot) % count;
        self.low + ((start + u64::from(place)) % count) as i64
    }
}

/// Holds what one user, or one part of a table, draws with.
#[derive(Debug, Clone)]
pub(super) struct GeneratorStates {
    generators: Arc<[Generator]>,
    /// One for each generator.
    states: Vec<GeneratorState>,
    /// Which block of a sequence is its own.
    block: u64,
}

#[derive(Debug, Clone)]
struct GeneratorState {
    stream: Stream,
    /// Draws up to now.
    drawn: u64,
    /// The text being made, kept for its memory.
    text: Vec<u8>,
}

impl GeneratorStates {
    /// Creates them: `stream` makes the stream of the generator at a place; sequences begin `skipped` numbers into the
    /// block.
    pub(super) fn new(
        generators: Arc<[Generator]>,
        block: u64,
        skipped: u64,
        stream: impl Fn(usize) -> Stream,
    ) -> Self {
        let state = |place| GeneratorState {
            stream: stream(place),
            drawn: skipped,
            text: Vec::new(),
        };
        Self {
            states: (0..generators.len()).map(state).collect(),
            generators,
            block,
        }
    }

    /// Appends the next value of the generator at `place`.
    pub(super) fn draw(&mut self, place: usize, out: &mut Parameters) {
        let generators = Arc::clone(&self.generators);
        let state = &mut self.states[place];
        state.drawn += 1;
        match &generators[place] {
            Generator::Number {
                low,
                sampler,
                mapping,
            } => {
                out.push_int(low + i64::from(mapping.number(sampler.draw(&mut state.stream))));
            }
            Generator::Hotspot(hotspot) => out.push_int(hotspot.draw(state)),
            Generator::Sequence { .. } => out.push_int(self.last_but(place, 0)),
            Generator::LatestOf { sequence, sampler } => {
                let back = u64::from(sampler.draw(&mut state.stream));
                out.push_int(self.last_but(*sequence, back));
            }
            &Generator::Text { shortest, longest } => {
                state.make_text(shortest, longest);
                out.push_text(&state.text);
            }
            Generator::Choose(choices) => {
                push(
                    &choices[state.stream.below(choices.len() as u32) as usize],
                    out,
                );
            }
        }
    }

    /// Returns the number that a sequence gave last but `back`. What goes back behind its first number goes round to
    /// its last; before it gave any, the first one is meant.
    fn last_but(&self, sequence: usize, back: u64) -> i64 {
        let Generator::Sequence { first, block } = self.generators[sequence] else {
            return 0; // a sequence was looked up when the workload was read
        };
        let given = self.states[sequence].drawn.max(1);
        let number = (given - 1 - back % given) % block;
        first.wrapping_add((self.block * block + number) as i64)
    }
}

impl GeneratorState {
    fn make_text(&mut self, shortest: u32, longest: u32) {
        let length = shortest + self.stream.below(longest - shortest + 1);
        self.text.clear();
        let stream = &mut self.stream;
        self.text
            .extend((0..length).map(|_| b'a' + stream.below(26) as u8));
    }
}

fn push(choice: &Choice, out: &mut Parameters) {
    match choice {
        Choice::Int(number) => out.push_int(*number),
        Choice::Double(number) => out.push_double(*number),
        Choice::Text(text) => out.push_text(text.as_bytes()),
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
