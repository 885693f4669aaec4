//! Writes a run as an interval log of HdrHistogram, format version 1.3, which its own tools read.
//!
//! Each second has a line without a tag, with the response times of all events, the tools' default. It also has one for
//! each tag: `response:TYPE`, `service:TYPE` and `first_attempt:TYPE` of a
//! transaction type, `statement:TYPE`, and in an open loop `lateness`. A second without a value has its
//! lines too, so that every series is free of gaps. The format is that of `HistogramLogWriter` in
//! <https://github.com/HdrHistogram/HdrHistogram>; by default its tools take values for nanoseconds and show
//! milliseconds.

use super::{Output, Second, at, create};
use crate::cli_error::CliError;
use crate::local_time::local_time;
use crate::record::{PROGRAM, Packed, PackedSecond};
use crate::run::figures::loop_label;
use dbdyno_drive::{Load, RunOutcome, Start};
use dbdyno_meter::{Histogram, Interval, encoded_text};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const LEGEND: &str =
    r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#;

/// Writes the log.
pub(in crate::run) struct HdrLog<'a, W: Write = File> {
    load: &'a Load,
    path: PathBuf,
    out: BufWriter<W>,
    /// Text of a histogram without a value.
    empty: String,
    start_ns: u64,
    phase: String,
}

impl<'a> HdrLog<'a> {
    pub(in crate::run) fn create(path: &Path, load: &'a Load) -> Result<Self, CliError> {
        let file = create("the HdrHistogram log", path)?;
        Ok(Self::new(file, path, load))
    }
}

impl<'a, W: Write> HdrLog<'a, W> {
    fn new(out: W, path: &Path, load: &'a Load) -> Self {
        Self {
            load,
            path: path.to_owned(),
            out: BufWriter::with_capacity(1 << 16, out),
            empty: Histogram::new().encode(),
            start_ns: 0,
            phase: String::new(),
        }
    }

    fn write_heading(&mut self, start: &Start) -> io::Result<()> {
        let (name, label) = (&self.load.workload.spec().name, loop_label(self.load));
        let start_s = start.realtime_ns as f64 / 1e9;
        let date = local_time(start.realtime_ns, c"%a %b %d %H:%M:%S %Z %Y");
        let out = &mut self.out;
        writeln!(out, "#[{PROGRAM}: {name}, {label}]")?;
        writeln!(
            out,
            "#[Values in nanoseconds, Interval_Max in milliseconds]"
        )?;
        writeln!(out, "#[Histogram log format version 1.3]")?;
        writeln!(
            out,
            "#[StartTime: {start_s:.3} (seconds since epoch), {date}]"
        )?;
        writeln!(out, "#[BaseTime: {start_s:.3} (seconds since epoch)]")?;
        writeln!(out, "{LEGEND}")?;
        out.flush()
    }

    fn write_second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        let interval = second.record.interval;
        let begin_ns = interval.monotonic_ns.saturating_sub(self.start_ns);
        let (begin_s, length_s) = (begin_ns as f64 / 1e9, interval.duration_ns as f64 / 1e9);
        if self.phase != second.record.phase {
            second.record.phase.clone_into(&mut self.phase);
            writeln!(self.out, "#[Phase: {} from {begin_s:.3}]", self.phase)?;
        }
        let stretch = format!("{begin_s:.3},{length_s:.3}");
        self.write_lines(&stretch, interval, second.packed())?;
        self.out.flush()
    }

    fn write_lines(
        &mut self,
        stretch: &str,
        interval: &Interval,
        packed: &PackedSecond,
    ) -> io::Result<()> {
        let workload = &self.load.workload;
        let (transaction_types, statement_types) = (
            &workload.spec().transaction_types,
            &workload.spec().statement_types,
        );
        let responses = interval.transactions.iter().map(|counts| &counts.response);
        let max_ns = responses.map(Histogram::max_ns).max().unwrap_or(0);
        self.line("", stretch, max_ns, &packed.all_responses)?;
        let transactions = interval.transactions.iter().zip(&packed.transactions);
        for (name, (counts, packed)) in transaction_types.iter().zip(transactions) {
            for (what, times, packed) in [
                ("response", &counts.response, &packed.response),
                ("service", &counts.service, &packed.service),
                (
                    "first_attempt",
                    &counts.first_attempt,
                    &packed.first_attempt,
                ),
            ] {
                self.line(
                    &format!("Tag={what}:{name},"),
                    stretch,
                    times.max_ns(),
                    packed,
                )?;
            }
        }
        let statements = interval.statements.iter().zip(&packed.statements);
        for (name, (counts, packed)) in statement_types.iter().zip(statements) {
            let max_ns = counts.service.max_ns();
            self.line(&format!("Tag=statement:{name},"), stretch, max_ns, packed)?;
        }
        match &interval.lateness {
            Some(times) => self.line("Tag=lateness,", stretch, times.max_ns(), &packed.lateness),
            None => Ok(()),
        }
    }

    fn line(&mut self, tag: &str, stretch: &str, max_ns: u64, packed: &Packed) -> io::Result<()> {
        let max_ms = max_ns as f64 / 1e6;
        let text = packed.as_deref().map(encoded_text);
        let text = text.as_ref().unwrap_or(&self.empty);
        writeln!(self.out, "{tag}{stretch},{max_ms:.3},{text}")
    }
}

impl<W: Write> Output for HdrLog<'_, W> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.start_ns = start.monotonic_ns;
        self.write_heading(start).map_err(at(&self.path))
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        self.write_second(second).map_err(at(&self.path))
    }

    fn finish(&mut self, _: &RunOutcome) -> io::Result<()> {
        self.out.flush().map_err(at(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::LoadOrder;
    use dbdyno_drive::{IntervalRecord, SessionReadBack};
    use dbdyno_meter::{HistogramEncoder, IntervalShape};

    const ORDER: &str = include_str!("../../../../../contract/samples/load-order-fixed-rate.json");

    fn record(interval: &Interval) -> IntervalRecord<'_> {
        IntervalRecord {
            phase: "window",
            realtime_ns: 1_795_000_002_250_000_000,
            interval,
        }
    }

    /// Returns the log of second 2 of a run with one event of 2.5 ms, and second 3 without any.
    fn written() -> Vec<String> {
        let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
        let load = order.load().unwrap();
        let mut log = HdrLog::new(Vec::new(), Path::new("a.hlog"), &load);
        let start = Start {
            monotonic_ns: 7_000_000_000,
            realtime_ns: 1_795_000_000_250_000_000,
            session: SessionReadBack::default(),
            role_session: None,
            connect_ns: 0,
            connect_retries: 0,
            prepared_statements: 0,
            statements_as_text: 0,
            network: None,
        };
        log.started(&start).unwrap();
        let mut interval = Interval::new(IntervalShape {
            transaction_types: 1,
            statement_types: 1,
            open_loop: true,
        });
        interval.duration_ns = 1_000_000_000;
        interval.monotonic_ns = 9_000_000_000;
        interval.transactions[0].response.record(2_500_000);
        let mut encoder = HistogramEncoder::default();
        let mut tell = |interval: &Interval| {
            log.second(&mut Second::new(&record(interval), &mut encoder))
                .unwrap();
        };
        tell(&interval);
        interval.clear();
        interval.duration_ns = 500_000_000;
        interval.monotonic_ns = 10_000_000_000;
        tell(&interval);
        let text = String::from_utf8(log.out.into_inner().unwrap()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_heading_is_what_the_tools_look_for() {
        let lines = written();
        assert_eq!(lines[2], "#[Histogram log format version 1.3]");
        assert!(lines[3].starts_with("#[StartTime: 1795000000.250 (seconds since epoch), "));
        assert_eq!(
            lines[4],
            "#[BaseTime: 1795000000.250 (seconds since epoch)]"
        );
        assert!(lines[5].starts_with("\"StartTimestamp\","));
        assert_eq!(lines[6], "#[Phase: window from 2.000]");
    }

    #[test]
    fn each_second_has_a_line_for_all_events_and_one_for_each_tag() {
        let lines = written();
        let begins: Vec<_> = lines[7..]
            .iter()
            .map(|line| line.split(",HISTFAAA").next().unwrap())
            .collect();
        let expected = [
            "2.000,1.000,2.500",
            "Tag=response:point_select,2.000,1.000,2.500",
            "Tag=service:point_select,2.000,1.000,0.000",
            "Tag=first_attempt:point_select,2.000,1.000,0.000",
            "Tag=statement:point_select,2.000,1.000,0.000",
            "Tag=lateness,2.000,1.000,0.000",
            "3.000,0.500,0.000",
        ];
        assert_eq!(begins[..7], expected);
        assert_eq!(begins.len(), 12);
    }
}
