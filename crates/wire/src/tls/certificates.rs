//! How much a server must prove by its certificate.

use crate::TlsPolicy;
use rustls::SignatureScheme;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The rules of a policy. Sessions are not resumed, so that each connection costs the same.
pub(super) fn config(policy: &TlsPolicy) -> Result<Arc<ClientConfig>, String> {
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
