//! Parses numbers as the C library does.

/// Reads a whole number that fills the text, blanks before it allowed; nothing at all is 0.
pub(super) fn int(text: &str) -> Option<i32> {
    if text.is_empty() {
        return Some(0);
    }
    let (value, rest) = long(text);
    if !rest.is_empty() || text.len() == rest.len() {
        return None;
    }
    i32::try_from(value).ok()
}

/// Returns the number at the beginning (0 if there is none, the nearest limit if it is too large) and what follows it.
pub(super) fn long(text: &str) -> (i64, &str) {
    let body = text.trim_start_matches(is_blank);
    let (negative, digits) = match body.as_bytes().first() {
        Some(b'-') => (true, &body[1..]),
        Some(b'+') => (false, &body[1..]),
        _ => (false, body),
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return (0, text);
    }
    let value = digits[..length].bytes().fold(0_i64, |sum, digit| {
        let digit = i64::from(digit - b'0');
        sum.saturating_mul(10).saturating_add(digit)
    });
    (if negative { -value } else { value }, &digits[length..])
}

/// Digits and a letter, a power of 1024; 0 where the text does not begin so. Too large numbers wrap, as in sysbench.
pub(super) fn size(text: &str) -> u64 {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..length].bytes().fold(0_u64, |sum, digit| {
        sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
    });
    let power = match text.as_bytes().get(length).map(u8::to_ascii_uppercase) {
        None => 0,
        Some(b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(b'T') => 4,
        Some(_) => return 0,
    };
    value.wrapping_mul(1 << (10 * power))
}

/// Returns the number at the beginning; 0 if there is none.
pub(super) fn double(text: &str) -> f64 {
    let body = text.trim_start_matches(is_blank);
    let (sign, body) = match body.as_bytes().first() {
        Some(b'-') => (-1.0, &body[1..]),
        Some(b'+') => (1.0, &body[1..]),
        _ => (1.0, body),
    };
    let lower = body.to_ascii_lowercase();
    let value = if lower.starts_with("inf") {
        f64::INFINITY
    } else if lower.starts_with("nan") {
        f64::NAN
    } else if let Some(hexadecimal) = lower.strip_prefix("0x") {
        hexadecimal_double(hexadecimal)
    } else {
        decimal_double(&lower)
    };
    sign * value
}

fn decimal_double(text: &str) -> f64 {
    let mut end = digits_with_point(text, u8::is_ascii_digit);
    let exponent = exponent_length(&text[end..], b'e');
    if exponent > 0 {
        end += exponent;
    }
    text[..end].parse().unwrap_or(0.0)
}

fn hexadecimal_double(text: &str) -> f64 {
    let end = digits_with_point(text, u8::is_ascii_hexdigit);
    let (whole, fraction) = text[..end].split_once('.').unwrap_or((&text[..end], ""));
    let digit = |c: char| f64::from(c.to_digit(16).unwrap_or(0));
    let whole = whole.chars().fold(0.0, |sum, c| sum * 16.0 + digit(c));
    let fraction = fraction
        .chars()
        .rev()
        .fold(0.0, |sum, c| (sum + digit(c)) / 16.0);
    let exponent = exponent_length(&text[end..], b'p');
    let power = match exponent {
        0 => 0,
        length => text[end + 1..end + length].parse().unwrap_or(0),
    };
    (whole + fraction) * 2_f64.powi(power)
}

/// Returns how much of the text is digits, with at most one point among them.
fn digits_with_point(text: &str, is_digit: fn(&u8) -> bool) -> usize {
    let whole = text.bytes().take_while(is_digit).count();
    if text.as_bytes().get(whole) != Some(&b'.') {
        return whole;
    }
    whole + 1 + text[whole + 1..].bytes().take_while(is_digit).count()
}

/// Returns how much of the text is an exponent, 0 if it is none.
fn exponent_length(text: &str, letter: u8) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&letter) {
        return 0;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    match bytes[1 + sign..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count()
    {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_sysbench_reads_them() {
        for (text, value) in [
            ("", Some(0)),
            ("+2", Some(2)),
            (" 2", Some(2)),
            ("2 ", None),
            ("010", Some(10)),
            ("0x10", None),
            ("-3", Some(-3)),
            ("5.5", None),
            ("x", None),
            ("-", None),
            (" ", None),
            ("2147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(int(text), value, "{text:?}");
        }
    }

    #[test]
    fn sizes_are_read_as_sysbench_reads_them() {
        for (text, value) in [
            ("4K", 4096),
            ("1g", 1 << 30),
            ("1T", 1 << 40),
            ("1P", 0),
            ("-1", 0),
            ("1.5K", 0),
            ("K", 0),
            ("", 0),
            ("12KB", 12288),
            (" 3K", 0),
            ("+3K", 0),
            ("10e3", 0),
            ("99999999999999999999", 7_766_279_631_452_241_919),
            ("9223372036854775807K", u64::MAX - 1023),
        ] {
            assert_eq!(size(text), value, "{text:?}");
        }
    }

    #[test]
    fn doubles_are_read_as_sysbench_reads_them() {
        for (text, value) in [
            ("1e3", 1000.0),
            ("0x10", 16.0),
            ("0x1.8p1", 3.0),
            ("-5.5x", -5.5),
            (" 3", 3.0),
            ("", 0.0),
            ("x", 0.0),
            ("4K", 4.0),
            (".5", 0.5),
            ("1e", 1.0),
            ("1e400", f64::INFINITY),
            ("inf", f64::INFINITY),
            ("-INFINITY", f64::NEG_INFINITY),
        ] {
            assert_eq!(double(text), value, "{text:?}");
        }
        assert!(double("nan").is_nan());
    }
}
