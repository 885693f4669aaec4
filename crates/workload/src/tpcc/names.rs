//! Generates last names of customers (clause 4.3.2.3).

use dbdyno_wire::Parameters;

const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// Letters of the longest name.
const LONGEST: usize = 15;

/// A last name, by its number below 1000: one syllable a digit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastName {
    letters: [u8; LONGEST],
    length: usize,
}

impl LastName {
    pub(crate) fn of(number: u32) -> Self {
        let mut name = Self {
            letters: [0; LONGEST],
            length: 0,
        };
        for digit in [number / 100 % 10, number / 10 % 10, number % 10] {
            let syllable = SYLLABLES[digit as usize].as_bytes();
            let end = name.length + syllable.len();
            name.letters[name.length..end].copy_from_slice(syllable);
            name.length = end;
        }
        name
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.letters[..self.length]
    }

    /// Pushes the name as a statement's value.
    pub(crate) fn push(self, parameters: &mut Parameters) {
        parameters.push_text(self.bytes());
    }
}

/// Appends the name of a number below 1000.
pub(crate) fn put_last_name(number: u32, text: &mut Vec<u8>) {
    text.extend_from_slice(LastName::of(number).bytes());
}

/// Returns which of so many customers of one name is taken, sorted by first name: the one at the middle (clause
/// 2.5.2.2), from 0.
pub(crate) fn middle_row(rows: usize) -> usize {
    rows.div_ceil(2).max(1) - 1
}

#[cfg(test)]
mod tests {
    use super::{LastName, middle_row};
    use crate::tpcc::vectors::vectors;
    use std::collections::HashSet;

    #[test]
    fn numbers_have_the_names_of_the_vectors() {
        let file = vectors("tpcc.json");
        for vector in file["last_names"].as_array().unwrap() {
            let number = vector["n"].as_u64().unwrap() as u32;
            let name = LastName::of(number);
            assert_eq!(name.bytes(), vector["name"].as_str().unwrap().as_bytes());
        }
        let all: HashSet<Vec<u8>> = (0..1000)
            .map(|number| LastName::of(number).bytes().to_vec())
            .collect();
        assert_eq!(all.len() as u64, file["last_names_distinct"]);
        let longest = all.iter().map(Vec::len).max().unwrap();
        assert_eq!(longest as u64, file["longest_last_name"]);
    }

    #[test]
    fn the_row_at_the_middle_is_that_of_the_vectors() {
        let file = vectors("tpcc.json");
        for vector in file["customer_by_last_name_row"].as_array().unwrap() {
            let rows = vector["rows"].as_u64().unwrap() as usize;
            for column in [
                "standard",
                "tpcc_mysql",
                "hammerdb_no_procedures_order_status",
            ] {
                assert_eq!(middle_row(rows) as u64 + 1, vector[column]);
            }
        }
    }
}
