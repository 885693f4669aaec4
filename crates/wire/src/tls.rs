//! Encrypts a connection: performs the TLS handshake and transforms the bytes under it.

mod certificates;
mod ciphers;

pub use ciphers::knows_tls_cipher;

use crate::stream::{SocketStream, WaitReason};
use crate::{Address, ReadBuffer, SessionOptions, TlsInfo, TlsPolicy, WireError};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use std::io::{self, Read, Write};
use std::net::IpAddr;

/// A connection under encryption.
#[derive(Debug)]
pub(crate) struct TlsStream {
    session: ClientConnection,
    pub(crate) stream: SocketStream,
}

impl TlsStream {
    /// Shakes hands, blocking.
    pub(crate) fn connect(
        stream: SocketStream,
        address: &Address,
        policy: &TlsPolicy,
        options: &SessionOptions,
    ) -> Result<Self, WireError> {
        let tls_error = |reason: String| WireError::Tls {
            peer: address.to_string(),
            reason,
        };
        let name = server_name(address, policy, stream.peer_ip()).map_err(tls_error)?;
        let config = certificates::config(policy, options).map_err(tls_error)?;
        let session =
            ClientConnection::new(config, name).map_err(|error| tls_error(error.to_string()))?;
        let mut tls = Self { session, stream };
        while tls.session.is_handshaking() {
            if !tls.push()? || (tls.session.wants_read() && !tls.pull()?) {
                return Err(tls.stream.timed_out(WaitReason::Handshake));
            }
        }
        Ok(tls)
    }

    pub(crate) fn info(&self) -> TlsInfo {
        let version = self.session.protocol_version();
        let cipher = self.session.negotiated_cipher_suite();
        TlsInfo {
            version: match version {
                Some(rustls::ProtocolVersion::TLSv1_2) => "TLSv1.2".to_owned(),
                Some(rustls::ProtocolVersion::TLSv1_3) => "TLSv1.3".to_owned(),
                other => format!("{other:?}"),
            },
            cipher: cipher.map(ciphers::name).unwrap_or_default(),
        }
    }

    /// Receives once and decrypts all that came. `None` if the socket has nothing at present.
    pub(crate) fn read(&mut self, buffer: &mut ReadBuffer) -> Result<Option<usize>, WireError> {
        loop {
            let held_back = self.decrypted(&mut buffer.clear)?;
            if held_back > 0 {
                return Ok(Some(held_back));
            }
            let count = match self.stream.read(&mut buffer.sealed) {
                Ok(0) => return Err(self.stream.closed()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.stream.failed("reading from", error)),
            };
            let filled = self.decrypt(&buffer.sealed[..count], &mut buffer.clear)?;
            self.push()?; // a change of keys may want an answer
            if filled > 0 {
                return Ok(Some(filled));
            }
        }
    }

    /// Hands over what was received, which `read_tls` takes in small portions, and collects the text.
    fn decrypt(&mut self, mut sealed: &[u8], clear: &mut [u8]) -> Result<usize, WireError> {
        let mut filled = 0;
        while !sealed.is_empty() {
            let taken = self.session.read_tls(&mut sealed);
            taken.map_err(|error| self.stream.failed("reading from", error))?;
            self.process()?;
            filled += self.decrypted(&mut clear[filled..])?;
        }
        Ok(filled)
    }

    /// Moves decrypted bytes as far as there are any and as `clear` holds them.
    fn decrypted(&mut self, clear: &mut [u8]) -> Result<usize, WireError> {
        let mut filled = 0;
        while filled < clear.len() {
            match self.session.reader().read(&mut clear[filled..]) {
                Ok(0) => {
                    return if filled > 0 {
                        Ok(filled)
                    } else {
                        Err(self.stream.closed())
                    };
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(self.stream.failed("reading from", error)),
            }
        }
        Ok(filled)
    }

    /// Encrypts bytes and sends them. Says how many it took; 0 if the socket is full.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        if !self.push()? {
            return Ok(0);
        }
        let taken = self.session.writer().write(bytes);
        let taken = taken.map_err(|error| self.stream.failed("writing to", error))?;
        self.push()?;
        Ok(taken)
    }

    pub(crate) fn wants_write(&self) -> bool {
        self.session.wants_write()
    }

    /// Sends what is encrypted. False if the socket is full before that is done.
    pub(crate) fn push(&mut self) -> Result<bool, WireError> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.stream) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(self.stream.failed("writing to", error)),
            }
        }
        Ok(true)
    }

    /// Receives a part of the handshake. False if nothing came in time.
    fn pull(&mut self) -> Result<bool, WireError> {
        match self.session.read_tls(&mut self.stream) {
            Ok(0) => return Err(self.stream.closed()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(self.stream.failed("reading from", error)),
        }
        self.process().map(|()| true)
    }

    fn process(&mut self) -> Result<(), WireError> {
        let Err(error) = self.session.process_new_packets() else {
            return Ok(());
        };
        let _: Result<bool, WireError> = self.push(); // the alert that says why, if it still goes out
        let peer = self.stream.peer().to_owned();
        Err(WireError::Tls {
            peer,
            reason: error.to_string(),
        })
    }
}

/// Returns the name that the certificate should have. Where the policy does not compare names, the address takes the
/// place of a host that is none, such as `fe80::1%eth0`.
fn server_name(
    address: &Address,
    policy: &TlsPolicy,
    peer_ip: Option<IpAddr>,
) -> Result<ServerName<'static>, String> {
    let host = match address {
        Address::Tcp { host, .. } => host.as_str(),
        Address::Socket(_) => "localhost",
    };
    match (ServerName::try_from(host.to_owned()), peer_ip, policy) {
        (Ok(name), ..) => Ok(name),
        (Err(_), None, _) | (Err(_), _, TlsPolicy::VerifyIdentity(_)) => Err(format!(
            "{host:?} is not a name that a certificate can have"
        )),
        (Err(_), Some(ip), _) => Ok(ip.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_a_name_is_refused_only_where_names_are_compared() {
        let name_of = |host: &str, policy: &TlsPolicy, ip: &str| {
            let host = host.to_owned();
            server_name(&Address::Tcp { host, port: 1 }, policy, ip.parse().ok())
        };
        let authority = std::path::PathBuf::from("ca.pem");
        for (host, ip) in [("fe80::1%eth0", "fe80::1"), ("127.1", "127.0.0.1")] {
            let expected = ServerName::from(ip.parse::<IpAddr>().unwrap());
            for policy in [
                TlsPolicy::Preferred,
                TlsPolicy::Required,
                TlsPolicy::VerifyCa(authority.clone()),
            ] {
                assert_eq!(name_of(host, &policy, ip).as_ref(), Ok(&expected));
            }
            let identity = TlsPolicy::VerifyIdentity(authority.clone());
            assert!(name_of(host, &identity, ip).unwrap_err().contains(host));
        }
        let named = name_of("db.example", &TlsPolicy::Required, "10.0.0.1").unwrap();
        assert_eq!(named.to_str(), "db.example");
    }
}
