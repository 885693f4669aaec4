//! Parses how often a fault happens.

use super::FaultError;
use std::str::FromStr;

/// Describes how often something happens to statements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frequency {
    /// By chance, to this share of them, 0 to 1.
    Share(f64),
    /// To each n-th, counted over all connections.
    Every(u64),
}

const EXPECTED: &str = "write a share such as 3% or 0.1%, or every=100 for exactly each hundredth";

impl FromStr for Frequency {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let given = || FaultError::new(text, EXPECTED);
        if let Some(count) = text.strip_prefix("every=") {
            let count = count.parse().ok().filter(|&count| count > 0);
            return count.map(Self::Every).ok_or_else(given);
        }
        percent(text).map(Self::Share).ok_or_else(given)
    }
}

/// Returns the share of `3%`.
pub(super) fn percent(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_is_a_share_or_a_count() {
        assert_eq!("3%".parse(), Ok(Frequency::Share(0.03)));
        assert_eq!("100%".parse(), Ok(Frequency::Share(1.0)));
        assert_eq!("every=100".parse(), Ok(Frequency::Every(100)));
        for given in ["3", "101%", "-1%", "every=0", "each=3", "NaN%"] {
            let error = given.parse::<Frequency>().unwrap_err();
            assert!(error.to_string().contains("every=100"), "{given}");
        }
    }
}
