//! Due instants of a fixed rate.

use super::{Arrivals, Due, Share};
use dbdyno_chance::{RandomKind, RandomSource, Stream};

/// Due instants of one worker up to the end of the run. The backlog is not stored: it is the distance
/// between two readers of the same instants, so it has no bound and costs no memory.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The first instant not taken yet.
    head: Dues,
    /// The first instant not counted as due yet.
    ahead: Dues,
    taken: u64,
    passed: u64,
    end_ns: u64,
}

impl Schedule {
    pub(super) fn new(dues: Dues, end_ns: u64) -> Self {
        Self {
            ahead: dues.clone(),
            head: dues,
            taken: 0,
            passed: 0,
            end_ns,
        }
    }

    #[inline]
    pub(super) fn next_due_ns(&self) -> Option<u64> {
        (self.head.due_ns < self.end_ns).then_some(self.head.due_ns)
    }

    #[inline]
    pub(super) fn take(&mut self, now_ns: u64) -> Option<Due> {
        let at_ns = self.next_due_ns().filter(|&due_ns| due_ns <= now_ns)?;
        self.head.advance();
        self.taken += 1;
        Some(Due {
            at_ns,
            wanted: None,
        })
    }

    pub(super) fn waiting(&mut self, now_ns: u64) -> u64 {
        while self.ahead.due_ns < now_ns.min(self.end_ns) {
            self.ahead.advance();
            self.passed += 1;
        }
        self.passed.saturating_sub(self.taken)
    }
}

/// The endless sequence of all workers' due instants, of which one worker keeps its share. Every worker
/// walks the same sequence, so the instants do not depend on how many workers there are.
#[derive(Debug, Clone)]
pub(super) struct Dues {
    arrivals: Arrivals,
    gap_ns: f64,
    stream: Stream,
    share: Share,
    start_ns: u64,
    /// Place in the sequence of all workers.
    index: u64,
    /// Distance of that place from the start.
    offset_ns: f64,
    /// The instant the reader stands at.
    due_ns: u64,
}

impl Dues {
    pub(super) fn new(
        rate_per_s: f64,
        arrivals: Arrivals,
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
            gap_ns: 1e9 / rate_per_s,
            stream: source.keyed("arrivals", 0),
            share,
            start_ns,
            index: 0,
            offset_ns: 0.0,
            due_ns: 0,
        };
        dues.offset_ns = dues.offset_at(0);
        dues.settle();
        dues
    }

    fn advance(&mut self) {
        self.step();
        self.settle();
    }

    fn settle(&mut self) {
        while !self.is_mine() {
            self.step();
        }
        self.due_ns = self.start_ns + self.offset_ns as u64;
    }

    fn step(&mut self) {
        self.index += 1;
        self.offset_ns = self.offset_at(self.index);
    }

    /// A constant gap is multiplied, not added up, so that it doesn't drift.
    fn offset_at(&mut self, index: u64) -> f64 {
        match self.arrivals {
            Arrivals::Constant => index as f64 * self.gap_ns,
            Arrivals::Poisson => {
                let above_zero = 1.0 - self.stream.next_double();
                self.offset_ns - above_zero.ln() * self.gap_ns
            }
        }
    }

    /// Arrivals go round the connections, so a worker gets as large a share as it has connections.
    fn is_mine(&self) -> bool {
        let connection = self.index % u64::from(self.share.connections);
        connection % u64::from(self.share.workers) == u64::from(self.share.worker)
    }
}
