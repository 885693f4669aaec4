//! Implements handles of statements and their parameters.

use super::connection::using;
use super::{CConnection, CResult, lent};
use crate::symbols::random::dbdyno_rand_str;
use crate::symbols::{acting, keep};
use dbdyno_sysbench::db::{CallResult, Statement};
use dbdyno_wire::Parameters;
use std::ffi::{c_char, c_int, c_ulong};
use std::ptr::null_mut;

keep!(
    db_prepare,
    db_bind_param,
    db_bind_result,
    db_execute,
    db_close,
    db_stmt_next_result,
    dbdyno_execute,
    dbdyno_result,
    dbdyno_bind,
    dbdyno_set_text,
    dbdyno_set_pattern,
    dbdyno_statement_free
);

/// `sql_statement`.
#[repr(C)]
pub(super) struct CStatement {
    connection: *mut CConnection,
    statement: Statement,
    bound: Vec<Bound>,
    is_closed: bool,
}

/// Says where a value is stored when the statement is executed.
enum Bound {
    /// In a parameter of the prelude.
    Ours(*const CParam),
    /// At the address in a script's own description.
    Theirs(CBind),
}

/// `sql_param`: the kinds are those of the prelude.
#[repr(C)]
struct CParam {
    integer: i64,
    real: f64,
    length: u32,
    max_length: u32,
    kind: u8,
    is_null: u8,
    text: [u8; 0],
}

impl CParam {
    const INTEGER: u8 = 1;
    const REAL: u8 = 2;

    /// Appends the value, for a statement whose values the server or dbdyno itself fills in.
    #[inline]
    fn push_to(&self, parameters: &mut Parameters, into_text: bool) {
        match self.kind {
            _ if self.is_null != 0 => parameters.push_null(),
            Self::INTEGER => parameters.push_int(self.integer),
            Self::REAL => parameters.push_double(self.real),
            _ if into_text => parameters.push_text(self.printed()),
            _ => parameters.push_text(self.text(self.length)),
        }
    }

    fn text(&self, length: u32) -> &[u8] {
        let start = (&raw const self.text).cast::<u8>();
        // SAFETY: the text stands behind its description, with room for `max_length` bytes.
        unsafe { std::slice::from_raw_parts(start, length.min(self.max_length) as usize) }
    }

    /// Returns the text as sysbench prints it: up to a zero byte, the end of a longer earlier string included.
    fn printed(&self) -> &[u8] {
        let text = self.text(self.max_length);
        let end = text.iter().position(|byte| *byte == 0);
        &text[..end.unwrap_or(text.len())]
    }
}

/// `sql_bind`, in the way of sysbench's own modules.
#[repr(C)]
#[derive(Clone, Copy)]
struct CBind {
    kind: c_int,
    buffer: *const u8,
    data_length: *const c_ulong,
    max_length: c_ulong,
    is_null: *const c_char,
}

impl CBind {
    /// # Safety
    /// The description is valid, and the memory it points to is alive.
    unsafe fn push_to(&self, parameters: &mut Parameters) {
        let buffer = self.buffer;
        // SAFETY: as the caller says.
        unsafe {
            if buffer.is_null() || (!self.is_null.is_null() && *self.is_null != 0) {
                return parameters.push_null();
            }
            match self.kind {
                1 => parameters.push_int(i64::from(*buffer.cast::<i8>())),
                2 => parameters.push_int(i64::from(buffer.cast::<i16>().read_unaligned())),
                3 => parameters.push_int(i64::from(buffer.cast::<i32>().read_unaligned())),
                4 => parameters.push_int(buffer.cast::<i64>().read_unaligned()),
                5 => parameters.push_double(f64::from(buffer.cast::<f32>().read_unaligned())),
                6 => parameters.push_double(buffer.cast::<f64>().read_unaligned()),
                _ => {
                    let known = !self.data_length.is_null();
                    let length = if known {
                        *self.data_length
                    } else {
                        self.max_length
                    };
                    parameters.push_text(lent(buffer.cast(), length as usize));
                }
            }
        }
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_prepare(
    connection: *mut CConnection,
    text: *const c_char,
    length: usize,
) -> *mut CStatement {
    // SAFETY: the caller gives a live handle, given up with the statement, and a string that lives through the call.
    unsafe {
        using(connection, null_mut(), |handle, _| {
            let prepared = handle.connection.prepare(lent(text, length));
            handle.show_error();
            let Some(statement) = prepared else {
                return null_mut();
            };
            handle.hold();
            Box::into_raw(Box::new(CStatement {
                connection,
                statement,
                bound: Vec::new(),
                is_closed: false,
            }))
        })
    }
}

/// Calls the connection of a statement.
///
/// # Safety
/// `statement` is a live handle of the calling fiber.
#[inline]
unsafe fn executing<T>(
    statement: *mut CStatement,
    otherwise: T,
    work: impl FnOnce(&mut CConnection, &mut CStatement) -> T,
) -> T {
    // SAFETY: the script's handle is live, and only its own fiber uses it.
    let statement = unsafe { &mut *statement };
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(statement.connection, otherwise, |handle, _| {
            work(handle, statement)
        })
    }
}

/// # Safety
/// `statement` is a live handle of the calling fiber.
unsafe fn bind(statement: *mut CStatement, bound: Vec<Bound>) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        executing(statement, 1, |handle, statement| {
            if !handle
                .connection
                .may_bind(&statement.statement, bound.len())
            {
                return 1;
            }
            statement.bound = bound;
            0
        })
    }
}

/// Binds parameters of the prelude, which keeps them alive as long as the statement.
///
/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_bind(
    statement: *mut CStatement,
    parameters: *const *const CParam,
    count: usize,
) -> c_int {
    // SAFETY: the prelude gives an array and its length.
    let parameters = unsafe { std::slice::from_raw_parts(parameters, count) };
    let bound = parameters.iter().map(|one| Bound::Ours(*one)).collect();
    // SAFETY: the caller gives a live handle.
    unsafe { bind(statement, bound) }
}

/// Binds parameters that a script describes itself, and keeps alive itself.
///
/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_bind_param(
    statement: *mut CStatement,
    parameters: *const CBind,
    count: usize,
) -> c_int {
    // SAFETY: the script gives an array and its length.
    let parameters = unsafe { std::slice::from_raw_parts(parameters, count) };
    let bound = parameters.iter().map(|one| Bound::Theirs(*one)).collect();
    // SAFETY: the caller gives a live handle.
    unsafe { bind(statement, bound) }
}

/// Does nothing: rows of statements are counted, not read.
#[unsafe(no_mangle)]
extern "C" fn db_bind_result(
    _statement: *mut CStatement,
    _results: *const CBind,
    _count: usize,
) -> c_int {
    0
}

/// Executes a statement with the parameters bound to it.
fn execute(handle: &mut CConnection, statement: &mut CStatement) -> CallResult {
    handle.parameters.clear();
    let into_text = statement.statement.is_text();
    for bound in &statement.bound {
        match bound {
            // SAFETY: the prelude keeps its parameters as long as the statement.
            Bound::Ours(parameter) => unsafe {
                (**parameter).push_to(&mut handle.parameters, into_text);
            },
            // SAFETY: the script keeps what it described.
            Bound::Theirs(parameter) => unsafe { parameter.push_to(&mut handle.parameters) },
        }
    }
    let (connection, parameters) = (&mut handle.connection, &handle.parameters);
    connection.execute(&mut statement.statement, parameters)
}

/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_execute(statement: *mut CStatement) -> *mut CResult {
    let place = statement;
    // SAFETY: the caller gives a live handle.
    unsafe {
        executing(statement, null_mut(), |handle, statement| {
            let answer = execute(handle, statement);
            let result = handle.show(answer);
            handle.result.statement = place;
            result
        })
    }
}

/// As `db_execute`, for the prelude: 0 without rows, 1 with rows, which [`dbdyno_result`] describes, 2 after an error.
///
/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_execute(statement: *mut CStatement) -> c_int {
    let place = statement;
    // SAFETY: the caller gives a live handle.
    unsafe {
        executing(statement, 2, |handle, statement| {
            let answer = execute(handle, statement);
            let has_rows = !handle.show(answer).is_null();
            handle.result.statement = place;
            match answer {
                CallResult::Failed => 2,
                _ => c_int::from(has_rows),
            }
        })
    }
}

/// Returns the result of the statement's connection.
///
/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_result(statement: *mut CStatement) -> *mut CResult {
    // SAFETY: the script's handles are live.
    unsafe { &raw mut (*(*statement).connection).result }
}

/// Sets a parameter to a text, cut at its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_set_text(parameter: *mut CParam, text: *const c_char, length: usize) {
    // SAFETY: the prelude gives its parameter and a string with its length.
    unsafe {
        let length = length.min((*parameter).max_length as usize);
        let place = (&raw mut (*parameter).text).cast::<u8>();
        std::ptr::copy_nonoverlapping(text.cast::<u8>(), place, length);
        (*parameter).length = length as u32;
    }
}

/// Sets a parameter to a random text that follows a pattern, cut at its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_set_pattern(
    parameter: *mut CParam,
    pattern: *const c_char,
    length: usize,
) {
    // SAFETY: as above.
    unsafe {
        let place = (&raw mut (*parameter).text).cast::<c_char>();
        let room = (*parameter).max_length as usize;
        (*parameter).length = dbdyno_rand_str(pattern, length, place, room);
        (*parameter).is_null = 0;
    }
}

/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_stmt_next_result(statement: *mut CStatement) -> *mut CResult {
    let place = statement;
    // SAFETY: the caller gives a live handle.
    unsafe {
        executing(statement, null_mut(), |handle, _| {
            let answer = handle.connection.next_result();
            let result = handle.show(answer);
            handle.result.statement = place;
            result
        })
    }
}

/// # Safety
/// `statement` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_close(statement: *mut CStatement) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        executing(statement, 1, |handle, statement| {
            statement.is_closed = true;
            c_int::from(!handle.connection.close_statement(&mut statement.statement))
        })
    }
}

/// Frees the handle; closes a statement that was not closed.
///
/// # Safety
/// `statement` is null or a handle that is given back once.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_statement_free(statement: *mut CStatement) {
    if statement.is_null() {
        return;
    }
    // SAFETY: the finalizer of the handle gives it back once.
    let mut statement = unsafe { Box::from_raw(statement) };
    acting((), |_| {
        let connection = statement.connection;
        // SAFETY: the statement's own reference keeps the connection alive until it is released here.
        unsafe {
            if !statement.is_closed {
                (*connection)
                    .connection
                    .close_statement(&mut statement.statement);
            }
            CConnection::give_up(connection);
        }
    });
}
