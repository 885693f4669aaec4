//! Draws random numbers and strings from the actor's own stream.

use super::{acting, keep};
use crate::context::Context;
use dbdyno_chance::Stream;
use dbdyno_sysbench::RandomType;
use std::ffi::{CStr, c_char};

keep!(
    sb_rand_default,
    sb_rand_uniform,
    sb_rand_gaussian,
    sb_rand_special,
    sb_rand_pareto,
    sb_rand_zipfian,
    sb_rand_unique,
    sb_rand_uniform_uint64,
    sb_rand_uniform_double,
    sb_rand_str,
    sb_rand_varstr,
    dbdyno_rand_str
);

/// Draws from a named distribution.
fn draw(kind: RandomType, low: u32, high: u32) -> u32 {
    acting(low, |context| {
        if low > high {
            return draw_around(context, low, high);
        }
        let distribution = context.engine.settings.random.distribution(kind);
        context.actor.draw(distribution, low, high)
    })
}

/// Draws from an interval; one that is reversed continues at 0 after the highest number.
fn draw_around(context: &Context, low: u32, high: u32) -> u32 {
    let count = f64::from(high.wrapping_sub(low)) + 1.0;
    let place = context
        .actor
        .with_stream(|stream| stream.next_double() * count);
    low.wrapping_add(place as u32)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_default(low: u32, high: u32) -> u32 {
    acting(low, |context| match low > high {
        true => draw_around(context, low, high),
        false => context.draw_default(low, high),
    })
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_uniform(low: u32, high: u32) -> u32 {
    if (low, high) == (0, u32::MAX) {
        // The interval has 2^32 numbers, which overflows 32 bits: sysbench counts none, and draws the lowest.
        return acting(low, |context| {
            let _: f64 = context.actor.with_stream(|stream| stream.next_double());
            low
        });
    }
    draw(RandomType::Uniform, low, high)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_gaussian(low: u32, high: u32) -> u32 {
    draw(RandomType::Gaussian, low, high)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_special(low: u32, high: u32) -> u32 {
    draw(RandomType::Special, low, high)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_pareto(low: u32, high: u32) -> u32 {
    draw(RandomType::Pareto, low, high)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_zipfian(low: u32, high: u32) -> u32 {
    draw(RandomType::Zipfian, low, high)
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_unique() -> u32 {
    acting(0, |context| context.engine.seeds.next_unique())
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_uniform_uint64() -> u64 {
    acting(0, |context| context.actor.with_stream(Stream::next_u64))
}

#[unsafe(no_mangle)]
extern "C" fn sb_rand_uniform_double() -> f64 {
    acting(0.0, |context| {
        context.actor.with_stream(Stream::next_double)
    })
}

/// Draws one character of a string that follows a pattern.
#[inline]
fn character(stream: &mut Stream, sample: u8) -> u8 {
    match sample {
        b'#' => b'0' + (stream.next_double() * 10.0) as u8,
        b'@' => b'a' + (stream.next_double() * 26.0) as u8,
        other => other,
    }
}

/// Writes as many characters as the pattern has.
#[unsafe(no_mangle)]
unsafe extern "C" fn sb_rand_str(pattern: *const c_char, buffer: *mut c_char) {
    // SAFETY: the caller passes a C string and as much room.
    let length = unsafe { CStr::from_ptr(pattern) }.count_bytes();
    // SAFETY: as above.
    unsafe { dbdyno_rand_str(pattern, length, buffer, length) };
}

/// Writes up to `room` characters of a string that follows a pattern, and returns how many. The others are
/// drawn all the same, so that later draws do not depend on the room.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn dbdyno_rand_str(
    pattern: *const c_char,
    length: usize,
    buffer: *mut c_char,
    room: usize,
) -> u32 {
    // SAFETY: the prelude gives a Lua string and a buffer with their lengths.
    let (pattern, buffer) = unsafe {
        (
            std::slice::from_raw_parts(pattern.cast::<u8>(), length),
            std::slice::from_raw_parts_mut(buffer.cast::<u8>(), room),
        )
    };
    let written = length.min(room);
    acting((), |context| {
        context.actor.with_stream(|stream| {
            for (place, sample) in buffer.iter_mut().zip(pattern) {
                *place = character(stream, *sample);
            }
            for sample in &pattern[written..] {
                character(stream, *sample);
            }
        });
    });
    written as u32
}

/// Writes a string of a random length, with characters from `0` to `z`.
#[unsafe(no_mangle)]
unsafe extern "C" fn sb_rand_varstr(buffer: *mut c_char, shortest: u32, longest: u32) -> u32 {
    let length = draw(RandomType::Uniform, shortest, longest);
    // SAFETY: the caller passes room for the longest.
    let buffer = unsafe {
        std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length.min(longest) as usize)
    };
    acting((), |context| {
        context.actor.with_stream(|stream| {
            let kinds = f64::from(b'z' - b'0') + 1.0;
            buffer.fill_with(|| b'0' + (stream.next_double() * kinds) as u8);
        });
    });
    length
}
