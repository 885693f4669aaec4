//! Checks who is let in, and where.

use crate::test_server::{LIMIT, TestServer};
use dbdyno_null_server::{Auth, FaultPlan, NullServer, Settings};
use dbdyno_wire::{Address, Endpoint, Password, Session, TlsPolicy, WireError};
use std::time::{Duration, Instant};

#[test]
fn who_comes_while_nobody_is_let_in_is_told_so() {
    let test_server = TestServer::failing(FaultPlan {
        refusals: vec!["0s+1h".parse().unwrap()],
        ..FaultPlan::default()
    });
    let mut session = test_server.session(); // before there is an epoch
    session.query("COMMIT").unwrap();
    let refused = Session::open(&test_server.endpoint, LIMIT).unwrap_err();
    assert!(matches!(refused, WireError::Server(error) if error.code == 1040));
    session.query("COMMIT").unwrap();
    assert_eq!(test_server.stop().refused, 1);
}

#[test]
fn several_workers_share_the_connections() {
    let test_server = TestServer::new(Settings {
        workers: 3,
        ..Settings::default()
    });
    let mut sessions: Vec<_> = (0..7).map(|_| test_server.session()).collect();
    for session in &mut sessions {
        session.query("COMMIT").unwrap();
    }
    let statistics = test_server.stop();
    assert_eq!(
        (statistics.connections, statistics.statements["commit"]),
        (7, 7)
    );
}

#[test]
fn only_loopback_is_listened_at_unless_that_is_meant() {
    let settings = |anyone| Settings {
        listen: Some("0.0.0.0:0".parse().unwrap()),
        anyone,
        ..Settings::default()
    };
    assert!(
        NullServer::start(settings(false))
            .unwrap_err()
            .is_wrong_request()
    );
    assert!(NullServer::start(settings(true)).is_ok());
    assert!(
        NullServer::start(Settings::default())
            .unwrap_err()
            .is_wrong_request()
    );
}

#[test]
fn a_socket_left_behind_is_replaced_and_one_in_use_is_not() {
    let path = std::env::temp_dir().join(format!("dbdyno-null-{}.sock", std::process::id()));
    let settings = || Settings {
        socket: Some(path.clone()),
        ..Settings::default()
    };
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap()); // leaves the file
    let server = NullServer::start(settings()).unwrap();
    let error = NullServer::start(settings()).unwrap_err().to_string();
    assert!(error.contains("can't listen"), "{error}");
    let endpoint = Endpoint {
        address: Address::Socket(path.clone()),
        user: "x".to_owned(),
        password: Password::default(),
        database: None,
        tls: TlsPolicy::Off,
    };
    Session::open(&endpoint, LIMIT).unwrap().close();
    server.stop().unwrap();
    assert!(!path.exists());
}

#[test]
fn every_way_to_prove_a_password_is_believed() {
    for auth in [Auth::Native, Auth::CachingSha2] {
        let test_server = TestServer::new(Settings {
            auth,
            ..Settings::default()
        });
        for password in ["", "anything"] {
            let endpoint = Endpoint {
                password: Password::new(password),
                ..test_server.endpoint.clone()
            };
            let session = Session::open(&endpoint, LIMIT).unwrap();
            assert_eq!(session.info().auth_plugin, auth.to_string());
            session.close();
        }
    }
}

#[test]
fn a_door_that_was_closed_opens_again() {
    for how in ["closed", "reset"] {
        let refusal = format!("{how}@0s+300ms");
        let test_server = TestServer::failing(FaultPlan {
            refusals: vec![refusal.parse().unwrap()],
            ..FaultPlan::default()
        });
        let mut session = test_server.session();
        session.query("COMMIT").unwrap();
        let begun = Instant::now();
        let mut refused = 0;
        while Session::open(&test_server.endpoint, LIMIT).is_err() {
            refused += 1;
            assert!(begun.elapsed() < LIMIT, "{how}: never let in again");
            std::thread::yield_now();
        }
        assert!(refused > 0, "{how}: nobody was refused");
        assert!(
            begun.elapsed() >= Duration::from_millis(200),
            "{how}: let in too soon"
        );
        session.query("COMMIT").unwrap(); // who is in stays in
    }
}
