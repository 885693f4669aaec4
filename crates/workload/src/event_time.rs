//! Gives statements their time: the clock stands still between events, so that what a user sends doesn't
//! depend on when it runs.

use std::io::Write;

/// 2024-01-01 00:00:00 UTC, in seconds since 1970.
const FIRST_SECOND: u64 = 1_704_067_200;
const DAY_SECONDS: u64 = 86_400;

/// The time of a user's event number `event`: a second later than that of the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventTime(u64);

impl EventTime {
    pub(crate) fn of_event(event: u64) -> Self {
        Self(FIRST_SECOND + event)
    }

    /// Returns seconds since 1970.
    pub(crate) fn seconds(self) -> u64 {
        self.0
    }

    /// Writes it as a DATETIME.
    pub(crate) fn put(self, text: &mut Vec<u8>) {
        let (year, month, day) = date(self.0 / DAY_SECONDS);
        let second = self.0 % DAY_SECONDS;
        let (hour, minute) = (second / 3600, second / 60 % 60);
        // Writing to memory can't fail.
        let _ = write!(
            text,
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}",
            second % 60
        );
    }
}

/// Returns year, month and day of a count of days since 1970 (Hinnant's algorithm: years begin in March, so that the
/// leap day is the last).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468; // since 0000-03-01
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(event: u64) -> String {
        let mut text = Vec::new();
        EventTime::of_event(event).put(&mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn events_are_a_second_apart_over_leap_days_and_years() {
        assert_eq!(text(1), "2024-01-01 00:00:01");
        assert_eq!(text(59 * DAY_SECONDS + 3661), "2024-02-29 01:01:01");
        assert_eq!(text(60 * DAY_SECONDS), "2024-03-01 00:00:00");
        assert_eq!(text(366 * DAY_SECONDS - 1), "2024-12-31 23:59:59");
        assert_eq!(text(366 * DAY_SECONDS), "2025-01-01 00:00:00");
        assert_eq!(EventTime::of_event(0).seconds(), 1_704_067_200);
    }
}
