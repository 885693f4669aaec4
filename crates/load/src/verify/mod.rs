//! Implements `dbdyno-load verify`: it checks whether a workload's tables are consistent with each other.

mod asking;
mod space;
mod teller;

use crate::arguments::VerifyArguments;
use crate::liveness::Liveness;
use crate::order::{SCHEMA_VERSION, SHORT_STATEMENT_TIMEOUT};
use crate::record::{ConditionAsked, ConditionLine, PROGRAM, SpaceLine, VerifyEnd};
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use asking::{Asking, Progress, Verdict};
use dbdyno_meter::clock;
use dbdyno_workload::{CheckPhase, Population, RandomKind, RandomSource, population};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use teller::Teller;

/// Asks every condition and tells what became of it.
pub(crate) fn run(arguments: VerifyArguments) -> anyhow::Result<Exit> {
    // What must hold does not depend on any random number.
    let source = RandomSource {
        kind: RandomKind::Dbdyno,
        seed: 0,
    };
    let population = population(&arguments.workload, &arguments.options.0, source)?;
    let conditions = population.conditions();
    if conditions.is_empty() {
        let what = format!("{} has no condition between its tables", arguments.workload);
        return Err(Trouble::request(what)
            .hint("its rows are checked by dbdyno-load populate when they are filled in")
            .into());
    }
    let stop = stop_switch()?;
    let access = arguments.server.target()?.access()?.until(&stop);
    let limit = Duration::from_nanos(arguments.check.check_timeout);
    // A condition is undecided before its connection gives up.
    let access = access.answering_within(limit.saturating_add(SHORT_STATEMENT_TIMEOUT));
    let began_ns = clock::monotonic_ns();
    let asking = Asking {
        conditions: conditions.into(),
        access: access.clone(),
        stop: stop.clone(),
        moment: arguments.verifying.after.into(),
        limit,
    };
    let liveness = Liveness::watch(&access, &stop, arguments.patience.duration());
    let mut teller = Teller::new(arguments.verifying.json);
    let mut counts = Counts::default();
    let result = asking.ask_all(arguments.verifying.connections, |progress| match progress {
        Progress::Asked(condition) => teller.asked(&ConditionAsked::of(condition, limit)),
        Progress::Answered(answer) => {
            counts.add(answer.verdict);
            teller.condition(&answer.into_line())
        }
    });
    let result = result.and_then(|()| {
        let (spaces, judged) = space_in_time(&population, &asking)?;
        if let Some((verdict, line)) = judged {
            counts.add(verdict);
            teller
                .condition(&line)
                .map_err(unwritable("what was verified"))?;
        }
        teller
            .space(&spaces)
            .map_err(unwritable("what was verified"))
    });
    let result = liveness.judge(result);
    let end = counts.end(&result, clock::monotonic_ns() - began_ns);
    teller
        .end(&end)
        .map_err(unwritable("the end of the verifying"))?;
    result?;
    Ok(if counts.broken + counts.undecided == 0 {
        Exit::Done
    } else {
        Exit::NotHeld
    })
}

/// As [`space_of`], within the time of a condition: a server that leaves one question open may leave others open, too.
fn space_in_time(
    population: &Arc<dyn Population>,
    asking: &Asking,
) -> Result<(SpaceLine, Option<(Verdict, ConditionLine)>), Trouble> {
    let (say, said) = channel();
    let (population, asking_there) = (Arc::clone(population), asking.clone());
    thread::spawn(move || drop(say.send(space_of(&*population, &asking_there))));
    said.recv_timeout(asking.limit).unwrap_or_else(|_| {
        Err(
            Trouble::world("what the tables take could not be asked").because(format!(
                "the server did not answer within {} s",
                asking.limit.as_secs_f64()
            )),
        )
    })
}

/// What the tables take, and whether they are compressed as asked for.
fn space_of(
    population: &dyn Population,
    asking: &Asking,
) -> Result<(SpaceLine, Option<(Verdict, ConditionLine)>), Trouble> {
    let tables: Vec<_> = (0..population.tables())
        .map(|table| population.table_name(table))
        .collect();
    let compression = population.compression();
    let mut session = asking.access.connect()?;
    // After a run nobody writes for the sake of a figure: that would be the next run's start.
    let is_written_out = compression.is_some()
        && asking.moment == CheckPhase::AfterLoad
        && space::write_out(&mut session, &tables);
    let spaces = space::measure(&mut session, &tables).map_err(|error| {
        Trouble::world("what the tables take could not be asked").because_of(&error)
    })?;
    session.close();
    let judged = compression.map(|compression| space::judge(compression, &spaces, is_written_out));
    let line = SpaceLine {
        record: "space",
        tables: spaces,
    };
    Ok((line, judged))
}

/// Conditions by what became of them.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    holds: usize,
    broken: usize,
    told: usize,
    undecided: usize,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Broken => self.broken += 1,
            Verdict::Told => self.told += 1,
            Verdict::Undecided => self.undecided += 1,
        }
    }

    fn end(self, result: &Result<(), Trouble>, elapsed_ns: u64) -> VerifyEnd {
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
            failure_kind: result.as_ref().err().and_then(Trouble::kind),
            elapsed_ns,
        }
    }
}
