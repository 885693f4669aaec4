//! The dialogue from the server's greeting to its OK.

use crate::auth::{Method, Secrecy};
use crate::bytes::Bytes;
use crate::connection::Connection;
use crate::greeting::{Greeting, Introduction, put_introduction_head};
use crate::packet::{begin, finish};
use crate::reply_reader::{ReplyReader, parse_error};
use crate::stream::{Deadline, Stream};
use crate::transport::Transport;
use crate::{
    Address, Compression, Endpoint, ReadBuffer, SessionFacts, SessionOptions, TlsFacts, TlsPolicy,
    WireError, capability,
};
use std::time::Duration;

const OK: u8 = 0x00;
const MORE_DATA: u8 = 0x01;
const SWITCH_METHOD: u8 = 0xfe;
const ERROR: u8 = 0xff;

/// No honest server needs more packets to make up its mind.
const MAX_VERDICTS: u32 = 16;

/// Connects, encrypts if the policy says so, and logs in.
pub(crate) fn log_in(
    endpoint: &Endpoint,
    options: &SessionOptions,
    limit: Duration,
) -> Result<Connection, WireError> {
    let deadline = Deadline::after(limit);
    let mut connect_retries = 0;
    let stream = Stream::connect(&endpoint.address, deadline, &mut connect_retries)?;
    let mut connection = over(stream, endpoint, options, deadline)?;
    connection.facts.connect_retries = connect_retries;
    Ok(connection)
}

/// The same over a connected socket.
pub(crate) fn over(
    stream: Stream,
    endpoint: &Endpoint,
    options: &SessionOptions,
    deadline: Deadline,
) -> Result<Connection, WireError> {
    let mut buffer = ReadBuffer::small();
    let mut connection = Connection::new(Transport::Clear(stream));
    let (payload, sequence) = connection.read_packet(&mut buffer, Some(deadline))?;
    let greeting = Greeting::parse(&payload)?;
    let capabilities = agreed_capabilities(&greeting, endpoint, options)?;
    let mut login = Login {
        connection,
        buffer,
        endpoint,
        options,
        deadline,
        sequence,
    };
    let mut tls = None;
    if capabilities & capability::SSL != 0 {
        let facts;
        (login, facts) = login.encrypt(capabilities)?;
        tls = Some(facts);
    }
    let method = login.authenticate(&greeting, capabilities)?;
    let mut connection = login.connection;
    connection.reader = ReplyReader::new(capabilities & capability::DEPRECATE_EOF != 0);
    *connection.facts = SessionFacts {
        server_version: greeting.server_version,
        connect_retries: 0,
        connection_id: greeting.connection_id,
        auth_plugin: method.name().to_owned(),
        tls,
        compression: options.compression,
        capabilities,
        is_mariadb: greeting.is_mariadb,
    };
    connection.transport.stream_mut().set_limit(None)?;
    Ok(match options.compression {
        Compression::Off => connection,
        Compression::Zlib => connection.compressed(),
    })
}

/// What both sides can do, as far as this endpoint wants it.
fn agreed_capabilities(
    greeting: &Greeting,
    endpoint: &Endpoint,
    options: &SessionOptions,
) -> Result<u32, WireError> {
    let offered = greeting.capabilities;
    if offered & capability::NEEDED != capability::NEEDED {
        let what = format!("{} can't log users in as 4.1 did", greeting.server_version);
        return Err(WireError::Protocol(what));
    }
    // MariaDB does not offer the lowest bit, yet by it learns that it talks to a client of MySQL's kind.
    let wanted = capability::OURS | capability::optional(options);
    let mut agreed = (offered | capability::LONG_PASSWORD) & wanted;
    if options.compression != Compression::Off && agreed & capability::COMPRESS == 0 {
        return Err(WireError::Misuse(
            "compression was demanded, but the server does not offer it",
        ));
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
        let reason = "demanded, but the server does not offer it".to_owned();
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
    connection: Connection,
    buffer: ReadBuffer,
    endpoint: &'a Endpoint,
    options: &'a SessionOptions,
    deadline: Deadline,
    /// Of the next packet to send.
    sequence: u8,
}

impl Login<'_> {
    /// Announces TLS and shakes hands.
    fn encrypt(mut self, capabilities: u32) -> Result<(Self, TlsFacts), WireError> {
        let mut head = Vec::new();
        put_introduction_head(&mut head, capabilities);
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
        let (transport, facts) =
            self.connection
                .transport
                .encrypted(address, policy, self.options, self.deadline)?;
        self.connection = Connection::new(transport);
        self.sequence += 1;
        Ok((self, facts))
    }

    /// Introduces the user and proves the password. Gives the method that convinced.
    fn authenticate(
        &mut self,
        greeting: &Greeting,
        capabilities: u32,
    ) -> Result<Method, WireError> {
        // A default method unknown here may still not be this user's: the server will switch.
        let mut method = Method::named(&greeting.auth_plugin).unwrap_or(Method::NativePassword);
        let mut nonce = greeting.nonce.clone();
        let introduction = Introduction {
            capabilities,
            user: &self.endpoint.user,
            proof: &self.proof(method, &nonce)?,
            database: self.endpoint.database.as_deref(),
            auth_plugin: method.name(),
        };
        let mut payload = Vec::new();
        introduction.put(&mut payload)?;
        self.send(&payload)?;
        for _ in 0..MAX_VERDICTS {
            let answer = self.receive()?;
            match answer.split_first() {
                Some((&OK, _)) => return Ok(method),
                Some((&ERROR, _)) => return Err(self.refusal(method, &answer)?),
                Some((&SWITCH_METHOD, rest)) => {
                    (method, nonce) = self.switch(rest)?;
                    let proof = self.proof(method, &nonce)?;
                    self.send(&proof)?;
                }
                Some((&MORE_DATA, more)) => self.go_on(method, &nonce, more)?,
                _ => {
                    return Err(WireError::Protocol(
                        "it answered a proof with nonsense".into(),
                    ));
                }
            }
        }
        Err(WireError::Protocol(
            "it never came to a verdict at log-in".to_owned(),
        ))
    }

    /// The method and the nonce that the server wants instead.
    fn switch(&self, rest: &[u8]) -> Result<(Method, Vec<u8>), WireError> {
        if rest.is_empty() {
            let reason = "the method of MySQL 4.0 is too weak; give the user another one";
            return Err(self.failed("mysql_old_password", reason));
        }
        let mut bytes = Bytes(rest);
        let name = String::from_utf8_lossy(bytes.string_to_zero()?);
        let method = Method::named(&name)
            .ok_or_else(|| self.failed(&name, "this client does not know that method"))?;
        Ok((method, nonce_of(bytes.0).to_vec()))
    }

    fn proof(&self, method: Method, nonce: &[u8]) -> Result<Vec<u8>, WireError> {
        method
            .proof(&self.endpoint.password, nonce, self.secrecy())
            .map_err(|reason| self.failed(method.name(), reason))
    }

    fn go_on(&mut self, method: Method, nonce: &[u8], said: &[u8]) -> Result<(), WireError> {
        let answer = method
            .go_on(&self.endpoint.password, nonce, self.secrecy(), said)
            .map_err(|reason| self.failed(method.name(), reason))?;
        match answer {
            Some(answer) => self.send(&answer),
            None => Ok(()),
        }
    }

    fn secrecy(&self) -> Secrecy {
        match &self.connection.transport {
            Transport::Tls(_) => Secrecy::Encrypted,
            Transport::Clear(stream) if stream.is_local() => Secrecy::Local,
            Transport::Clear(_) | Transport::Compressed(_) => Secrecy::Open,
        }
    }

    /// SQLSTATE 28000 is about the user; anything else (an unknown schema) is an error like others.
    fn refusal(&self, method: Method, answer: &[u8]) -> Result<WireError, WireError> {
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

    fn failed(&self, method: &str, reason: &str) -> WireError {
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
        self.connection
            .transport
            .stream_mut()
            .wait_until(self.deadline)?;
        self.connection.flush_all()
    }

    fn receive(&mut self) -> Result<Vec<u8>, WireError> {
        let (payload, sequence) = self
            .connection
            .read_packet(&mut self.buffer, Some(self.deadline))?;
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
