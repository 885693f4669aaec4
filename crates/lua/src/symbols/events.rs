//! Marks where events begin and end, and gives scripts their counts.

use super::{acting, keep};
use dbdyno_sysbench::figures::Counter;
use std::ffi::c_int;

keep!(
    sb_more_events,
    sb_event_start,
    sb_event_stop,
    sb_counter_inc,
    sb_counter_add,
    sb_counter_val
);

#[unsafe(no_mangle)]
extern "C" fn sb_more_events(_thread_id: c_int) -> bool {
    acting(false, |context| {
        context.watched.comes_to_a_wait();
        context.engine.more_events(&context.actor)
    })
}

#[unsafe(no_mangle)]
extern "C" fn sb_event_start(_thread_id: c_int) {
    acting((), |context| context.engine.event_start(&context.actor));
}

#[unsafe(no_mangle)]
extern "C" fn sb_event_stop(_thread_id: c_int) {
    acting((), |context| context.engine.event_stop(&context.actor));
}

/// Returns the counter of this number; dbdyno does not keep the second dialect's counts of bytes.
fn counter(number: c_int) -> Option<Counter> {
    Some(match number {
        0 => Counter::Other,
        1 => Counter::Read,
        2 => Counter::Write,
        3 => Counter::Event,
        4 => Counter::Error,
        5 => Counter::Reconnect,
        _ => return None,
    })
}

/// Counts for the script's own user only, regardless of the thread number.
#[unsafe(no_mangle)]
extern "C" fn sb_counter_inc(thread_id: c_int, number: c_int) {
    sb_counter_add(thread_id, number, 1);
}

#[unsafe(no_mangle)]
extern "C" fn sb_counter_add(_thread_id: c_int, number: c_int, more: u64) {
    acting((), |context| {
        if let Some(counter) = counter(number) {
            context.engine.figures.add(&context.actor, counter, more);
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn sb_counter_val(thread_id: c_int, number: c_int) -> u64 {
    acting(0, |context| {
        match (u32::try_from(thread_id), counter(number)) {
            (Ok(user), Some(counter)) => context.engine.figures.value(user, counter),
            _ => 0,
        }
    })
}
