//! Encodes structures in Thrift's compact protocol, as far as Parquet's metadata needs them.
//!
//! Source: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// One structure being written, its fields in the order of their numbers.
pub(super) struct Structure<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

/// Writes a structure with the fields that `fill` writes.
pub(super) fn structure(out: &mut Vec<u8>, fill: impl FnOnce(&mut Structure<'_>)) {
    fill(&mut Structure { out, last: 0 });
    out.push(0);
}

impl Structure<'_> {
    pub(super) fn int(&mut self, field: u8, value: i32) {
        self.head(field, I32);
        write_int(self.out, value.into());
    }

    pub(super) fn long(&mut self, field: u8, value: usize) {
        self.head(field, I64);
        write_int(self.out, value as i64);
    }

    pub(super) fn text(&mut self, field: u8, value: &str) {
        self.head(field, BINARY);
        write_text(self.out, value);
    }

    pub(super) fn structure(&mut self, field: u8, fill: impl FnOnce(&mut Structure<'_>)) {
        self.head(field, STRUCT);
        structure(self.out, fill);
    }

    pub(super) fn ints(&mut self, field: u8, values: &[i32]) {
        self.list(field, I32, values, |out, &value| {
            write_int(out, value.into());
        });
    }

    pub(super) fn texts(&mut self, field: u8, values: &[&str]) {
        self.list(field, BINARY, values, |out, value| write_text(out, value));
    }

    pub(super) fn structures<T>(
        &mut self,
        field: u8,
        items: &[T],
        fill: impl Fn(&mut Structure<'_>, &T),
    ) {
        self.list(field, STRUCT, items, |out, item| {
            structure(out, |structure| fill(structure, item));
        });
    }

    fn list<T>(&mut self, field: u8, kind: u8, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
        self.head(field, LIST);
        match items.len() {
            few @ 0..15 => self.out.push((few as u8) << 4 | kind),
            many => {
                self.out.push(0xf0 | kind);
                write_varint(self.out, many as u64);
            }
        }
        items.iter().for_each(|item| write(self.out, item));
    }

    /// Writes a field's head: field numbers grow by less than 16 in all of Parquet's structures.
    fn head(&mut self, field: u8, kind: u8) {
        self.out.push((field - self.last) << 4 | kind);
        self.last = field;
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn write_int(out: &mut Vec<u8>, value: i64) {
    write_varint(out, ((value << 1) ^ (value >> 63)) as u64); // zigzag
}

/// Writes LEB128.
pub(super) fn write_varint(out: &mut Vec<u8>, mut left: u64) {
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_has_the_bytes_of_the_specification() {
        let mut out = Vec::new();
        structure(&mut out, |s| {
            s.int(1, -1);
            s.long(3, 150);
            s.text(4, "ab");
            s.structures(5, &[7], |s, &value| s.int(2, value));
        });
        let expected: [&[u8]; 6] = [
            &[0x15, 1],             // field 1, i32, zigzag of -1
            &[0x26, 0xac, 0x02],    // two on, i64, zigzag of 150 is 300
            &[0x18, 2, b'a', b'b'], // one on, binary
            &[0x19, 0x1c],          // one on, list of one structure
            &[0x25, 14, 0],         // its field 2, and its end
            &[0],
        ];
        assert_eq!(out, expected.concat());
    }

    #[test]
    fn a_long_list_tells_its_length_apart() {
        let mut out = Vec::new();
        structure(&mut out, |s| s.ints(1, &[0; 200]));
        assert_eq!(out[..4], [0x19, 0xf5, 0xc8, 0x01]);
        assert_eq!(out.len(), 4 + 200 + 1);
    }
}
