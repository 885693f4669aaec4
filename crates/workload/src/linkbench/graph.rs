//! Computes which node has how many links of each type: a pure function of the count of ids. A pure function
//! of the count of ids.

use super::link_counts::LinkCountDistribution;
use super::shuffle::Shuffle;

/// The seed of the shuffle that spreads the nodes with many links.
pub(super) const LINKS_SEED: u64 = 20_343_988_438_726_021;

/// The first link type; the others follow.
const FIRST_TYPE: u64 = 123_456_789;

/// Describes how the links of a node are computed.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    /// The lowest id.
    start: u64,
    /// Count of ids.
    count: u64,
    types: u64,
    law: LinkCountDistribution,
    shuffle: Shuffle,
    /// Without the tool's quirks Q-LB-1 and Q-LB-2.
    is_fixed: bool,
}

impl Graph {
    pub(super) fn new(
        start: u64,
        count: u64,
        types: u64,
        law: LinkCountDistribution,
        is_fixed: bool,
    ) -> Self {
        Self {
            start,
            count,
            types,
            law,
            shuffle: Shuffle::new(LINKS_SEED, count),
            is_fixed,
        }
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Returns the law by which nodes have links.
    pub(super) fn law(&self) -> &LinkCountDistribution {
        &self.law
    }

    /// Returns the count of nodes.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the count of link types.
    pub(super) fn types(&self) -> u64 {
        self.types
    }

    /// Returns the link type of that number, from 0, as the tables have it.
    pub(super) fn type_name(&self, number: u64) -> u64 {
        FIRST_TYPE + number
    }

    /// Returns the number of a link type as the tables have it.
    pub(super) fn type_number(&self, name: u64) -> u64 {
        name.saturating_sub(FIRST_TYPE)
    }

    /// Returns the node with the most links.
    pub(super) fn hub(&self) -> u64 {
        self.start + self.shuffle.place(0)
    }

    /// Returns the links that the law gives a node, all types together.
    pub(super) fn intended(&self, id1: u64) -> u64 {
        let place = id1.wrapping_sub(self.start);
        if place >= self.count {
            return 0; // made by an earlier run
        }
        self.intended_at(self.shuffle.inverse(place))
    }

    /// Returns the links of one type that a node is loaded with.
    pub(super) fn links(&self, id1: u64, type_number: u64) -> u64 {
        self.of_type(self.intended(id1), type_number)
    }

    /// Returns the links of all nodes and types.
    pub(super) fn links_total(&self) -> u64 {
        self.runs()
            .map(|(intended, ranks)| ranks * self.of_all_types(intended))
            .sum()
    }

    /// Returns the pairs of a node and a type that have a link.
    pub(super) fn linked_pairs(&self) -> u64 {
        let pairs =
            |intended| (0..self.types).filter(move |&number| self.of_type(intended, number) > 0);
        self.runs()
            .map(|(intended, ranks)| ranks * pairs(intended).count() as u64)
            .sum()
    }

    fn of_all_types(&self, intended: u64) -> u64 {
        (0..self.types)
            .map(|number| self.of_type(intended, number))
            .sum()
    }

    /// Counts links of a type. Q-LB-1: the tool hands the rest of a division out once more to whole shares, so that a
    /// node has one or two links more than the law says.
    pub(super) fn of_type(&self, intended: u64, number: u64) -> u64 {
        let least = intended / self.types;
        let left = if self.is_fixed {
            intended % self.types
        } else {
            intended - least
        };
        least + u64::from(number < left)
    }

    /// Returns the links of the node of that rank, 0 being the one with the most. Q-LB-2: the tool asks for the upper
    /// end of the rank's share, which is the law's largest value for the first, however few nodes there are.
    fn intended_at(&self, rank: u64) -> u64 {
        let rank = if self.is_fixed {
            rank as f64 + 0.5
        } else {
            rank as f64
        };
        self.law.at(1.0 - rank / self.count as f64)
    }

    /// Returns counts of links, falling, and how many nodes have each.
    fn runs(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut rank = 0;
        std::iter::from_fn(move || {
            if rank == self.count {
                return None;
            }
            let (first, intended) = (rank, self.intended_at(rank));
            rank = self.end_of_run(first, intended);
            Some((intended, rank - first))
        })
    }

    /// Returns the first rank past `first` with fewer links.
    fn end_of_run(&self, first: u64, intended: u64) -> u64 {
        let (mut same, mut fewer) = (first, self.count);
        while fewer - same > 1 {
            let middle = same + (fewer - same) / 2;
            if self.intended_at(middle) == intended {
                same = middle;
            } else {
                fewer = middle;
            }
        }
        fewer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkbench::curve;

    fn graph(count: u64, types: u64, is_fixed: bool) -> Graph {
        Graph::new(1, count, types, curve::law(), is_fixed)
    }

    #[test]
    fn the_sums_over_ranks_are_those_over_ids() {
        for (count, types, is_fixed) in [(1, 2, false), (5000, 2, false), (5000, 3, true)] {
            let graph = graph(count, types, is_fixed);
            let counts = (1..=count).flat_map(|id| (0..types).map(move |number| (id, number)));
            let counts: Vec<u64> = counts.map(|(id, number)| graph.links(id, number)).collect();
            assert_eq!(graph.links_total(), counts.iter().sum::<u64>());
            let linked = counts.iter().filter(|&&links| links > 0).count();
            assert_eq!(graph.linked_pairs(), linked as u64);
        }
    }

    #[test]
    fn without_the_quirks_a_node_has_what_the_law_says_and_no_node_has_it_all() {
        let (tool, fixed) = (graph(10_000, 2, false), graph(10_000, 2, true));
        let intended: u64 = (1..=10_000).map(|id| fixed.intended(id)).sum();
        assert_eq!(fixed.links_total(), intended);
        let hub = tool.hub();
        assert_eq!(tool.intended(hub), 961_963);
        assert!(fixed.intended(hub) < 100_000, "{}", fixed.intended(hub));
    }

    #[test]
    fn ids_that_were_not_loaded_have_no_links() {
        let graph = graph(100, 2, false);
        assert_eq!((graph.intended(0), graph.intended(101)), (0, 0));
    }
}
