//! Lists the operations of a request, and how often each comes.

/// The kinds of requests, in the order of the transaction types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    AddLink,
    DeleteLink,
    UpdateLink,
    CountLink,
    MultigetLink,
    GetLinkList,
    AddNode,
    UpdateNode,
    DeleteNode,
    GetNode,
    /// A list read that asks for what lies behind the end of an earlier one. The tool has no name for it and
    /// measures it as nothing (Q-LB-4).
    GetLinkListHistory,
}

use Operation::*;

/// In the order in which the tool adds the shares up; then what it draws within one of them.
pub(super) const OPERATIONS: [Operation; 11] = [
    AddLink,
    DeleteLink,
    UpdateLink,
    CountLink,
    MultigetLink,
    GetLinkList,
    AddNode,
    UpdateNode,
    DeleteNode,
    GetNode,
    GetLinkListHistory,
];

pub(super) const NAMES: [&str; 11] = [
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_link_list",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
    "get_link_list_history",
];

/// Count of operations that have their own share.
pub(super) const MIXED: usize = 10;

impl Operation {
    /// Returns its place among the transaction types.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    pub(super) fn is_of_links(self) -> bool {
        !matches!(self, AddNode | UpdateNode | DeleteNode | GetNode)
    }
}

/// Shares of the operations in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OperationMix(pub(super) [f64; MIXED]);

impl OperationMix {
    /// The published mix of the social graph.
    pub(super) const PUBLISHED: Self = Self([
        8.9886601, 2.9907664, 8.0122125, 4.8863567, 0.5261142, 50.7119145, 2.5732789, 7.366437,
        1.0115914, 12.9326683,
    ]);

    pub(super) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the operation that a draw from [0, 1) leads to.
    pub(super) fn choose(&self, draw: f64) -> Operation {
        let percent = draw * 100.0;
        let mut sum = 0.0;
        let found = self.0.iter().position(|share| {
            sum += share;
            percent <= sum
        });
        // The sum may be slightly below 100; a draw above it selects the last operation.
        let place = found.or_else(|| self.0.iter().rposition(|&share| share > 0.0));
        OPERATIONS[place.unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_stands_at_its_own_number() {
        for (place, operation) in OPERATIONS.iter().enumerate() {
            assert_eq!(usize::from(operation.number()), place);
        }
    }

    #[test]
    fn a_share_includes_its_upper_end() {
        let mix = OperationMix::PUBLISHED;
        assert_eq!(mix.choose(0.0), AddLink);
        assert_eq!(mix.choose(0.089_886_601), AddLink);
        assert_eq!(mix.choose(0.089_886_602), DeleteLink);
        assert_eq!(mix.choose(0.5), GetLinkList);
        assert_eq!(mix.choose(0.999_999_999), GetNode);
        assert!((mix.sum() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn an_operation_without_a_share_never_comes() {
        let mut shares = [0.0; MIXED];
        shares[1] = 99.999_999;
        let mix = OperationMix(shares);
        assert_eq!(mix.choose(0.999_999_999_9), DeleteLink);
        assert_eq!(mix.choose(1e-12), DeleteLink);
    }
}
