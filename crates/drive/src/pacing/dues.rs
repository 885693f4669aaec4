//! Computes the due instants of one stream of events.

use super::profile::{Curve, Point};
use super::{Arrivals, Share};
use dbdyno_chance::{RandomKind, RandomSource, Stream};

/// The endless sequence of all workers' due instants, of which one worker keeps its share. Every worker
/// computes the same sequence, so the instants do not depend on how many workers there are.
#[derive(Debug, Clone)]
pub(super) struct DueSequence {
    arrivals: Arrivals,
    curve: Curve,
    stream: Stream,
    share: Share,
    start_ns: u64,
    /// Place in the sequence of all workers.
    index: u64,
    /// Position of that place on the curve.
    point: Point,
    /// The reader's current instant.
    due_ns: u64,
}

impl DueSequence {
    /// Creates a sequence; `number` distinguishes the streams of a load, so that their draws are unrelated.
    pub(super) fn new(
        curve: Curve,
        arrivals: Arrivals,
        number: u64,
        share: Share,
        seed: u64,
        start_ns: u64,
    ) -> Self {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        };
        let mut dues = Self {
            arrivals,
            point: curve.begin(),
            curve,
            stream: source.keyed("arrivals", number),
            share,
            start_ns,
            index: 0,
            due_ns: 0,
        };
        dues.find();
        dues.settle();
        dues
    }

    /// Returns the reader's current instant; far away if the rate stays 0.
    #[inline]
    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Advances to the worker's next instant.
    pub(super) fn advance(&mut self) {
        self.step();
        self.settle();
    }

    fn settle(&mut self) {
        while !self.is_mine() {
            self.step();
        }
        // An infinite distance becomes the largest number.
        self.due_ns = self.start_ns.saturating_add(self.point.offset_ns as u64);
    }

    fn step(&mut self) {
        self.index += 1;
        self.find();
    }

    /// Constant gaps are counted from a fixed place, not added up, so that they don't drift.
    fn find(&mut self) {
        self.point = match self.arrivals {
            Arrivals::Constant => self.curve.point_of(self.point, self.index as f64),
            Arrivals::Poisson => {
                let above_zero = 1.0 - self.stream.next_double();
                self.curve.advance(self.point, -above_zero.ln())
            }
        };
    }

    /// Returns whether this worker owns the place: arrivals go to the connections in turn.
    fn is_mine(&self) -> bool {
        let connection = self.index % u64::from(self.share.connections);
        connection % u64::from(self.share.workers) == u64::from(self.share.worker)
    }
}
