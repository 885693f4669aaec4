//! Runs commands that all users carry out, such as `prepare`.

use super::Failed;
use super::workers::Workers;
use crate::{Actor, Engine, Level, text};
use dbdyno_fiber::Signal;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

/// Carries a command out once for every user, each in its own fiber, and waits for all of them.
///
/// The caller decides what a failure means: sysbench forgets it.
///
/// # Errors
/// It failed for at least one user, and the log says why.
pub fn parallel_command(
    engine: &Arc<Engine>,
    command: impl Fn(&Arc<Engine>, Rc<Actor>) -> Result<(), Failed> + Send + Sync + 'static,
) -> Result<(), Failed> {
    engine.log.print(Level::Notice, text::INITIALIZING_WORKERS);
    let changed = Signal::new();
    let failed = Arc::new(AtomicBool::new(false));
    let life = {
        let (engine, failed) = (Arc::clone(engine), Arc::clone(&failed));
        move |tid| {
            let done = command(&engine, engine.user_actor(tid));
            if done.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
        }
    };
    let workers = Workers::start(
        engine,
        worker_count(engine),
        &changed,
        &(Arc::new(life) as _),
    );
    while !workers.are_over() {
        let generation = changed.generation();
        if !workers.are_over() {
            changed.wait_past(generation, None);
        }
    }
    workers.join();
    // A user that ended by a defect has said so to the control.
    if failed.load(Ordering::Relaxed) || engine.control.has_failed() {
        return Err(Failed);
    }
    Ok(())
}

/// Counts workers. Rows are made by the client, so more cores help, unless the user set a number.
fn worker_count(engine: &Engine) -> u32 {
    let settings = &engine.settings;
    let cores = available_parallelism().map_or(1, usize::from) as u32;
    settings
        .workers
        .unwrap_or(cores)
        .clamp(1, settings.threads.max(1))
}
