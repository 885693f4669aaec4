//! Parses the packets of a reply that are read whole.

use crate::bytes::Bytes;
use crate::{OkReply, ServerError, WireError, limits};

/// Parses an OK packet, be its first byte 0x00 or, after rows, 0xfe. The text and the session changes behind the
/// numbers are given unread.
#[inline]
pub(super) fn parse_ok(payload: &[u8]) -> Result<(OkReply, &[u8]), WireError> {
    // Most numbers fit into one byte each: these are decoded at once.
    if let &[
        _,
        affected @ 0..=0xfa,
        id @ 0..=0xfa,
        s0,
        s1,
        w0,
        w1,
        ref behind @ ..,
    ] = payload
    {
        let ok = OkReply {
            affected_rows: affected.into(),
            last_insert_id: id.into(),
            status: u16::from_le_bytes([s0, s1]),
            warnings: u16::from_le_bytes([w0, w1]),
        };
        return Ok((ok, behind));
    }
    let mut bytes = Bytes(payload);
    bytes.u8()?;
    let ok = OkReply {
        affected_rows: bytes.length()?,
        last_insert_id: bytes.length()?,
        status: bytes.u16()?,
        warnings: bytes.u16()?,
    };
    Ok((ok, bytes.0))
}

pub(super) fn parse_eof(payload: &[u8]) -> Result<OkReply, WireError> {
    let mut bytes = Bytes(payload);
    if bytes.u8()? != 0xfe {
        return Err(WireError::Protocol(
            "the columns do not end with an EOF packet".to_owned(),
        ));
    }
    let warnings = bytes.u16()?;
    Ok(OkReply {
        status: bytes.u16()?,
        warnings,
        ..OkReply::default()
    })
}

pub(super) fn parse_column_count(payload: &[u8]) -> Result<u16, WireError> {
    match Bytes(payload).length()? {
        0 => Err(WireError::Protocol(
            "an impossible number of columns".to_owned(),
        )),
        columns if columns > limits::COLUMNS.0 => Err(WireError::excess(limits::COLUMNS.1)),
        columns => Ok(columns as u16),
    }
}

/// Parses an ERR packet; before log-in some servers leave the SQLSTATE out.
pub(crate) fn parse_error(payload: &[u8]) -> Result<ServerError, WireError> {
    let mut bytes = Bytes(payload);
    bytes.u8()?;
    let code = bytes.u16()?;
    let mut sql_state = *b"HY000";
    if let [b'#', rest @ ..] = bytes.0 {
        sql_state = Bytes(rest).take(5)?.try_into().unwrap_or(sql_state);
        bytes.take(6)?;
    }
    let message = limits::text(bytes.0);
    Ok(ServerError {
        code,
        sql_state,
        message,
    })
}
