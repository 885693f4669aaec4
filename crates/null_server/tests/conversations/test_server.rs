//! Starts a server and connects clients to it.

use dbdyno_null_server::{FaultPlan, NullServer, Settings, Statistics};
use dbdyno_wire::{
    Address, Channel, Endpoint, Password, QueryResult, ReadBuffer, Reply, Session, TlsPolicy,
    WireError,
};
use std::time::{Duration, Instant};

pub(crate) const LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct TestServer {
    pub(crate) server: NullServer,
    pub(crate) endpoint: Endpoint,
}

impl TestServer {
    pub(crate) fn new(settings: Settings) -> Self {
        let settings = Settings {
            listen: Some("127.0.0.1:0".parse().unwrap()),
            ..settings
        };
        let server = NullServer::start(settings).unwrap();
        let tcp = server.address().tcp.unwrap();
        let endpoint = Endpoint {
            address: Address::Tcp {
                host: tcp.ip().to_string(),
                port: tcp.port(),
            },
            user: "anybody".to_owned(),
            password: Password::new("anything"),
            database: Some("sbtest".to_owned()),
            tls: TlsPolicy::Off,
        };
        Self { server, endpoint }
    }

    pub(crate) fn failing(faults: FaultPlan) -> Self {
        Self::new(Settings {
            faults,
            ..Settings::default()
        })
    }

    pub(crate) fn session(&self) -> Session {
        let mut session = Session::open(&self.endpoint, LIMIT).unwrap();
        session.set_timeout(Some(LIMIT)).unwrap();
        session
    }

    pub(crate) fn stop(self) -> Statistics {
        self.server.stop().unwrap()
    }
}

/// Returns values of the first column.
pub(crate) fn first_column(result: &QueryResult) -> Vec<String> {
    let value =
        |row: &Vec<Option<Vec<u8>>>| String::from_utf8(row[0].clone().unwrap_or_default()).unwrap();
    result.rows.iter().map(value).collect()
}

pub(crate) fn code(result: Result<QueryResult, WireError>) -> u16 {
    match result {
        Err(WireError::Server(error)) => error.code,
        other => panic!("no error of the server: {other:?}"),
    }
}

/// Returns the reply to what is queued.
pub(crate) fn reply(channel: &mut Channel, buffer: &mut ReadBuffer) -> Reply {
    channel.flush().unwrap();
    let begun = Instant::now();
    loop {
        if let Some(reply) = channel.receive(buffer).unwrap() {
            return reply;
        }
        assert!(begun.elapsed() < LIMIT, "no reply");
        std::thread::yield_now();
    }
}
