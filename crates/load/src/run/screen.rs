//! A run as text: calm lines while it goes, one table at its end.

use super::figures::{loop_label, milliseconds};
use super::output::{Output, Second};
use super::summary::Summary;
use super::totals::Totals;
use crate::order::LoadOrder;
use dbdyno_drive::{IntervalRecord, Level, Load, Outcome, Protocol, Start};
use dbdyno_meter::Shape;
use dbdyno_workload::{Facts, option_table};
use std::io::{self, Write};

/// Options without which a figure means nothing.
const ALWAYS_SHOWN: [&str; 3] = ["tables", "table_size", "rand_type"];

/// Writes to standard output; remarks go to standard error.
pub(super) struct Screen<'a> {
    report_interval: u32,
    started: bool,
    order: &'a LoadOrder,
    load: &'a Load,
    /// Since the last line.
    recent: Totals,
    recent_seconds: u32,
    /// Of the last phase, which is the one that is judged.
    window: Totals,
}

impl<'a> Screen<'a> {
    pub(super) fn new(report_interval: u32, order: &'a LoadOrder, load: &'a Load) -> Self {
        let shape = Shape {
            transaction_types: load.workload.transaction_types().len(),
            statement_types: load.workload.statement_types().len(),
            open_loop: load.pacing.is_open_loop(),
        };
        Self {
            report_interval,
            started: false,
            order,
            load,
            recent: Totals::new(shape),
            recent_seconds: 0,
            window: Totals::new(shape),
        }
    }

    fn head(&self, start: &Start) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let load = self.load;
        let session = &start.session;
        let facts = load.workload.facts();
        let statements = match load.protocol {
            Protocol::Prepared => "prepared statements",
            Protocol::Text => "statements as text",
        };
        writeln!(
            out,
            "{} as {} · {} connections over {} ({}) · {} {}",
            load.workload.name(),
            facts.imitates,
            load.concurrency,
            self.order.target.route(),
            session.tls_version.as_deref().unwrap_or("not encrypted"),
            load.workers,
            if load.workers == 1 {
                "worker"
            } else {
                "workers"
            },
        )?;
        writeln!(
            out,
            "server {} · {} · {statements}",
            session.server_version, session.isolation
        )?;
        writeln!(
            out,
            "{} · seed {} · quirks {}",
            telling_options(&facts).join(" "),
            load.seed,
            facts.quirks.join(" ")
        )?;
        writeln!(out, "{}", loop_label(load))?;
        if self.report_interval > 0 {
            self.heading(&mut out)?;
        }
        Ok(())
    }

    fn heading(&self, out: &mut impl Write) -> io::Result<()> {
        let backlog = if self.load.pacing.is_open_loop() {
            "   backlog"
        } else {
            ""
        };
        writeln!(
            out,
            "\n  second  phase          tps       qps    p50 ms    p95 ms    p99 ms  errors{backlog}"
        )
    }

    fn line(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let recent = &self.recent;
        let response = recent.response();
        write!(
            out,
            "{:>8}  {:<9} {:>8.1} {:>9.1} {} {} {} {:>7}",
            record.interval.second + 1,
            record.phase,
            recent.rate(recent.counts.completed()),
            recent.rate(recent.counts.answered()),
            milliseconds(&response, 0.5),
            milliseconds(&response, 0.95),
            milliseconds(&response, 0.99),
            recent.errors().total(),
        )?;
        if self.load.pacing.is_open_loop() {
            write!(out, " {:>9}", recent.backlog)?;
        }
        writeln!(out)?;
        self.recent.clear();
        self.recent_seconds = 0;
        Ok(())
    }
}

impl Output for Screen<'_> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.started = true;
        self.head(start)
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        let record = second.record;
        let is_judged = self
            .load
            .phases
            .last()
            .is_some_and(|phase| phase.name == record.phase);
        if is_judged {
            self.window.add(record.interval);
        }
        if self.report_interval == 0 {
            return Ok(());
        }
        self.recent.add(record.interval);
        self.recent_seconds += 1;
        if self.recent_seconds >= self.report_interval {
            self.line(record)?;
        }
        Ok(())
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        let level = match level {
            Level::Info => "note",
            Level::Warning => "warning",
        };
        writeln!(io::stderr(), "{level}: {text}")
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        if !self.started {
            return Ok(()); // the error says it all
        }
        let summary = Summary {
            load: self.load,
            window: &self.window,
            outcome,
        };
        summary.write(&mut io::stdout().lock())
    }
}

/// Tables and distribution, and what differs from its default; records hold all of them.
fn telling_options(facts: &Facts) -> Vec<String> {
    let is_default = |name: &str, value: &str| {
        option_table().any(|(info, default)| info.name == name && default == value)
    };
    facts
        .options
        .iter()
        .filter(|(name, value)| ALWAYS_SHOWN.contains(&name.as_str()) || !is_default(name, value))
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}
