//! Reads and writes the protocol's numbers and strings.

/// A packet ends before what it must hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Truncated;

/// Takes a packet apart from its front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Truncated> {
        let (head, tail) = self.0.split_at_checked(count).ok_or(Truncated)?;
        self.0 = tail;
        Ok(head)
    }

    /// Returns a little-endian number of up to eight bytes.
    pub(crate) fn number(&mut self, width: usize) -> Result<u64, Truncated> {
        let mut raw = [0; 8];
        raw[..width].copy_from_slice(self.take(width)?);
        Ok(u64::from_le_bytes(raw))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Truncated> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Truncated> {
        Ok(self.number(4)? as u32)
    }

    /// Returns a string with its length in front.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Truncated> {
        let length = match self.u8()? {
            0xfb | 0xff => return Err(Truncated),
            0xfc => self.number(2)?,
            0xfd => self.number(3)?,
            0xfe => self.number(8)?,
            small => u64::from(small),
        };
        self.take(usize::try_from(length).map_err(|_| Truncated)?)
    }

    /// Returns a string up to a zero byte; the zero is taken too.
    pub(crate) fn string_to_zero(&mut self) -> Result<&'a [u8], Truncated> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or(Truncated)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }
}

/// Appends a length-encoded number.
pub(crate) fn put_length(out: &mut Vec<u8>, value: u64) {
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
pub(crate) fn put_string(out: &mut Vec<u8>, text: &[u8]) {
    put_length(out, text.len() as u64);
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_is_cut_short_is_told_from_what_is_empty() {
        assert_eq!(Bytes(b"ab").string_to_zero(), Err(Truncated));
        assert_eq!(Bytes(b"\0").string_to_zero(), Ok(&b""[..]));
        assert_eq!(Bytes(b"\x05abc").string(), Err(Truncated));
        assert_eq!(Bytes(&[0xfb]).string(), Err(Truncated));
    }
}
