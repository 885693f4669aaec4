//! Reads and writes the protocol's numbers and strings.

use crate::WireError;

/// A packet ends before what it must hold.
#[derive(Debug, PartialEq, Eq)]
pub struct Truncated;

impl From<Truncated> for WireError {
    fn from(_: Truncated) -> Self {
        Self::Protocol("a packet ends too early".to_owned())
    }
}

/// Takes a packet apart from its front.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Takes `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Truncated> {
        let (head, tail) = self.0.split_at_checked(count).ok_or(Truncated)?;
        self.0 = tail;
        Ok(head)
    }

    /// Returns a little-endian number of up to eight bytes.
    #[inline]
    pub fn number(&mut self, width: usize) -> Result<u64, Truncated> {
        let mut raw = [0; 8];
        raw[..width].copy_from_slice(self.take(width)?);
        Ok(u64::from_le_bytes(raw))
    }

    /// Returns a byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Truncated> {
        Ok(self.take(1)?[0])
    }

    /// Returns a little-endian number of two bytes.
    #[inline]
    pub fn u16(&mut self) -> Result<u16, Truncated> {
        Ok(self.number(2)? as u16)
    }

    /// Returns a little-endian number of four bytes.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, Truncated> {
        Ok(self.number(4)? as u32)
    }

    /// Returns a little-endian number of eight bytes.
    #[inline]
    pub fn u64(&mut self) -> Result<u64, Truncated> {
        self.number(8)
    }

    /// Returns a length-encoded number; `None` is the mark of SQL NULL.
    pub fn length_or_null(&mut self) -> Result<Option<u64>, Truncated> {
        Ok(Some(match self.u8()? {
            0xfb => return Ok(None),
            0xfc => self.number(2)?,
            0xfd => self.number(3)?,
            0xfe => self.number(8)?,
            0xff => return Err(Truncated),
            small => u64::from(small),
        }))
    }

    /// Returns a length-encoded number, which may not be SQL NULL.
    pub fn length(&mut self) -> Result<u64, Truncated> {
        self.length_or_null()?.ok_or(Truncated)
    }

    /// Returns a string with its length in front; `None` is SQL NULL.
    pub fn string_or_null(&mut self) -> Result<Option<&'a [u8]>, Truncated> {
        match self.length_or_null()? {
            None => Ok(None),
            Some(length) => self
                .take(usize::try_from(length).map_err(|_| Truncated)?)
                .map(Some),
        }
    }

    /// Returns a string with its length in front, which may not be SQL NULL.
    pub fn string(&mut self) -> Result<&'a [u8], Truncated> {
        self.string_or_null()?.ok_or(Truncated)
    }

    /// Returns a string up to a zero byte; the zero is taken too.
    pub fn string_to_zero(&mut self) -> Result<&'a [u8], Truncated> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or(Truncated)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }
}

/// Appends a length-encoded number.
#[inline]
pub fn put_length(out: &mut Vec<u8>, value: u64) {
    let raw = value.to_le_bytes();
    match value {
        0..=0xfa => out.push(raw[0]),
        0xfb..=0xffff => out.extend_from_slice(&[0xfc, raw[0], raw[1]]),
        0x1_0000..=0xff_ffff => out.extend_from_slice(&[0xfd, raw[0], raw[1], raw[2]]),
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&raw);
        }
    }
}

/// Appends a string with its length in front.
pub fn put_string(out: &mut Vec<u8>, text: &[u8]) {
    put_length(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// Appends a number in decimal digits, without the formatting machinery.
pub(crate) fn put_decimal(out: &mut Vec<u8>, value: i64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_encoding_goes_there_and_back_at_every_border() {
        let borders = [
            0, 1, 0xfa, 0xfb, 0xfc, 0xff, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000,
        ];
        for value in borders.into_iter().chain([u64::MAX]) {
            let mut out = Vec::new();
            put_length(&mut out, value);
            let mut bytes = Bytes(&out);
            assert_eq!(bytes.length(), Ok(value));
            assert!(bytes.0.is_empty(), "{value:#x} left bytes over");
            for cut in 0..out.len() {
                assert_eq!(
                    Bytes(&out[..cut]).length(),
                    Err(Truncated),
                    "{value:#x} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn strings_of_every_length_class_go_there_and_back() {
        for length in [0, 250, 251, 65_535, 65_536] {
            let text = vec![b'x'; length];
            let mut out = Vec::new();
            put_string(&mut out, &text);
            let mut bytes = Bytes(&out);
            assert_eq!(bytes.string(), Ok(text.as_slice()));
            assert!(bytes.0.is_empty());
        }
    }

    #[test]
    fn a_string_that_is_cut_short_is_an_error() {
        assert_eq!(Bytes(b"ab").string_to_zero(), Err(Truncated));
        assert_eq!(Bytes(b"\0").string_to_zero(), Ok(&b""[..]));
        assert_eq!(Bytes(b"\x05abc").string(), Err(Truncated));
        assert_eq!(Bytes(&[0xfb]).string(), Err(Truncated));
    }

    #[test]
    fn decimal_digits_equal_those_of_the_standard_library() {
        for value in [0, 1, -1, 9, 10, -4096, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            put_decimal(&mut out, value);
            assert_eq!(out, value.to_string().into_bytes());
        }
    }

    #[test]
    fn null_is_told_from_an_empty_string() {
        assert_eq!(Bytes(&[0xfb]).string_or_null(), Ok(None));
        assert_eq!(Bytes(&[0]).string_or_null(), Ok(Some(&b""[..])));
    }
}
