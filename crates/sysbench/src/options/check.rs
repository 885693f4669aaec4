//! Types the general options and checks them against sysbench's rules in sysbench's order: that decides which
//! of several complaints is made, and which warnings come before it.

use super::own::OwnOptions;
use super::table::Table;
use super::{EarlyExit, OptionMessage, database, number, random};
use crate::{Dialect, Settings};

/// A table of users that sysbench could not allocate.
const MOST_THREADS: i32 = 10_000_000;
const DEBUG_VERBOSITY: u8 = 5;
const MOST_CHECKPOINTS: usize = 256;
/// In per cent of the time limit, where `--forced-shutdown` says no number.
const FORCED_SHUTDOWN_PERCENT: i64 = 5;
const ENDLESS: &str = "WARNING: Both event and time limits are disabled, running an endless test\n";

/// Settings of a run. Warnings go to `said` as they arise; where an old name or `--debug` decides over another option,
/// the table has what was decided, as `sysbench.opt` shows it.
pub(super) fn settings(
    table: &mut Table,
    dialect: Dialect,
    own: OwnOptions,
    said: &mut Vec<OptionMessage>,
) -> Result<Settings, EarlyExit> {
    let mut check = Check {
        table,
        dialect,
        said,
    };
    let threads = check.threads()?;
    let events = check.aliased("events", "max-requests", |requests| requests != 0)?;
    let time_s = check.aliased("time", "max-time", |time_s| time_s > 0)?;
    let warmup_s = check.warmup()?;
    if events == 0 && time_s == 0 {
        check.said.push(OptionMessage::out(ENDLESS));
    }
    let forced_shutdown_s = check.forced_shutdown(time_s, warmup_s)?;
    check.stack_size()?;
    let init_timeout_s = check.init_timeout()?;
    if !(0..=MOST_THREADS).contains(&threads) {
        return Err(EarlyExit::fatal("Memory allocation failure.\n"));
    }
    let random = random::random(check.table, dialect)?;
    let rate = check.rate()?;
    let report_interval_s = check.table.int("report_interval")?;
    let checkpoints_s = check.checkpoints()?;
    let debug = check.table.flag("debug");
    let verbosity = check.verbosity(debug)?;
    let percentile = check.percentile()?;
    Ok(Settings {
        dialect,
        threads: threads.unsigned_abs(),
        events: u64::from(not_negative(events)),
        time_s: not_negative(time_s),
        warmup_s,
        forced_shutdown_s,
        init_timeout_s,
        rate,
        report_interval_s: not_negative(report_interval_s),
        checkpoints_s,
        debug,
        validate: table.flag("validate"),
        verbosity,
        percentile,
        histogram: table.flag("histogram"),
        luajit_command: Some(table.text("luajit_cmd").to_owned()).filter(|word| !word.is_empty()),
        random,
        database: database::settings(table),
        workers: own.workers,
        fixes: own.fixes,
        json_lines: own.json_lines,
        script_timeout_s: own.script_timeout_s,
        native: own.native,
        is_judged: false,
    })
}

/// Reads negative limits as sysbench does: they limit nothing.
pub(super) fn not_negative(value: i32) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

struct Check<'a> {
    table: &'a mut Table,
    dialect: Dialect,
    said: &'a mut Vec<OptionMessage>,
}

impl Check<'_> {
    /// Returns an option, or in its place the old name of it that 1.0 still knows.
    fn aliased(&mut self, name: &str, old: &str, given: fn(i32) -> bool) -> Result<i32, EarlyExit> {
        if self.dialect == Dialect::V1_0 {
            let value = self.table.int(&old.replace('-', "_"))?;
            if given(value) {
                let warning = format!("WARNING: --{old} is deprecated, use --{name} instead\n");
                self.said.push(OptionMessage::out(warning));
                self.table.replace(name, value);
                return Ok(value);
            }
        }
        self.table.int(name)
    }

    fn threads(&mut self) -> Result<i32, EarlyExit> {
        match self.aliased("threads", "num-threads", |threads| {
            !(0..=1).contains(&threads)
        })? {
            0 => Err(EarlyExit::fatal("Invalid value for --threads: 0.\n")),
            threads => Ok(threads),
        }
    }

    fn warmup(&self) -> Result<u32, EarlyExit> {
        if self.dialect == Dialect::V1_0 {
            return Ok(0);
        }
        let warmup_s = self.table.int("warmup_time")?;
        u32::try_from(warmup_s).map_err(|_| {
            EarlyExit::fatal(&format!("Invalid value for --warmup-time: {warmup_s}.\n"))
        })
    }

    /// Reads seconds, per cent of the time limit, or `off`; without a time limit it is not looked at, with a negative
    /// one (which limits nothing) it is of no effect. A share is one of warm-up and time limit together: sysbench adds
    /// them up before.
    fn forced_shutdown(&self, time_s: i32, warmup_s: u32) -> Result<Option<u32>, EarlyExit> {
        let text = self.table.text("forced_shutdown");
        if time_s == 0 || text.eq_ignore_ascii_case("off") {
            return Ok(None);
        }
        let limit_s = i64::from(time_s) + i64::from(warmup_s);
        let share = |percent: i64| percent.saturating_mul(limit_s) / 100;
        let grace_s = match number::long(text) {
            _ if text.is_empty() => share(FORCED_SHUTDOWN_PERCENT),
            (percent, rest) if rest.starts_with('%') => share(percent),
            (seconds, "") => seconds,
            _ => {
                let complaint = format!("Invalid value for --forced-shutdown: '{text}'");
                return Err(EarlyExit::fatal(&complaint));
            }
        };
        let grace_s = grace_s.clamp(0, i64::from(i32::MAX)) as u32;
        Ok(Some(grace_s).filter(|_| time_s > 0))
    }

    /// Checks the stack size: it is of no use to us, but the complaint is part of the contract.
    fn stack_size(&self) -> Result<(), EarlyExit> {
        match self.table.size("thread_stack_size") as i32 {
            1.. => Ok(()),
            size => Err(EarlyExit::fatal(&format!(
                "Invalid value for thread-stack-size: {size}.\n"
            ))),
        }
    }

    /// Reads how long users may take to initialise: 0 sets no alarm, and a negative number one in 136 years.
    fn init_timeout(&self) -> Result<u32, EarlyExit> {
        match self.dialect {
            Dialect::V1_0 => Ok(30),
            Dialect::V1_1 => Ok(not_negative(self.table.int("thread_init_timeout")?)),
        }
    }

    /// Checks the rate. A negative rate makes sysbench run and then fail without a report; here it does not run.
    fn rate(&mut self) -> Result<u32, EarlyExit> {
        let rate = self.aliased("rate", "tx-rate", |rate| rate != 0)?;
        u32::try_from(rate)
            .map_err(|_| EarlyExit::fatal(&format!("Invalid value for --rate: {rate}.\n")))
    }

    fn checkpoints(&self) -> Result<Vec<u32>, EarlyExit> {
        let list = self.table.list("report_checkpoints");
        let mut points_s = Vec::with_capacity(list.len());
        for text in list {
            let point_s = number::int(text).and_then(|point| u32::try_from(point).ok());
            points_s.push(point_s.ok_or_else(|| {
                EarlyExit::fatal(&format!("Invalid value for --report-checkpoints: '{text}'"))
            })?);
            if points_s.len() > MOST_CHECKPOINTS {
                return Err(EarlyExit::fatal(
                    "Too many checkpoints in --report-checkpoints (up to 256 can be defined)",
                ));
            }
        }
        points_s.sort_unstable();
        Ok(points_s)
    }

    /// Reads the verbosity, which sysbench keeps in a byte.
    fn verbosity(&mut self, debug: bool) -> Result<u8, EarlyExit> {
        if debug {
            self.table.replace("verbosity", DEBUG_VERBOSITY.into());
            return Ok(DEBUG_VERBOSITY);
        }
        match self.table.int("verbosity")? as u8 {
            verbosity @ 0..=5 => Ok(verbosity),
            verbosity => Err(EarlyExit::bad(OptionMessage::out(format!(
                "Invalid value for verbosity: {verbosity}\n"
            )))),
        }
    }

    fn percentile(&self) -> Result<u32, EarlyExit> {
        let percentile = self.table.int("percentile")?;
        if !(0..=100).contains(&percentile) {
            return Err(EarlyExit::fatal(&format!(
                "Invalid value for --percentile: {percentile}"
            )));
        }
        if percentile == 0 && self.table.flag("histogram") {
            return Err(EarlyExit::fatal(
                "--histogram cannot be used with --percentile=0",
            ));
        }
        Ok(percentile.unsigned_abs())
    }
}
