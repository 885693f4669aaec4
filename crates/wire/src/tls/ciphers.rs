//! Maps cipher suites to the names that OpenSSL gives them, which are those that servers show and users
//! write.

use rustls::SupportedCipherSuite;
use rustls::crypto::ring::cipher_suite::{
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
};

/// All that this side speaks.
const CIPHERS: [(&str, SupportedCipherSuite); 9] = [
    ("TLS_AES_256_GCM_SHA384", TLS13_AES_256_GCM_SHA384),
    ("TLS_AES_128_GCM_SHA256", TLS13_AES_128_GCM_SHA256),
    (
        "TLS_CHACHA20_POLY1305_SHA256",
        TLS13_CHACHA20_POLY1305_SHA256,
    ),
    (
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
    (
        "ECDHE-RSA-AES256-GCM-SHA384",
        TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ),
    (
        "ECDHE-RSA-AES128-GCM-SHA256",
        TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ),
    (
        "ECDHE-RSA-CHACHA20-POLY1305",
        TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
];

/// Returns the suite's name.
pub(super) fn name(suite: SupportedCipherSuite) -> String {
    let mut known = CIPHERS.iter();
    let found = known.find(|(_, known)| *known == suite);
    found.map_or_else(
        || format!("{:?}", suite.suite()),
        |(name, _)| (*name).to_owned(),
    )
}

/// Returns those named, the most wanted first. Names that this side doesn't speak are left out, as OpenSSL does it; it
/// is wrong only if nothing is left.
pub(super) fn chosen(names: &[String]) -> Result<Vec<SupportedCipherSuite>, String> {
    let named = names.iter().filter_map(|name| find(name));
    let suites: Vec<SupportedCipherSuite> = named.collect();
    if suites.is_empty() {
        let ours: Vec<&str> = CIPHERS.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "none of the ciphers {} is known; known are {}",
            names.join(":"),
            ours.join(", ")
        ));
    }
    Ok(suites)
}

/// Returns whether connections can be encrypted by the cipher that OpenSSL calls so.
#[must_use]
pub fn knows_tls_cipher(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<SupportedCipherSuite> {
    let mut known = CIPHERS.iter();
    let found = known.find(|(known, _)| *known == name);
    found.map(|(_, suite)| *suite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::crypto::ring;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn every_suite_that_is_spoken_has_a_name() {
        for suite in ring::ALL_CIPHER_SUITES {
            assert_eq!(find(&name(*suite)), Some(*suite));
        }
    }

    #[test]
    fn unknown_names_are_left_out_and_the_order_is_kept() {
        let list = names(&[
            "AES256-SHA",
            "ECDHE-RSA-AES128-GCM-SHA256",
            "TLS_AES_128_GCM_SHA256",
        ]);
        let found = chosen(&list).unwrap();
        let found: Vec<String> = found.into_iter().map(name).collect();
        assert_eq!(found, list[1..]);
    }

    #[test]
    fn nothing_but_unknown_names_is_refused_with_those_that_are_known() {
        let why = chosen(&names(&["AES256-SHA", "HIGH"])).unwrap_err();
        assert!(why.starts_with("none of the ciphers AES256-SHA:HIGH is known; known are TLS_AES"));
    }
}
