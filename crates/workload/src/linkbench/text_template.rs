//! Fills statements whose values the caller writes in, because one of the values is no plain number.

use super::literal::put_bytes;

/// A text cut at its `?` places. What is inside quotes isn't looked at: the texts here have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextTemplate {
    pieces: Vec<Vec<u8>>,
}

impl TextTemplate {
    pub(super) fn new(text: &str) -> Self {
        Self {
            pieces: text
                .split('?')
                .map(|piece| piece.as_bytes().to_vec())
                .collect(),
        }
    }

    /// Appends the text up to its first place; the filler goes on from there.
    pub(super) fn begin<'a>(&'a self, out: &'a mut Vec<u8>) -> Filler<'a> {
        let mut filler = Filler {
            pieces: self.pieces.iter(),
            out,
        };
        filler.pass();
        filler
    }
}

/// A statement under way: the next place is to be filled.
#[derive(Debug)]
pub(super) struct Filler<'a> {
    pieces: std::slice::Iter<'a, Vec<u8>>,
    out: &'a mut Vec<u8>,
}

impl Filler<'_> {
    /// Fills the next place with a number.
    pub(super) fn int(mut self, value: u64) -> Self {
        put_decimal(self.out, value);
        self.pass();
        self
    }

    /// Fills the next place with bytes.
    pub(super) fn bytes(mut self, value: &[u8]) -> Self {
        put_bytes(self.out, value);
        self.pass();
        self
    }

    /// Fills the next place with several numbers, with commas between.
    pub(super) fn list(mut self, values: &[u64]) -> Self {
        for (place, &value) in values.iter().enumerate() {
            if place > 0 {
                self.out.push(b',');
            }
            put_decimal(self.out, value);
        }
        self.pass();
        self
    }

    fn pass(&mut self) {
        if let Some(piece) = self.pieces.next() {
            self.out.extend_from_slice(piece);
        }
    }
}

fn put_decimal(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::TextTemplate;

    #[test]
    fn places_are_filled_in_order_and_the_rest_follows() {
        let form = TextTemplate::new("a = ? AND b IN (?) AND c = ?;");
        let mut out = b"x ".to_vec();
        form.begin(&mut out).int(0).list(&[7, u64::MAX]).bytes(b"q");
        let expected = "x a = 0 AND b IN (7,18446744073709551615) AND c = 'q';";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
