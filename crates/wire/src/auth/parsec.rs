//! Computes responses of PARSEC, the method of MariaDB since 11.6: "password authentication using response
//! signed with elliptic curve".
//!
//! The server says 32 random bytes, the client asks for the user's salt with an empty packet, derives
//! a key from password and salt, and signs the server's random bytes with its own behind them. Source:
//! `plugin/auth_parsec/server_parsec.cc` of the server and `plugins/auth/parsec.c` of its C connector.

use ed25519_dalek::{Signer, SigningKey};
use ring::pbkdf2;
use ring::rand::{SecureRandom, SystemRandom};
use std::num::NonZeroU32;

const NONCE_BYTES: usize = 32;
const SALT_BYTES: usize = 18;

/// The only way of deriving a key so far: PBKDF2.
const PBKDF2: u8 = b'P';

/// The count of iterations is 1024 doubled so many times at most: a server can't keep us busy for long.
const MAX_DOUBLINGS: u8 = 3;

/// Returns own random bytes, and the signature over those of the server and them.
pub(super) fn answer(
    secret: &[u8],
    server_nonce: &[u8],
    salt: &[u8],
) -> Result<Vec<u8>, &'static str> {
    let mut nonce = [0; NONCE_BYTES];
    SystemRandom::new()
        .fill(&mut nonce)
        .map_err(|_| "the system has no random numbers")?;
    sign(secret, server_nonce, salt, nonce)
}

fn sign(
    secret: &[u8],
    server_nonce: &[u8],
    salt: &[u8],
    nonce: [u8; NONCE_BYTES],
) -> Result<Vec<u8>, &'static str> {
    let signed = [server_nonce, &nonce].concat();
    if signed.len() != 2 * NONCE_BYTES {
        return Err("the length of the server's challenge is not PARSEC's");
    }
    let signature = signing_key(secret, salt)?.sign(&signed);
    Ok([&nonce, &signature.to_bytes()[..]].concat())
}

fn signing_key(secret: &[u8], salt: &[u8]) -> Result<SigningKey, &'static str> {
    let &[PBKDF2, doublings @ 0..=MAX_DOUBLINGS, ref salt @ ..] = salt else {
        return Err("this client does not support the kind of the server's salt");
    };
    if salt.len() != SALT_BYTES {
        return Err("the length of the server's salt is not PARSEC's");
    }
    let iterations = NonZeroU32::new(1024 << doublings).unwrap_or(NonZeroU32::MIN);
    let mut seed = [0; 32];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA512,
        iterations,
        salt,
        secret,
        &mut seed,
    );
    Ok(SigningKey::from_bytes(&seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: [u8; 20] = *b"P\0abcdefghijklmnopqr";

    /// The head of each signature was computed with hashlib and OpenSSL from the definition.
    #[test]
    fn an_answer_matches_the_definition() {
        for (doublings, expected) in [
            (0, "4c6377450ee9866d519b979a"),
            (2, "7d918cd58729846ecb60d623"),
        ] {
            let mut salt = SALT;
            salt[1] = doublings;
            let answer = sign(b"app-secret", &[7; 32], &salt, [9; 32]).unwrap();
            let (nonce, signature) = answer.split_at(32);
            let hex: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((nonce, &hex[..24]), (&[9; 32][..], expected));
        }
    }

    #[test]
    fn a_strange_challenge_is_refused() {
        let refused = |nonce: &[u8], salt: &[u8]| answer(b"", nonce, salt).is_err();
        assert!(!refused(&[7; 32], &SALT));
        assert!(refused(&[7; 31], &SALT));
        assert!(refused(&[7; 32], &SALT[..19]));
        assert!(refused(&[7; 32], b"Q\0abcdefghijklmnopqr"));
        assert!(
            refused(&[7; 32], b"P\x04abcdefghijklmnopqr"),
            "hours of work"
        );
        assert!(refused(&[7; 32], b""));
    }
}
