//! Implements `dbdyno-load merge`: it makes the record of one client of the records of its shares.
//!
//! Second by second counts and histograms are added, so every percentile is that of all times together. Seconds are those of
//! the common start. The run ends with the last second that every share has whole.

mod agreement;
mod merged_files;
mod merged_record;
mod report;
mod second_row;
mod share_reader;

use super::totals::Totals;
use crate::arguments::MergeArguments;
use crate::cli_error::{CliError, Exit};
use crate::record::{TypeNames, is_closed_pipe};
use crate::terminal;
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::Interval;
use merged_files::MergedFiles;
use merged_record::{EventTotals, MergedShare, MergedStatus, end_of, start_of, status_of};
use serde_json::json;
use share_reader::{ShareReader, ShareSecond};
use std::io;

/// Length of a whole interval.
const SECOND_NS: u64 = 1_000_000_000;

/// All shares as one run.
struct MergedRun {
    /// By their numbers.
    shares: Vec<MergedShare>,
    /// Unix time of the start that all are held against.
    zero_ns: u64,
    /// How many every share has whole.
    seconds: u32,
    phase: String,
    /// Of the last phase.
    window: Totals,
}

/// Merges the records that are named.
pub(crate) fn merge(arguments: &MergeArguments) -> anyhow::Result<Exit> {
    arguments.refuse_overwriting()?;
    let opened = arguments.records.iter().map(|path| ShareReader::open(path));
    let mut shares = opened.collect::<Result<Vec<_>, _>>()?;
    agreement::check(&mut shares, arguments.max_skew)?;
    let mut run = MergedRun::new(shares);
    let status = match write_run(&mut run, arguments)? {
        Some(status) => status,
        None => return Ok(Exit::NotHeld), // the reader has seen enough
    };
    Ok(match status.status {
        "complete" => Exit::Done,
        "interrupted" => Exit::NotHeld,
        _ => CliError::world("the merged run failed")
            .because(status.reason)
            .tell(),
    })
}

/// Reads all seconds and writes them; `None` where the reader of the records has gone.
fn write_run(
    run: &mut MergedRun,
    arguments: &MergeArguments,
) -> anyhow::Result<Option<MergedStatus>> {
    let start = run.shares[0].reader.start.clone();
    let transactions: Vec<_> = start.transaction_types.iter().map(String::as_str).collect();
    let statements: Vec<_> = start.statement_types.iter().map(String::as_str).collect();
    let names = TypeNames {
        transactions: &transactions,
        statements: &statements,
    };
    let mut files = MergedFiles::create(arguments, names)?;
    let written = write_records(run, &mut files).and_then(|status| {
        if !arguments.records_to_stdout() {
            report::write(&mut terminal::stdout(), run)?;
        }
        Ok(status)
    });
    match written {
        Ok(status) => Ok(Some(status)),
        Err(error) => match error.downcast_ref::<io::Error>() {
            Some(reason) if is_closed_pipe(reason) => Ok(None),
            Some(reason) => Err(CliError::world("the merged run can't be written")
                .because(reason)
                .into()),
            None => Err(error),
        },
    }
}

fn write_records(run: &mut MergedRun, files: &mut MergedFiles<'_>) -> anyhow::Result<MergedStatus> {
    files.record(&start_of(&run.shares))?;
    let mut merged = Interval::new(run.shares[0].reader.shape);
    while let Some(parts) = run.next_second()? {
        merged.clear();
        merged.workers.clear();
        for part in &parts {
            merged.merge(&part.interval);
        }
        let lead = &parts[0];
        merged.second = lead.interval.second;
        merged.monotonic_ns = lead.interval.monotonic_ns;
        files.second(&IntervalRecord {
            phase: &lead.phase,
            realtime_ns: lead.realtime_ns,
            interval: &merged,
        })?;
        run.count(&parts, &merged);
        run.hand_on(files)?;
    }
    run.shares.iter_mut().try_for_each(MergedShare::drain)?;
    run.hand_on(files)?;
    let status = status_of(&run.shares);
    files.record(&end_of(&run.shares, &status, run.zero_ns))?;
    files.finish()?;
    Ok(status)
}

impl MergedRun {
    fn new(shares: Vec<ShareReader>) -> Self {
        let lead = &shares[0];
        Self {
            zero_ns: lead.share.start_at_ns.unwrap_or(lead.began_ns()),
            seconds: 0,
            phase: String::new(),
            window: Totals::new(lead.shape),
            shares: shares.into_iter().map(MergedShare::new).collect(),
        }
    }

    /// The next second of all shares; `None` once one of them has not the whole of it.
    fn next_second(&mut self) -> Result<Option<Vec<ShareSecond>>, CliError> {
        let parts = self.shares.iter_mut().map(MergedShare::next_whole);
        let parts: Vec<_> = parts.collect::<Result<_, _>>()?;
        Ok(parts.into_iter().collect())
    }

    fn count(&mut self, parts: &[ShareSecond], merged: &Interval) {
        self.seconds += 1;
        if self.phase != parts[0].phase {
            self.phase.clone_from(&parts[0].phase);
            self.window.clear();
            self.shares
                .iter_mut()
                .for_each(|share| share.window.clear());
        }
        self.window.add(merged);
        for (share, part) in self.shares.iter_mut().zip(parts) {
            share.window.add(&part.interval);
        }
    }

    /// What the shares had to say, and what the server had counted, which the first share asks for all.
    fn hand_on(&mut self, files: &mut MergedFiles<'_>) -> io::Result<()> {
        for share in &mut self.shares {
            let label = share.reader.label();
            for message in share.reader.messages.drain(..) {
                let text = format!("{label}: {}", message.text);
                files
                    .record(&json!({"record": "message", "level": message.level, "text": text}))?;
            }
            for counters in share.reader.counters.drain(..) {
                files.record(&counters)?;
            }
        }
        Ok(())
    }
}

impl MergedShare {
    fn new(reader: ShareReader) -> Self {
        Self {
            began_ns: reader.began_ns(),
            window: Totals::new(reader.shape),
            reader,
            whole_seconds: 0,
            events: EventTotals::default(),
        }
    }

    /// The next second, unless the share ended in it.
    fn next_whole(&mut self) -> Result<Option<ShareSecond>, CliError> {
        let Some(second) = self.reader.next_second()? else {
            return Ok(None);
        };
        for counts in &second.interval.transactions {
            self.events.started += counts.started;
            self.events.completed += counts.completed;
            self.events.failed += counts.failed;
        }
        if second.interval.duration_ns < SECOND_NS {
            return Ok(None);
        }
        self.whole_seconds += 1;
        Ok(Some(second))
    }

    /// Reads to the end, beyond the end of the merged run.
    fn drain(&mut self) -> Result<(), CliError> {
        while self.next_whole()?.is_some() {}
        Ok(())
    }
}
