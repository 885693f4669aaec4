//! Logs in: conducts the dialogue from the server's greeting to its OK.

use crate::auth::{AuthMethod, TransportSecurity};
use crate::bytes::Bytes;
use crate::connection::WireConnection;
use crate::deadline::Deadline;
use crate::handshake::{Greeting, HandshakeResponse, put_handshake_response_head};
use crate::packet::{begin, finish};
use crate::reply::STATUS_NO_BACKSLASH_ESCAPES;
use crate::reply_reader::{ReplyReader, parse_error};
use crate::stream::SocketStream;
use crate::transport::Transport;
use crate::{
    Address, Compression, Endpoint, ReadBuffer, SessionInfo, SessionOptions, TlsInfo, TlsPolicy,
    WireError, capability, limits,
};
use std::time::Duration;

/// Words for what is under way, for errors.
const DOING: &str = "logging in";

const OK: u8 = 0x00;
const AUTH_MORE_DATA: u8 = 0x01;
const AUTH_SWITCH_REQUEST: u8 = 0xfe;
const ERROR: u8 = 0xff;

/// No honest server needs more packets to make up its mind.
const MAX_AUTH_ROUNDS: u32 = 16;

/// Connects, encrypts if the policy says so, and logs in.
pub(crate) fn log_in(
    endpoint: &Endpoint,
    options: &SessionOptions,
    limit: Duration,
) -> Result<WireConnection, WireError> {
    let deadline = Deadline::after(limit, &options.cancel);
    let mut connect_retries = 0;
    let stream = SocketStream::connect(
        &endpoint.address,
        options.path_timeout,
        deadline,
        &mut connect_retries,
    )?;
    let connection = log_in_over(stream, endpoint, options);
    let mut connection = connection.map_err(|error| {
        let peer = endpoint.address.to_string();
        error.with_context(&peer, || DOING.to_owned())
    })?;
    connection.info.connect_retries = connect_retries;
    Ok(connection)
}

/// Logs in over a connected socket, by whose deadline all of it is to be done.
pub(crate) fn log_in_over(
    stream: SocketStream,
    endpoint: &Endpoint,
    options: &SessionOptions,
) -> Result<WireConnection, WireError> {
    let mut buffer = ReadBuffer::small();
    let mut connection = WireConnection::new(Transport::Clear(stream));
    let (payload, sequence) = connection.read_packet(&mut buffer)?;
    let greeting = Greeting::parse(&payload)?;
    let capabilities = agreed_capabilities(&greeting, endpoint, options)?;
    let mut login = Login {
        connection,
        buffer,
        endpoint,
        options,
        sequence,
    };
    let mut tls = None;
    if capabilities & capability::SSL != 0 {
        let session_info;
        (login, session_info) = login.encrypt(capabilities)?;
        tls = Some(session_info);
    }
    let (method, status) = login.authenticate(&greeting, capabilities)?;
    let mut connection = login.connection;
    connection.reader = ReplyReader::new(capabilities & capability::DEPRECATE_EOF != 0);
    *connection.info = SessionInfo {
        server_version: greeting.server_version,
        connect_retries: 0,
        connection_id: greeting.connection_id,
        auth_plugin: method.name().to_owned(),
        tls,
        compression: options.compression,
        capabilities,
        is_mariadb: greeting.is_mariadb,
        has_plain_backslashes: status & STATUS_NO_BACKSLASH_ESCAPES != 0,
    };
    let stream = connection.transport.stream_mut();
    stream.set_limit(options.answer_timeout)?;
    Ok(match options.compression {
        Compression::Off => connection,
        Compression::Zlib => connection.compressed(),
    })
}

/// Returns the status bits in the rest of an OK packet.
fn session_status(rest: &[u8]) -> Result<u16, WireError> {
    let mut bytes = Bytes(rest);
    bytes.length()?; // affected rows
    bytes.length()?; // last insert id
    Ok(bytes.u16()?)
}

/// Returns what both sides can do, as far as this endpoint wants it.
fn agreed_capabilities(
    greeting: &Greeting,
    endpoint: &Endpoint,
    options: &SessionOptions,
) -> Result<u32, WireError> {
    let offered = greeting.capabilities;
    if offered & capability::NEEDED != capability::NEEDED {
        let what = format!(
            "{} does not support the log-in of MySQL 4.1",
            greeting.server_version
        );
        return Err(WireError::Protocol(what));
    }
    // MariaDB does not offer the lowest bit, but recognises a MySQL client by it.
    let wanted = capability::OURS | capability::optional(options);
    let mut agreed = (offered | capability::LONG_PASSWORD) & wanted;
    if options.compression != Compression::Off && agreed & capability::COMPRESS == 0 {
        return Err(WireError::NotOffered("compression"));
    }
    if endpoint.database.is_some() {
        agreed |= capability::CONNECT_WITH_DB;
    }
    let offers_tls = offered & capability::SSL != 0;
    let wants_tls = match endpoint.tls {
        TlsPolicy::Off => false,
        TlsPolicy::Preferred => offers_tls && matches!(endpoint.address, Address::Tcp { .. }),
        TlsPolicy::IfOffered => offers_tls,
        TlsPolicy::Required | TlsPolicy::VerifyCa(_) | TlsPolicy::VerifyIdentity(_) => true,
    };
    if wants_tls && !offers_tls {
        let reason = "required, but the server does not offer it".to_owned();
        return Err(WireError::Tls {
            peer: endpoint.address.to_string(),
            reason,
        });
    }
    Ok(if wants_tls {
        agreed | capability::SSL
    } else {
        agreed
    })
}

/// Methods with a nonce of 20 bytes put a zero behind it; in longer ones the last byte may be zero by chance.
fn nonce_of(data: &[u8]) -> &[u8] {
    match data {
        [nonce @ .., 0] if nonce.len() == 20 => nonce,
        nonce => nonce,
    }
}

struct Login<'a> {
    connection: WireConnection,
    buffer: ReadBuffer,
    endpoint: &'a Endpoint,
    options: &'a SessionOptions,
    /// Of the next packet to send.
    sequence: u8,
}

impl Login<'_> {
    /// Announces TLS and shakes hands.
    fn encrypt(mut self, capabilities: u32) -> Result<(Self, TlsInfo), WireError> {
        let mut head = Vec::new();
        put_handshake_response_head(&mut head, capabilities);
        self.send(&head)?;
        if self.connection.has_leftover() {
            let what = "it sent something before the encryption began".to_owned();
            return Err(WireError::Protocol(what));
        }
        let Endpoint {
            address,
            tls: policy,
            ..
        } = self.endpoint;
        let (transport, session_info) =
            self.connection
                .transport
                .encrypted(address, policy, self.options)?;
        self.connection = WireConnection::new(transport);
        self.sequence += 1;
        Ok((self, session_info))
    }

    /// Sends the handshake response and authenticates. Returns the method that the server accepted, and the status bits
    /// of the session.
    fn authenticate(
        &mut self,
        greeting: &Greeting,
        capabilities: u32,
    ) -> Result<(AuthMethod, u16), WireError> {
        // A default method unknown here may still not be this user's: the server will switch.
        let mut method =
            AuthMethod::named(&greeting.auth_plugin).unwrap_or(AuthMethod::NativePassword);
        let mut nonce = greeting.nonce.clone();
        let handshake_response = HandshakeResponse {
            capabilities,
            user: &self.endpoint.user,
            auth_response: &self.auth_response(method, &nonce)?,
            database: self.endpoint.database.as_deref(),
            auth_plugin: method.name(),
        };
        let mut payload = Vec::new();
        handshake_response.put(&mut payload)?;
        self.send(&payload)?;
        for _ in 0..MAX_AUTH_ROUNDS {
            let answer = self.receive()?;
            match answer.split_first() {
                Some((&OK, rest)) => return Ok((method, session_status(rest)?)),
                Some((&ERROR, _)) => return Err(self.login_error(method, &answer)?),
                Some((&AUTH_SWITCH_REQUEST, rest)) => {
                    (method, nonce) = self.auth_switch(rest)?;
                    let auth_response = self.auth_response(method, &nonce)?;
                    self.send(&auth_response)?;
                }
                Some((&AUTH_MORE_DATA, more)) => self.auth_more_data(method, &nonce, more)?,
                _ => {
                    return Err(WireError::Protocol(
                        "it sent an unexpected answer to the password".into(),
                    ));
                }
            }
        }
        Err(WireError::Protocol(
            "it did not finish the log-in".to_owned(),
        ))
    }

    /// Reads the method and the nonce that the server wants instead.
    fn auth_switch(&self, rest: &[u8]) -> Result<(AuthMethod, Vec<u8>), WireError> {
        if rest.is_empty() {
            let reason = "the method of MySQL 4.0 is insecure; give the user another one";
            return Err(self.auth_error("mysql_old_password", reason));
        }
        let mut bytes = Bytes(rest);
        let name = limits::text(bytes.string_to_zero()?);
        let method = AuthMethod::named(&name)
            .ok_or_else(|| self.auth_error(&name, "this client does not support that method"))?;
        Ok((method, nonce_of(bytes.0).to_vec()))
    }

    fn auth_response(&self, method: AuthMethod, nonce: &[u8]) -> Result<Vec<u8>, WireError> {
        method
            .auth_response(&self.endpoint.password, nonce, self.transport_security())
            .map_err(|reason| self.auth_error(method.name(), reason))
    }

    fn auth_more_data(
        &mut self,
        method: AuthMethod,
        nonce: &[u8],
        data: &[u8],
    ) -> Result<(), WireError> {
        let answer = method
            .auth_more_data(
                &self.endpoint.password,
                nonce,
                self.transport_security(),
                data,
            )
            .map_err(|reason| self.auth_error(method.name(), reason))?;
        match answer {
            Some(answer) => self.send(&answer),
            None => Ok(()),
        }
    }

    fn transport_security(&self) -> TransportSecurity {
        match &self.connection.transport {
            Transport::Tls(_) => TransportSecurity::Encrypted,
            Transport::Clear(stream) if stream.is_local() => TransportSecurity::Local,
            Transport::Clear(_) | Transport::Compressed(_) => TransportSecurity::Open,
        }
    }

    /// Reads an error: SQLSTATE 28000 is about the user; anything else (an unknown schema) is an error like others.
    fn login_error(&self, method: AuthMethod, answer: &[u8]) -> Result<WireError, WireError> {
        let error = parse_error(answer)?;
        Ok(match &error.sql_state {
            b"28000" => WireError::Authentication {
                user: self.endpoint.user.clone(),
                plugin: method.name().to_owned(),
                reason: error.to_string(),
                server: Some(Box::new(error)),
            },
            _ => WireError::Server(error),
        })
    }

    fn auth_error(&self, method: &str, reason: &str) -> WireError {
        WireError::Authentication {
            user: self.endpoint.user.clone(),
            plugin: method.to_owned(),
            reason: reason.to_owned(),
            server: None,
        }
    }

    fn send(&mut self, payload: &[u8]) -> Result<(), WireError> {
        let out = &mut self.connection.out;
        let start = begin(out);
        out.extend_from_slice(payload);
        finish(out, start, self.sequence);
        self.connection.flush_all()
    }

    fn receive(&mut self) -> Result<Vec<u8>, WireError> {
        let (payload, sequence) = self.connection.read_packet(&mut self.buffer)?;
        self.sequence = sequence;
        Ok(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_nonce_of_twenty_bytes_ends_before_a_zero() {
        let with_zero = |length| [vec![7; length], vec![0]].concat();
        assert_eq!(nonce_of(&with_zero(20)), [7; 20]);
        assert_eq!(nonce_of(&with_zero(31)), with_zero(31));
        assert_eq!(nonce_of(&[7; 32]), [7; 32]);
        assert_eq!(nonce_of(b""), b"");
    }
}
