//! Runs a user from its first to its last moment.

use super::gate::Gate;
use super::{Failed, Program, VirtualUser};
use crate::{Actor, Engine, Level};
use dbdyno_fiber::monotonic_ns;
use std::rc::Rc;
use std::sync::Arc;

/// Makes a user, waits for the others, runs it, takes leave of it.
pub(super) fn live(engine: &Arc<Engine>, program: &Arc<dyn Program>, gate: &Gate, tid: u32) {
    let actor = engine.user_actor(tid);
    let arrival = Arrival::new(gate);
    let made = initialise(engine, program, &actor);
    if made.is_err() {
        engine.database.fail_user(&actor);
    }
    arrival.tell(made.is_ok());
    let Ok(mut user) = made else { return };
    if !gate.pass() {
        return;
    }
    let ran = user.thread_run();
    if ran.is_err() {
        engine.database.fail_user(&actor);
    }
    engine.figures.end_user(&actor, monotonic_ns());
    engine.control.user_is_over();
    match ran {
        Ok(()) => {
            if user.thread_done().is_err() {
                engine.database.fail_user(&actor);
                engine.control.fail_done(); // it has been logged
            }
        }
        Err(Failed) => engine.control.fail(),
    }
}

fn initialise(
    engine: &Arc<Engine>,
    program: &Arc<dyn Program>,
    actor: &Rc<Actor>,
) -> Result<Box<dyn VirtualUser>, Failed> {
    let log = &engine.log;
    log.say(
        Level::Debug,
        &format!("Worker thread (#{}) started", actor.tid),
    );
    let mut user = program.user(engine, Rc::clone(actor))?;
    user.thread_init()?;
    log.say(
        Level::Debug,
        &format!("Worker thread (#{}) initialized", actor.tid),
    );
    engine.control.user_is_ready();
    Ok(user)
}

/// Arrives at the gate in any case: others wait there.
struct Arrival<'a> {
    gate: &'a Gate,
    is_well: bool,
}

impl<'a> Arrival<'a> {
    fn new(gate: &'a Gate) -> Self {
        Self {
            gate,
            is_well: false,
        }
    }

    fn tell(mut self, is_well: bool) {
        self.is_well = is_well;
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.gate.arrive(self.is_well);
    }
}
