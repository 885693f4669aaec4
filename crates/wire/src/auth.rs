//! Computes what each authentication method sends to prove the password.

mod parsec;

use crate::endpoint::Password;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use rsa::pkcs8::DecodePublicKey;
use rsa::rand_core::OsRng;
use rsa::{Oaep, RsaPublicKey};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// An authentication method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMethod {
    NativePassword,
    CachingSha2,
    Sha256,
    Ed25519,
    Parsec,
    ClearPassword,
}

/// Answers of caching_sha2_password after the auth response, and the replies to them.
const FAST_AUTH_SUCCESS: u8 = 0x03;
const PERFORM_FULL_AUTHENTICATION: u8 = 0x04;
const REQUEST_PUBLIC_KEY: u8 = 0x02;

/// Says who could overhear what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransportSecurity {
    /// Nobody: the connection is encrypted.
    Encrypted,
    /// Nobody: it does not leave the machine.
    Local,
    /// Anybody on the way.
    Open,
}

impl AuthMethod {
    const ALL: [Self; 6] = [
        Self::NativePassword,
        Self::CachingSha2,
        Self::Sha256,
        Self::Ed25519,
        Self::Parsec,
        Self::ClearPassword,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Returns the client's name for it, which servers use when they ask for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NativePassword => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
            Self::Sha256 => "sha256_password",
            Self::Ed25519 => "client_ed25519",
            Self::Parsec => "parsec",
            Self::ClearPassword => "mysql_clear_password",
        }
    }

    /// Returns what is sent first; the reason if it must not be sent.
    pub(crate) fn auth_response(
        self,
        password: &Password,
        nonce: &[u8],
        transport_security: TransportSecurity,
    ) -> Result<Vec<u8>, &'static str> {
        let secret = password.reveal();
        match self {
            Self::Ed25519 => Ok(ed25519(secret, nonce)),
            Self::Parsec => Ok(Vec::new()), // asks for the salt
            Self::NativePassword if secret.is_empty() => Ok(Vec::new()),
            Self::NativePassword => Ok(native(secret, nonce)),
            Self::CachingSha2 | Self::Sha256 if secret.is_empty() => Ok(vec![0]),
            Self::CachingSha2 => Ok(sha2(secret, nonce)),
            // This method trusts encryption only, not the socket.
            Self::Sha256 if transport_security == TransportSecurity::Encrypted => {
                Ok(clear_password(password))
            }
            Self::Sha256 => Ok(vec![1]), // asks for the server's key
            Self::ClearPassword if transport_security != TransportSecurity::Open => {
                Ok(clear_password(password))
            }
            Self::ClearPassword => {
                Err("the server wants the password in clear text over an unencrypted network")
            }
        }
    }

    /// Returns the answer to what the server says between the auth response and its verdict; `None` if it wants none.
    pub(crate) fn auth_more_data(
        self,
        password: &Password,
        nonce: &[u8],
        transport_security: TransportSecurity,
        data: &[u8],
    ) -> Result<Option<Vec<u8>>, &'static str> {
        let answer = match (self, data) {
            (Self::CachingSha2, [FAST_AUTH_SUCCESS]) => return Ok(None),
            (Self::CachingSha2, [PERFORM_FULL_AUTHENTICATION]) => match transport_security {
                TransportSecurity::Open => vec![REQUEST_PUBLIC_KEY],
                TransportSecurity::Encrypted | TransportSecurity::Local => clear_password(password),
            },
            (Self::CachingSha2 | Self::Sha256, key) => encrypt_password(password, nonce, key)?,
            (Self::Parsec, salt) => parsec::answer(password.reveal(), nonce, salt)?,
            (Self::NativePassword | Self::Ed25519 | Self::ClearPassword, _) => {
                return Err("the server continues a log-in that this method has finished");
            }
        };
        Ok(Some(answer))
    }
}

/// Returns the password itself, for connections nobody can overhear.
fn clear_password(password: &Password) -> Vec<u8> {
    [password.reveal(), &[0]].concat()
}

/// Returns the password, encrypted for the owner of `key_pem`. The nonce keeps the result from being sent again.
fn encrypt_password(
    password: &Password,
    nonce: &[u8],
    key_pem: &[u8],
) -> Result<Vec<u8>, &'static str> {
    let pem = std::str::from_utf8(key_pem).map_err(|_| "the server's RSA key is not text")?;
    let key = RsaPublicKey::from_public_key_pem(pem.trim())
        .map_err(|_| "the server's RSA key can't be read")?;
    let masked = xor(&clear_password(password), nonce.iter().cycle());
    key.encrypt(&mut OsRng, Oaep::new::<Sha1>(), &masked)
        .map_err(|_| "the password does not fit the server's RSA key")
}

fn native(secret: &[u8], nonce: &[u8]) -> Vec<u8> {
    let once = Sha1::digest(secret);
    let mask = Sha1::new()
        .chain_update(nonce)
        .chain_update(Sha1::digest(once))
        .finalize();
    xor(&once, &mask)
}

fn sha2(secret: &[u8], nonce: &[u8]) -> Vec<u8> {
    let once = Sha256::digest(secret);
    let mask = Sha256::new()
        .chain_update(Sha256::digest(once))
        .chain_update(nonce)
        .finalize();
    xor(&once, &mask)
}

/// Signs by Ed25519 with the password where the standard has a seed of 32 bytes.
fn ed25519(secret: &[u8], nonce: &[u8]) -> Vec<u8> {
    let key = ExpandedSecretKey::from_bytes(&Sha512::digest(secret).into());
    raw_sign::<Sha512>(&key, nonce, &(&key).into()).to_vec()
}

fn xor<'a>(text: &[u8], mask: impl IntoIterator<Item = &'a u8>) -> Vec<u8> {
    text.iter()
        .zip(mask)
        .map(|(left, right)| left ^ right)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn native_and_sha2_proofs_match_their_definition() {
        // Computed with hashlib from the formulas in the servers' documentation.
        let nonce = b"abcdefghijklmnopqrst";
        assert_eq!(
            hex(&native(b"app-secret", nonce)),
            "a0e3e85960da8d9873a4ba2e3ef44f86a82492fb"
        );
        assert_eq!(
            hex(&sha2(b"app-secret", nonce)),
            "337b0472bb1348d7b59521d09e1f13b3c2734a2aa6b1b0b6279a5343f2597f81"
        );
    }

    #[test]
    fn an_ed25519_proof_is_checked_by_the_public_key() {
        let key = ExpandedSecretKey::from_bytes(&Sha512::digest(b"short").into());
        let public = ed25519_dalek::VerifyingKey::from(&key);
        let signature = ed25519(b"short", &[7; 32]).try_into().unwrap();
        let signature = ed25519_dalek::Signature::from_bytes(&signature);
        assert!(public.verify_strict(&[7; 32], &signature).is_ok());
    }

    #[test]
    fn a_password_in_clear_needs_a_way_nobody_overhears() {
        let auth_response = |transport_security| {
            AuthMethod::ClearPassword.auth_response(&Password::new("x"), b"", transport_security)
        };
        assert!(auth_response(TransportSecurity::Open).is_err());
        assert_eq!(auth_response(TransportSecurity::Local), Ok(b"x\0".to_vec()));
        assert_eq!(
            auth_response(TransportSecurity::Encrypted),
            Ok(b"x\0".to_vec())
        );
    }

    #[test]
    fn a_sealed_password_opens_with_the_private_key_and_the_nonce() {
        use rsa::pkcs8::{EncodePublicKey, LineEnding};
        let private = rsa::RsaPrivateKey::new(&mut OsRng, 1024).unwrap();
        let pem = private
            .to_public_key()
            .to_public_key_pem(LineEnding::LF)
            .unwrap();
        let password = Password::new("longer than the nonce of 20");
        let nonce = b"abcdefghijklmnopqrst";
        let encrypt_password = encrypt_password(&password, nonce, pem.as_bytes()).unwrap();
        let opened = private
            .decrypt(Oaep::new::<Sha1>(), &encrypt_password)
            .unwrap();
        assert_eq!(
            xor(&opened, nonce.iter().cycle()),
            clear_password(&password)
        );
    }

    #[test]
    fn an_empty_password_proves_nothing() {
        let empty = Password::default();
        let auth_response =
            |method: AuthMethod| method.auth_response(&empty, b"nonce", TransportSecurity::Open);
        assert_eq!(auth_response(AuthMethod::NativePassword), Ok(Vec::new()));
        assert_eq!(auth_response(AuthMethod::CachingSha2), Ok(vec![0]));
    }
}
