//! Holds what one process shares: settings, log, figures, limits.

use crate::db::Database;
use crate::{Actor, Control, Figures, Log, Seeds, Settings};
use dbdyno_meter::clock;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Fewest users that make another worker thread worth its switches.
const USERS_PER_WORKER: u32 = 32;

/// Everything that users, main thread and reporting threads share. Made once a process.
#[derive(Debug)]
pub struct Engine {
    /// What was asked for.
    pub settings: Settings,
    /// Where messages go.
    pub log: Log,
    /// What is counted.
    pub figures: Figures,
    /// When events may begin.
    pub control: Control,
    /// Where connections go.
    pub database: Database,
    /// Where random numbers come from.
    pub seeds: Seeds,
}

impl Engine {
    /// Creates the engine of a process.
    #[must_use]
    pub fn new(settings: Settings, log: Log) -> Arc<Self> {
        let now_s = (clock::realtime_ns() / 1_000_000_000) as u32;
        let seeds = Seeds::new(settings.random.seed, now_s);
        let figures = Figures::new(settings.threads, workers_of(&settings));
        Arc::new(Self {
            control: Control::new(&settings, &seeds),
            database: Database::new(&settings.database),
            figures,
            seeds,
            settings,
            log,
        })
    }

    /// Makes the actor for a user of a run or of a parallel command.
    #[must_use]
    pub fn user_actor(&self, tid: u32) -> Rc<Actor> {
        let stream = self.seeds.thread(tid);
        Rc::new(Actor::new(tid, true, stream, &self.settings.random))
    }

    /// Makes the actor for the main thread, as it prepares, cleans up, and reports the end.
    #[must_use]
    pub fn main_actor(&self) -> Rc<Actor> {
        let stream = self.seeds.main();
        Rc::new(Actor::new(0, false, stream, &self.settings.random))
    }

    /// Makes the actor for a reporting thread; scripts know all of them by the number of users.
    pub(crate) fn reporting_actor(&self, place: u32) -> Rc<Actor> {
        let threads = self.settings.threads;
        let stream = self.seeds.thread(threads + place);
        Rc::new(Actor::new(threads, false, stream, &self.settings.random))
    }
}

/// Returns how many operating system threads share the users: a few cores' worth, since the server needs the others.
pub(crate) fn workers_of(settings: &Settings) -> u32 {
    let threads = settings.threads.max(1);
    let workers = settings.workers.unwrap_or_else(|| {
        let cores = available_parallelism().map_or(1, usize::from) as u32;
        (cores / 4).min(threads.div_ceil(USERS_PER_WORKER))
    });
    workers.clamp(1, threads)
}
