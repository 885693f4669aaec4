//! Computes dbdyno's own curve of how many links nodes have, for those without LinkBench's file of
//! distributions.
//!
//! It was fitted to what is published of that file: the shares of nodes without links, with one and with two, the
//! largest value, and the sums over graphs of a thousand to a million nodes, which it meets within 0.1 %. Single nodes
//! have other counts than with the file.

use super::link_counts::LinkCountDistribution;

/// Shares of the nodes with no, at most one and at most two links.
const FEW: [f64; 3] = [0.453_316_057_3, 0.774_625, 0.869_58];

/// Counts of links and the share of the nodes with more; between them logarithms run straight.
const MANY: &[(u64, f64)] = &[
    (2, 0.13042),
    (3, 0.0735718685),
    (4, 0.0420757345),
    (5, 0.0290393385),
    (6, 0.0220049946),
    (7, 0.018293049),
    (8, 0.0160080625),
    (9, 0.0146200796),
    (10, 0.0136251774),
    (11, 0.0128728493),
    (12, 0.0121598828),
    (13, 0.0114318897),
    (14, 0.0105992794),
    (15, 0.0094531641),
    (16, 0.0085820167),
    (18, 0.0078252886),
    (20, 0.0067575481),
    (23, 0.0058683367),
    (27, 0.0048954542),
    (34, 0.003944885),
    (47, 0.0029720706),
    (77, 0.0019894331),
    (130, 0.0013316521),
    (264, 0.0009992314),
    (430, 0.0007242477),
    (714, 0.0005999993),
    (1400, 0.0004098404),
    (3227, 0.0002000002),
    (7000, 0.000095758),
    (15_000, 0.0000280964),
    (30_000, 0.0000065995),
    (60_000, 0.0000013416),
    (100_000, 0.0000004101),
    (200_000, 0.0000000821),
    (400_000, 0.0000000164),
    (700_000, 0.0000000045),
    (961_962, 0.0000000021),
];

/// Links of the first of all nodes.
const MOST: u64 = 961_963;

/// Up to here every count has a point; from here on each is so much larger than the one before.
const DENSE: u64 = 1000;
const STEP: f64 = 1.002;

pub(super) fn law() -> LinkCountDistribution {
    let few = (0..).zip(FEW);
    let many = counts().map(|count| (count, 1.0 - share_above(count)));
    LinkCountDistribution::of(few.chain(many).chain([(MOST, 1.0)]))
}

fn counts() -> impl Iterator<Item = u64> {
    let sparse = std::iter::successors(Some(DENSE as f64), |count| Some(count * STEP));
    let sparse = sparse
        .map(|count| count as u64)
        .take_while(|&count| count < MOST);
    (FEW.len() as u64..DENSE).chain(sparse)
}

fn share_above(count: u64) -> f64 {
    let after = MANY
        .partition_point(|&(known, _)| known < count)
        .min(MANY.len() - 1);
    let ((low, low_share), (high, high_share)) = (MANY[after - 1], MANY[after]);
    let ln = |number: u64| (number as f64).ln();
    let way = (ln(count) - ln(low)) / (ln(high) - ln(low));
    (low_share.ln() + way * (high_share.ln() - low_share.ln())).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_from_nothing_to_the_largest_count() {
        let law = law();
        let counts: Vec<u64> = (0..=10_000)
            .map(|u| law.at(f64::from(u) / 10_000.0))
            .collect();
        assert!(counts.is_sorted());
        assert_eq!((counts[0], counts[4533], counts[4534]), (0, 0, 1));
        assert_eq!(counts[10_000], MOST);
        assert!((share_above(264) - 0.001).abs() < 1e-5);
    }
}
