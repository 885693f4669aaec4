//! Implements handles of drivers.

use crate::symbols::{acting, keep};
use dbdyno_sysbench::db::Driver;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::null_mut;

keep!(db_create, db_destroy);

/// `sql_driver`.
#[repr(C)]
pub(super) struct CDriver {
    sname: *const c_char,
    /// Handles and connections that point here.
    users: u32,
    pub(super) driver: Driver,
    _name: CString,
}

impl CDriver {
    /// # Safety
    /// `driver` is a live handle.
    pub(super) unsafe fn keep(driver: *mut Self) {
        // SAFETY: as the caller says.
        unsafe { (*driver).users += 1 };
    }

    /// # Safety
    /// `driver` is a live handle, and the handle released here was counted before.
    pub(super) unsafe fn give_up(driver: *mut Self) {
        // SAFETY: as the caller says.
        unsafe {
            (*driver).users -= 1;
            if (*driver).users == 0 {
                drop(Box::from_raw(driver));
            }
        }
    }
}

/// Returns the driver of this name, or the one that the user chose; null if there is none, which was logged.
#[unsafe(no_mangle)]
unsafe extern "C" fn db_create(name: *const c_char) -> *mut CDriver {
    acting(null_mut(), |context| {
        let name = match name.is_null() {
            true => None,
            // SAFETY: the script gives a C string.
            false => Some(unsafe { CStr::from_ptr(name) }.to_string_lossy()),
        };
        let Some(driver) = Driver::new(&context.engine, name.as_deref()) else {
            return null_mut();
        };
        let name = CString::new(driver.name()).unwrap_or_default();
        Box::into_raw(Box::new(CDriver {
            sname: name.as_ptr(),
            users: 1,
            driver,
            _name: name,
        }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn db_destroy(driver: *mut CDriver) -> c_int {
    if !driver.is_null() {
        // SAFETY: the finalizer of the handle gives it up once.
        unsafe { CDriver::give_up(driver) };
    }
    0
}
