//! Encodes requests as packets.

use crate::bytes::put_string;
use crate::packet::{begin, finish};
use crate::{Parameter, Parameters, StatementText};

const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
pub(crate) const EXECUTE: u8 = 0x17;
const CLOSE_STATEMENT: u8 = 0x19;

pub(crate) const TYPE_LONG: u8 = 3;
const TYPE_DOUBLE: u8 = 5;
const TYPE_NULL: u8 = 6;
const TYPE_LONGLONG: u8 = 8;
pub(crate) const TYPE_BLOB: u8 = 252;
pub(crate) const TYPE_VAR_STRING: u8 = 253;

/// Behind the type of a number that has no sign.
pub(crate) const UNSIGNED: u8 = 0x80;

#[inline]
fn put_command(out: &mut Vec<u8>, command: u8, payload: impl FnOnce(&mut Vec<u8>)) {
    let start = begin(out);
    out.push(command);
    payload(out);
    finish(out, start, 0);
}

pub(crate) fn put_query(out: &mut Vec<u8>, sql: &[u8]) {
    put_command(out, QUERY, |out| out.extend_from_slice(sql));
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &StatementText, parameters: &Parameters) {
    put_command(out, QUERY, |out| text.write_with(parameters, out));
}

pub(crate) fn put_prepare(out: &mut Vec<u8>, sql: &[u8]) {
    put_command(out, PREPARE, |out| out.extend_from_slice(sql));
}

pub(crate) fn put_close_statement(out: &mut Vec<u8>, id: u32) {
    put_command(out, CLOSE_STATEMENT, |out| {
        out.extend_from_slice(&id.to_le_bytes())
    });
}

pub(crate) fn put_quit(out: &mut Vec<u8>) {
    put_command(out, QUIT, |_| {});
}

/// Appends an execution. The types are sent every time: two bytes a value, and no state to keep per statement.
pub(crate) fn put_execute(out: &mut Vec<u8>, id: u32, parameters: &Parameters) {
    let start = out.len();
    let [i0, i1, i2, i3] = id.to_le_bytes();
    // Room for the header; no cursor; the iteration count, always 1.
    out.extend_from_slice(&[0, 0, 0, 0, EXECUTE, i0, i1, i2, i3, 0, 1, 0, 0, 0]);
    if !parameters.is_empty() {
        put_null_bits(out, parameters);
        out.push(1); // types follow
        put_types(out, parameters);
        put_values(out, parameters);
    }
    finish(out, start, 0);
}

fn put_null_bits(out: &mut Vec<u8>, parameters: &Parameters) {
    let mut bits = 0;
    for (index, value) in parameters.iter().enumerate() {
        bits |= u8::from(matches!(value, Parameter::Null)) << (index % 8);
        if index % 8 == 7 {
            out.push(std::mem::take(&mut bits));
        }
    }
    if !parameters.len().is_multiple_of(8) {
        out.push(bits);
    }
}

fn put_types(out: &mut Vec<u8>, parameters: &Parameters) {
    for value in parameters.iter() {
        let wire_type = match value {
            Parameter::Int(_) => TYPE_LONGLONG,
            Parameter::Double(_) => TYPE_DOUBLE,
            Parameter::Text(_) => TYPE_VAR_STRING,
            Parameter::Null => TYPE_NULL,
        };
        out.extend_from_slice(&[wire_type, 0]); // signed
    }
}

fn put_values(out: &mut Vec<u8>, parameters: &Parameters) {
    for value in parameters.iter() {
        match value {
            Parameter::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Double(number) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Text(text) => put_string(out, text),
            Parameter::Null => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execution_is_encoded_as_the_protocol_asks() {
        let mut parameters = Parameters::new();
        parameters.push_int(-2);
        parameters.push_null();
        parameters.push_text(b"ab");
        let mut out = Vec::new();
        put_execute(&mut out, 0x0102_0304, &parameters);
        let mut expected = vec![29, 0, 0, 0, EXECUTE, 4, 3, 2, 1, 0, 1, 0, 0, 0];
        expected.extend_from_slice(&[0b010, 1, 8, 0, 6, 0, 253, 0]);
        expected.extend_from_slice(&(-2i64).to_le_bytes());
        expected.extend_from_slice(&[2, b'a', b'b']);
        assert_eq!(out, expected);
    }

    #[test]
    fn an_execution_without_values_ends_after_the_iteration_count() {
        let mut out = Vec::new();
        put_execute(&mut out, 1, &Parameters::new());
        assert_eq!(out, [10, 0, 0, 0, EXECUTE, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn the_tenth_null_has_its_bit_in_the_second_byte() {
        let mut parameters = Parameters::new();
        (0..9).for_each(|_| parameters.push_int(0));
        parameters.push_null();
        let mut out = Vec::new();
        put_null_bits(&mut out, &parameters);
        assert_eq!(out, [0, 0b10]);
    }
}
