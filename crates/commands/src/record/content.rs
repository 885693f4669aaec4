//! Combines the checksums of all tables into one.

use super::TableRecord;
use sha2::{Digest, Sha256};
use std::fmt::{Display, Write};

/// Returns the SHA-256, in hexadecimal, over the names of the tables and all their sums, in order. Servers with the
/// same value hold the same rows, as far as sums of checksums can show.
pub(crate) fn content_sha256<N: Display>(tables: &[TableRecord<N>]) -> String {
    let mut text = String::new();
    for table in tables {
        text += &table.name;
        for (name, value) in &table.sums {
            let _ = write!(text, " {name}={value}"); // a String takes everything
        }
        text.push('\n');
    }
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, rows: u64) -> TableRecord {
        TableRecord {
            name: name.to_owned(),
            sums: vec![("rows", rows), ("sum_crc32", 7)],
        }
    }

    #[test]
    fn it_is_the_sha_256_of_names_and_sums_line_by_line() {
        let expected = hexadecimal(&Sha256::digest(
            "a rows=3 sum_crc32=7\nb rows=4 sum_crc32=7\n",
        ));
        assert_eq!(content_sha256(&[table("a", 3), table("b", 4)]), expected);
        assert_ne!(content_sha256(&[table("b", 4), table("a", 3)]), expected);
    }
}
