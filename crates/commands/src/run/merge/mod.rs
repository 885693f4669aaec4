//! Implements `dbdyno-load merge`: it makes the record of one client from the records of its shares.
//!
//! Counts and histograms are added second by second, so every percentile is that of all times together. Seconds count
//! from the common start. The run ends with the last second that every share has whole. Records of running shares are
//! merged as they come.

mod agreement;
mod count_check;
mod merged_files;
mod merged_record;
mod report;
mod requirements;
mod second_row;
mod share_reader;

use super::totals::Totals;
use crate::arguments::{MergeArguments, Requirement};
use crate::cli_error::{CliError, Exit, unwritable};
use crate::error_code::ErrorCode;
use crate::record::{TypeNames, is_closed_pipe};
use crate::terminal;
use dbdyno_drive::IntervalRecord;
use dbdyno_meter::{Interval, SECOND_NS};
use merged_files::MergedFiles;
pub(super) use merged_files::MergedOutput;
pub(super) use merged_record::MergedStatus;
use merged_record::{MergedShare, end_of, start_of, status_of};
use serde_json::json;
use share_reader::ShareSecond;
pub(super) use share_reader::{ShareReader, ShareSource, read_record_line};
use std::io;

/// Holds all shares as one run.
struct MergedRun {
    /// Shares by their numbers.
    shares: Vec<MergedShare>,
    /// Unix time of the common start of all shares.
    zero_ns: u64,
    /// Number of seconds that every share has whole.
    seconds: u32,
    phase: String,
    /// Totals of the last phase.
    window: Totals,
    /// Events that waited when it began.
    backlog_before: u64,
}

/// Merges the named records.
pub(crate) fn merge(arguments: &MergeArguments) -> anyhow::Result<Exit> {
    arguments.refuse_overwriting()?;
    let opened = arguments.records.iter().map(|path| ShareReader::open(path));
    let mut shares = opened.collect::<Result<Vec<_>, _>>()?;
    agreement::check(&mut shares)?;
    shares.iter_mut().try_for_each(ShareReader::read_ahead)?;
    agreement::begun_together(&shares, arguments.max_skew)?;
    let output = MergedOutput {
        json_lines: arguments.json_lines.clone(),
        parquet: arguments.parquet.clone(),
    };
    write_run(shares, &output, &arguments.require)
}

/// Reads the starts of running shares. The end of the run reports how far apart they began.
pub(super) fn open_live(
    sources: Vec<(String, Box<dyn ShareSource>)>,
) -> Result<Vec<ShareReader>, CliError> {
    let mut shares = Vec::new();
    for (name, source) in sources {
        let mut share = ShareReader::begin(name, source)?;
        share.share.host.clone_from(&share.name);
        shares.push(share);
    }
    agreement::check(&mut shares)?;
    Ok(shares)
}

/// Writes the end of a run that never began, as the record of a merged run.
pub(super) fn write_unbegun(status: &MergedStatus, output: &MergedOutput) -> anyhow::Result<()> {
    let names = TypeNames {
        transactions: &[],
        statements: &[],
    };
    let written = MergedFiles::create(output, names)?.record(&end_of(&[], status, 0));
    match written {
        Err(error) if !is_closed_pipe(&error) => Err(unwritable("the merged run")(error).into()),
        _ => Ok(()),
    }
}

/// Reads all seconds and writes each as soon as all shares have it, then judges the requirements.
pub(super) fn write_run(
    shares: Vec<ShareReader>,
    output: &MergedOutput,
    requirements: &[Requirement],
) -> anyhow::Result<Exit> {
    let start = shares[0].start.clone();
    let transactions: Vec<_> = start.transaction_types.iter().map(String::as_str).collect();
    let statements: Vec<_> = start.statement_types.iter().map(String::as_str).collect();
    let names = TypeNames {
        transactions: &transactions,
        statements: &statements,
    };
    let mut files = MergedFiles::create(output, names)?;
    let written = write_records(shares, &mut files).and_then(|(run, status)| {
        if !output.has_stdout() {
            report::write(&mut terminal::stdout(), &run)?;
        }
        let holds = requirements.is_empty()
            || requirements::judge(&run, &status, requirements, output.has_stdout())?;
        Ok((status, holds))
    });
    match written {
        Ok((status, holds)) => match exit_of(&status) {
            Exit::Done if !holds => Ok(Exit::NotHeld),
            exit => Ok(exit),
        },
        Err(error) => match error.downcast_ref::<io::Error>() {
            Some(reason) if is_closed_pipe(reason) => Ok(Exit::NotHeld), // the reader has seen enough
            Some(reason) => Err(CliError::world(
                ErrorCode::FileNotWritable,
                "the merged run can't be written",
            )
            .because(reason)
            .into()),
            None => Err(error),
        },
    }
}

/// Returns the exit code; reports a failed run on standard error.
pub(super) fn exit_of(status: &MergedStatus) -> Exit {
    match status.status {
        "complete" => Exit::Done,
        "interrupted" => Exit::NotHeld,
        _ => CliError::world(ErrorCode::MergedRunFailed, "the merged run failed")
            .because(&status.reason)
            .tell(),
    }
}

fn write_records(
    mut shares: Vec<ShareReader>,
    files: &mut MergedFiles<'_>,
) -> anyhow::Result<(MergedRun, MergedStatus)> {
    files.record(&start_of(&shares))?;
    shares.iter_mut().try_for_each(ShareReader::read_ahead)?;
    let mut run = MergedRun::new(shares);
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
    Ok((run, status))
}

impl MergedRun {
    fn new(shares: Vec<ShareReader>) -> Self {
        let lead = &shares[0];
        Self {
            zero_ns: lead.share.start_at_ns.unwrap_or(lead.began_ns()),
            seconds: 0,
            phase: String::new(),
            window: Totals::new(lead.shape),
            backlog_before: 0,
            shares: shares.into_iter().map(MergedShare::new).collect(),
        }
    }

    /// Returns the next second of all shares; `None` once one of them has only part of it.
    fn next_second(&mut self) -> Result<Option<Vec<ShareSecond>>, CliError> {
        let parts = self.shares.iter_mut().map(MergedShare::next_whole);
        let parts: Vec<_> = parts.collect::<Result<_, _>>()?;
        Ok(parts.into_iter().collect())
    }

    fn count(&mut self, parts: &[ShareSecond], merged: &Interval) {
        self.seconds += 1;
        if self.phase != parts[0].phase {
            self.phase.clone_from(&parts[0].phase);
            self.backlog_before = self.window.backlog;
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

    /// Passes on the shares' messages, and the server's counts, which the first share reads for all.
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
        }
    }

    /// Returns the next second, unless the share ended in it.
    fn next_whole(&mut self) -> Result<Option<ShareSecond>, CliError> {
        let second = self.next_counted()?;
        Ok(second.filter(|second| is_whole(&second.interval)))
    }

    /// Returns the next second, or the part of one in which the share ended, and counts it.
    fn next_counted(&mut self) -> Result<Option<ShareSecond>, CliError> {
        let Some(second) = self.reader.next_second()? else {
            return Ok(None);
        };
        self.whole_seconds += u32::from(is_whole(&second.interval));
        Ok(Some(second))
    }

    /// Reads to the end, beyond the end of the merged run: the record of how the share ended follows its last second,
    /// whole or not.
    fn drain(&mut self) -> Result<(), CliError> {
        while self.next_counted()?.is_some() {}
        Ok(())
    }
}

fn is_whole(interval: &Interval) -> bool {
    interval.duration_ns >= SECOND_NS
}
