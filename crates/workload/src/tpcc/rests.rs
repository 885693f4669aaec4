//! Times keying before a transaction and thinking after it.

use super::mix::TransactionMix;
use crate::TransactionType;
use dbdyno_chance::Stream;

/// Times of one way of doing it, by number of the transaction type.
#[derive(Debug)]
pub(crate) struct Timetable {
    keying_s: [u32; 5],
    mean_thinking_s: [u32; 5],
    is_whole_seconds: bool,
    /// Thinking lasts at most so many times its mean.
    most_means: f64,
}

/// Clause 5.2.5.
pub(crate) const STANDARD: Timetable = Timetable {
    keying_s: [18, 3, 2, 2, 2],
    mean_thinking_s: [12, 12, 10, 5, 5],
    is_whole_seconds: false,
    most_means: 10.0,
};

/// HammerDB exchanges order status and delivery, rounds to whole seconds and cuts nothing off.
pub(crate) const HAMMERDB: Timetable = Timetable {
    keying_s: [18, 3, 2, 2, 2],
    mean_thinking_s: [12, 12, 5, 10, 5],
    is_whole_seconds: true,
    most_means: f64::INFINITY,
};

const SECOND_NS: f64 = 1e9;

impl Timetable {
    fn keying_ns(&self, transaction: TransactionType) -> u64 {
        u64::from(self.keying_s[usize::from(transaction)]) * 1_000_000_000
    }

    /// Draws from the negative exponential distribution.
    fn draw_thinking_ns(&self, transaction: TransactionType, stream: &mut Stream) -> u64 {
        let mean = f64::from(self.mean_thinking_s[usize::from(transaction)]);
        let means = -(1.0 - stream.next_double()).ln(); // a draw is below 1, so this is never infinite
        let seconds = mean * means.min(self.most_means);
        let seconds = if self.is_whole_seconds {
            seconds.round()
        } else {
            seconds
        };
        (seconds * SECOND_NS) as u64
    }
}

/// Chooses one user's transactions and the rests between them.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    mix: TransactionMix,
    /// `None`: the user never rests.
    times: Option<&'static Timetable>,
    /// The type that was chosen when the rest before it was asked for: keying belongs to what comes next.
    upcoming: Option<TransactionType>,
}

impl Pace {
    pub(crate) fn new(mix: TransactionMix, times: Option<&'static Timetable>) -> Self {
        Self {
            mix,
            times,
            upcoming: None,
        }
    }

    /// Chooses the next transaction's type: the one `wanted`, the one keyed in, or a new draw.
    pub(crate) fn choose(
        &mut self,
        wanted: Option<TransactionType>,
        stream: &mut Stream,
    ) -> TransactionType {
        let upcoming = self.upcoming.take();
        wanted.or(upcoming).unwrap_or_else(|| self.mix.draw(stream))
    }

    /// Draws the keying of the very first transaction.
    pub(crate) fn first_rest_ns(&mut self, stream: &mut Stream) -> u64 {
        match self.times {
            None => 0,
            Some(times) => times.keying_ns(self.key_in(stream)),
        }
    }

    /// Draws the thinking after `done`, then the keying of the next.
    pub(crate) fn rest_ns(&mut self, done: TransactionType, stream: &mut Stream) -> u64 {
        match self.times {
            None => 0,
            Some(times) => {
                let thinking = times.draw_thinking_ns(done, stream);
                thinking + times.keying_ns(self.key_in(stream))
            }
        }
    }

    fn key_in(&mut self, stream: &mut Stream) -> TransactionType {
        let next = self.mix.draw(stream);
        self.upcoming = Some(next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;
    use dbdyno_chance::{RandomKind, RandomSource};

    fn stream() -> Stream {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 5,
        };
        source.worker("pace", 0)
    }

    /// Minutes that a terminal keys and thinks for each of its New-Orders, from the table alone.
    fn new_orders_a_minute(times: &Timetable, shares: [f64; 5]) -> f64 {
        let seconds: f64 = (0..5)
            .map(|kind| {
                shares[kind] * f64::from(times.keying_s[kind] + times.mean_thinking_s[kind])
            })
            .sum();
        60.0 * shares[0] / seconds
    }

    #[test]
    fn ten_terminals_that_wait_for_nothing_reach_the_ceilings_of_the_vectors() {
        let file = vectors("tpcc.json");
        let deck = [10.0, 10.0, 1.0, 1.0, 1.0].map(|cards| cards / 23.0);
        let least = [0.45, 0.43, 0.04, 0.04, 0.04];
        let cases = [
            ("minimum_percentage_mix", &STANDARD, least),
            ("deck_23", &STANDARD, deck),
            ("hammerdb_key_and_think", &HAMMERDB, deck),
        ];
        for (name, times, shares) in cases {
            let expected = file["timing"][name]["tpmc_ceiling_per_warehouse_10_terminals"].as_f64();
            let ours = 10.0 * new_orders_a_minute(times, shares);
            assert!(
                (ours - expected.unwrap()).abs() < 1e-9,
                "{name}: {ours} {expected:?}"
            );
        }
        for (kind, name) in (0..).zip(crate::tpcc::transaction::NAMES.iter().take(5)) {
            let row = &file["timing"]["table"][name];
            assert_eq!(row["keying_s"], STANDARD.keying_s[kind], "{name}");
            assert_eq!(
                row["mean_think_s"], STANDARD.mean_thinking_s[kind],
                "{name}"
            );
        }
    }

    #[test]
    fn rests_have_the_mean_of_the_table_and_end_at_ten_means() {
        let mut stream = stream();
        let draws: Vec<f64> = (0..200_000)
            .map(|_| STANDARD.draw_thinking_ns(0, &mut stream) as f64 / SECOND_NS)
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 12.0).abs() < 0.15, "{mean}");
        assert!(draws.iter().all(|seconds| *seconds <= 120.0));
        let whole = (0..100).map(|_| HAMMERDB.draw_thinking_ns(3, &mut stream));
        assert!(whole.into_iter().all(|ns| ns % 1_000_000_000 == 0));
    }

    #[test]
    fn the_transaction_keyed_in_is_the_one_that_comes() {
        let mut stream = stream();
        let mut pace = Pace::new(TransactionMix::of_23(), Some(&STANDARD));
        let mut rest = pace.first_rest_ns(&mut stream);
        for _ in 0..100 {
            let kind = pace.choose(None, &mut stream);
            assert!(rest >= STANDARD.keying_ns(kind));
            let thought = STANDARD.draw_thinking_ns(kind, &mut stream.clone());
            rest = pace.rest_ns(kind, &mut stream) - thought;
        }
    }

    #[test]
    fn without_times_nobody_rests() {
        let mut stream = stream();
        let mut pace = Pace::new(TransactionMix::of_23(), None);
        assert_eq!(pace.first_rest_ns(&mut stream), 0);
        assert_eq!(pace.rest_ns(1, &mut stream), 0);
        assert_eq!(pace.choose(Some(4), &mut stream), 4);
    }
}
