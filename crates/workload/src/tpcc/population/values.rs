//! Applies what differs between the dialects in a row's values.

use super::text::{put_alphanumerics, put_digits, put_letters, put_repeated};
use crate::decimal::put_number;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::{LAST_NAME_A, draw_last_name, uniform};
use crate::tpcc::options::{Strings, TpccOptions};
use dbdyno_chance::Stream;

/// The laws of one dialect's values, in a form that is copied into every source of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueRules {
    pub(crate) dialect: Dialect,
    /// Whether the tool's quirks are kept.
    pub(crate) has_quirks: bool,
    strings: Strings,
    c_load: u32,
}

impl ValueRules {
    pub(crate) fn new(options: &TpccOptions) -> Self {
        Self {
            dialect: options.dialect,
            has_quirks: !options.is_fixed(),
            strings: options.strings,
            c_load: options.c_load,
        }
    }

    /// Places of taxes and discounts in the tables.
    pub(crate) fn share_places(self) -> u32 {
        match self.dialect {
            Dialect::SysbenchTpcc | Dialect::TpccMysql => 2,
            Dialect::Standard | Dialect::Hammerdb => 4,
        }
    }

    /// Returns the tax of a warehouse or district in ten-thousandths.
    pub(crate) fn tax(self, stream: &mut Stream) -> u32 {
        match self.dialect {
            Dialect::Standard => uniform(stream, 0, 2000),
            Dialect::SysbenchTpcc => rounded_to_cents(0.2 * stream.next_double()),
            Dialect::TpccMysql | Dialect::Hammerdb => 100 * uniform(stream, 10, 20),
        }
    }

    /// Returns the discount of a customer in ten-thousandths.
    pub(crate) fn discount(self, stream: &mut Stream) -> u32 {
        match self.dialect {
            Dialect::Standard => uniform(stream, 0, 5000),
            Dialect::SysbenchTpcc => rounded_to_cents(0.5 * stream.next_double()),
            Dialect::TpccMysql | Dialect::Hammerdb => 100 * uniform(stream, 0, 50),
        }
    }

    /// Counts, of a hundred customers, those with bad credit.
    pub(crate) fn bad_credit_percent(self) -> u32 {
        match self.dialect {
            Dialect::Standard | Dialect::SysbenchTpcc => 10,
            Dialect::TpccMysql | Dialect::Hammerdb => 50,
        }
    }

    /// Returns `c_credit_lim`, which Percona's schema has as a whole number.
    pub(crate) fn credit_limit(self) -> &'static [u8] {
        match self.dialect {
            Dialect::SysbenchTpcc | Dialect::TpccMysql => b"50000",
            Dialect::Standard | Dialect::Hammerdb => b"50000.00",
        }
    }

    /// Returns the number of the last name of a customer: all names once, then at random.
    pub(crate) fn last_name(self, stream: &mut Stream, customer: u32) -> u32 {
        if customer <= 1000 {
            return customer - 1;
        }
        let c = if self.dialect == Dialect::SysbenchTpcc && self.has_quirks {
            uniform(stream, 0, LAST_NAME_A) // Q-ST-2
        } else {
            self.c_load
        };
        draw_last_name(stream, c)
    }

    /// Appends a long text without meaning, of `low` to `high` characters.
    pub(crate) fn put_filler(self, stream: &mut Stream, out: &mut Vec<u8>, low: u32, high: u32) {
        let count = uniform(stream, low, high);
        match self.strings {
            Strings::Random => put_alphanumerics(stream, out, count),
            Strings::Repeated => put_repeated(stream, out, count),
        }
    }

    /// Appends a name or address of `low` to `high` characters; sysbench-tpcc has `prefix` and ten letters instead.
    pub(crate) fn put_name(
        self,
        stream: &mut Stream,
        out: &mut Vec<u8>,
        prefix: &str,
        (low, high): (u32, u32),
    ) {
        if self.dialect == Dialect::SysbenchTpcc {
            out.extend_from_slice(prefix.as_bytes());
            let letters = if prefix == "name-" { 5 } else { 10 };
            return put_letters(stream, out, letters);
        }
        let count = uniform(stream, low, high);
        put_alphanumerics(stream, out, count);
    }

    pub(crate) fn put_state(self, stream: &mut Stream, out: &mut Vec<u8>) {
        if self.dialect == Dialect::SysbenchTpcc {
            return put_letters(stream, out, 2);
        }
        let mut letter = || b'A' + uniform(stream, 0, 25) as u8;
        out.extend_from_slice(&[letter(), letter()]);
    }

    pub(crate) fn put_zip(self, stream: &mut Stream, out: &mut Vec<u8>) {
        match self.dialect {
            Dialect::Standard => {
                put_digits(stream, out, 4);
                out.extend_from_slice(b"11111");
            }
            Dialect::SysbenchTpcc => {
                out.extend_from_slice(b"zip-");
                put_digits(stream, out, 5);
            }
            Dialect::TpccMysql => put_digits(stream, out, 9),
            Dialect::Hammerdb => put_left_aligned_zip(uniform(stream, 0, 9999), out),
        }
    }
}

/// Rounds as the DECIMAL(4,2) of Percona's schema does.
fn rounded_to_cents(share: f64) -> u32 {
    100 * (share * 100.0).round() as u32
}

/// Appends the number, written from the left over "0000": 7 gives 700011111.
fn put_left_aligned_zip(number: u32, out: &mut Vec<u8>) {
    let start = out.len();
    put_number(out, number);
    out.resize(start + 4, b'0');
    out.extend_from_slice(b"11111");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::options::Fidelity;

    fn values(dialect: Dialect) -> ValueRules {
        ValueRules::new(&TpccOptions::new(dialect, Fidelity::Tool))
    }

    #[test]
    fn hammerdbs_zip_is_written_from_the_left() {
        let mut out = Vec::new();
        put_left_aligned_zip(7, &mut out);
        assert_eq!(out, b"700011111");
    }

    #[test]
    fn taxes_and_discounts_stay_in_the_range_of_their_dialect() {
        let mut stream = Stream::from_state([5, 6]);
        for (dialect, taxes, discounts, step) in [
            (Dialect::Standard, 0..=2000, 0..=5000, 1),
            (Dialect::SysbenchTpcc, 0..=2000, 0..=5000, 100),
            (Dialect::TpccMysql, 1000..=2000, 0..=5000, 100),
            (Dialect::Hammerdb, 1000..=2000, 0..=5000, 100),
        ] {
            let values = values(dialect);
            let drawn: Vec<u32> = (0..20_000).map(|_| values.tax(&mut stream)).collect();
            assert!(drawn.iter().all(|tax| tax % step == 0));
            assert_eq!(drawn.iter().min(), Some(taxes.start()), "{dialect:?}");
            assert_eq!(drawn.iter().max(), Some(taxes.end()), "{dialect:?}");
            let most = (0..20_000).map(|_| values.discount(&mut stream)).max();
            assert!(most <= Some(*discounts.end()) && most > Some(4900));
        }
    }

    #[test]
    fn the_most_frequent_last_names_of_hammerdb_are_those_recorded() {
        let mut stream = Stream::from_state([7, 8]);
        let values = values(Dialect::Hammerdb);
        let mut tally = [0_u32; 1000];
        for _ in 0..1_000_000 {
            tally[values.last_name(&mut stream, 1001) as usize] += 1;
        }
        let mut order: Vec<usize> = (0..1000).collect();
        order.sort_by_key(|number| std::cmp::Reverse(tally[*number]));
        order.truncate(3);
        order.sort_unstable();
        assert_eq!(order, [378, 634, 890]);
        assert_eq!(values.last_name(&mut stream, 1), 0);
        assert_eq!(values.last_name(&mut stream, 1000), 999);
    }
}
