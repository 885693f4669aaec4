//! Writes a value of bytes into a statement as Connector/J writes what a Java program gives it as bytes.

/// Appends the value as text in quotes if every byte is a plain letter or digit (or one of the few that a backslash
/// makes plain), otherwise as hexadecimal digits, which doubles its length on the wire.
///
/// The three superscript digits of latin1 count as digits, too, and travel in the session's UTF-8.
pub(super) fn put_bytes(out: &mut Vec<u8>, value: &[u8]) {
    if value.iter().all(|&byte| is_plain(byte)) {
        put_text(out, value);
    } else {
        put_hex(out, value);
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, 0xb2 | 0xb3 | 0xb9)
        || matches!(byte, 0 | 8 | b'\t' | b'\n' | b'\r' | b'\'' | b'\\')
}

fn put_text(out: &mut Vec<u8>, value: &[u8]) {
    out.push(b'\'');
    for &byte in value {
        match byte {
            0 => out.extend_from_slice(b"\\0"),
            8 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0x80.. => out.extend_from_slice(&[0xc2, byte]),
            plain => out.push(plain),
        }
    }
    out.push(b'\'');
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn put_hex(out: &mut Vec<u8>, value: &[u8]) {
    out.reserve(2 * value.len() + 3);
    out.extend_from_slice(b"x'");
    for &byte in value {
        let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
        out.extend_from_slice(&[DIGITS[high], DIGITS[low]]);
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::put_bytes;

    #[test]
    fn one_byte_that_is_not_plain_turns_the_whole_value_into_digits() {
        let written = |value: &[u8]| {
            let mut out = Vec::new();
            put_bytes(&mut out, value);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(b""), "''");
        assert_eq!(written(b"AB"), "'AB'");
        assert_eq!(written(b"AB "), "x'414220'");
        assert_eq!(written(b"\0\x08\t\n\r'\\"), r"'\0\b\t\n\r\'\\'");
        assert_eq!(written(&[0xb2, 0xb9]), "'²¹'");
        assert_eq!(written(&[0xb2, 0xe4]), "x'b2e4'");
    }
}
