//! Reads the values of a prepared statement.

use super::token::{TokenKind, Tokens};
use crate::protocol::{Bytes, Truncated, wire_type};

/// Places for values in a statement.
pub(crate) fn count_places(sql: &[u8]) -> u16 {
    let is_place = |token: &super::Token| token.kind == TokenKind::Value && token.text(sql) == b"?";
    let count = Tokens::of(sql).filter(is_place).count();
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Types of the first two values, which a client need send with the first execution only.
pub(crate) type ParameterTypes = [u8; 2];

/// Returns the first two of `count` values of an execution as whole numbers, which is what a range is made of.
/// `None` if they are something else. `body` begins after the iteration count.
pub(crate) fn first_two(
    body: &[u8],
    count: u16,
    types: &mut ParameterTypes,
) -> Result<Option<[i64; 2]>, Truncated> {
    let count = usize::from(count);
    if count < 2 {
        return Ok(None);
    }
    let mut bytes = Bytes(body);
    let nulls = bytes.take(count.div_ceil(8))?;
    if bytes.u8()? == 1 {
        let raw = bytes.take(2 * count)?;
        *types = [raw[0], raw[2]];
    }
    if nulls[0] & 0b11 != 0 {
        return Ok(None);
    }
    let first = whole_number(&mut bytes, types[0])?;
    let second = whole_number(&mut bytes, types[1])?;
    Ok(first.zip(second).map(|(first, second)| [first, second]))
}

fn whole_number(bytes: &mut Bytes<'_>, kind: u8) -> Result<Option<i64>, Truncated> {
    let mut signed = |width: usize| {
        let unused = 64 - 8 * width as u32;
        bytes
            .number(width)
            .map(|raw| ((raw << unused) as i64) >> unused)
    };
    Ok(Some(match kind {
        wire_type::TINY => signed(1)?,
        wire_type::SHORT => signed(2)?,
        wire_type::LONG | wire_type::INT24 => signed(4)?,
        wire_type::LONGLONG => signed(8)?,
        wire_type::VAR_STRING | wire_type::STRING | wire_type::NEWDECIMAL => {
            return Ok(decimal(bytes.string()?));
        }
        _ => return Ok(None),
    }))
}

/// Returns a whole number in digits.
pub(crate) fn decimal(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_quotes_names_and_comments_are_none() {
        let places = |sql: &str| count_places(sql.as_bytes());
        assert_eq!(places("SELECT ? + ?, '?', \"?\", `?` /* ? */ -- ?\n, ?"), 3);
        assert_eq!(places("SELECT 1"), 0);
        assert_eq!(places("SELECT 'it''s ?', '\\'?', ?"), 1);
    }

    #[test]
    fn types_are_remembered_from_the_first_execution() {
        let mut types = [0; 2];
        let mut first = vec![0, 1, 8, 0, 3, 0];
        first.extend_from_slice(&(-4i64).to_le_bytes());
        first.extend_from_slice(&95i32.to_le_bytes());
        assert_eq!(first_two(&first, 2, &mut types), Ok(Some([-4, 95])));
        let mut later = vec![0, 0];
        later.extend_from_slice(&7i64.to_le_bytes());
        later.extend_from_slice(&8i32.to_le_bytes());
        assert_eq!(first_two(&later, 2, &mut types), Ok(Some([7, 8])));
        assert_eq!(first_two(&later[..9], 2, &mut types), Err(Truncated));
    }

    #[test]
    fn numbers_may_come_as_text_and_nulls_are_none() {
        let mut types = [0; 2];
        let text = [0, 1, 253, 0, 254, 0, 2, b'1', b'0', 2, b'1', b'9'];
        assert_eq!(first_two(&text, 2, &mut types), Ok(Some([10, 19])));
        let null = [0b10, 1, 8, 0, 6, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(first_two(&null, 2, &mut types), Ok(None));
        assert_eq!(first_two(&[], 1, &mut types), Ok(None));
    }
}
