//! Implements handles of connections.

use super::{CDriver, CResult, CRow, lent};
use crate::context::Context;
use crate::symbols::{acting, keep};
use dbdyno_sysbench::db::{CallResult, Connection, ErrorKind};
use dbdyno_wire::Parameters;
use std::ffi::{CString, c_char, c_int};
use std::ptr::{null, null_mut};
use std::rc::Rc;

keep!(
    db_connection_create,
    db_connection_close,
    db_connection_reconnect,
    db_connection_free,
    db_query,
    db_more_results,
    db_next_result,
    db_bulk_insert_init,
    db_bulk_insert_next,
    db_bulk_insert_done,
    dbdyno_ignore,
    dbdyno_roll_back
);

/// `sql_connection`.
#[repr(C)]
pub(super) struct CConnection {
    error: c_int,
    sql_errno: c_int,
    sql_state: *const c_char,
    sql_errmsg: *const c_char,
    driver: *mut CDriver,
    /// Handles of the connection and its statements.
    users: u32,
    pub(super) connection: Connection,
    /// Of the statement that is executed.
    pub(super) parameters: Parameters,
    pub(super) result: CResult,
    pub(super) row: CRow,
    state: CString,
    message: CString,
}

impl CConnection {
    /// Adds one handle that uses it.
    pub(super) fn hold(&mut self) {
        self.users += 1;
    }

    /// # Safety
    /// `connection` is a live handle, and the handle released here was counted before.
    pub(super) unsafe fn give_up(connection: *mut Self) {
        // SAFETY: as the caller says.
        unsafe {
            (*connection).users -= 1;
            if (*connection).users == 0 {
                let driver = (*connection).driver;
                drop(Box::from_raw(connection));
                CDriver::give_up(driver);
            }
        }
    }

    /// Stores the outcome of a call: the error's fields, and the result set if there is one.
    #[inline]
    pub(super) fn show(&mut self, answer: CallResult) -> *mut CResult {
        self.show_error();
        match (answer, self.connection.result()) {
            (CallResult::Rows, Some(rows)) => self.result.describe(rows),
            _ => null_mut(),
        }
    }

    #[inline]
    pub(super) fn show_error(&mut self) {
        let kind = self.connection.last_error().kind;
        if kind != ErrorKind::None || self.error != 0 || !self.sql_state.is_null() {
            self.show_error_fields(kind);
        }
    }

    #[cold]
    fn show_error_fields(&mut self, kind: ErrorKind) {
        let last = self.connection.last_error();
        self.error = kind as c_int;
        self.sql_errno = c_int::from(last.code);
        (self.sql_state, self.sql_errmsg) = (null(), null());
        if let Some(state) = last.state {
            self.state = CString::new(state).unwrap_or_default();
            self.message = CString::new(last.message.as_str()).unwrap_or_default();
            self.sql_state = self.state.as_ptr();
            self.sql_errmsg = self.message.as_ptr();
        }
    }
}

/// Calls a connection; the call may wait.
///
/// # Safety
/// `connection` is a live handle of the calling fiber.
#[inline]
pub(super) unsafe fn using<T>(
    connection: *mut CConnection,
    otherwise: T,
    work: impl FnOnce(&mut CConnection, &Context) -> T,
) -> T {
    acting(otherwise, |context| {
        context.watched.comes_to_a_wait();
        // SAFETY: the script's handle is live, and only its own fiber uses it.
        work(unsafe { &mut *connection }, context)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn db_connection_create(driver: *mut CDriver) -> *mut CConnection {
    acting(null_mut(), |context| {
        context.watched.comes_to_a_wait();
        let actor = Rc::clone(&context.actor);
        // SAFETY: the script's handle is live.
        let Some(connection) = (unsafe { &*driver }).driver.connect(actor) else {
            return null_mut();
        };
        // SAFETY: as above; released with the connection.
        unsafe { CDriver::keep(driver) };
        let handle = Box::into_raw(Box::new(CConnection {
            error: 0,
            sql_errno: 0,
            sql_state: null(),
            sql_errmsg: null(),
            driver,
            users: 1,
            connection,
            parameters: Parameters::new(),
            result: CResult::none(),
            row: CRow::none(),
            state: CString::default(),
            message: CString::default(),
        }));
        // SAFETY: made just now.
        unsafe { (*handle).result.connection = handle };
        handle
    })
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_connection_close(connection: *mut CConnection) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, 0, |handle, _| {
            handle.connection.disconnect();
            handle.show_error();
            0
        })
    }
}

/// Opens the connection again; statements are prepared again at their next execution.
///
/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_connection_reconnect(connection: *mut CConnection) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, 1, |handle, _| {
            let made = handle.connection.reconnect();
            handle.show_error();
            c_int::from(!made)
        })
    }
}

/// # Safety
/// `connection` is null or a handle that is given back once.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_connection_free(connection: *mut CConnection) {
    acting((), |_| {
        if !connection.is_null() {
            // SAFETY: the finalizer of the handle gives it up once.
            unsafe { CConnection::give_up(connection) };
        }
    });
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_query(
    connection: *mut CConnection,
    text: *const c_char,
    length: usize,
) -> *mut CResult {
    // SAFETY: the caller gives a live handle, and a string that lives through the call.
    unsafe {
        using(connection, null_mut(), |handle, _| {
            let answer = handle.connection.query(lent(text, length));
            handle.show(answer)
        })
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_more_results(connection: *mut CConnection) -> bool {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, false, |handle, _| {
            handle.connection.more_results()
        })
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_next_result(connection: *mut CConnection) -> *mut CResult {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, null_mut(), |handle, _| {
            let answer = handle.connection.next_result();
            handle.show(answer)
        })
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_bulk_insert_init(
    connection: *mut CConnection,
    head: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, 1, |handle, _| {
            let begun = handle.connection.bulk_insert_init(lent(head, length));
            handle.show_error();
            c_int::from(!begun)
        })
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_bulk_insert_next(
    connection: *mut CConnection,
    row: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, 1, |handle, _| {
            let added = handle.connection.bulk_insert_next(lent(row, length));
            handle.show_error();
            c_int::from(!added)
        })
    }
}

/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_bulk_insert_done(connection: *mut CConnection) -> c_int {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, 1, |handle, _| {
            let done = handle.connection.bulk_insert_done();
            handle.show_error();
            c_int::from(!done)
        })
    }
}

/// Ignores the last error, as the script's hook decided.
///
/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_ignore(connection: *mut CConnection) {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, (), |handle, _| {
            handle.connection.forgive();
            handle.error = ErrorKind::Ignorable as c_int;
        });
    }
}

/// Notes that the event that met an error is about to be repeated.
///
/// # Safety
/// `connection` is a live handle of the calling fiber.
#[unsafe(no_mangle)]
unsafe extern "C" fn dbdyno_roll_back(connection: *mut CConnection) {
    // SAFETY: the caller gives a live handle.
    unsafe {
        using(connection, (), |handle, _| handle.connection.roll_back());
    }
}
