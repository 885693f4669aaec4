//! Defines drivers, connections, statements and results as C sees them.
//!
//! Every handle is a box that begins with the fields that scripts read. Its own handle and those of its statements keep
//! a connection alive, because finalizers run in any order. Handles are used by one fiber at a time: a state's own.

mod connection;
mod driver;
mod result;
mod statement;

use connection::CConnection;
use driver::CDriver;
use result::{CResult, CRow};
use statement::CStatement;

/// Returns the bytes that a script lends for the duration of a call.
///
/// # Safety
/// `start` and `length` describe live memory.
unsafe fn lent<'a>(start: *const std::ffi::c_char, length: usize) -> &'a [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }
}
