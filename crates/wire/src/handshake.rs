//! Reads the server's greeting and writes the handshake response.

use crate::bytes::{Bytes, put_string};
use crate::reply_reader::parse_error;
use crate::{WireError, capability, limits};

/// utf8mb4_general_ci: known to every server since 5.5.3, so that all are spoken to alike.
const COLLATION: u8 = 45;

/// Prefix of old servers, so that replicas of MySQL 5.5 would accept them.
const MARIADB_PREFIX: &str = "5.5.5-";

/// Describes how the server introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) server_version: String,
    pub(crate) is_mariadb: bool,
    pub(crate) connection_id: u32,
    pub(crate) capabilities: u32,
    /// Random bytes that make each proof of a password new.
    pub(crate) nonce: Vec<u8>,
    pub(crate) auth_plugin: String,
}

impl Greeting {
    pub(crate) fn parse(payload: &[u8]) -> Result<Self, WireError> {
        let mut bytes = Bytes(payload);
        match bytes.u8()? {
            10 => {}
            0xff => return Err(parse_error(payload)?.into()),
            other => {
                return Err(WireError::Protocol(format!(
                    "it speaks version {other}, not 10"
                )));
            }
        }
        let version = one_line(limits::text(bytes.string_to_zero()?));
        let connection_id = bytes.u32()?;
        let mut nonce = bytes.take(8)?.to_vec();
        bytes.u8()?;
        let low = bytes.u16()?;
        bytes.take(1 + 2)?; // collation, status
        let high = bytes.u16()?;
        let capabilities = u32::from(high) << 16 | u32::from(low);
        let nonce_length = usize::from(bytes.u8()?);
        bytes.take(10)?;
        // Its second half has at least 13 bytes, the last one a zero that is not part of it.
        let tail = bytes.take(nonce_length.saturating_sub(8).max(13).min(bytes.0.len()))?;
        nonce.extend_from_slice(tail.strip_suffix(&[0]).unwrap_or(tail));
        let auth_plugin = match capabilities & capability::PLUGIN_AUTH {
            0 => "mysql_native_password".to_owned(),
            _ => plugin_name(bytes.0),
        };
        let is_mariadb = version.starts_with(MARIADB_PREFIX) || version.contains("MariaDB");
        let server_version = version
            .strip_prefix(MARIADB_PREFIX)
            .unwrap_or(&version)
            .to_owned();
        Ok(Self {
            server_version,
            is_mariadb,
            connection_id,
            capabilities,
            nonce,
            auth_plugin,
        })
    }
}

/// Puts a version on one line: it goes into lines of text, and must not end them.
fn one_line(text: String) -> String {
    match text.contains(['\n', '\r']) {
        true => text.replace(['\n', '\r'], " "),
        false => text,
    }
}

/// Reads a name up to a zero byte, which servers before 5.5.10 forgot.
fn plugin_name(raw: &[u8]) -> String {
    let end = raw.iter().position(|&byte| byte == 0).unwrap_or(raw.len());
    limits::text(&raw[..end])
}

/// Holds who wants to log in.
#[derive(Debug)]
pub(crate) struct HandshakeResponse<'a> {
    pub(crate) capabilities: u32,
    pub(crate) user: &'a str,
    pub(crate) auth_response: &'a [u8],
    pub(crate) database: Option<&'a str>,
    pub(crate) auth_plugin: &'a str,
}

/// Appends what both the demand for TLS and the handshake response begin with.
pub(crate) fn put_handshake_response_head(out: &mut Vec<u8>, capabilities: u32) {
    out.extend_from_slice(&capabilities.to_le_bytes());
    out.extend_from_slice(&(1u32 << 30).to_le_bytes()); // longest payload it accepts
    out.push(COLLATION);
    out.extend_from_slice(&[0; 23]);
}

impl HandshakeResponse<'_> {
    pub(crate) fn put(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        put_handshake_response_head(out, self.capabilities);
        put_to_zero(out, self.user.as_bytes())?;
        self.put_auth_response(out)?;
        if let Some(database) = self.database {
            put_to_zero(out, database.as_bytes())?;
        }
        if self.has(capability::PLUGIN_AUTH) {
            put_to_zero(out, self.auth_plugin.as_bytes())?;
        }
        if self.has(capability::CONNECT_ATTRS) {
            let mut attributes = Vec::new();
            for text in [
                "_client_name",
                "dbdyno",
                "_client_version",
                env!("CARGO_PKG_VERSION"),
            ] {
                put_string(&mut attributes, text.as_bytes());
            }
            put_string(out, &attributes);
        }
        Ok(())
    }

    fn put_auth_response(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        match u8::try_from(self.auth_response.len()) {
            _ if self.has(capability::PLUGIN_AUTH_LENENC) => put_string(out, self.auth_response),
            Ok(length) => {
                out.push(length);
                out.extend_from_slice(self.auth_response);
            }
            Err(_) => {
                return Err(WireError::NotOffered("a password of this length"));
            }
        }
        Ok(())
    }

    fn has(&self, capability: u32) -> bool {
        self.capabilities & capability != 0
    }
}

fn put_to_zero(out: &mut Vec<u8>, text: &[u8]) -> Result<(), WireError> {
    if text.contains(&0) {
        return Err(WireError::Misuse("a name holds a zero byte"));
    }
    out.extend_from_slice(text);
    out.push(0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(version: &str) -> Vec<u8> {
        let mut out = vec![10];
        out.extend_from_slice(version.as_bytes());
        out.extend_from_slice(&[0, 7, 0, 0, 0]);
        out.extend_from_slice(b"abcdefgh\0");
        out.extend_from_slice(&[0xff, 0xf7, 45, 2, 0, 0xff, 0x81, 21]);
        out.extend_from_slice(&[0; 10]);
        out.extend_from_slice(b"ijklmnopqrst\0caching_sha2_password\0");
        out
    }

    #[test]
    fn a_greeting_is_taken_apart() {
        let greeting = Greeting::parse(&sample("9.7.4-2")).unwrap();
        assert_eq!(greeting.server_version, "9.7.4-2");
        assert_eq!(greeting.connection_id, 7);
        assert_eq!(greeting.nonce, b"abcdefghijklmnopqrst");
        assert_eq!(greeting.auth_plugin, "caching_sha2_password");
        assert_eq!(greeting.capabilities, 0x81ff_f7ff);
        assert!(!greeting.is_mariadb);
    }

    #[test]
    fn the_version_of_a_mariadb_loses_its_prefix() {
        let greeting = Greeting::parse(&sample("5.5.5-10.11.6-MariaDB")).unwrap();
        assert_eq!(greeting.server_version, "10.11.6-MariaDB");
        assert!(greeting.is_mariadb);
        assert!(
            Greeting::parse(&sample("11.8.6-MariaDB-0+deb13u1 from Debian"))
                .unwrap()
                .is_mariadb
        );
    }

    #[test]
    fn a_refusal_instead_of_a_greeting_is_passed_on() {
        let error = Greeting::parse(b"\xff\x10\x04Too many connections").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server answered error 1040 (HY000): Too many connections"
        );
    }

    #[test]
    fn a_greeting_cut_short_is_refused_and_never_panics() {
        let whole = sample("9.7.4");
        let needed = whole.len() - b"caching_sha2_password\0".len() - b"ijklmnopqrst\0".len();
        for cut in 0..whole.len() {
            assert_eq!(
                Greeting::parse(&whole[..cut]).is_err(),
                cut < needed,
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_handshake_response_holds_what_was_agreed_and_nothing_else() {
        let mut handshake_response = HandshakeResponse {
            capabilities: capability::PLUGIN_AUTH | capability::PLUGIN_AUTH_LENENC,
            user: "app",
            auth_response: b"\x01\x02",
            database: None,
            auth_plugin: "m",
        };
        let written = |handshake_response: &HandshakeResponse<'_>| {
            let mut out = Vec::new();
            handshake_response.put(&mut out).unwrap();
            out.split_off(32)
        };
        assert_eq!(written(&handshake_response), b"app\0\x02\x01\x02m\0");
        handshake_response.capabilities = capability::CONNECT_WITH_DB;
        handshake_response.database = Some("db");
        assert_eq!(written(&handshake_response), b"app\0\x02\x01\x02db\0");
        handshake_response.user = "a\0p";
        assert!(
            handshake_response.put(&mut Vec::new()).is_err(),
            "a zero byte would end the name early"
        );
    }
}
