//! Reports progress as records or as text.

use crate::record::{PopulateEnd, PopulateProgress, PopulateStart, RecordWriter};
use crate::run::figures::{grouped, grouped_noun};
use crate::terminal;
use dbdyno_drive::counted;
use std::io::{self, Stdout, Write};

/// Reports the progress of a populate on standard output.
pub(super) enum PopulateReporter {
    Records(RecordWriter<Stdout>),
    Text(ProgressScreen),
}

/// Prints text for people: consecutive lines; on a terminal one line that changes.
#[derive(Debug)]
pub(super) struct ProgressScreen {
    is_terminal: bool,
    /// The progress of the current phase when it was first reported.
    began: Option<PopulateProgress>,
}

impl PopulateReporter {
    pub(super) fn new(records: bool) -> Self {
        if records {
            Self::Records(RecordWriter::new(terminal::raw_stdout()))
        } else {
            Self::Text(ProgressScreen {
                is_terminal: terminal::stdout().is_terminal(),
                began: None,
            })
        }
    }

    pub(super) fn start(&mut self, start: &PopulateStart) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(start),
            Self::Text(_) => Ok(()),
        }
    }

    pub(super) fn progress(&mut self, progress: &PopulateProgress) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(progress),
            Self::Text(screen) => {
                let line = screen.began_with(progress).line(progress);
                screen.put(&line)
            }
        }
    }

    pub(super) fn end(&mut self, end: &PopulateEnd) -> io::Result<()> {
        match self {
            Self::Records(records) => records.write(end),
            Self::Text(screen) => {
                screen.put(&end_text(end))?;
                if screen.is_terminal {
                    writeln!(terminal::stdout())?;
                }
                Ok(())
            }
        }
    }
}

impl ProgressScreen {
    fn put(&self, line: &str) -> io::Result<()> {
        let mut out = terminal::stdout();
        if self.is_terminal {
            out.same_line()?;
            write!(out, "{line}")?;
            return out.flush();
        }
        writeln!(out, "{line}")
    }

    fn began_with(&mut self, progress: &PopulateProgress) -> &Self {
        if self.began.is_none_or(|began| began.phase != progress.phase) {
            self.began = Some(*progress);
        }
        self
    }

    /// Formats the progress; for rows also their speed and the remaining time.
    fn line(&self, progress: &PopulateProgress) -> String {
        let seconds = progress.elapsed_ns as f64 / 1e9;
        let mut line = format!(
            "{:<6} {:>12} of {} rows  {seconds:>7.1} s",
            progress.phase,
            grouped(progress.rows_done),
            grouped(progress.rows_total),
        );
        let rate = self.began.map_or(0.0, |began| rows_per_s(&began, progress));
        if progress.phase == "load" && rate > 0.0 {
            let left = progress.rows_total.saturating_sub(progress.rows_done);
            let rate_text = grouped(rate.round() as u64);
            line += &format!(
                "  {rate_text:>9} rows/s  {:>6.0} s to go",
                left as f64 / rate
            );
        }
        line
    }
}

fn rows_per_s(from: &PopulateProgress, to: &PopulateProgress) -> f64 {
    let own = |progress: &PopulateProgress| progress.rows_done.saturating_sub(progress.rows_before);
    let rows = own(to).saturating_sub(own(from)) as f64;
    let seconds = to.elapsed_ns.saturating_sub(from.elapsed_ns) as f64 / 1e9;
    if seconds > 0.0 { rows / seconds } else { 0.0 }
}

fn end_text(end: &PopulateEnd) -> String {
    let sums = end.tables.iter().flat_map(|table| table.sums.first());
    let rows: u64 = sums.map(|&(_, rows)| rows).sum();
    let load_s = end.load_ns as f64 / 1e9;
    let tables = counted(end.tables.len() as u64, "table");
    let rows_text = grouped_noun(rows, "row");
    if end.status != "complete" {
        return format!("{}: {tables}, {rows_text} sent", end.status); // how many the server holds is not known
    }
    let repeats = match end.repeats {
        0 => String::new(),
        repeats => format!(", {} repeated", counted(repeats, "part")),
    };
    let accelerated = if end.accelerated {
        ", redo log off"
    } else {
        ""
    };
    let own_rows = rows.saturating_sub(end.rows_before);
    let earlier = match end.rows_before {
        0 => String::new(),
        _ => format!(", {} of them now,", grouped(own_rows)),
    };
    format!(
        "{}: {tables}, {rows_text}{earlier} in {load_s:.1} s ({} rows/s, {}{accelerated}), indexes in {:.1} s{repeats}",
        end.status,
        grouped((own_rows as f64 / load_s.max(1e-9)).round() as u64),
        end.load_by,
        end.index_ns as f64 / 1e9,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TableRecord;

    #[test]
    fn rows_are_reported_with_their_rate_and_the_time_they_will_take() {
        let mut screen = ProgressScreen {
            is_terminal: false,
            began: None,
        };
        let at = |phase, rows, seconds: u64| {
            PopulateProgress::new(phase, rows, 200_000, seconds * 1_000_000_000)
        };
        screen.began_with(&at("create", 0, 0));
        let first = at("load", 10_000, 1);
        assert!(!screen.began_with(&first).line(&first).contains("rows/s"));
        let second = at("load", 50_000, 3); // 40,000 rows in 2 s; 150,000 are left
        let line = screen.began_with(&second).line(&second);
        assert!(
            line.ends_with("3.0 s     20,000 rows/s       8 s to go"),
            "{line}"
        );
        let index = at("index", 200_000, 12);
        assert!(!screen.began_with(&index).line(&index).contains("rows/s"));
    }

    #[test]
    fn rows_of_an_interrupted_load_are_in_no_rate() {
        let mut screen = ProgressScreen {
            is_terminal: false,
            began: None,
        };
        let at = |rows_before, rows, seconds: u64| {
            let progress = PopulateProgress::new("load", rows, 200_000, seconds * 1_000_000_000);
            progress.with_rows_before(rows_before)
        };
        screen.began_with(&at(0, 0, 0));
        let line = screen.line(&at(150_000, 160_000, 2));
        assert!(line.contains(" 5,000 rows/s       8 s to go"), "{line}");
        let text = end_text(&PopulateEnd {
            rows_before: 150_000,
            load_ns: 10_000_000_000,
            ..end_of("complete", 200_000)
        });
        let expected =
            "complete: 1 table, 200,000 rows, 50,000 of them now, in 10.0 s (5,000 rows/s";
        assert!(text.starts_with(expected), "{text}");
    }

    fn end_of(status: &'static str, rows: u64) -> PopulateEnd {
        PopulateEnd {
            record: "end",
            status,
            reason: String::new(),
            failure_kind: None,
            elapsed_ns: 3_000_000_000,
            load_ns: 2_000_000_000,
            index_ns: 0,
            process_cpu_ns: 0,
            load_by: "prepared",
            accelerated: false,
            repeats: 1,
            rows_before: 0,
            tables: vec![TableRecord {
                name: "sbtest1".to_owned(),
                sums: vec![("rows", rows)],
            }],
            content_sha256: String::new(),
        }
    }

    #[test]
    fn only_a_complete_load_has_a_rate() {
        let of = |status| end_text(&end_of(status, 1));
        let complete = of("complete");
        assert!(complete.contains("1 table, 1 row in"), "{complete}");
        assert!(complete.contains("rows/s"), "{complete}");
        assert!(complete.ends_with(", 1 part repeated"), "{complete}");
        assert_eq!(of("failed"), "failed: 1 table, 1 row sent");
    }
}
