//! Verifies the server's certificate as far as the policy demands.

use super::ciphers;
use crate::{SessionOptions, TlsPolicy, TlsVersion};
use rustls::SignatureScheme;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SupportedProtocolVersion,
};
use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Returns the rules of a policy. Sessions are not resumed, so that each connection costs the same.
pub(super) fn config(
    policy: &TlsPolicy,
    options: &SessionOptions,
) -> Result<Arc<ClientConfig>, String> {
    static ACCEPT_ANY_CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let is_trusting = !matches!(
        policy,
        TlsPolicy::VerifyCa(_) | TlsPolicy::VerifyIdentity(_)
    );
    let is_plain = options.client_certificate.is_none()
        && options.tls_minimum == TlsVersion::V1_2
        && options.tls_ciphers.is_empty();
    match ACCEPT_ANY_CONFIG.get() {
        Some(config) if is_trusting && is_plain => Ok(Arc::clone(config)),
        _ => {
            let config = Arc::new(build(policy, options)?);
            Ok(match is_trusting && is_plain {
                true => Arc::clone(ACCEPT_ANY_CONFIG.get_or_init(|| config)),
                false => config,
            })
        }
    }
}

fn build(policy: &TlsPolicy, options: &SessionOptions) -> Result<ClientConfig, String> {
    let mut provider = ring::default_provider();
    if !options.tls_ciphers.is_empty() {
        provider.cipher_suites = ciphers::chosen(&options.tls_ciphers)?;
    }
    // A version without a cipher is left out: rustls requires one for each version.
    let speaks = |version: &SupportedProtocolVersion| {
        let mut suites = provider.cipher_suites.iter();
        suites.any(|suite| suite.version() == version)
    };
    let allowed: &[_] = match options.tls_minimum {
        TlsVersion::V1_2 => &[&TLS13, &TLS12],
        TlsVersion::V1_3 => &[&TLS13],
    };
    let versions: Vec<_> = allowed
        .iter()
        .copied()
        .filter(|version| speaks(version))
        .collect();
    let provider = Arc::new(provider);
    let lenient = |authority| {
        let algorithms = provider.signature_verification_algorithms;
        let schemes = algorithms.supported_schemes();
        Arc::new(LenientVerifier { authority, schemes })
    };
    let verifier: Arc<dyn ServerCertVerifier> = match policy {
        TlsPolicy::Off | TlsPolicy::Preferred | TlsPolicy::IfOffered | TlsPolicy::Required => {
            lenient(None)
        }
        TlsPolicy::VerifyCa(path) => lenient(Some(authority(path, &provider)?)),
        TlsPolicy::VerifyIdentity(path) => authority(path, &provider)?,
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match &options.client_certificate {
        None => builder.with_no_client_auth(),
        Some(own) => {
            let certificates = certificates(&own.certificates)?;
            let key = private_key(&own.key)
                .map_err(|why| format!("private key of {}: {why}", own.key.display()))?;
            let config = builder.with_client_auth_cert(certificates, key);
            config.map_err(|error| format!("{}: {error}", own.certificates.display()))?
        }
    };
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let why = |error: &dyn Display| format!("certificates of {}: {error}", path.display());
    let text = dbdyno_input::read(path).map_err(|error| why(&error))?;
    CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| why(&error))
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let text = dbdyno_input::read(path).map_err(|error| error.to_string())?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| error.to_string())
}

/// Trusts the certificates of a PEM file.
fn authority(
    path: &Path,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let why = |error: &dyn Display| format!("certificates of {}: {error}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| why(&error))?;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| why(&error))
}

/// Demands less than a browser does: a certificate of the authority, under any name; or, without an authority, any at
/// all, which keeps secrets from those who listen but not from those who interfere.
#[derive(Debug)]
struct LenientVerifier {
    authority: Option<Arc<WebPkiServerVerifier>>,
    schemes: Vec<SignatureScheme>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self
            .authority
            .as_ref()
            .map(|authority| authority.verify_server_cert(certificate, between, name, ocsp, now));
        match verdict {
            // The authority checks the chain first and the name last.
            None
            | Some(Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ))) => Ok(ServerCertVerified::assertion()),
            Some(verdict) => verdict,
        }
    }

    // Without an authority, a signature by a key that anyone may have made proves nothing; and servers'
    // self-made certificates can be too old in form to be read for it.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority.as_ref().map_or_else(
            || Ok(HandshakeSignatureValid::assertion()),
            |authority| authority.verify_tls12_signature(message, certificate, signed),
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority.as_ref().map_or_else(
            || Ok(HandshakeSignatureValid::assertion()),
            |authority| authority.verify_tls13_signature(message, certificate, signed),
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}
