//! Implements handles of results and rows. A connection has one of each, which is refilled.

use super::connection::using;
use super::{CConnection, CStatement};
use crate::symbols::keep;
use dbdyno_sysbench::db::ResultSet;
use std::ffi::c_int;
use std::ptr::{null, null_mut};

keep!(db_fetch_row, db_free_results);

/// `sql_result`.
#[repr(C)]
pub(super) struct CResult {
    row_count: u32,
    field_count: u32,
    pub(super) statement: *mut CStatement,
    pub(super) connection: *mut CConnection,
}

impl CResult {
    pub(super) fn none() -> Self {
        Self {
            row_count: 0,
            field_count: 0,
            statement: null_mut(),
            connection: null_mut(),
        }
    }

    /// Describes a new result set.
    #[inline]
    pub(super) fn describe(&mut self, rows: ResultSet) -> *mut Self {
        self.row_count = u32::try_from(rows.row_count).unwrap_or(u32::MAX);
        self.field_count = u32::from(rows.column_count);
        self.statement = null_mut();
        self
    }
}

/// `sql_value`; without a pointer it is NULL.
#[repr(C)]
struct CValue {
    length: u32,
    pointer: *const u8,
}

/// `sql_row`.
#[repr(C)]
pub(super) struct CRow {
    reserved: *const (),
    values: *const CValue,
    place: Vec<CValue>,
}

impl CRow {
    pub(super) fn none() -> Self {
        Self {
            reserved: null(),
            values: null(),
            place: Vec::new(),
        }
    }
}

/// Returns the next row, whose values last until the next call; null after the last one.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_fetch_row(result: *mut CResult) -> *const CRow {
    if result.is_null() {
        return null();
    }
    // SAFETY: the script's handle is live.
    let connection = unsafe { (*result).connection };
    // SAFETY: a result lives no longer than its connection.
    unsafe {
        using(connection, null(), |handle, _| {
            let Some(row) = handle.connection.fetch_row() else {
                return null();
            };
            let place = &mut handle.row.place;
            place.clear();
            place.extend(row.map(|value| match value {
                Some(text) => CValue {
                    length: u32::try_from(text.len()).unwrap_or(u32::MAX),
                    pointer: text.as_ptr(),
                },
                None => CValue {
                    length: 0,
                    pointer: null(),
                },
            }));
            handle.row.values = handle.row.place.as_ptr();
            &raw const handle.row
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn db_free_results(result: *mut CResult) -> c_int {
    if result.is_null() {
        return 1;
    }
    // SAFETY: the script's handle is live.
    let connection = unsafe { (*result).connection };
    // SAFETY: a result lives no longer than its connection.
    unsafe {
        using(connection, 1, |handle, _| {
            c_int::from(!handle.connection.free_results())
        })
    }
}
