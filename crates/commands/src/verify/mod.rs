//! Implements `dbdyno-load verify`: it checks whether a workload's tables are consistent with each other.

mod condition_checker;
mod reporter;
mod space;

use crate::arguments::VerifyArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::error_code::ErrorCode;
use crate::liveness::Liveness;
use crate::order::{SCHEMA_VERSION, SHORT_STATEMENT_TIMEOUT};
use crate::record::{ConditionAsked, ConditionLine, PROGRAM, SpaceLine, VerifyEnd};
use crate::signals::stop_switch;
use condition_checker::{CheckProgress, ConditionChecker, Verdict};
use dbdyno_meter::clock;
use dbdyno_workload::{CheckPhase, Population, RandomKind, RandomSource, population};
use reporter::VerifyReporter;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Checks every condition and reports the results.
pub(crate) fn run(arguments: VerifyArguments) -> anyhow::Result<Exit> {
    // The conditions do not depend on any random number.
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 0,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let conditions = population.conditions();
    if conditions.is_empty() {
        let what = format!("{} has no conditions to check", arguments.workload);
        return Err(CliError::request(ErrorCode::NoConditions, what)
            .hint("dbdyno-load populate checks its rows when it fills the tables")
            .into());
    }
    let stop = stop_switch()?;
    let access = arguments.server.target()?.access()?.until(&stop);
    let limit = Duration::from_nanos(arguments.check.check_timeout);
    // A condition is undecided before its connection gives up.
    let access = access.answering_within(limit.saturating_add(SHORT_STATEMENT_TIMEOUT));
    let began_ns = clock::monotonic_ns();
    let checker = ConditionChecker {
        conditions: conditions.into(),
        access: access.clone(),
        stop: stop.clone(),
        phase: arguments.verifying.after.into(),
        limit,
    };
    let liveness = Liveness::watch(&access, &stop, arguments.server_timeout.duration());
    let mut reporter = VerifyReporter::new(arguments.verifying.json);
    let mut counts = VerdictCounts::default();
    let result = checker.check_all(arguments.verifying.connections, |progress| match progress {
        CheckProgress::Started(condition) => {
            reporter.started(&ConditionAsked::of(condition, limit))
        }
        CheckProgress::Checked(answer) => {
            counts.add(answer.verdict);
            reporter.condition(&answer.into_line())
        }
    });
    let result = result.and_then(|()| {
        let (spaces, judged) = space_in_time(&population, &checker)?;
        if let Some((verdict, line)) = judged {
            counts.add(verdict);
            reporter
                .condition(&line)
                .map_err(unwritable("the verification results"))?;
        }
        reporter
            .space(&spaces)
            .map_err(unwritable("the verification results"))
    });
    let result = liveness.judge(result);
    let end = counts.end(&result, clock::monotonic_ns() - began_ns);
    reporter
        .end(&end)
        .map_err(unwritable("the verification results"))?;
    result?;
    Ok(if counts.broken + counts.undecided == 0 {
        Exit::Done
    } else {
        Exit::NotHeld
    })
}

/// Measures as [`space_of`], within the time of a condition: a server that hangs at one query may hang at others.
fn space_in_time(
    population: &Arc<dyn Population>,
    checker: &ConditionChecker,
) -> Result<(SpaceLine, Option<(Verdict, ConditionLine)>), CliError> {
    let (sender, receiver) = channel();
    let (population, thread_checker) = (Arc::clone(population), checker.clone());
    thread::spawn(move || drop(sender.send(space_of(&*population, &thread_checker))));
    receiver.recv_timeout(checker.limit).unwrap_or_else(|_| {
        Err(CliError::world(
            ErrorCode::SizesUnreadable,
            "the sizes of the tables could not be read",
        )
        .because(format!(
            "the server did not answer within {} s",
            checker.limit.as_secs_f64()
        )))
    })
}

/// Returns the space of the tables, and whether they are compressed as asked for.
fn space_of(
    population: &dyn Population,
    checker: &ConditionChecker,
) -> Result<(SpaceLine, Option<(Verdict, ConditionLine)>), CliError> {
    let tables: Vec<_> = (0..population.tables())
        .map(|table| population.table_name(table))
        .collect();
    let compression = population.compression();
    let mut session = checker.access.connect()?;
    // After a run nothing is written just to measure: that would disturb the next run's start.
    let is_written_out = compression.is_some()
        && checker.phase == CheckPhase::AfterLoad
        && space::write_out(&mut session, &tables);
    let spaces = space::measure(&mut session, &tables).map_err(|error| {
        CliError::world(
            ErrorCode::SizesUnreadable,
            "the sizes of the tables could not be read",
        )
        .because_of(&error)
    })?;
    session.close();
    let judged = compression.map(|compression| space::judge(compression, &spaces, is_written_out));
    let line = SpaceLine {
        record: "space",
        tables: spaces,
    };
    Ok((line, judged))
}

/// Counts conditions by verdict.
#[derive(Debug, Clone, Copy, Default)]
struct VerdictCounts {
    holds: usize,
    broken: usize,
    told: usize,
    undecided: usize,
}

impl VerdictCounts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Broken => self.broken += 1,
            Verdict::NotRequired => self.told += 1,
            Verdict::Undecided => self.undecided += 1,
        }
    }

    fn end(self, result: &Result<(), CliError>, elapsed_ns: u64) -> VerifyEnd {
        VerifyEnd {
            record: "verify-end",
            schema_version: SCHEMA_VERSION,
            program: PROGRAM,
            status: match self.broken {
                _ if result.is_err() => "incomplete",
                0 if self.undecided > 0 => "undecided",
                0 => "consistent",
                _ => "inconsistent",
            },
            holds: self.holds,
            broken: self.broken,
            told: self.told,
            undecided: self.undecided,
            failure_kind: result.as_ref().err().and_then(CliError::kind),
            elapsed_ns,
        }
    }
}
