//! Chooses the node of a request, and its second node.

use super::graph::{Graph, LINKS_SEED};
use super::operation::Operation;
use super::shuffle::Shuffle;
use super::zipf::Zipf;
use dbdyno_chance::Stream;

/// Seeds of the shuffles that keep link requests, and node requests, apart from the nodes with many links.
const UNCORRELATED_SEED: u64 = 53_238_253_823_453;
const NODES_SEED: u64 = 4_766_565_305_853_767_165;

const READ_SHAPE: f64 = 0.8;
const WRITE_SHAPE: f64 = 0.741;
const NODE_READ_SHAPE: f64 = 0.625;
const NODE_UPDATE_SHAPE: f64 = 0.606;

/// The distributions of ids, worked out once for all users.
#[derive(Debug)]
pub(super) struct Ids {
    start: u64,
    count: u64,
    links: Shuffle,
    uncorrelated: Shuffle,
    nodes: Shuffle,
    read: Zipf,
    write: Zipf,
    node_read: Zipf,
    node_update: Zipf,
    /// Shape and share of the writes that have nothing to do with the count of links.
    write_uncorrelated: Zipf,
    write_blend: f64,
}

/// Share of the link reads that have nothing to do with the count of links.
const READ_BLEND: f64 = 0.995;

impl Ids {
    /// Creates them. Q-LB-5: the tool never reads its settings for uncorrelated writes and takes those for reads.
    pub(super) fn new(graph: &Graph, is_fixed: bool) -> Self {
        let count = graph.count();
        let zipf = |shape| Zipf::new(count, shape);
        let (write_blend, shape) = if is_fixed {
            (0.95, WRITE_SHAPE)
        } else {
            (READ_BLEND, READ_SHAPE)
        };
        Self {
            start: graph.start(),
            count,
            links: Shuffle::new(LINKS_SEED, count),
            uncorrelated: Shuffle::new(UNCORRELATED_SEED, count),
            nodes: Shuffle::new(NODES_SEED, count),
            read: zipf(READ_SHAPE),
            write: zipf(WRITE_SHAPE),
            node_read: zipf(NODE_READ_SHAPE),
            node_update: zipf(NODE_UPDATE_SHAPE),
            write_uncorrelated: zipf(shape),
            write_blend,
        }
    }

    /// Returns the id of a request; a new node needs none.
    pub(super) fn choose(&self, operation: Operation, stream: &mut Stream) -> u64 {
        use Operation::*;
        let place = match operation {
            AddLink | DeleteLink | UpdateLink => self.blend(
                (self.write_blend, &self.write_uncorrelated),
                &self.write,
                stream,
            ),
            CountLink | MultigetLink | GetLinkList | GetLinkListHistory => {
                self.blend((READ_BLEND, &self.read), &self.read, stream)
            }
            GetNode => self.nodes.place(self.node_read.draw(stream)),
            UpdateNode => self.nodes.place(self.node_update.draw(stream)),
            AddNode | DeleteNode => {
                let place = (stream.next_double() * self.count as f64) as u64;
                self.nodes.place(place.min(self.count - 1))
            }
        };
        self.start + place
    }

    /// Takes one draw for which law, one for the place in it.
    fn blend(
        &self,
        (share, uncorrelated): (f64, &Zipf),
        correlated: &Zipf,
        stream: &mut Stream,
    ) -> u64 {
        if stream.next_double() < share {
            self.uncorrelated.place(uncorrelated.draw(stream))
        } else {
            self.links.place(correlated.draw(stream))
        }
    }
}

/// Says how far second ids reach beyond the first: the fewer of them are to exist, the farther.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdReach(f64);

impl IdReach {
    pub(super) const ADD: Self = Self(0.05);
    pub(super) const UPDATE: Self = Self(0.9);
    pub(super) const DELETE: Self = Self(0.9);
    pub(super) const GET: Self = Self(0.5);

    /// Returns the count of second ids to choose from, for a node with so many links.
    pub(super) fn range(self, links: u64) -> u64 {
        ((links as f64 / self.0).ceil() as u64).max(1)
    }
}

/// Says which second ids a user may take.
#[derive(Debug, Clone, Copy)]
pub(super) enum SecondIdRange {
    Any,
    /// Only ids with this remainder of a division by the count of users, so that no two users meet.
    Own {
        users: u64,
        remainder: u64,
    },
}

impl SecondIdRange {
    pub(super) fn choose(self, id1: u64, range: u64, stream: &mut Stream) -> u64 {
        let id2 = id1 + (stream.next_double() * range as f64) as u64;
        match self {
            Self::Any => id2,
            Self::Own { users, remainder } => id2 - id2 % users + remainder,
        }
    }
}

/// Probability of the geometric law of the count of links asked for at once.
const MULTIGET_CHANCE: f64 = 0.382;
const MULTIGET_MOST: f64 = 127.0;

/// Returns how many links are asked for at once. Q-LB-6: the tool's are one more than meant.
pub(super) fn multiget_size(draw: f64, is_fixed: bool) -> u64 {
    let drawn = ((1.0 - draw).ln() / (1.0 - MULTIGET_CHANCE).ln()).ceil();
    let size = if is_fixed { drawn } else { drawn + 1.0 };
    size.clamp(1.0, MULTIGET_MOST) as u64
}

/// Draws at a second id that isn't among those before, after which one may come twice.
const TRIES: u32 = 101;

/// Replaces `id2s` by the second ids of a request for several links.
pub(super) fn choose_several(
    second: SecondIdRange,
    (id1, range): (u64, u64),
    size: u64,
    stream: &mut Stream,
    id2s: &mut Vec<u64>,
) {
    id2s.clear();
    if range <= size {
        return id2s.extend(id1..id1 + size);
    }
    for _ in 0..size {
        let mut id2 = second.choose(id1, range, stream);
        for _ in 1..TRIES {
            if !id2s.contains(&id2) {
                break;
            }
            id2 = second.choose(id1, range, stream);
        }
        id2s.push(id2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_second_ids_differ_or_run_on() {
        let (mut stream, mut id2s) = (Stream::from_state([1, 2]), Vec::new());
        choose_several(SecondIdRange::Any, (10, 4), 4, &mut stream, &mut id2s);
        assert_eq!(id2s, [10, 11, 12, 13]);
        for _ in 0..100 {
            choose_several(SecondIdRange::Any, (10, 6), 5, &mut stream, &mut id2s);
            id2s.sort_unstable();
            id2s.dedup();
            assert!(id2s.len() == 5 && id2s.iter().all(|id2| (10..16).contains(id2)));
        }
    }

    #[test]
    fn users_that_are_kept_apart_take_ids_of_their_own() {
        let mut stream = Stream::from_state([1, 2]);
        for remainder in 0..3 {
            let own = SecondIdRange::Own {
                users: 3,
                remainder,
            };
            assert!((0..50).all(|_| own.choose(1000, 90, &mut stream) % 3 == remainder));
        }
    }

    #[test]
    fn without_its_quirk_a_request_for_links_asks_for_2_6_on_average() {
        let mut stream = Stream::from_state([1, 2]);
        let mut mean = |is_fixed| {
            let sizes = (0..200_000).map(|_| multiget_size(stream.next_double(), is_fixed));
            sizes.sum::<u64>() as f64 / 200_000.0
        };
        assert!((mean(true) - 2.618).abs() < 0.02);
        assert!((mean(false) - 3.618).abs() < 0.02);
    }
}
