//! Reads the record of one share: its start, its seconds one by one, and how it ended.

use super::count_check::EventTotals;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::record::{IntervalLine, NetworkPathRecord, NetworkTrafficRecord, OutageRecord};
use dbdyno_meter::{Interval, IntervalShape};
use serde::Deserialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

/// Longest line of a record. A second with histograms of hundreds of statement types takes less than 1 MiB.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Reads a line with its end after the content of `line`, and returns its number of bytes; an error if it is too long.
pub(in crate::run) fn read_record_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<usize> {
    let count = input.take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if count as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the line is longer than 64 MiB",
        ));
    }
    Ok(count)
}

/// Returns a record line by line.
pub(in crate::run) trait ShareSource {
    /// Returns the next line without its end; `None` after the last. A line without an end was being written when the
    /// process was killed, and does not count.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>>;

    /// Returns why there was no further line, if the host was lost.
    fn loss(&self) -> Option<&str>;
}

impl ShareSource for BufReader<File> {
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut text = Vec::new();
        read_record_line(self, &mut text)?;
        Ok((text.pop() == Some(b'\n')).then_some(text))
    }

    fn loss(&self) -> Option<&str> {
        None
    }
}

/// Holds one record. These are the kinds that a share has; a reader ignores unknown ones.
#[derive(Debug, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum ShareLine {
    Start(Value),
    Interval(Box<IntervalLine<'static>>),
    Counters(Value),
    Message(MessageRow),
    End(Box<EndRow>),
    #[serde(other)]
    Other,
}

/// Holds the fields of a start that a merge needs; the rest is compared and passed on.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct StartRow {
    pub(super) monotonic_ns: u64,
    pub(super) realtime_ns: u64,
    pub(super) concurrency: u32,
    pub(super) workers: u32,
    pub(super) transaction_types: Vec<String>,
    pub(super) statement_types: Vec<String>,
    pub(super) connect_ns: u64,
    pub(super) connect_retries: u64,
    pub(super) prepared_statements: u64,
    pub(super) statements_as_text: u64,
    /// Missing in records of former versions.
    #[serde(default)]
    pub(super) network: Option<NetworkPathRecord>,
    pacing: PacingRow,
    share: Option<ShareRow>,
}

#[derive(Debug, Clone, Deserialize)]
struct PacingRow {
    kind: String,
    think: Option<Value>,
}

/// Says which share it is.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ShareRow {
    pub(super) number: u32,
    pub(super) count: u32,
    pub(super) connections: u32,
    pub(super) host: String,
    pub(super) start_at_ns: Option<u64>,
    #[serde(default)]
    clock_ahead_ns: i64,
    pub(super) clock_error_ns: Option<u64>,
    pub(super) server: String,
    pub(super) common_sha256: String,
}

/// Holds a message for people.
#[derive(Debug, Deserialize)]
pub(super) struct MessageRow {
    pub(super) level: String,
    pub(super) text: String,
}

/// Says how a share ended.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct EndRow {
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) error_code: Option<u16>,
    pub(super) failure_kind: Option<String>,
    pub(super) scheduled: u64,
    pub(super) completed: u64,
    pub(super) failed: u64,
    pub(super) unsent: u64,
    pub(super) in_flight_at_end: u64,
    pub(super) abandoned: u64,
    pub(super) longest_silence_ns: u64,
    pub(super) outages: Vec<OutageRecord>,
    /// Missing in records of former versions.
    #[serde(default)]
    pub(super) network: Option<NetworkTrafficRecord>,
    pub(super) digests: Vec<Value>,
    pub(super) began_late_ns: u64,
    /// Of its longest silences: the begin, since when a request was out or due, and the end, since second 0.
    pub(super) silences: Vec<(u64, u64, u64)>,
    /// How long the events `unsent` and `in_flight_at_end` had been due; `None` without any, and in records of former
    /// versions.
    #[serde(default)]
    pub(super) unended: Option<String>,
    pub(super) process_cpu_ns: u64,
    pub(super) peak_rss_bytes: u64,
}

/// Holds one second of a share.
#[derive(Debug)]
pub(super) struct ShareSecond {
    pub(super) phase: String,
    pub(super) realtime_ns: u64,
    pub(super) interval: Interval,
}

/// Reads the record of one share, as far as needed.
pub(in crate::run) struct ShareReader {
    /// Name of the file.
    pub(super) name: String,
    pub(super) start: StartRow,
    pub(super) share: ShareRow,
    /// The start as it was written.
    pub(super) whole_start: Value,
    pub(super) shape: IntervalShape,
    /// Messages since they were last taken.
    pub(super) messages: Vec<MessageRow>,
    pub(super) counters: Vec<Value>,
    /// Sums of all seconds that were read.
    pub(super) events: EventTotals,
    /// `None` until it was met, and if the process ended without one.
    pub(super) end: Option<EndRow>,
    lines: Box<dyn ShareSource>,
    line_number: u64,
    /// Whether the first second was read.
    is_ahead: bool,
    /// The first second, until it is taken.
    first: Option<ShareSecond>,
    next_second: u32,
}

impl ShareReader {
    /// Reads the start of a file.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let file = dbdyno_input::open(path);
        let file = file.map_err(|error| {
            CliError::request(
                ErrorCode::FileUnreadable,
                format!("the record {name} can't be read"),
            )
            .because(error)
        })?;
        Self::begin(name, Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// Reads the start.
    pub(super) fn begin(name: String, mut lines: Box<dyn ShareSource>) -> Result<Self, CliError> {
        let whole_start = read_start(&mut *lines, &name)?;
        let start: StartRow = serde_json::from_value(whole_start.clone())
            .map_err(|error| no_record(&name, 1, &error.to_string()))?;
        let Some(share) = start.share.clone() else {
            return Err(CliError::request(
                ErrorCode::NotAShare,
                format!("{name} is not the record of a share"),
            )
            .because("it was written without --share, so it is complete by itself"));
        };
        Ok(Self {
            shape: IntervalShape {
                transaction_types: start.transaction_types.len(),
                statement_types: start.statement_types.len(),
                open_loop: start.pacing.kind != "closed" || start.pacing.think.is_some(),
            },
            name,
            start,
            share,
            whole_start,
            messages: Vec::new(),
            counters: Vec::new(),
            events: EventTotals::default(),
            end: None,
            lines,
            line_number: 1,
            is_ahead: false,
            first: None,
            next_second: 0,
        })
    }

    /// Reads up to the first second, which shows when the share began.
    pub(super) fn read_ahead(&mut self) -> Result<(), CliError> {
        if !self.is_ahead {
            self.is_ahead = true;
            self.first = self.read_second()?;
        }
        Ok(())
    }

    /// Returns the Unix time at which second 0 began, by the clock as it was set when that was over, minus its known
    /// error.
    pub(super) fn began_ns(&self) -> u64 {
        let first = self.first.as_ref();
        let own_ns = first.map_or(self.start.realtime_ns, |second| second.realtime_ns);
        own_ns.saturating_add_signed(-self.share.clock_ahead_ns)
    }

    /// Returns whether events are due regardless of earlier events.
    pub(super) fn is_open_loop(&self) -> bool {
        self.start.pacing.kind != "closed"
    }

    /// Returns why the record stops, if its host was lost.
    pub(super) fn loss(&self) -> Option<&str> {
        self.lines.loss()
    }

    /// Returns which share on which host, for people.
    pub(super) fn label(&self) -> String {
        let ShareRow {
            number,
            count,
            host,
            ..
        } = &self.share;
        format!("share {number} of {count} on {host}")
    }

    /// Returns the next second; `None` after the last.
    pub(super) fn next_second(&mut self) -> Result<Option<ShareSecond>, CliError> {
        match self.first.take() {
            Some(second) => Ok(Some(second)),
            None => self.read_second(),
        }
    }

    fn read_second(&mut self) -> Result<Option<ShareSecond>, CliError> {
        while self.end.is_none()
            && let Some(line) = self.read_line()?
        {
            match line {
                ShareLine::Interval(row) => return self.second_of(*row).map(Some),
                ShareLine::Counters(counters) => self.counters.push(tagged(counters, "counters")),
                ShareLine::Message(message) => self.messages.push(message),
                ShareLine::End(end) => {
                    let check = self.events.check(&end);
                    check.map_err(|why| self.contradiction(&why))?;
                    self.end = Some(*end);
                }
                ShareLine::Start(_) => return Err(self.refuse("it holds a second run")),
                ShareLine::Other => {}
            }
        }
        Ok(None)
    }

    fn second_of(&mut self, row: IntervalLine<'_>) -> Result<ShareSecond, CliError> {
        if row.second != self.next_second {
            let what = format!("second {} is missing", self.next_second);
            return Err(self.refuse(&what));
        }
        self.next_second += 1;
        let (phase, realtime_ns) = (row.phase.to_string(), row.realtime_ns);
        let (shape, types) = (self.shape, &self.start);
        let second = row.second;
        let interval = row.interval(shape, &types.transaction_types, &types.statement_types);
        let interval = interval.map_err(|why| self.refuse(&why))?;
        let check = self.events.add(&self.start, &interval);
        check.map_err(|why| self.contradiction(&format!("second {second}: {why}")))?;
        Ok(ShareSecond {
            phase,
            realtime_ns,
            interval,
        })
    }

    fn read_line(&mut self) -> Result<Option<ShareLine>, CliError> {
        let text = self.lines.next_line();
        let text = text.map_err(|error| self.refuse(&error.to_string()))?;
        self.line_number += 1;
        let Some(text) = text else {
            return Ok(None);
        };
        let line = serde_json::from_slice(&text);
        line.map(Some)
            .map_err(|error| self.refuse(&error.to_string()))
    }

    /// Refuses counts that the program would not have written.
    fn contradiction(&self, why: &str) -> CliError {
        let what = format!("the counts of {} contradict each other", self.name);
        CliError::request(ErrorCode::CountsContradict, what)
            .because(format!("line {}: {why}", self.line_number))
            .hint("give the file as dbdyno-load wrote it: this one was damaged or altered")
    }

    fn refuse(&self, why: &str) -> CliError {
        no_record(&self.name, self.line_number, why)
    }
}

fn read_start(lines: &mut dyn ShareSource, name: &str) -> Result<Value, CliError> {
    let text = lines.next_line();
    let text = text.map_err(|error| no_record(name, 1, &error.to_string()))?;
    let Some(text) = text else {
        return Err(CliError::request(
            ErrorCode::RecordEmpty,
            format!("{name} is empty: its share wrote no record"),
        )
        .hint("look at what the share, or the ssh that ran it, has printed"));
    };
    match serde_json::from_slice(&text) {
        Ok(ShareLine::Start(start)) => Ok(tagged(start, "start")),
        Ok(ShareLine::End(end)) => {
            let what = format!("the share of {name} never began");
            Err(CliError::request(ErrorCode::ShareNeverBegan, what).because(end.reason))
        }
        Ok(_) => Err(no_record(name, 1, "the first record is not a start")),
        Err(error) => Err(no_record(name, 1, &error.to_string())),
    }
}

/// Adds the kind, which is removed from a record when it is read.
fn tagged(mut record: Value, kind: &str) -> Value {
    record["record"] = kind.into();
    record
}

fn no_record(name: &str, line: u64, why: &str) -> CliError {
    CliError::request(
        ErrorCode::NotARecord,
        format!("{name} is not the record of a load"),
    )
    .because(format!("line {line}: {why}"))
    .hint("give the files that dbdyno-load run --share K/N --json-lines FILE wrote")
}
