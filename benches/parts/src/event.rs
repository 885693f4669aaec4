//! Measures what lies around each event of a user in sysbench's form: may it begin, when did it, how long did it take.
//! Two clock reads are in it.

use dbdyno_meter::clock;
use dbdyno_sysbench::options::{Environment, parse};
use dbdyno_sysbench::{Dialect, Engine, Log};
use std::hint::black_box;
use std::io;

const BLOCKS: usize = 40;
const EVENTS: usize = 20_000;

/// Nanoseconds of CPU an event, the median of many blocks.
pub(crate) fn cost_ns() -> Result<f64, ()> {
    let environment = Environment {
        dialect: Dialect::V1_0,
        own_name: true,
        own_form: false,
    };
    let line = parse(&["--time=0".to_owned()], &environment).map_err(|_| ())?;
    let engine = Engine::new(line.settings, Log::to(0, Box::new(io::sink())));
    let actor = engine.user_actor(0);
    let mut blocks: Vec<f64> = (0..BLOCKS)
        .map(|_| {
            let began_ns = clock::thread_cpu_ns();
            for _ in 0..EVENTS {
                if black_box(&engine).more_events(&actor) {
                    engine.event_start(&actor);
                    engine.event_stop(&actor);
                }
            }
            (clock::thread_cpu_ns() - began_ns) as f64 / EVENTS as f64
        })
        .collect();
    let counted = engine.figures.counts().events;
    blocks.sort_unstable_by(f64::total_cmp);
    (counted == (BLOCKS * EVENTS) as u64)
        .then(|| blocks[BLOCKS / 2])
        .ok_or(())
}
