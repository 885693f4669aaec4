//! Formats instants in local time.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

/// Formats an instant of Unix time in the time zone of this machine, in a format of `strftime` of at most some
/// sixty characters.
pub(crate) fn local_time(realtime_ns: u64, format: &CStr) -> String {
    let seconds = (realtime_ns / 1_000_000_000) as libc::time_t;
    let mut parts = MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both pointers are valid for the call. It fills `parts`, or returns null and leaves it; both are looked at
    // below. No thread of this program changes the environment, from which it may read the zone.
    #[expect(unsafe_code, reason = "only the C library knows the time zone")]
    let known = unsafe { !libc::localtime_r(&raw const seconds, parts.as_mut_ptr()).is_null() };
    if !known {
        return format!("{seconds} s since 1970");
    }
    let mut text = [0_u8; 80];
    // SAFETY: `localtime_r` filled `parts`, `format` ends with a zero, and at most `text.len()` bytes are written.
    #[expect(unsafe_code, reason = "the partner of localtime_r")]
    let length = unsafe {
        libc::strftime(
            text.as_mut_ptr().cast::<c_char>(),
            text.len(),
            format.as_ptr(),
            parts.as_ptr(),
        )
    };
    String::from_utf8_lossy(&text[..length]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::local_time;

    #[test]
    fn an_instant_is_told_in_parts() {
        // In any time zone, New Year's Eve of 2000 in London is the last or first day of a month.
        let shown = local_time(978_307_199_000_000_000, c"%Y-%m-%d %S");
        assert!(
            ["2000-12-31 59", "2001-01-01 59"].contains(&shown.as_str()),
            "{shown}"
        );
    }

    #[test]
    fn a_format_that_gives_too_much_gives_nothing() {
        assert_eq!(local_time(0, c"%c %c %c %c %c %c"), "");
    }
}
