//! Emulates prepared statements in the client: it prints values into the text.

use dbdyno_wire::{Parameter, Parameters};
use std::io::Write;

/// Finds where values go in a text: at every question mark, even between quotes, as in sysbench.
pub(super) fn places(sql: &[u8]) -> Box<[u32]> {
    let marks = sql.iter().zip(0..).filter(|&(&byte, _)| byte == b'?');
    marks.map(|(_, place)| place).collect()
}

/// Appends the text with its values. Strings are quoted and not escaped; a place without a value keeps its mark.
pub(super) fn write(sql: &[u8], places: &[u32], parameters: &Parameters, out: &mut Vec<u8>) {
    let mut written = 0;
    for (&place, value) in places.iter().zip(parameters.iter()) {
        let place = place as usize;
        out.extend_from_slice(&sql[written..place]);
        put(value, out);
        written = place + 1;
    }
    out.extend_from_slice(&sql[written..]);
}

fn put(value: Parameter<'_>, out: &mut Vec<u8>) {
    let written = match value {
        Parameter::Int(number) => write!(out, "{number}"),
        Parameter::Double(number) => write!(out, "{number:.6}"),
        Parameter::Null => out.write_all(b"NULL"),
        Parameter::Text(text) => {
            out.push(b'\'');
            out.extend_from_slice(text);
            out.write_all(b"'")
        }
    };
    debug_assert!(written.is_ok(), "writing to memory does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_sysbench_prints_them() {
        let mut parameters = Parameters::new();
        parameters.push_int(-5);
        parameters.push_text(b"o'k");
        parameters.push_double(1.5);
        parameters.push_null();
        let sql = b"SELECT '?', ?, ? -- ?, ?";
        let mut out = Vec::new();
        write(sql, &places(sql), &parameters, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "SELECT '-5', 'o'k', 1.500000 -- NULL, ?"
        );
    }
}
