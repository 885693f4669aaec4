//! Encryption: how much the server must prove, and the handshake.

use crate::stream::{Deadline, Stream};
use crate::{Address, TlsFacts, TlsPolicy, WireError};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct};
use rustls::{Error, RootCertStore, SignatureScheme};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A connection under encryption.
#[derive(Debug)]
pub(crate) struct TlsStream {
    session: ClientConnection,
    pub(crate) stream: Stream,
}

impl TlsStream {
    /// Shakes hands, blocking.
    pub(crate) fn connect(
        stream: Stream,
        address: &Address,
        policy: &TlsPolicy,
        deadline: Deadline,
    ) -> Result<Self, WireError> {
        let host = match address {
            Address::Tcp { host, .. } => host.as_str(),
            Address::Socket(_) => "localhost",
        };
        let tls_error = |reason: String| WireError::Tls {
            peer: address.to_string(),
            reason,
        };
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| tls_error(format!("{host:?} is no name a certificate could hold")))?;
        let config = config(policy).map_err(&tls_error)?;
        let session =
            ClientConnection::new(config, name).map_err(|error| tls_error(error.to_string()))?;
        let mut tls = Self { session, stream };
        while tls.session.is_handshaking() {
            tls.stream.wait_until(deadline)?;
            if !tls.push()? || (tls.session.wants_read() && !tls.pull()?) {
                return Err(tls.stream.timed_out("shaking hands with"));
            }
        }
        Ok(tls)
    }

    pub(crate) fn facts(&self) -> TlsFacts {
        let version = self.session.protocol_version();
        let cipher = self.session.negotiated_cipher_suite();
        TlsFacts {
            version: match version {
                Some(rustls::ProtocolVersion::TLSv1_2) => "TLSv1.2".to_owned(),
                Some(rustls::ProtocolVersion::TLSv1_3) => "TLSv1.3".to_owned(),
                other => format!("{other:?}"),
            },
            cipher: cipher
                .map(|suite| format!("{:?}", suite.suite()))
                .unwrap_or_default(),
        }
    }

    /// Reads decrypted bytes; `None` if the socket has nothing more at present.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, WireError> {
        loop {
            match self.session.reader().read(buffer) {
                Ok(0) => return Err(self.stream.closed()),
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(self.stream.failed("reading from", error)),
            }
            if !self.pull()? {
                return Ok(None);
            }
        }
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

    /// Receives once and decrypts. False if nothing is there.
    fn pull(&mut self) -> Result<bool, WireError> {
        match self.session.read_tls(&mut self.stream) {
            Ok(0) => return Err(self.stream.closed()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(self.stream.failed("reading from", error)),
        }
        if let Err(error) = self.session.process_new_packets() {
            let _: Result<bool, WireError> = self.push(); // the alert that says why, if it still goes out
            let peer = self.stream.peer().to_owned();
            return Err(WireError::Tls {
                peer,
                reason: error.to_string(),
            });
        }
        Ok(true)
    }
}

/// The rules of a policy. Sessions are not resumed, so that each connection costs the same.
fn config(policy: &TlsPolicy) -> Result<Arc<ClientConfig>, String> {
    static TRUSTING: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let provider = Arc::new(ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match policy {
        TlsPolicy::Off | TlsPolicy::Preferred | TlsPolicy::Required => {
            if let Some(config) = TRUSTING.get() {
                return Ok(Arc::clone(config));
            }
            let schemes = provider
                .signature_verification_algorithms
                .supported_schemes();
            Arc::new(AnyCertificate { schemes })
        }
        TlsPolicy::VerifyCa(path) => Arc::new(AnyName {
            authority: authority(path, &provider)?,
        }),
        TlsPolicy::VerifyIdentity(path) => authority(path, &provider)?,
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    let config = Arc::new(config);
    Ok(match policy {
        TlsPolicy::VerifyCa(_) | TlsPolicy::VerifyIdentity(_) => config,
        _ => Arc::clone(TRUSTING.get_or_init(|| config)),
    })
}

/// Trust in the certificates of a PEM file.
fn authority(
    path: &Path,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let why =
        |error: &dyn std::fmt::Display| format!("certificates of {}: {error}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| why(&error))? {
        let certificate = certificate.map_err(|error| why(&error))?;
        roots.add(certificate).map_err(|error| why(&error))?;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| why(&error))
}

/// Accepts whatever the server shows: secret from those who listen, not from those who interfere.
#[derive(Debug)]
struct AnyCertificate {
    schemes: Vec<SignatureScheme>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    // A signature by a key that anyone may have made proves nothing; and servers' self-made
    // certificates can be too old in form to be read for it.
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}

/// Demands a certificate of the authority, whatever name it holds.
#[derive(Debug)]
struct AnyName {
    authority: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The authority checks the chain first and the name last.
        match self
            .authority
            .verify_server_cert(certificate, between, name, ocsp, now)
        {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authority.supported_verify_schemes()
    }
}
