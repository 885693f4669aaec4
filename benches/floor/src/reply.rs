//! Finds the end of a reply in a stream that comes in pieces.

/// A packet's header and the first byte of its payload.
const LOOK_BYTES: usize = 5;

/// Where in a reply the stream stands.
#[derive(Default)]
pub(crate) struct Scan {
    /// Bytes of the packet at hand still to come.
    left: usize,
    /// The beginning of a packet that was cut before its first byte of payload.
    cut: [u8; LOOK_BYTES],
    cut_bytes: usize,
    /// Inside a result set.
    has_rows: bool,
    /// EOF packets seen of it.
    ends: u8,
    /// The packet at hand ends the reply.
    is_last: bool,
    /// The packet that ended the reply was an error.
    pub(crate) is_error: bool,
    /// Results that the reply has still to come.
    results: u8,
    /// Agreed with the server: no EOF packet after the columns, an OK packet after the rows.
    deprecate_eof: bool,
}

impl Scan {
    pub(crate) fn new(deprecate_eof: bool) -> Self {
        Self {
            deprecate_eof,
            ..Self::default()
        }
    }

    /// The next reply has so many results.
    #[inline]
    pub(crate) fn expect(&mut self, results: u8) {
        self.results = results;
    }

    /// Whether the reply ends with this piece.
    pub(crate) fn feed(&mut self, mut piece: &[u8]) -> bool {
        loop {
            let passed = self.left.min(piece.len());
            piece = &piece[passed..];
            self.left -= passed;
            if self.left > 0 {
                return false;
            }
            if self.is_last {
                (self.is_last, self.has_rows, self.ends) = (false, false, 0);
                self.results = self.results.saturating_sub(1);
                if self.results == 0 || self.is_error {
                    return true;
                }
            }
            if self.cut_bytes == 0
                && let Some((look, rest)) = piece.split_first_chunk()
            {
                piece = rest;
                self.enter(*look);
            } else if !self.join(&mut piece) {
                return false;
            }
        }
    }

    /// Puts the beginning of a packet together from two pieces.
    #[cold]
    fn join(&mut self, piece: &mut &[u8]) -> bool {
        let taken = (LOOK_BYTES - self.cut_bytes).min(piece.len());
        self.cut[self.cut_bytes..self.cut_bytes + taken].copy_from_slice(&piece[..taken]);
        self.cut_bytes += taken;
        *piece = &piece[taken..];
        let is_whole = self.cut_bytes == LOOK_BYTES;
        if is_whole {
            self.cut_bytes = 0;
            self.enter(self.cut);
        }
        is_whole
    }

    fn enter(&mut self, [low, middle, high, _, first]: [u8; LOOK_BYTES]) {
        let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
        self.left = length.saturating_sub(1);
        match first {
            0xff => (self.is_last, self.is_error) = (true, true),
            0x00 if !self.has_rows => (self.is_last, self.is_error) = (true, false),
            0xfe if self.has_rows && (self.deprecate_eof || length < 9) => {
                self.ends += 1;
                self.is_last = self.deprecate_eof || self.ends == 2;
                self.is_error = false;
            }
            _ => self.has_rows = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column and two rows, ended the old way or the new one.
    fn reply(deprecate_eof: bool) -> Vec<u8> {
        let eof: &[u8] = &[5, 0, 0, 0, 0xfe, 0, 0, 2, 0];
        let ok: &[u8] = &[7, 0, 0, 0, 0xfe, 0, 0, 2, 0, 0, 0];
        let (columns_end, rows_end): (&[u8], &[u8]) =
            if deprecate_eof { (&[], ok) } else { (eof, eof) };
        let head = [1, 0, 0, 1, 1, 4, 0, 0, 2, 3, b'd', b'e', b'f'];
        let rows = [2, 0, 0, 3, 1, b'a', 2, 0, 0, 4, 0, 0];
        [&head, columns_end, &rows, rows_end].concat()
    }

    #[test]
    fn a_reply_ends_with_its_last_byte_wherever_it_is_cut() {
        for deprecate_eof in [false, true] {
            let reply = reply(deprecate_eof);
            let mut scan = Scan::new(deprecate_eof);
            for cut in 1..reply.len() {
                assert!(!scan.feed(&reply[..cut]), "{deprecate_eof} {cut}");
                assert!(scan.feed(&reply[cut..]), "{deprecate_eof} {cut}");
                assert!(!scan.is_error);
            }
        }
    }

    #[test]
    fn a_reply_of_two_results_ends_with_the_second() {
        let ok = [7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
        let mut scan = Scan::new(true);
        scan.expect(2);
        assert!(!scan.feed(&reply(true)));
        assert!(scan.feed(&ok));
        scan.expect(2);
        assert!(scan.feed(&[3, 0, 0, 1, 0xff, 1, 2])); // after an error there is no second one
    }

    #[test]
    fn an_error_ends_a_reply_and_the_next_one_is_judged_anew() {
        let mut scan = Scan::default();
        assert!(scan.feed(&[3, 0, 0, 1, 0xff, 1, 2]));
        assert!(scan.is_error);
        assert!(scan.feed(&[7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
        assert!(!scan.is_error);
    }
}
