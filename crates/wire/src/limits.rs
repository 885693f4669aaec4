//! Limits how much a server may make this side hold, no matter what it sends.
//!
//! Servers that mean well stay far below: they take no more columns themselves, and answers that are kept are short.

/// Columns of a result: as many as MySQL and MariaDB have (`MAX_FIELDS`).
pub(crate) const COLUMNS: (u64, &str) = (4096, "4096 columns in a result");

/// Results of one request.
pub(crate) const RESULTS: (u64, &str) = (1000, "1000 results to one request");

/// Memory for the rows of one answer on the cold path.
pub(crate) const KEPT_BYTES: (u64, &str) = (64 << 20, "64 MiB of rows in one answer");

/// Memory for the rows of one answer on the hot path, where there are many connections.
pub(crate) const KEPT_BYTES_HOT: (u64, &str) = (16 << 20, "16 MiB of rows in one answer");

/// Memory for one row, be it kept or only looked at.
pub(crate) const ROW_BYTES: (u64, &str) = (64 << 20, "64 MiB in one row");

/// Bytes of a text that the server sends for people; its own client has room for 512.
const TEXT_BYTES: usize = 1024;

/// Shortens what the server calls something, or says about it, to what people read.
pub(crate) fn text(raw: &[u8]) -> String {
    match raw.split_at_checked(TEXT_BYTES) {
        Some((head, rest)) if !rest.is_empty() => {
            format!(
                "{}…",
                String::from_utf8_lossy(head).trim_end_matches('\u{fffd}')
            )
        }
        _ => String::from_utf8_lossy(raw).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_server_is_cut_where_nobody_reads_on() {
        assert_eq!(text(b"Table 'a' doesn't exist"), "Table 'a' doesn't exist");
        assert_eq!(text(&[b'x'; TEXT_BYTES]).len(), TEXT_BYTES);
        let long = text("ä".repeat(1 << 20).as_bytes());
        assert!(
            long.ends_with("ä…") && long.len() < TEXT_BYTES + 8,
            "{}",
            long.len()
        );
    }
}
