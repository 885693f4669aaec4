//! Chooses which transaction comes next.

use super::draws::uniform;
use crate::TransactionType;
use dbdyno_chance::Stream;

/// Draws transaction types for one user.
#[derive(Debug, Clone)]
pub(crate) enum TransactionMix {
    /// A deck of 23 cards, shuffled and dealt out, and again: shares are exact after every 23.
    Deck {
        cards: [TransactionType; 23],
        dealt: usize,
    },
    /// Each draw by itself, with these weights.
    Weights { weights: [u32; 6] },
}

/// Cards of each type in a deck of 23, by number of the type.
pub(super) const DECK: [u32; 5] = [10, 10, 1, 1, 1];

impl TransactionMix {
    pub(crate) fn deck() -> Self {
        let mut cards = [0; 23];
        let all = (0..)
            .zip(DECK)
            .flat_map(|(card, count)| std::iter::repeat_n(card, count as usize));
        for (place, card) in cards.iter_mut().zip(all) {
            *place = card;
        }
        let dealt = cards.len();
        Self::Deck { cards, dealt }
    }

    /// Makes a mix by weight of each type; a sixth type is a dialect's own.
    pub(crate) fn weights(weights: [u32; 6]) -> Self {
        Self::Weights { weights }
    }

    /// Makes a mix of ten, ten, one, one and one in 23, each drawn by itself.
    pub(crate) fn of_23() -> Self {
        let [a, b, c, d, e] = DECK;
        Self::weights([a, b, c, d, e, 0])
    }

    pub(crate) fn draw(&mut self, stream: &mut Stream) -> TransactionType {
        match self {
            Self::Deck { cards, dealt } => {
                if *dealt == cards.len() {
                    shuffle(cards, stream);
                    *dealt = 0;
                }
                *dealt += 1;
                cards[*dealt - 1]
            }
            Self::Weights { weights } => drawn_by_weight(weights, stream),
        }
    }
}

fn drawn_by_weight(weights: &[u32], stream: &mut Stream) -> TransactionType {
    let mut left = uniform(stream, 1, weights.iter().sum());
    for (number, weight) in (0..).zip(weights) {
        if left <= *weight {
            return number;
        }
        left -= weight;
    }
    0 // never: the weights add up to the largest draw
}

/// Shuffles after Fisher and Yates: every order as likely.
fn shuffle(cards: &mut [TransactionType], stream: &mut Stream) {
    for last in (1..cards.len()).rev() {
        cards.swap(last, stream.below(last as u32 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::transaction;
    use crate::tpcc::vectors::vectors;
    use dbdyno_chance::{RandomKind, RandomSource};

    fn stream() -> Stream {
        let source = RandomSource {
            kind: RandomKind::Dbdyno,
            seed: 1,
        };
        source.keyed("mix", 0)
    }

    #[test]
    fn every_deck_is_exact_and_no_two_are_dealt_alike() {
        let (mut mix, mut stream) = (TransactionMix::deck(), stream());
        let mut last = Vec::new();
        for _ in 0..100 {
            let dealt: Vec<_> = (0..23).map(|_| mix.draw(&mut stream)).collect();
            let mut counts = [0; 5];
            for card in &dealt {
                counts[usize::from(*card)] += 1;
            }
            assert_eq!(counts, DECK);
            assert_ne!(dealt, last);
            last = dealt;
        }
    }

    #[test]
    fn the_deck_is_the_one_of_the_vectors() {
        let file = vectors("tpcc.json");
        for (name, count) in transaction::NAMES.iter().zip(DECK) {
            assert_eq!(file["mix"]["deck_23"][name], count);
        }
    }

    #[test]
    fn draws_by_weight_keep_to_the_weights() {
        let (mut mix, mut stream) = (TransactionMix::weights([45, 43, 4, 4, 4, 0]), stream());
        let mut counts = [0_u32; 6];
        for _ in 0..1_000_000 {
            counts[usize::from(mix.draw(&mut stream))] += 1;
        }
        for (count, share) in counts.into_iter().zip([0.45, 0.43, 0.04, 0.04, 0.04, 0.0]) {
            let error = (1e6_f64 * share * (1.0 - share)).sqrt();
            assert!((f64::from(count) - 1e6 * share).abs() <= 5.0 * error);
        }
    }
}
