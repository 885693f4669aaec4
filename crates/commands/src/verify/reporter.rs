//! Reports a verification as records or as text.

use crate::record::{ConditionAsked, ConditionLine, RecordWriter, SpaceLine, VerifyEnd};
use crate::terminal;
use dbdyno_drive::form_for;
use std::io::{self, Stdout, Write};

/// Reports what was verified on standard output.
pub(super) enum VerifyReporter {
    Records(RecordWriter<Stdout>),
    Text,
}

impl VerifyReporter {
    pub(super) fn new(records: bool) -> Self {
        if records {
            Self::Records(RecordWriter::new(terminal::raw_stdout()))
        } else {
            Self::Text
        }
    }

    /// Records which condition began; people see nothing before its result.
    pub(super) fn started(&mut self, asked: &ConditionAsked) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(asked),
            Self::Text => Ok(()),
        }
    }

    pub(super) fn condition(&mut self, line: &ConditionLine) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(line),
            Self::Text => writeln!(terminal::stdout(), "{}", text_of(line)),
        }
    }

    pub(super) fn space(&mut self, line: &SpaceLine) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(line),
            Self::Text => write!(terminal::stdout(), "{}", space_text(line)),
        }
    }

    pub(super) fn end(&mut self, end: &VerifyEnd) -> io::Result<()> {
        if let Self::Records(records) = self {
            return records.write(end);
        }
        let seconds = end.elapsed_ns as f64 / 1e9;
        writeln!(
            terminal::stdout(),
            "{}: {} hold, {} broken, {} do not hold and need not, {} undecided; {seconds:.1} s",
            end.status,
            end.holds,
            end.broken,
            end.told,
            end.undecided,
        )
    }
}

fn text_of(line: &ConditionLine) -> String {
    let word = match line.status {
        "broken" => "BROKEN",
        "told" => "differs", // the record's word
        other => other,
    };
    let mut text = format!("{:<16} {word:<7} {}", line.name, line.meaning);
    if line.rows > 0 {
        let more = if line.has_more_rows { "more than " } else { "" };
        let rows: Vec<String> = line.first_rows.iter().map(|row| row_text(row)).collect();
        let noun = form_for(line.rows as u64, "row", "rows");
        text += &format!(
            "\n{:<24}  {more}{} {noun}: {}",
            "",
            line.rows,
            rows.join(" ")
        );
        if line.has_more_rows || line.rows > rows.len() {
            text += " …";
        }
    }
    if line.rows > 0 && !line.required {
        text += &match line.quirks {
            "" => format!("\n{:<24}  need not hold after a run", ""),
            quirks => quirk_text(quirks),
        };
    }
    text
}

/// Explains the quirks that break a condition, a line for each.
fn quirk_text(ids: &str) -> String {
    let mut text = format!("\n{:<24}  the imitated tool breaks it, too ({ids})", "");
    for explanation in crate::quirks::explain(ids) {
        text += &format!("\n{:<24}  {explanation}", "");
    }
    text
}

/// Formats a line per table and one for all, in MiB.
fn space_text(line: &SpaceLine) -> String {
    let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
    let optional = |bytes: Option<u64>| {
        bytes.map_or_else(
            || format!("{:>10}", "-"),
            |bytes| format!("{:>10.1}", mib(bytes)),
        )
    };
    let mut text = format!(
        "{:<16} {:>10} {:>10} {:>10} {:>10}\n",
        "space in MiB", "data", "indexes", "files", "on disk"
    );
    for table in &line.tables {
        text += &format!(
            "  {:<14} {:>10.1} {:>10.1} {} {}\n",
            table.name,
            mib(table.data_bytes),
            mib(table.index_bytes),
            optional(table.file_bytes),
            optional(table.allocated_bytes),
        );
    }
    text
}

fn row_text(row: &[Option<String>]) -> String {
    let values: Vec<&str> = row
        .iter()
        .map(|value| value.as_deref().unwrap_or("NULL"))
        .collect();
    format!("({})", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TableSpace;

    #[test]
    fn tables_without_files_of_their_own_have_a_dash() {
        let table = TableSpace {
            name: "linktable".to_owned(),
            data_bytes: 3 << 20,
            file_bytes: Some(5 << 20),
            ..TableSpace::default()
        };
        let text = space_text(&SpaceLine {
            record: "space",
            tables: vec![table],
        });
        let words: Vec<_> = text.split_whitespace().rev().take(5).collect();
        assert_eq!(words, ["-", "5.0", "0.0", "3.0", "linktable"]);
    }

    #[test]
    fn a_broken_condition_shows_its_first_rows() {
        let mut line = ConditionLine {
            record: "condition",
            name: "3.3.2.3".to_owned(),
            meaning: "numbers have no gaps".to_owned(),
            status: "broken",
            required: true,
            quirks: "Q-HD-5",
            rows: 7,
            has_more_rows: false,
            first_rows: vec![vec![Some("1".to_owned()), None]],
            elapsed_ns: 1,
            sql: "SELECT 1".to_owned(),
        };
        let text = text_of(&line);
        assert!(
            text.starts_with("3.3.2.3          BROKEN  numbers have no gaps\n"),
            "{text}"
        );
        assert!(text.ends_with("  7 rows: (1, NULL) …"), "{text}");
        (line.status, line.required) = ("told", false);
        let text = text_of(&line);
        assert!(
            text.starts_with("3.3.2.3          differs numbers"),
            "{text}"
        );
        assert!(text.contains("(Q-HD-5)\n"), "{text}");
        assert!(text.contains("Q-HD-5: Delivery"), "{text}");
        line.rows = 1;
        assert!(text_of(&line).contains("  1 row: (1, NULL)\n"));
    }
}
