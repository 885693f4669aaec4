//! Performs the handshake: it accepts everybody, in the form that each client expects.

use super::packet::finish;
use super::{Bytes, Truncated, capability, put_ok, status};
use dbdyno_wire::packet::begin;
use std::fmt;
use std::str::FromStr;

/// utf8mb4_general_ci, known to every client.
const COLLATION: u8 = 45;

const NATIVE: &str = "mysql_native_password";
const CACHING_SHA2: &str = "caching_sha2_password";

/// Describes how users are asked to prove their passwords, all of which are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Auth {
    /// `mysql_native_password`, which clients of every age can do.
    #[default]
    Native,
    /// `caching_sha2_password`, as if the password were in the server's cache.
    CachingSha2,
}

impl fmt::Display for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Native => NATIVE,
            Self::CachingSha2 => CACHING_SHA2,
        })
    }
}

impl FromStr for Auth {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            NATIVE => Ok(Self::Native),
            CACHING_SHA2 => Ok(Self::CachingSha2),
            _ => Err(format!("{NATIVE} or {CACHING_SHA2} is allowed")),
        }
    }
}

/// Appends the greeting, which the server sends first.
pub(crate) fn put_greeting(
    out: &mut Vec<u8>,
    version: &str,
    connection: u32,
    offered: u32,
    auth: Auth,
) {
    let [low, high] = [offered as u16, (offered >> 16) as u16];
    let nonce = nonce(connection);
    let start = begin(out);
    out.push(10); // version of the protocol
    out.extend_from_slice(version.as_bytes());
    out.push(0);
    out.extend_from_slice(&connection.to_le_bytes());
    out.extend_from_slice(&nonce[..8]);
    out.push(0);
    out.extend_from_slice(&low.to_le_bytes());
    out.push(COLLATION);
    out.extend_from_slice(&status::AUTOCOMMIT.to_le_bytes());
    out.extend_from_slice(&high.to_le_bytes());
    out.push(nonce.len() as u8 + 1);
    out.extend_from_slice(&[0; 10]);
    out.extend_from_slice(&nonce[8..]);
    out.push(0);
    out.extend_from_slice(auth.to_string().as_bytes());
    out.push(0);
    finish(out, start, &mut 0);
}

/// Returns twenty printable bytes. Nobody checks the proof that is made from them, so they may be guessed.
fn nonce(connection: u32) -> [u8; 20] {
    let mut nonce = *b"dbdyno-null-server-#";
    for (at, place) in nonce[12..].iter_mut().enumerate() {
        *place = b'a' + (connection >> (4 * at) & 0xf) as u8;
    }
    nonce
}

/// Holds who wants to log in, as far as it matters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandshakeResponse {
    pub(crate) capabilities: u32,
    /// The client waits for the word that its password was in the cache.
    expects_fast_auth: bool,
}

impl HandshakeResponse {
    pub(crate) fn parse(payload: &[u8]) -> Result<Self, Truncated> {
        let mut bytes = Bytes(payload);
        let capabilities = bytes.u32()?;
        let has = |bit: u32| capabilities & bit != 0;
        bytes.take(4 + 1 + 23)?; // longest packet, collation, filler
        bytes.string_to_zero()?; // user
        let auth_response = if has(capability::PLUGIN_AUTH_LENENC) {
            bytes.string()?
        } else {
            let length = usize::from(bytes.u8()?);
            bytes.take(length)?
        };
        if has(capability::CONNECT_WITH_DB) && !bytes.0.is_empty() {
            bytes.string_to_zero()?;
        }
        let plugin = match has(capability::PLUGIN_AUTH) {
            true => bytes.string_to_zero().unwrap_or(bytes.0),
            false => NATIVE.as_bytes(),
        };
        let has_password = !matches!(auth_response, [] | [0]);
        Ok(Self {
            capabilities,
            expects_fast_auth: has_password && plugin == CACHING_SHA2.as_bytes(),
        })
    }

    /// Lets the user in.
    pub(crate) fn put_ok_packet(&self, out: &mut Vec<u8>, mut sequence: u8) {
        if self.expects_fast_auth {
            let start = begin(out);
            out.extend_from_slice(&[0x01, 0x03]); // the quick way worked
            finish(out, start, &mut sequence);
        }
        put_ok(out, &mut sequence, 0, status::AUTOCOMMIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handshake_response(capabilities: u32, auth_response: &[u8], plugin: &str) -> Vec<u8> {
        let mut payload = capabilities.to_le_bytes().to_vec();
        payload.extend_from_slice(&[0; 28]);
        payload.extend_from_slice(b"app\0");
        payload.push(auth_response.len() as u8);
        payload.extend_from_slice(auth_response);
        if capabilities & capability::CONNECT_WITH_DB != 0 {
            payload.extend_from_slice(b"sbtest\0");
        }
        payload.extend_from_slice(plugin.as_bytes());
        payload.push(0);
        payload
    }

    #[test]
    fn only_clients_that_expect_fast_auth_get_it() {
        let bits =
            capability::PLUGIN_AUTH | capability::PLUGIN_AUTH_LENENC | capability::CONNECT_WITH_DB;
        let welcome = |auth_response: &[u8], plugin: &str| {
            let mut out = Vec::new();
            let handshake_response =
                HandshakeResponse::parse(&handshake_response(bits, auth_response, plugin)).unwrap();
            handshake_response.put_ok_packet(&mut out, 2);
            out
        };
        let plain = welcome(&[7; 20], NATIVE);
        assert_eq!(plain, [7, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(welcome(&[7; 32], CACHING_SHA2)[..6], [2, 0, 0, 2, 1, 3]);
        assert_eq!(welcome(&[], CACHING_SHA2), plain);
        assert_eq!(welcome(&[0], CACHING_SHA2), plain);
    }

    #[test]
    fn a_truncated_handshake_response_is_refused_and_never_panics() {
        let whole = handshake_response(0, b"12345678901234567890", "");
        for cut in 0..whole.len() - 1 {
            assert_eq!(
                HandshakeResponse::parse(&whole[..cut]),
                Err(Truncated),
                "{cut}"
            );
        }
    }

    #[test]
    fn a_nonce_holds_no_zero_byte() {
        for connection in [0, 1, u32::MAX] {
            assert!(nonce(connection).iter().all(u8::is_ascii_graphic));
        }
    }
}
