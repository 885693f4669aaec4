//! Writes decimal numbers into statements.

/// The most digits a number has.
const DIGITS: usize = 10;

/// Writes in decimal; `write!` takes several times as long, and rows hold many numbers.
#[inline]
pub(crate) fn put_number(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(decimal(number, &mut [0; DIGITS]));
}

/// Writes the digits of a number into the place that is given.
#[inline]
pub(crate) fn decimal(number: u32, digits: &mut [u8; DIGITS]) -> &[u8] {
    let (mut rest, mut start) = (number, digits.len());
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return &digits[start..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::put_number;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 4_096, 1_000_000, u32::MAX] {
            let mut out = b"x".to_vec();
            put_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x{number}"));
        }
    }
}
