//! Builds the loads that several tests of runs drive.

use dbdyno_drive::{
    ClientShare, ErrorPolicy, Load, Pacing, Phase, PreparedFull, Protocol, StartTime,
};
use dbdyno_wire::{Address, Endpoint, Password, SessionOptions, TlsPolicy};
use dbdyno_workload::Workload;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Returns a load of one worker in a closed loop, for so many seconds.
pub(crate) fn load(
    address: SocketAddr,
    workload: Arc<dyn Workload>,
    concurrency: u32,
    seconds: u32,
) -> Load {
    Load {
        endpoint: endpoint(address),
        role_endpoint: None,
        session: SessionOptions::default(),
        workload,
        protocol: Protocol::Prepared,
        concurrency,
        share: ClientShare::default(),
        start: StartTime::WhenReady,
        workers: 1,
        cpus: Vec::new(),
        pacing: Pacing::Closed { think: None },
        phases: vec![Phase {
            name: "window".to_owned(),
            seconds,
        }],
        errors: ErrorPolicy::default(),
        prepared_full: PreparedFull::default(),
        drain: Duration::from_secs(5),
        events_limit: None,
        seed: 1,
        answer_timeout: None,
        login_timeout: Duration::from_secs(10),
    }
}

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
