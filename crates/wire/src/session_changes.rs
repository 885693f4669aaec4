//! Reads what the server says a statement changed in its session.

use crate::WireError;
use crate::bytes::Bytes;

/// The changes of one statement, as far as the server's `session_track_...` variables have it report them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionChanges {
    /// The schema gone to.
    pub schema: Option<String>,
    /// System variables with their new values, in the order of the changes.
    pub variables: Vec<(String, String)>,
    /// Eight places such as `T_______`: whether a transaction is open and what it has done so far.
    pub transaction_state: Option<String>,
    /// The statements that would begin the same transaction again.
    pub transaction_characteristics: Option<String>,
    /// Global transaction identifiers of what was committed (MySQL).
    pub gtids: Option<String>,
}

impl SessionChanges {
    /// Notes what stands behind the numbers of an OK packet: a text for people, and the changes. Kinds of
    /// change unknown here are passed over.
    pub(crate) fn note(&mut self, behind_numbers: &[u8]) -> Result<(), WireError> {
        let mut bytes = Bytes(behind_numbers);
        bytes.string()?;
        let mut changes = Bytes(bytes.string()?);
        while !changes.0.is_empty() {
            let kind = changes.u8()?;
            let mut change = Bytes(changes.string()?);
            match kind {
                0 => {
                    while !change.0.is_empty() {
                        let name = text(&mut change)?;
                        self.variables.push((name, text(&mut change)?));
                    }
                }
                1 => self.schema = Some(text(&mut change)?),
                3 => {
                    change.u8()?; // how they are written; only one way so far
                    self.gtids = Some(text(&mut change)?);
                }
                4 => self.transaction_characteristics = Some(text(&mut change)?),
                5 => self.transaction_state = Some(text(&mut change)?),
                _ => {}
            }
        }
        Ok(())
    }
}

fn text(bytes: &mut Bytes<'_>) -> Result<String, WireError> {
    // MariaDB writes a variable without a value as NULL.
    let text = bytes.string_or_null()?.unwrap_or_default();
    Ok(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: &[u8] = b"\x02hi\x33\
        \x00\x08\x04time\x02+1\
        \x01\x03\x02db\
        \x02\x02\x011\
        \x03\x05\x00\x03u:1\
        \x04\x07\x06BEGIN;\
        \x05\x09\x08T_______\
        \x63\x03abc";

    #[test]
    fn every_kind_of_change_is_noted() {
        let mut changes = SessionChanges::default();
        changes.note(CHANGES).unwrap();
        let expected = SessionChanges {
            schema: Some("db".to_owned()),
            variables: vec![("time".to_owned(), "+1".to_owned())],
            transaction_state: Some("T_______".to_owned()),
            transaction_characteristics: Some("BEGIN;".to_owned()),
            gtids: Some("u:1".to_owned()),
        };
        assert_eq!(changes, expected);
    }

    #[test]
    fn changes_cut_short_are_refused() {
        for cut in 0..CHANGES.len() {
            assert!(
                SessionChanges::default().note(&CHANGES[..cut]).is_err(),
                "cut at {cut}"
            );
        }
    }
}
