//! `dbdyno-load verify`: whether a workload's tables are consistent with each other.

mod asking;
mod space;
mod teller;

use crate::arguments::VerifyArguments;
use crate::order::SCHEMA_VERSION;
use crate::record::{ConditionLine, PROGRAM, SpaceLine, VerifyEnd};
use crate::signals::stop_switch;
use crate::trouble::{Exit, Trouble, unwritable};
use asking::{Asking, Verdict};
use dbdyno_meter::clock;
use dbdyno_workload::{Moment, Population, RandomKind, RandomSource, population};
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
    let access = arguments.server.target()?.access()?;
    let stop = stop_switch()?;
    let began_ns = clock::monotonic_ns();
    let asking = Asking {
        conditions: &conditions,
        access: &access,
        stop: &stop,
        moment: arguments.verifying.after.into(),
    };
    let mut teller = Teller::new(arguments.verifying.json);
    let mut counts = Counts::default();
    let result = asking.ask_all(arguments.verifying.connections, |answer| {
        counts.add(answer.verdict);
        teller.condition(&answer.into_line())
    });
    let result = result.and_then(|()| {
        let (spaces, judged) = space_of(&*population, &asking)?;
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
    let end = counts.end(result.is_ok(), clock::monotonic_ns() - began_ns);
    teller
        .end(&end)
        .map_err(unwritable("the end of the verifying"))?;
    result?;
    Ok(if counts.broken == 0 {
        Exit::Done
    } else {
        Exit::NotHeld
    })
}

/// What the tables take, and whether they are compressed as asked for.
fn space_of(
    population: &dyn Population,
    asking: &Asking<'_>,
) -> Result<(SpaceLine, Option<(Verdict, ConditionLine)>), Trouble> {
    let tables: Vec<_> = (0..population.tables())
        .map(|table| population.table_name(table))
        .collect();
    let compression = population.compression();
    let mut session = asking.access.connect()?;
    // After a run nobody writes for the sake of a figure: that would be the next run's start.
    let is_written_out = compression.is_some()
        && asking.moment == Moment::AfterLoad
        && space::write_out(&mut session, &tables);
    let spaces = space::measure(&mut session, &tables).map_err(|error| {
        Trouble::world("what the tables take could not be asked").because(error)
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
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::Broken => self.broken += 1,
            Verdict::Told => self.told += 1,
        }
    }

    fn end(self, is_complete: bool, elapsed_ns: u64) -> VerifyEnd {
        VerifyEnd {
            record: "verify-end",
            schema_version: SCHEMA_VERSION,
            program: PROGRAM,
            status: match self.broken {
                _ if !is_complete => "incomplete",
                0 => "consistent",
                _ => "inconsistent",
            },
            holds: self.holds,
            broken: self.broken,
            told: self.told,
            elapsed_ns,
        }
    }
}
