//! Compares the clock of a host with the one here.
//!
//! A reply was written between the sending of the request and its own arrival, so the middle of both is at most half of
//! the round trip off. Of several exchanges the shortest is used: longer ones were delayed somewhere.

/// Holds one reading of a host's clock: sent and received by the clock here, read by its own; Unix time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) sent_ns: u64,
    pub(super) there_ns: u64,
    pub(super) received_ns: u64,
}

/// Holds how far a clock is ahead of the one here, and the possible error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockOffset {
    pub(super) ahead_ns: i64,
    pub(super) error_ns: u64,
}

impl Exchange {
    fn round_trip_ns(&self) -> u64 {
        self.received_ns.saturating_sub(self.sent_ns)
    }
}

impl ClockOffset {
    /// Returns the offset of the shortest exchange; `None` without any.
    pub(super) fn of(exchanges: &[Exchange]) -> Option<Self> {
        let best = exchanges.iter().min_by_key(|one| one.round_trip_ns())?;
        let error_ns = best.round_trip_ns().div_ceil(2);
        let middle_ns = best.sent_ns + best.round_trip_ns() / 2;
        Some(Self {
            ahead_ns: best.there_ns as i64 - middle_ns as i64,
            error_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_exchange_tells_the_offset_and_its_bound() {
        let exchange = |sent_ns, there_ns, received_ns| Exchange {
            sent_ns,
            there_ns,
            received_ns,
        };
        let slow = exchange(1_000, 900_000, 9_000);
        let ahead = ClockOffset::of(&[slow, exchange(10_000, 510_150, 10_300)]).unwrap();
        assert_eq!((ahead.ahead_ns, ahead.error_ns), (500_000, 150));
        let behind = ClockOffset::of(&[exchange(1_000_000, 400_000, 1_000_001)]).unwrap();
        assert_eq!((behind.ahead_ns, behind.error_ns), (-600_000, 1));
        assert_eq!(ClockOffset::of(&[]), None);
    }
}
