//! Assigns a customer to each order of a district.

use super::lua_random::LuaRandom;
use super::values::ValueRules;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::{CUSTOMERS, uniform};
use dbdyno_chance::Stream;

/// Says how orders are dealt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderAssignment {
    /// A permutation for each district.
    Shuffled,
    /// sysbench-tpcc: one permutation for all districts of a warehouse, out of a generator that nobody seeded.
    Unseeded(LuaRandom),
    /// tpcc-mysql: permutations that are one single cycle, so that no order is its own customer's.
    Cycle,
    /// HammerDB (Q-HD-1): a swap goes to the wrong variable, and order i gets a customer from i on.
    FromOwnNumber,
}

impl OrderAssignment {
    /// Creates the dialect's way; `start` is where sysbench-tpcc's generator stands when it comes to the warehouse.
    pub(crate) fn new(values: ValueRules, start: LuaRandom) -> Self {
        match values.dialect {
            _ if !values.has_quirks => Self::Shuffled,
            Dialect::Standard => Self::Shuffled,
            Dialect::SysbenchTpcc => Self::Unseeded(start),
            Dialect::TpccMysql => Self::Cycle,
            Dialect::Hammerdb => Self::FromOwnNumber,
        }
    }

    /// Deals the customers of a district out: order i gets the one at place i - 1.
    pub(crate) fn assignment(self, stream: &mut Stream, customers: &mut [u16]) {
        for (place, customer) in customers.iter_mut().enumerate() {
            *customer = place as u16 + 1;
        }
        let last = customers.len() as u32 - 1;
        match self {
            Self::Shuffled => swap_each(customers, |place| uniform(stream, place, last)),
            Self::Cycle => swap_each(customers, |place| {
                uniform(stream, (place + 1).min(last), last)
            }),
            Self::Unseeded(mut random) => shuffle_unseeded(&mut random, customers),
            Self::FromOwnNumber => {
                for place in 0..=last {
                    customers[place as usize] = uniform(stream, place, last) as u16 + 1;
                }
            }
        }
    }
}

fn swap_each(customers: &mut [u16], mut other: impl FnMut(u32) -> u32) {
    for place in 0..customers.len() {
        customers.swap(place, other(place as u32) as usize);
    }
}

fn shuffle_unseeded(random: &mut LuaRandom, customers: &mut [u16]) {
    let last = customers.len() as u32 - 1;
    swap_each(customers, |place| random.between(place, last));
}

/// Returns where sysbench-tpcc's generator stands before each of so many permutations.
pub(crate) fn unseeded_starts(count: u32) -> Vec<LuaRandom> {
    let mut random = LuaRandom::unseeded();
    let mut starts = Vec::with_capacity(count as usize);
    for _ in 0..count {
        starts.push(random);
        for _ in 0..CUSTOMERS {
            random.between(0, 1); // as many draws as a shuffle takes
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dealt(assignment: OrderAssignment, seed: u64) -> Vec<u16> {
        let mut customers = vec![0; CUSTOMERS as usize];
        assignment.assignment(&mut Stream::from_state([seed, 9]), &mut customers);
        customers
    }

    fn is_permutation(customers: &[u16]) -> bool {
        let mut sorted = customers.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(1..=CUSTOMERS as u16)
    }

    #[test]
    fn the_first_customers_are_those_that_sysbench_tpcc_deals_out() {
        let starts = unseeded_starts(2);
        let first = dealt(OrderAssignment::Unseeded(starts[0]), 1);
        let second = dealt(OrderAssignment::Unseeded(starts[1]), 1);
        assert!(is_permutation(&first) && is_permutation(&second));
        assert_eq!(first[..8], [2383, 2097, 1772, 2261, 247, 1986, 1022, 2210]);
        assert_eq!(second[..8], [579, 1092, 1423, 1300, 2831, 358, 2976, 2470]);
    }

    #[test]
    fn tpcc_mysql_deals_in_one_single_cycle() {
        let customers = dealt(OrderAssignment::Cycle, 1);
        assert!(is_permutation(&customers));
        let (mut at, mut length) = (0, 0);
        loop {
            at = usize::from(customers[at]) - 1;
            length += 1;
            if at == 0 {
                break;
            }
        }
        assert_eq!(length, CUSTOMERS);
    }

    #[test]
    fn a_permutation_depends_on_its_stream() {
        let one = dealt(OrderAssignment::Shuffled, 1);
        assert!(is_permutation(&one));
        assert_ne!(one, dealt(OrderAssignment::Shuffled, 2));
    }

    #[test]
    fn hammerdb_leaves_half_of_the_customers_without_an_order() {
        let (mut without, mut of_the_last) = (0, 0);
        for seed in 1..=100 {
            let customers = dealt(OrderAssignment::FromOwnNumber, seed);
            assert!(
                customers
                    .iter()
                    .enumerate()
                    .all(|(i, c)| usize::from(*c) > i)
            );
            of_the_last += customers
                .iter()
                .filter(|c| u32::from(**c) == CUSTOMERS)
                .count();
            let mut distinct = customers;
            distinct.sort_unstable();
            distinct.dedup();
            without += CUSTOMERS as usize - distinct.len();
        }
        let (without, of_the_last) = (without as f64 / 100.0, of_the_last as f64 / 100.0);
        assert!((without - 1499.5).abs() < 15.0, "{without}");
        assert!((of_the_last - 8.58).abs() < 1.5, "{of_the_last}");
    }
}
