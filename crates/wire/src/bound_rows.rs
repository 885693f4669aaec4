//! Encodes the values of many rows for one execution of an INSERT that has places for them all.

use crate::bytes::put_length;
use crate::command::{EXECUTE, TYPE_BLOB, TYPE_LONG, TYPE_VAR_STRING, UNSIGNED};
use crate::packet::{HEADER_BYTES, MAX_PAYLOAD, begin, finish};

/// Before the NULL bits: header, command, number of the statement, no cursor, the iteration count.
const HEAD_BYTES: usize = HEADER_BYTES + 10;

/// The type under which the values of a column are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundType {
    /// Text in the character set of the connection. The server looks at every character of it.
    Text,
    /// Bytes that the server stores unchanged: it neither converts them nor looks at them.
    Bytes,
    /// A number of 32 bits without sign, which the server need not read out of digits.
    Number,
}

impl BoundType {
    fn on_wire(self) -> [u8; 2] {
        match self {
            Self::Text => [TYPE_VAR_STRING, 0],
            Self::Bytes => [TYPE_BLOB, 0],
            Self::Number => [TYPE_LONG, UNSIGNED],
        }
    }
}

/// Rows that fill the places of a prepared `INSERT INTO t VALUES (?, ?), (?, ?)`.
///
/// They are written once, into the packet in which they leave. What must stand before them depends on how many they
/// are, so there is room for the most, and the packet begins where its head turns out to begin.
///
/// ```
/// use dbdyno_wire::{BoundRows, BoundType};
///
/// let mut rows = BoundRows::new(&[BoundType::Number, BoundType::Text], 100);
/// rows.push_number(1);
/// rows.push_null();
/// assert_eq!((rows.len(), rows.is_full()), (1, false));
/// ```
#[derive(Debug)]
pub struct BoundRows {
    types: Box<[BoundType]>,
    rows_max: usize,
    /// Bytes before the values.
    room: usize,
    packet: Vec<u8>,
    nulls: Vec<u8>,
    values: usize,
    /// The types of the values of as many rows as there is room for, as they are sent.
    sent_types: Box<[u8]>,
}

impl BoundRows {
    /// Makes room for so many rows, whose columns are of these types.
    #[must_use]
    pub fn new(types: &[BoundType], rows_max: usize) -> Self {
        let places = types.len() * rows_max;
        let room = HEAD_BYTES + places.div_ceil(8) + 1 + 2 * places;
        let mut new = Self {
            types: types.into(),
            rows_max,
            room,
            packet: Vec::new(),
            nulls: vec![0; places.div_ceil(8)],
            values: 0,
            sent_types: types
                .repeat(rows_max)
                .iter()
                .flat_map(|bound_type| bound_type.on_wire())
                .collect(),
        };
        new.clear();
        new
    }

    /// Appends a number; its column must be of [`BoundType::Number`].
    #[inline]
    pub fn push_number(&mut self, value: u32) {
        debug_assert_eq!(self.next_type(), BoundType::Number);
        self.packet.extend_from_slice(&value.to_le_bytes());
        self.values += 1;
    }

    /// Appends a value of any other column.
    #[inline]
    pub fn push_text(&mut self, value: &[u8]) {
        debug_assert_ne!(self.next_type(), BoundType::Number);
        put_length(&mut self.packet, value.len() as u64);
        self.packet.extend_from_slice(value);
        self.values += 1;
    }

    /// Appends whole rows in the form in which [`encoded`](Self::encoded) shows them. There must be places for all.
    #[inline]
    pub fn push_encoded<const BYTES: usize>(&mut self, rows: &[[u8; BYTES]]) {
        self.packet.extend_from_slice(rows.as_flattened());
        self.values += rows.len() * self.types.len();
    }

    /// Appends SQL NULL.
    #[inline]
    pub fn push_null(&mut self) {
        self.nulls[self.values / 8] |= 1 << (self.values % 8);
        self.values += 1;
    }

    /// Returns the type of the value that comes next.
    #[inline]
    #[must_use]
    pub fn next_type(&self) -> BoundType {
        self.types[self.values % self.types.len()]
    }

    /// Counts the rows.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.values / self.types.len()
    }

    /// Returns whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether there is no place for another row.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() >= self.rows_max
    }

    /// Counts the rows for which there is a place.
    #[inline]
    #[must_use]
    pub fn rows_left(&self) -> usize {
        self.rows_max.saturating_sub(self.len())
    }

    /// Returns the values as they leave: numbers in four bytes, all others behind their lengths.
    #[must_use]
    pub fn encoded(&self) -> &[u8] {
        &self.packet[self.room..]
    }

    /// Counts the values.
    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// Forgets all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.packet.resize(self.room, 0);
        self.nulls.fill(0);
        self.values = 0;
    }

    /// Returns the request that executes a statement with these rows, and where in it the request begins.
    pub(crate) fn packet(&mut self, statement: u32) -> (&mut Vec<u8>, usize) {
        let null_bytes = self.values.div_ceil(8);
        let start = self.room - HEAD_BYTES - null_bytes - 1 - 2 * self.values;
        let (types, nulls) = (self.room - 2 * self.values, start + HEAD_BYTES);
        let length = self.packet.len() - start - HEADER_BYTES;
        let [i0, i1, i2, i3] = statement.to_le_bytes();
        let head = [EXECUTE, i0, i1, i2, i3, 0, 1, 0, 0, 0];
        self.packet[start + HEADER_BYTES..nulls].copy_from_slice(&head);
        self.packet[nulls..nulls + null_bytes].copy_from_slice(&self.nulls[..null_bytes]);
        self.packet[types - 1] = 1; // types follow
        self.packet[types..self.room].copy_from_slice(&self.sent_types[..2 * self.values]);
        if length < MAX_PAYLOAD {
            let [low, middle, high, _] = (length as u32).to_le_bytes();
            self.packet[start..start + HEADER_BYTES].copy_from_slice(&[low, middle, high, 0]);
            return (&mut self.packet, start);
        }
        let payload = self.packet.split_off(start + HEADER_BYTES);
        self.packet.clear();
        begin(&mut self.packet);
        self.packet.extend_from_slice(&payload);
        finish(&mut self.packet, 0, 0);
        (&mut self.packet, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;
    use crate::command::put_execute;

    /// Returns the same values as an ordinary execution has them.
    fn executed(values: &[Option<&[u8]>]) -> Vec<u8> {
        let mut parameters = Parameters::new();
        for value in values {
            // A NULL has its own type there, which says the same as its bit.
            parameters.push_text(value.unwrap_or_default());
        }
        let mut out = Vec::new();
        put_execute(&mut out, 7, &parameters);
        out
    }

    fn bound(columns: usize, rows_max: usize, values: &[Option<&[u8]>]) -> Vec<u8> {
        let mut rows = BoundRows::new(&vec![BoundType::Text; columns], rows_max);
        for value in values {
            match value {
                Some(text) => rows.push_text(text),
                None => rows.push_null(),
            }
        }
        let (packet, start) = rows.packet(7);
        packet[start..].to_vec()
    }

    #[test]
    fn rows_leave_as_an_execution_with_these_values_does() {
        let long = vec![b'x'; 300];
        let values: Vec<Option<&[u8]>> = vec![Some(b"1"), Some(b""), Some(&long), Some(b"2")];
        for rows_max in [2, 3, 100] {
            assert_eq!(bound(2, rows_max, &values), executed(&values), "{rows_max}");
        }
    }

    #[test]
    fn a_null_has_its_bit_and_no_bytes() {
        let values: Vec<Option<&[u8]>> = (0..9).map(|at| (at != 8).then_some(&b"v"[..])).collect();
        let packet = bound(3, 4, &values);
        assert_eq!(packet[HEAD_BYTES..HEAD_BYTES + 3], [0, 0b1, 1]);
        assert_eq!(packet.len(), HEAD_BYTES + 2 + 1 + 2 * 9 + 2 * 8);
    }

    #[test]
    fn each_value_has_the_type_of_its_column() {
        let types = [BoundType::Number, BoundType::Bytes];
        let mut rows = BoundRows::new(&types, 3);
        for number in [7, u32::MAX] {
            rows.push_number(number);
            rows.push_text(b"ab");
        }
        let (packet, start) = rows.packet(7);
        let mut expected = vec![0, 1]; // no NULL, types follow
        expected.extend([[TYPE_LONG, UNSIGNED, TYPE_BLOB, 0]; 2].concat());
        expected.extend([7, 0, 0, 0, 2, b'a', b'b', 255, 255, 255, 255, 2, b'a', b'b']);
        assert_eq!(packet[start + HEAD_BYTES..], expected);
    }

    #[test]
    fn rows_that_are_encoded_already_stand_as_if_their_values_were_appended_one_by_one() {
        let types = [BoundType::Number, BoundType::Text];
        let (mut whole, mut single) = (BoundRows::new(&types, 2), BoundRows::new(&types, 2));
        whole.push_encoded(&[[7, 0, 0, 0, 2, b'a', b'b'], [8, 0, 0, 0, 2, b'c', b'd']]);
        for (number, text) in [(7, b"ab"), (8, b"cd")] {
            single.push_number(number);
            single.push_text(text);
        }
        assert_eq!((whole.len(), single.len()), (2, 2));
        assert_eq!(whole.rows_left(), 0);
        let ((whole, from), (single, start)) = (whole.packet(3), single.packet(3));
        assert_eq!(whole[from..], single[start..]);
    }

    #[test]
    fn rows_are_forgotten_and_the_next_leave_without_a_trace_of_them() {
        let mut rows = BoundRows::new(&[BoundType::Text], 9);
        (0..9).for_each(|_| rows.push_null());
        assert!(rows.is_full());
        rows.packet(1);
        rows.clear();
        rows.push_text(b"a");
        let (packet, start) = rows.packet(7);
        assert_eq!(packet[start..], executed(&[Some(b"a")]));
    }

    #[test]
    fn rows_too_long_for_one_packet_go_in_two() {
        let long = vec![b'x'; MAX_PAYLOAD];
        let values = [Some(&long[..])];
        assert!(bound(1, 5, &values) == executed(&values));
    }
}
