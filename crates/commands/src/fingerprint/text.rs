//! Writes a fingerprint for people, and for `diff`: nothing in it depends on the time.

use crate::record::FingerprintRecord;
use dbdyno_drive::counted;
use std::fmt::Write;

pub(super) fn of(record: &FingerprintRecord) -> String {
    let mut text = String::new();
    if let Some(sha256) = &record.statements_sha256 {
        let (events, failed) = (counted(record.events, "event"), record.failed);
        text += &format!("statements  {sha256}  of {events}, {failed} failed\n");
    }
    text += &format!("tables      {}\n", record.content_sha256);
    for table in &record.tables {
        text += &format!("  {}", table.name);
        for (name, value) in &table.sums {
            let _ = write!(text, "  {name} {value}"); // a String takes everything
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TableRecord;

    #[test]
    fn a_line_for_each_checksum_and_each_table() {
        let record = FingerprintRecord {
            record: "fingerprint",
            schema_version: 1,
            program: "",
            events: 5,
            failed: 1,
            statements_sha256: Some("ab".to_owned()),
            content_sha256: "cd".to_owned(),
            tables: vec![TableRecord {
                name: "district".to_owned(),
                sums: vec![("rows", 10), ("sum_owed_cents", -3)],
            }],
            elapsed_ns: 0,
        };
        let expected = "statements  ab  of 5 events, 1 failed\ntables      cd\n  district  rows 10  sum_owed_cents -3\n";
        assert_eq!(of(&record), expected);
        let unsent = FingerprintRecord {
            statements_sha256: None,
            ..record
        };
        assert!(of(&unsent).starts_with("tables"));
    }
}
