//! Opens a connection.

use super::client_error::ClientError;
use super::link::Link;
use super::placement::ServerAddress;
use crate::{DatabaseSettings, Dialect, Engine};
use dbdyno_fiber::run_blocking;
use dbdyno_wire::{
    ClientCertificate, Compression, Endpoint, Session, SessionOptions, TlsPolicy, WireError,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// sysbench sets no limit. A server that says nothing for so long says nothing later either; a full listen queue is
/// waited out within it.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(20);

/// Files that sysbench 1.0 looks for in the current directory when TLS is asked for: key, authority, certificate.
const TLS_FILES: [&str; 3] = ["client-key.pem", "cacert.pem", "client-cert.pem"];

/// Holds what the user wants of encryption.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Encrypting {
    policy: TlsPolicy,
    certificate: Option<ClientCertificate>,
}

/// Connects and logs in, on another thread while the fiber waits. `again`: after a connection that was lost.
pub(super) fn log_in(
    engine: &Engine,
    place: &ServerAddress,
    again: bool,
) -> Result<Link, ClientError> {
    let (settings, dialect) = (&engine.settings.database, engine.settings.dialect);
    let encrypting = encrypting(settings, dialect)?;
    let endpoint = Endpoint {
        address: place.address(),
        user: settings.user.clone(),
        password: settings.password.clone(),
        database: Some(settings.database.clone()).filter(|name| !name.is_empty()),
        tls: encrypting.policy,
    };
    let options = SessionOptions {
        compression: match settings.compression {
            true => Compression::Zlib,
            false => Compression::Off,
        },
        multi_statements: true,
        tls_minimum: settings.tls_minimum,
        path_timeout: settings.path_timeout,
        tls_ciphers: ciphers(&settings.ssl_cipher).map(str::to_owned).collect(),
        client_certificate: encrypting.certificate,
        ..SessionOptions::default()
    };
    let opened = run_blocking(move || open(&endpoint, &options));
    let channel = opened.map_err(|error| ClientError::of_connecting(dialect, place, &error))?;
    engine.database.note_encryption(channel.info().tls.as_ref());
    let watching = |error: std::io::Error| WireError::Network {
        doing: "connecting to",
        peer: place.host.clone(),
        source: error,
    };
    let mut link = Link::new(channel)
        .map_err(|error| ClientError::of_connecting(dialect, place, &watching(error)))?;
    if let Some(watch) = &engine.database.answers {
        link.watch_answers(watch, &place.address().to_string(), again);
    }
    Ok(link)
}

fn open(endpoint: &Endpoint, options: &SessionOptions) -> Result<dbdyno_wire::Channel, WireError> {
    let opened = Session::open_with(endpoint, options, LOGIN_TIMEOUT);
    let refused = |error: &WireError| {
        // Servers that can't compress are used without compression, as client libraries do it.
        matches!(error, WireError::NotOffered(_)) && options.compression != Compression::Off
    };
    match opened {
        Err(error) if refused(&error) => {
            let plain = SessionOptions {
                compression: Compression::Off,
                ..options.clone()
            };
            Session::open_with(endpoint, &plain, LOGIN_TIMEOUT)?.into_channel()
        }
        opened => opened?.into_channel(),
    }
}

/// Reads `--mysql-ssl`: a flag as in 1.0, or one of the modes of 1.1; both dialects take both.
fn encrypting(settings: &DatabaseSettings, dialect: Dialect) -> Result<Encrypting, ClientError> {
    let plain = |policy| Encrypting {
        policy,
        certificate: certificate(settings),
    };
    let authority = || {
        let given = settings.ssl_ca.clone();
        given.ok_or_else(|| ClientError::no_tls_file(dialect))
    };
    Ok(match settings.ssl.to_ascii_lowercase().as_str() {
        "preferred" => plain(TlsPolicy::Preferred),
        "required" => plain(TlsPolicy::Required),
        "verify_ca" => plain(TlsPolicy::VerifyCa(authority()?)),
        "verify_identity" => plain(TlsPolicy::VerifyIdentity(authority()?)),
        // Without an authority, a server without TLS is talked to in plain, silently, as sysbench does it.
        "on" if dialect == Dialect::V1_1 || names_files(settings) => plain(
            settings
                .ssl_ca
                .clone()
                .map_or(TlsPolicy::IfOffered, TlsPolicy::VerifyCa),
        ),
        "on" => by_fixed_names(Path::new("."), dialect)?,
        _ => Encrypting {
            policy: TlsPolicy::Off,
            certificate: None,
        },
    })
}

/// Returns the names in `--mysql-ssl-cipher`, in OpenSSL's way of writing lists.
pub(super) fn ciphers(list: &str) -> impl Iterator<Item = &str> {
    list.split([':', ',', ' ']).filter(|name| !name.is_empty())
}

fn names_files(settings: &DatabaseSettings) -> bool {
    settings.ssl_key.is_some() || settings.ssl_ca.is_some() || settings.ssl_cert.is_some()
}

fn certificate(settings: &DatabaseSettings) -> Option<ClientCertificate> {
    Some(ClientCertificate {
        certificates: settings.ssl_cert.clone()?,
        key: settings.ssl_key.clone()?,
    })
}

fn by_fixed_names(folder: &Path, dialect: Dialect) -> Result<Encrypting, ClientError> {
    let [key, authority, certificates]: [PathBuf; 3] = TLS_FILES.map(|name| folder.join(name));
    if ![&key, &authority, &certificates]
        .iter()
        .all(|path| path.exists())
    {
        return Err(ClientError::no_tls_file(dialect));
    }
    Ok(Encrypting {
        policy: TlsPolicy::VerifyCa(authority),
        certificate: Some(ClientCertificate { certificates, key }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the original does it where it finds its three files.
    #[test]
    fn the_flag_alone_holds_the_server_to_the_authority_in_the_current_folder() {
        let folder = std::env::temp_dir().join(format!("dbdyno-tls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let missing = by_fixed_names(&folder, Dialect::V1_0).unwrap_err();
        assert_eq!(missing, ClientError::no_tls_file(Dialect::V1_0));
        for name in TLS_FILES {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let found = by_fixed_names(&folder, Dialect::V1_0).unwrap();
        assert_eq!(found.policy, TlsPolicy::VerifyCa(folder.join("cacert.pem")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn ciphers_are_parted_as_openssl_parts_them() {
        let names: Vec<&str> = ciphers("A:B, C::").collect();
        assert_eq!(names, ["A", "B", "C"]);
    }
}
