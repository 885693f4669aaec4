//! What several tests of runs need.

use dbdyno_wire::{Address, Endpoint, Password, TlsPolicy};
use std::net::SocketAddr;

/// Returns the null server at an address.
pub(crate) fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint {
        address: Address::Tcp {
            host: address.ip().to_string(),
            port: address.port(),
        },
        user: "app".to_owned(),
        password: Password::new(""),
        database: None,
        tls: TlsPolicy::Off,
    }
}
