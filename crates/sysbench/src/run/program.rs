//! Defines what a run executes.

use crate::figures::Stat;
use crate::text::FinalFigures;
use crate::{Actor, Engine, Log};
use std::os::unix::thread::RawPthread;
use std::rc::Rc;
use std::sync::Arc;

/// Something went wrong, and the log has it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// Defines what users do and who else speaks: a script, or our own events.
pub trait Program: Send + Sync + 'static {
    /// Makes a user. Called in the user's own fiber, so it may wait.
    ///
    /// # Errors
    /// The user can't be made; the run fails before it starts.
    fn user(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed>;

    /// Makes what writes reports in our place, in the reporting thread; once for the intermediate reports and once
    /// for the checkpoints. `None`: our own text.
    ///
    /// # Errors
    /// It can't be made; the run fails.
    fn reporter(
        &self,
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
    ) -> Result<Option<Box<dyn Reporter>>, Failed> {
        let _ = (engine, actor);
        Ok(None)
    }

    /// Says what it is going to do, before the users are made.
    fn announce(&self, log: &Log) {
        let _ = log;
    }

    /// Returns what is said of it at the head of a full report, as whole lines.
    fn statistics(&self, figures: &FinalFigures) -> Option<String> {
        let _ = figures;
        None
    }

    /// Ends what runs on a thread and doesn't come to an end by itself, with an error in the script at fault.
    /// Called from another thread, long after the end of the run. False if there is no such way.
    fn interrupt(&self, worker: RawPthread) -> bool {
        let _ = worker;
        false
    }
}

/// One user. It lives in its own fiber from the first call to the last.
pub trait VirtualUser {
    /// Runs before the start, for instance to connect.
    ///
    /// # Errors
    /// The run doesn't start.
    fn thread_init(&mut self) -> Result<(), Failed>;

    /// Events until [`Engine::more_events`] says that there are no more.
    ///
    /// # Errors
    /// The run ends as failed.
    fn thread_run(&mut self) -> Result<(), Failed>;

    /// Runs after a run without an error of this user.
    ///
    /// # Errors
    /// Has been logged, and changes nothing.
    fn thread_done(&mut self) -> Result<(), Failed>;
}

/// Writes reports in our place.
pub trait Reporter {
    /// Writes an intermediate report; false: we are to write it.
    ///
    /// # Errors
    /// Has been logged; nothing is written for this report.
    fn intermediate(&mut self, stat: &Stat) -> Result<bool, Failed>;

    /// Writes a checkpoint's report; false: we are to write it.
    ///
    /// # Errors
    /// Has been logged; nothing is written for this report.
    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed>;
}

/// The part of the main thread. It stays in the thread that calls [`run`](super::run).
pub trait MainActor {
    /// Runs before anything is said of the run.
    ///
    /// # Errors
    /// There is no run.
    fn init(&mut self) -> Result<(), Failed>;

    /// Writes the final report; false: we are to write it.
    ///
    /// # Errors
    /// Has been logged; there is no final report.
    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed>;

    /// Runs after the final report, of a failed run too.
    ///
    /// # Errors
    /// Has been logged, and changes nothing.
    fn done(&mut self) -> Result<(), Failed>;
}
