//! Runs a benchmark from its first line to its exit code.
//!
//! Users are fibers on a few worker threads. The main thread keeps the time: end of the warm-up, time limit, forced
//! shutdown, scripts that don't come back. A reporting thread prints what was asked for while the run goes on.

mod closing;
mod command;
mod dues;
mod gate;
mod program;
mod reporting;
mod user;
mod watch;
mod workers;

#[cfg(test)]
mod tests;

pub use command::parallel_command;
pub use program::{Failed, MainActor, Program, Reporter, VirtualUser};

use crate::db::Database;
use crate::figures::Ledger;
use crate::{Dialect, Engine, Level, text};
use dbdyno_fiber::{Signal, monotonic_ns};
use dbdyno_meter::SECOND_NS;
use gate::Gate;
use reporting::Reporting;
use std::sync::{Arc, Mutex, PoisonError};
use watch::{Instants, RunEnd, RunWatch};
use workers::Workers;

/// How long after the end, by the time limit or by a failure, a worker thread may be away from its scheduler.
const STOP_TIMEOUT_NS: u64 = 5 * SECOND_NS;

/// How long scripts may take to hear that their initialisation took too long.
const LAST_WORDS_NS: u64 = SECOND_NS;

/// How long the threads of users that were sent home may take to end.
const FAREWELL_NS: u64 = 2 * SECOND_NS;

/// Exit codes of a run.
const GOOD: u8 = 0;
const FAILED: u8 = 1;
const FORCED: u8 = 2;

/// Carries out `run`. The answer is the program's exit code.
///
/// Users that were given up may still be running on their threads when this comes back: the caller ends the process.
pub fn run(engine: &Arc<Engine>, program: &Arc<dyn Program>, main: &mut dyn MainActor) -> u8 {
    run_with_timeout(engine, program, main, STOP_TIMEOUT_NS)
}

fn run_with_timeout(
    engine: &Arc<Engine>,
    program: &Arc<dyn Program>,
    main: &mut dyn MainActor,
    stop_timeout_ns: u64,
) -> u8 {
    let _watching = Database::watch_answers(engine);
    if main.init().is_err() {
        return FAILED;
    }
    announce(engine, program);
    let run = Run::prepare(engine, program);
    if let Err(exit_code) = run.await_users() {
        return run.leave(exit_code);
    }
    let instants = run.begin();
    match run.watch(instants, stop_timeout_ns).keep() {
        RunEnd::Over => run.end(main, instants),
        RunEnd::Forced => run.force(main),
        RunEnd::Stuck => run.give_up(main),
    }
}

/// Makes the ledger of a time that begins then.
fn new_ledger(engine: &Engine, from_ns: u64) -> Ledger {
    let percentile = engine.settings.percentile;
    Ledger::begin(&engine.figures, percentile, is_as_sysbench(engine), from_ns)
}

/// Ends the warm-up, and makes the ledger of the time after it.
fn ledger_after_warm_up(engine: &Engine, ended_ns: u64) -> Ledger {
    let (figures, percentile) = (&engine.figures, engine.settings.percentile);
    let warm_up = figures.end_warm_up(ended_ns);
    Ledger::after_warm_up(figures, percentile, is_as_sysbench(engine), warm_up)
}

/// Returns whether an interval's percentile lacks what came before a checkpoint: a fault of sysbench's reports.
fn is_as_sysbench(engine: &Engine) -> bool {
    !engine.settings.fixes.report
}

fn announce(engine: &Engine, program: &Arc<dyn Program>) {
    let log = &engine.log;
    log.print(Level::Notice, &text::start(&engine.settings));
    program.announce(log);
    log.print(Level::Notice, text::INITIALIZING_WORKERS);
}

/// A run whose users are being made, run, or taken leave of.
struct Run<'a> {
    engine: &'a Arc<Engine>,
    program: &'a Arc<dyn Program>,
    gate: Arc<Gate>,
    workers: Workers,
    reporting: Reporting,
    ledger: Arc<Mutex<Ledger>>,
    /// Given when all users are initialised, and when all are over.
    changed: Signal,
}

impl<'a> Run<'a> {
    fn prepare(engine: &'a Arc<Engine>, program: &'a Arc<dyn Program>) -> Self {
        let changed = Signal::new();
        let gate = Arc::new(Gate::new(engine.settings.threads, &changed));
        let ledger = Arc::new(Mutex::new(new_ledger(engine, monotonic_ns())));
        let life = {
            let (engine, program, gate) =
                (Arc::clone(engine), Arc::clone(program), Arc::clone(&gate));
            move |tid| user::live(&engine, &program, &gate, tid)
        };
        let count = engine.figures.worker_count();
        if engine.settings.rate > 0 {
            // Our arrivals need no thread, but tools that look for this line find it.
            engine
                .log
                .say(Level::Debug, "Event generating thread started");
        }
        Self {
            engine,
            program,
            gate,
            reporting: Reporting::start(engine, program, &ledger),
            workers: Workers::start(engine, count, &changed, &(Arc::new(life) as _)),
            ledger,
            changed,
        }
    }

    /// Waits until all users are initialised.
    fn await_users(&self) -> Result<(), u8> {
        let log = &self.engine.log;
        let timeout_s = self.engine.settings.init_timeout_s;
        let limit_s = match timeout_s {
            0 => u32::MAX, // 136 years: no limit
            limit_s => limit_s,
        };
        let until_ns = monotonic_ns() + u64::from(limit_s) * SECOND_NS;
        let control = &self.engine.control;
        let is_settled = || self.gate.is_complete() || control.has_failed();
        if !await_change(&self.changed, until_ns, is_settled) {
            // Scripts that are caught in a loop end now, and their errors say where they were.
            control.fail();
            let heard_ns = monotonic_ns() + LAST_WORDS_NS;
            await_change(&self.changed, heard_ns, || self.gate.is_complete());
            log.fatal(&format!(
                "Worker threads failed to initialize within {timeout_s} seconds!"
            ));
            return Err(FORCED);
        }
        if self.gate.has_failed() || !self.gate.is_complete() {
            log.fatal(match self.engine.settings.dialect {
                Dialect::V1_0 => "Thread initialization failed!",
                Dialect::V1_1 => "Threads initialization failed!",
            });
            return Err(FAILED);
        }
        if self.engine.control.has_failed() {
            return Err(FAILED); // a report's writer could not be made, and has said so
        }
        Ok(())
    }

    /// Begins time, and users with it.
    fn begin(&self) -> Instants {
        let settings = &self.engine.settings;
        self.engine.log.print(Level::Notice, text::THREADS_STARTED);
        if settings.warmup_s > 0 {
            let warming_up = text::warming_up(settings.warmup_s);
            self.engine.log.print(Level::Notice, &warming_up);
        }
        let instants = Instants::new(self.engine, monotonic_ns());
        let Instants {
            start_ns,
            counts_from_ns,
            end_ns,
            ..
        } = instants;
        *self.ledger() = new_ledger(self.engine, start_ns).with_what_came_before();
        let warm_ns = if counts_from_ns > start_ns {
            counts_from_ns
        } else {
            0
        };
        self.engine.control.begin(start_ns, warm_ns, end_ns);
        self.reporting.begin(counts_from_ns);
        self.gate.open();
        instants
    }

    fn watch(&self, instants: Instants, stop_timeout_ns: u64) -> RunWatch<'_> {
        RunWatch {
            engine: self.engine,
            program: self.program,
            workers: &self.workers,
            ledger: &self.ledger,
            changed: &self.changed,
            instants,
            stop_timeout_ns,
        }
    }

    /// Ends a run whose users have all come to their end.
    fn end(self, main: &mut dyn MainActor, instants: Instants) -> u8 {
        let engine = self.engine;
        let ended_ns = engine.figures.last_user_ns().max(instants.start_ns);
        let failed = engine.control.has_failed();
        let reported = !failed || engine.settings.fixes.report;
        self.reporting.end(if failed { 0 } else { ended_ns });
        self.workers.join();
        let now_ns = monotonic_ns();
        engine.control.end(now_ns);
        engine.log.print(Level::Info, "Done.\n\n");
        if reported {
            let mut ledger = lock(&self.ledger);
            let span = (ended_ns, now_ns);
            closing::report_end(engine, self.program, main, &mut ledger, span);
        }
        if main.done().is_err() {
            engine.control.fail_done(); // it has been logged
        }
        let done_failed = engine.settings.fixes.done_exit && engine.control.has_failed_done();
        if failed || done_failed { FAILED } else { GOOD }
    }

    /// Gives up users that are left, in mid-event.
    fn force(self, main: &mut dyn MainActor) -> u8 {
        let mut ledger = lock(&self.ledger);
        let now_ns = monotonic_ns();
        self.engine.control.end(now_ns);
        closing::report_by_force(self.engine, self.program, main, &mut ledger, now_ns);
        FORCED
    }

    /// Gives up a script that doesn't come back after a long enough wait.
    fn give_up(self, main: &mut dyn MainActor) -> u8 {
        let log = &self.engine.log;
        log.fatal("A script has not come back long after the time limit: giving it up");
        let now_ns = monotonic_ns();
        self.engine.control.end(now_ns);
        if self.engine.settings.fixes.report {
            let mut ledger = lock(&self.ledger);
            closing::report_end(
                self.engine,
                self.program,
                main,
                &mut ledger,
                (now_ns, now_ns),
            );
        }
        let _ = main.done();
        FAILED
    }

    /// Sends ready users home when there is nothing to run.
    fn leave(self, exit_code: u8) -> u8 {
        self.gate.abandon();
        self.engine.control.stop();
        self.reporting.end(0);
        let until_ns = monotonic_ns() + FAREWELL_NS;
        let changed = self.changed.clone();
        if exit_code == FAILED && await_change(&changed, until_ns, || self.workers.are_over()) {
            self.workers.join();
        }
        exit_code
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }
}

/// Waits for something that a signal announces. False if it has not happened by then.
fn await_change(changed: &Signal, until_ns: u64, has_happened: impl Fn() -> bool) -> bool {
    loop {
        let generation = changed.generation();
        if has_happened() {
            return true;
        }
        if monotonic_ns() >= until_ns {
            return false;
        }
        changed.wait_past(generation, Some(until_ns));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
