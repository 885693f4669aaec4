//! Parses durations as people write them.

use super::FaultError;

const EXPECTED: &str = "write a duration with its unit: 250us, 5ms, 1.5s, 2m or 1h";

/// Nanoseconds of `250us`, `5ms`, `1.5s`, `2m`, `1h` or `40ns`.
pub fn nanoseconds(text: &str) -> Result<u64, FaultError> {
    let text = text.trim();
    let given = || FaultError::new(text, EXPECTED);
    let unit_at = text.find(char::is_alphabetic).ok_or_else(given)?;
    let (number, unit) = text.split_at(unit_at);
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        _ => return Err(given()),
    };
    let number: f64 = number.trim().parse().map_err(|_| given())?;
    let nanoseconds = number * unit_ns;
    if !(0.0..=1e18).contains(&nanoseconds) {
        return Err(given());
    }
    Ok(nanoseconds.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, expected) in [
            ("40ns", 40),
            ("250us", 250_000),
            ("1.5 ms", 1_500_000),
            ("2m", 120_000_000_000),
            ("0s", 0),
        ] {
            assert_eq!(nanoseconds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_told_with_examples() {
        for text in ["", "5", "5 parsecs", "-1s", "x5ms", "NaNs", "1e30h"] {
            let error = nanoseconds(text).unwrap_err().to_string();
            assert!(error.contains("250us"), "{text}: {error}");
        }
    }
}
