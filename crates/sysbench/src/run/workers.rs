//! Runs worker threads, each with a scheduler and its share of the users.

use crate::Engine;
use dbdyno_drive::counted;
use dbdyno_fiber::{Scheduler, Signal, monotonic_ns};
use std::os::unix::thread::{JoinHandleExt, RawPthread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// How often a worker thread shows that it comes back to its scheduler.
const PULSE_NS: u64 = 500_000_000;

/// Defines what a user does from its first to its last moment, in its own fiber.
pub(super) type UserLifecycle = Arc<dyn Fn(u32) + Send + Sync>;

/// The worker threads of a run or a command.
pub(super) struct Workers {
    threads: Vec<Worker>,
    users: Arc<UserCount>,
}

struct Worker {
    thread: JoinHandle<()>,
    pulse: Arc<WorkerHeartbeat>,
}

/// Counts users that have come to their end.
struct UserCount {
    alive: AtomicU32,
    /// Given when all have.
    changed: Signal,
}

/// A sign of life of a worker thread.
struct WorkerHeartbeat {
    at_ns: AtomicU64,
    alive: AtomicU32,
    /// Given when the last user of the thread has come to its end.
    over: Signal,
}

impl Workers {
    /// Starts so many threads with all users of the engine. `changed` is given when the last user has come to its end.
    pub(super) fn start(
        engine: &Arc<Engine>,
        count: u32,
        changed: &Signal,
        life: &UserLifecycle,
    ) -> Self {
        let users = engine.settings.threads;
        let census = Arc::new(UserCount {
            alive: AtomicU32::new(users),
            changed: changed.clone(),
        });
        let start = |worker: u32| {
            let share: Vec<u32> = (worker..users).step_by(count as usize).collect();
            Worker::start(engine, worker, share, &census, life)
        };
        Self {
            threads: (0..count).map(start).collect(),
            users: census,
        }
    }

    /// Returns whether all users have come to their end.
    pub(super) fn are_over(&self) -> bool {
        self.users.alive.load(Ordering::Acquire) == 0
    }

    /// Returns worker threads with users that have not come back to their schedulers since an instant.
    pub(super) fn stuck_since(&self, ns: u64) -> Vec<RawPthread> {
        let is_stuck = |worker: &&Worker| {
            let pulse = &worker.pulse;
            pulse.alive.load(Ordering::Acquire) > 0 && pulse.at_ns.load(Ordering::Relaxed) < ns
        };
        let stuck = self.threads.iter().filter(is_stuck);
        stuck.map(|worker| worker.thread.as_pthread_t()).collect()
    }

    /// Waits for the threads to end. Only when the users have come to their end.
    pub(super) fn join(self) {
        for worker in self.threads {
            // The thread itself has reported a panic, and its users count as ended.
            let _: std::thread::Result<()> = worker.thread.join();
        }
    }
}

impl Worker {
    fn start(
        engine: &Arc<Engine>,
        number: u32,
        users: Vec<u32>,
        census: &Arc<UserCount>,
        life: &UserLifecycle,
    ) -> Self {
        let pulse = Arc::new(WorkerHeartbeat {
            at_ns: AtomicU64::new(monotonic_ns()),
            alive: AtomicU32::new(users.len() as u32),
            over: Signal::new(),
        });
        let job = WorkerJob {
            engine: Arc::clone(engine),
            users,
            census: Arc::clone(census),
            pulse: Arc::clone(&pulse),
            life: Arc::clone(life),
        };
        let builder = std::thread::Builder::new().name(format!("worker {number}"));
        let thread = builder.spawn(move || job.run());
        Self {
            // Without its own few threads there is nothing that this program could do.
            thread: thread.expect("the system gives a thread"),
            pulse,
        }
    }
}

/// Holds what a worker thread takes with it.
struct WorkerJob {
    engine: Arc<Engine>,
    users: Vec<u32>,
    census: Arc<UserCount>,
    pulse: Arc<WorkerHeartbeat>,
    life: UserLifecycle,
}

impl WorkerJob {
    fn run(self) {
        let job = Rc::new(self);
        let scheduler = job.fill_scheduler();
        match scheduler {
            Ok(scheduler) => scheduler.run(),
            Err(error) => {
                let text = format!(
                    "Cannot start {} on a thread: {error}",
                    counted(job.users.len() as u64, "user")
                );
                job.engine.log.fatal(&text);
                job.engine.control.fail();
                job.census.changed.notify_all();
            }
        }
        // Users that never started count as ended, too.
        let left = job.pulse.alive.load(Ordering::Acquire);
        (0..left).for_each(|_| job.bury());
    }

    fn fill_scheduler(self: &Rc<Self>) -> std::io::Result<Scheduler> {
        let mut scheduler = Scheduler::new()?;
        for &user in &self.users {
            let job = Rc::clone(self);
            scheduler.spawn(move || job.live(user))?;
        }
        let job = Rc::clone(self);
        scheduler.spawn(move || job.pulse.beat())?;
        Ok(scheduler)
    }

    fn live(&self, user: u32) {
        let lived = catch_unwind(AssertUnwindSafe(|| (self.life)(user)));
        if lived.is_err() {
            // The panic has been reported on standard error.
            self.engine
                .log
                .fatal("a user ended by a defect of this program; please report it");
            self.engine.control.fail();
        }
        self.bury();
    }

    fn bury(&self) {
        if self.pulse.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.pulse.over.notify_all();
        }
        if self.census.alive.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.census.changed.notify_all();
        }
    }
}

impl WorkerHeartbeat {
    fn beat(&self) {
        loop {
            let generation = self.over.generation();
            if self.alive.load(Ordering::Acquire) == 0 {
                return;
            }
            let now_ns = monotonic_ns();
            self.at_ns.store(now_ns, Ordering::Relaxed);
            self.over.wait_past(generation, Some(now_ns + PULSE_NS));
        }
    }
}
