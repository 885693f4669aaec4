//! Writes values of binary rows as the text protocol would write them.

use crate::bytes::{Bytes, Truncated};
use crate::{Value, WireError};

const UNSIGNED_FLAG: u16 = 0x20;

/// Says how a column's values are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnType {
    wire_type: u8,
    pub(crate) is_unsigned: bool,
    /// Digits after the point; for points in time those of the second.
    decimals: u8,
}

impl ColumnType {
    pub(crate) fn new(wire_type: u8, flags: u16, decimals: u8) -> Self {
        Self {
            wire_type,
            is_unsigned: flags & UNSIGNED_FLAG != 0,
            decimals,
        }
    }

    /// Counts bytes of a number in a binary row; `None` for what says its length itself.
    pub(crate) fn width(self) -> Option<usize> {
        match self.wire_type {
            1 => Some(1),
            2 | 13 => Some(2),
            3 | 4 | 9 => Some(4),
            5 | 8 => Some(8),
            6 => Some(0),
            _ => None,
        }
    }

    /// Returns whether the number is a floating-point one.
    pub(crate) fn is_float(self) -> bool {
        matches!(self.wire_type, 4 | 5)
    }

    /// Returns whether it is a point in time or a span.
    pub(crate) fn is_time(self) -> bool {
        matches!(self.wire_type, 7 | 10 | 11 | 12)
    }

    /// Returns a whole number with the sign that its column gives it; one without a sign that is too large is negative.
    pub(crate) fn whole(self, raw: &[u8]) -> i64 {
        let mut wide = [0; 8];
        wide[..raw.len()].copy_from_slice(raw);
        let unused = 64 - 8 * raw.len() as u32;
        let value = u64::from_le_bytes(wide);
        match self.is_unsigned || unused == 64 {
            true => value as i64,
            false => ((value << unused) as i64) >> unused,
        }
    }
}

/// Reads a column's name and type out of its definition.
pub(crate) fn column_of(definition: &[u8]) -> Result<(&[u8], ColumnType), Truncated> {
    let mut bytes = Bytes(definition);
    for _catalog_schema_and_tables in 0..4 {
        bytes.string()?;
    }
    let name = bytes.string()?;
    bytes.string()?; // its name in the table
    bytes.length()?; // of what follows
    bytes.take(2 + 4)?; // character set, display width
    let (wire_type, flags, decimals) = (bytes.u8()?, bytes.u16()?, bytes.u8()?);
    Ok((name, ColumnType::new(wire_type, flags, decimals)))
}

/// Takes the next value of a binary row. Floating-point numbers appear with the fewest digits that tell
/// them apart, which the server's own text may exceed.
pub(crate) fn binary_value(bytes: &mut Bytes<'_>, column: ColumnType) -> Result<Value, WireError> {
    let text = match column.wire_type {
        1 => whole(u64::from(bytes.u8()?), 8, column),
        2 => whole(u64::from(bytes.u16()?), 16, column),
        13 => format!("{:04}", bytes.u16()?), // a year
        3 | 9 => whole(u64::from(bytes.u32()?), 32, column),
        8 => whole(bytes.u64()?, 64, column),
        4 => f32::from_bits(bytes.u32()?).to_string(),
        5 => f64::from_bits(bytes.u64()?).to_string(),
        6 => return Ok(None),
        10 => date(bytes)?,
        7 | 12 => date_and_time(bytes, column)?,
        11 => span(bytes, column)?,
        0 | 15 | 16 | 242 | 245..=255 => return Ok(Some(bytes.string()?.to_vec())),
        other => {
            return Err(WireError::Protocol(format!(
                "a column of unknown type {other}"
            )));
        }
    };
    Ok(Some(text.into_bytes()))
}

/// Returns a whole number of so many bits.
fn whole(raw: u64, bits: u32, column: ColumnType) -> String {
    let unused = 64 - bits;
    match column.is_unsigned {
        true => raw.to_string(),
        false => (((raw << unused) as i64) >> unused).to_string(),
    }
}

/// Reads the parts of a point in time; what the server leaves out is zero.
fn point(bytes: &mut Bytes<'_>) -> Result<(String, [u8; 3], u32), Truncated> {
    let length = usize::from(bytes.u8()?);
    let mut raw = [0; 11];
    raw.get_mut(..length)
        .ok_or(Truncated)?
        .copy_from_slice(bytes.take(length)?);
    let mut parts = Bytes(&raw);
    let date = format!("{:04}-{:02}-{:02}", parts.u16()?, parts.u8()?, parts.u8()?);
    Ok((date, [parts.u8()?, parts.u8()?, parts.u8()?], parts.u32()?))
}

fn date(bytes: &mut Bytes<'_>) -> Result<String, Truncated> {
    Ok(point(bytes)?.0)
}

fn date_and_time(bytes: &mut Bytes<'_>, column: ColumnType) -> Result<String, Truncated> {
    let (date, [hour, minute, second], micros) = point(bytes)?;
    Ok(format!(
        "{date} {hour:02}:{minute:02}:{second:02}{}",
        fraction(micros, column)
    ))
}

/// Reads a TIME: a sign, days, and the rest.
fn span(bytes: &mut Bytes<'_>, column: ColumnType) -> Result<String, Truncated> {
    let length = usize::from(bytes.u8()?);
    let mut raw = [0; 12];
    raw.get_mut(..length)
        .ok_or(Truncated)?
        .copy_from_slice(bytes.take(length)?);
    let mut parts = Bytes(&raw);
    let sign = if parts.u8()? == 0 { "" } else { "-" };
    let hours = u64::from(parts.u32()?) * 24 + u64::from(parts.u8()?);
    let (minute, second, micros) = (parts.u8()?, parts.u8()?, parts.u32()?);
    Ok(format!(
        "{sign}{hours:02}:{minute:02}:{second:02}{}",
        fraction(micros, column)
    ))
}

/// Returns the digits of a second behind its point, as many as the column declares.
fn fraction(micros: u32, column: ColumnType) -> String {
    let digits = usize::from(column.decimals.min(6));
    match digits {
        0 => String::new(),
        _ => format!(".{:.*}", digits, format!("{micros:06}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(wire_type: u8, flags: u16, decimals: u8, raw: &[u8]) -> String {
        let mut bytes = Bytes(raw);
        let value = binary_value(&mut bytes, ColumnType::new(wire_type, flags, decimals)).unwrap();
        assert!(bytes.0.is_empty(), "bytes left over");
        String::from_utf8(value.unwrap()).unwrap()
    }

    #[test]
    fn whole_numbers_keep_their_sign_and_width() {
        assert_eq!(shown(1, 0, 0, &[0x80]), "-128");
        assert_eq!(shown(1, UNSIGNED_FLAG, 0, &[0x80]), "128");
        assert_eq!(shown(2, 0, 0, &[0xff, 0xff]), "-1");
        assert_eq!(shown(3, UNSIGNED_FLAG, 0, &[0xff; 4]), "4294967295");
        assert_eq!(
            shown(8, 0, 0, &i64::MIN.to_le_bytes()),
            i64::MIN.to_string()
        );
        assert_eq!(shown(8, UNSIGNED_FLAG, 0, &[0xff; 8]), u64::MAX.to_string());
    }

    #[test]
    fn points_in_time_fill_what_the_server_leaves_out() {
        assert_eq!(shown(10, 0, 0, &[4, 0xe8, 7, 2, 29]), "2024-02-29");
        assert_eq!(shown(12, 0, 0, &[0]), "0000-00-00 00:00:00");
        assert_eq!(
            shown(12, 0, 0, &[7, 0xe8, 7, 2, 29, 1, 2, 3]),
            "2024-02-29 01:02:03"
        );
        let micros = [11, 0xe8, 7, 2, 29, 1, 2, 3, 0x40, 0xe2, 1, 0];
        assert_eq!(shown(7, 0, 3, &micros), "2024-02-29 01:02:03.123");
        assert_eq!(shown(11, 0, 0, &[8, 1, 1, 0, 0, 0, 2, 3, 4]), "-26:03:04");
    }

    #[test]
    fn floating_point_numbers_read_as_written() {
        assert_eq!(shown(4, 0, 31, &1.5f32.to_bits().to_le_bytes()), "1.5");
        assert_eq!(shown(5, 0, 31, &0.1f64.to_bits().to_le_bytes()), "0.1");
    }
}
