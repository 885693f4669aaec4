//! Identifies who acts.

use crate::Random;
use dbdyno_chance::{Distribution, Stream};
use dbdyno_drive::Failure;
use std::cell::RefCell;

/// A worker's user, the main thread or a reporting thread: its number and its own random numbers.
#[derive(Debug)]
pub struct Actor {
    /// A user's number from 0; reporting threads have the numbers behind the users', the main thread has 0.
    pub tid: u32,
    /// Whether its queries and events count.
    pub counts: bool,
    stream: RefCell<Stream>,
    default: Distribution,
    /// Why it lost its connection, until it has another one.
    loss: RefCell<Option<Failure>>,
}

impl Actor {
    /// Creates an actor that draws from `stream`, by default from the distribution that the user chose.
    #[must_use]
    pub fn new(tid: u32, counts: bool, stream: Stream, random: &Random) -> Self {
        Self {
            tid,
            counts,
            stream: RefCell::new(stream),
            default: random.distribution(random.kind),
            loss: RefCell::default(),
        }
    }

    /// Notes why it has no connection any more.
    pub(crate) fn note_loss(&self, failure: Failure) {
        *self.loss.borrow_mut() = Some(failure);
    }

    /// Returns why it has no connection any more, and forgets it.
    pub(crate) fn take_loss(&self) -> Option<Failure> {
        self.loss.take()
    }

    /// Returns a number from the default distribution over `low..=high`.
    #[must_use]
    pub fn draw_default(&self, low: u32, high: u32) -> u32 {
        self.draw(self.default, low, high)
    }

    /// Returns a number from a distribution over `low..=high`.
    #[must_use]
    pub fn draw(&self, distribution: Distribution, low: u32, high: u32) -> u32 {
        distribution
            .sampler(low, high)
            .draw(&mut self.stream.borrow_mut())
    }

    /// Draws straight from the stream.
    pub fn with_stream<T>(&self, draw: impl FnOnce(&mut Stream) -> T) -> T {
        draw(&mut self.stream.borrow_mut())
    }
}
