//! Draws numbers as TPC-C does.

use dbdyno_chance::{RandomSource, Stream};

/// Draws a whole number from `low` to `high`, each as likely.
#[inline]
pub(crate) fn uniform(stream: &mut Stream, low: u32, high: u32) -> u32 {
    low + stream.below(high - low + 1)
}

/// Returns true once in `of` draws of 1..=`of`, for the lowest.
#[inline]
pub(crate) fn once_in(stream: &mut Stream, of: u32) -> bool {
    uniform(stream, 1, of) == 1
}

/// Returns true for `percent` of the draws.
#[inline]
pub(crate) fn percent(stream: &mut Stream, percent: u32) -> bool {
    uniform(stream, 1, 100) <= percent
}

/// Draws by NURand (clause 2.1.6) from `low` to `high` with the constants `a` and `c`.
#[inline]
pub(crate) fn nurand(stream: &mut Stream, a: u32, low: u32, high: u32, c: u32) -> u32 {
    let mixed = uniform(stream, 0, a) | uniform(stream, low, high);
    (mixed + c) % (high - low + 1) + low
}

/// Largest values of the constants C, which are the A of NURand, too.
pub(crate) const LAST_NAME_A: u32 = 255;
pub(crate) const CUSTOMER_A: u32 = 1023;
pub(crate) const ITEM_A: u32 = 8191;

pub(crate) const DISTRICTS: u32 = 10;
/// Customers, and orders after the filling, of a district.
pub(crate) const CUSTOMERS: u32 = 3000;
pub(crate) const ITEMS: u32 = 100_000;
const LAST_NAMES: u32 = 1000;

/// The constants C of NURand: drawn once, then the same for all users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NurandConstants {
    pub(crate) last_name: u32,
    pub(crate) customer: u32,
    pub(crate) item: u32,
}

impl NurandConstants {
    /// Draws those of a run whose last names were filled in with `c_load`: from the seed, among the allowed ones.
    pub(crate) fn of_run(source: RandomSource, c_load: u32) -> Self {
        let mut stream = source.keyed("tpcc/constants", 0);
        let allowed: Vec<u32> = allowed_c_run(c_load).collect();
        Self {
            last_name: allowed[stream.below(allowed.len() as u32) as usize],
            customer: uniform(&mut stream, 0, CUSTOMER_A),
            item: uniform(&mut stream, 0, ITEM_A),
        }
    }

    pub(crate) fn draw_last_name(&self, stream: &mut Stream) -> u32 {
        draw_last_name(stream, self.last_name)
    }

    pub(crate) fn draw_customer(&self, stream: &mut Stream) -> u32 {
        draw_customer(stream, self.customer)
    }

    pub(crate) fn draw_item(&self, stream: &mut Stream) -> u32 {
        draw_item(stream, self.item)
    }
}

/// Draws a number of a last name, 0..=999.
pub(crate) fn draw_last_name(stream: &mut Stream, c: u32) -> u32 {
    nurand(stream, LAST_NAME_A, 0, LAST_NAMES - 1, c)
}

/// Draws a customer number, 1..=3000.
pub(crate) fn draw_customer(stream: &mut Stream, c: u32) -> u32 {
    nurand(stream, CUSTOMER_A, 1, CUSTOMERS, c)
}

/// Draws an item number, 1..=100,000.
pub(crate) fn draw_item(stream: &mut Stream, c: u32) -> u32 {
    nurand(stream, ITEM_A, 1, ITEMS, c)
}

/// Returns the values of C-Run that clause 2.1.6.1 allows with a C-Load. Never empty.
pub(crate) fn allowed_c_run(c_load: u32) -> impl Iterator<Item = u32> {
    (0..=LAST_NAME_A).filter(move |c_run| {
        let apart = c_run.abs_diff(c_load);
        (65..=119).contains(&apart) && apart != 96 && apart != 112
    })
}

/// Draws another warehouse than `home`, if there is one.
pub(crate) fn other_warehouse(stream: &mut Stream, home: u32, warehouses: u32) -> u32 {
    if warehouses == 1 {
        return home;
    }
    let drawn = uniform(stream, 1, warehouses - 1);
    drawn + u32::from(drawn >= home)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;
    use dbdyno_chance::RandomKind;

    const DRAWS: u32 = 1_000_000;

    fn source(seed: u64) -> RandomSource {
        RandomSource {
            kind: RandomKind::Dbdyno,
            seed,
        }
    }

    /// Checks a share within five standard errors, and nothing less than one draw.
    fn assert_share(drawn: u32, share: f64, what: &str) {
        let error = (f64::from(DRAWS) * share * (1.0 - share)).sqrt();
        let off = (f64::from(drawn) - f64::from(DRAWS) * share).abs();
        assert!(
            off <= (5.0 * error).max(1.0),
            "{what}: {drawn} draws for a share of {share}"
        );
    }

    #[test]
    fn nurand_has_the_shares_of_the_vectors_with_a_fixed_and_with_a_fresh_constant() {
        let file = vectors("tpcc.json");
        for vector in file["nurand"].as_array().unwrap() {
            let number = |name: &str| vector[name].as_u64().unwrap() as u32;
            let (a, low, high) = (number("A"), number("x"), number("y"));
            let fixed = vector["C"].as_u64().map(|c| c as u32);
            let mut stream = source(7).keyed("nurand", u64::from(a));
            let mut counts = vec![0_u32; high as usize + 1];
            for _ in 0..DRAWS {
                let c = fixed.unwrap_or_else(|| uniform(&mut stream, 0, a));
                counts[nurand(&mut stream, a, low, high, c) as usize] += 1;
            }
            for (value, share) in vector["p_of"].as_object().unwrap() {
                let drawn = counts[value.parse::<usize>().unwrap()];
                assert_share(drawn, share.as_f64().unwrap(), value);
            }
            let likely = vector["most_likely"].as_array().unwrap();
            for value in likely.iter().filter_map(serde_json::Value::as_u64) {
                let share = vector["p_max"].as_f64().unwrap();
                assert_share(counts[value as usize], share, "most likely");
            }
        }
    }

    #[test]
    fn the_constants_of_a_run_are_those_that_the_vectors_allow() {
        let file = vectors("tpcc.json");
        for vector in file["c_run_allowed"].as_array().unwrap() {
            let number = |name: &str| vector[name].as_u64().unwrap() as u32;
            let allowed: Vec<u32> = allowed_c_run(number("c_load")).collect();
            assert_eq!(allowed.len(), number("count") as usize);
            assert_eq!(allowed.first(), Some(&number("smallest")));
            assert_eq!(allowed.last(), Some(&number("largest")));
        }
    }

    #[test]
    fn every_constant_of_the_load_leaves_some_for_the_run_and_the_run_takes_one_of_them() {
        for c_load in 0..=LAST_NAME_A {
            let constants = NurandConstants::of_run(source(3), c_load);
            assert!(allowed_c_run(c_load).any(|c_run| c_run == constants.last_name));
            assert!(constants.customer <= CUSTOMER_A && constants.item <= ITEM_A);
        }
    }
}
