//! Checks every way to log in, and the ways that must stay closed.

use crate::server::{Route, TestServer, each_server, open, open_with, single};
use dbdyno_wire::{
    ClientCertificate, Endpoint, Password, Session, SessionOptions, TlsPolicy, TlsVersion,
    WireError,
};
use std::time::Duration;

const PASSWORD: &str = "long enough to wrap around the nonce: 'quoted' \\ and ünïcode";
const LIMIT: Duration = Duration::from_secs(20);

/// Methods that a server may know, with what makes a user of each.
const METHODS: [(&str, &str, &str); 5] = [
    ("mysql_native_password", "mysql_native_password", "native"),
    ("caching_sha2_password", "caching_sha2_password", "caching"),
    ("sha256_password", "sha256_password", "sha256"),
    ("ed25519", "client_ed25519", "ed25519"),
    ("parsec", "parsec", "parsec"),
];

fn sql_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', "''"))
}

/// Makes a user, from anywhere. False if the server does not know the method.
fn create_user(server: &TestServer, user: &str, plugin: &str, password: &str) -> bool {
    let mut session = server.open();
    session
        .query(&format!("DROP USER IF EXISTS {user}@'%'"))
        .unwrap();
    let is_known = format!(
        "SELECT COUNT(*) FROM information_schema.plugins
         WHERE plugin_name = '{plugin}' AND plugin_status = 'ACTIVE'"
    );
    if single(&session.query(&is_known).unwrap()) == "0" {
        return false;
    }
    let password = sql_quoted(password);
    let identified = match session.info().is_mariadb {
        true => format!("VIA {plugin} USING PASSWORD({password})"),
        false => format!("WITH {plugin} BY {password}"),
    };
    session
        .query(&format!("CREATE USER {user}@'%' IDENTIFIED {identified}"))
        .unwrap();
    true
}

fn drop_user(server: &TestServer, user: &str) {
    server
        .open()
        .query(&format!("DROP USER {user}@'%'"))
        .unwrap();
}

fn ways(server: &TestServer) -> Vec<Endpoint> {
    let mut ways = Vec::new();
    for route in [Route::Socket, Route::Loopback] {
        for tls in [TlsPolicy::Off, TlsPolicy::Preferred, TlsPolicy::Required] {
            ways.push(server.endpoint(route, tls));
        }
    }
    ways
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn every_method_lets_in_by_every_way_cold_and_warm() {
    each_server(|server| {
        let mut tried = 0;
        for (plugin, client_plugin, short) in METHODS {
            let user = format!("dbdyno_wire_{short}");
            if !create_user(server, &user, plugin, PASSWORD) {
                continue;
            }
            eprintln!("  by {plugin}");
            for mut endpoint in ways(server) {
                endpoint.user.clone_from(&user);
                endpoint.password = Password::new(PASSWORD);
                // Empties the cache of caching_sha2_password: the next log-in must prove all.
                server.open().query("FLUSH PRIVILEGES").unwrap();
                for _cold_and_warm in 0..2 {
                    let mut session = open(&endpoint);
                    assert_eq!(session.info().auth_plugin, client_plugin);
                    let who = single(&session.query("SELECT CURRENT_USER()").unwrap());
                    assert_eq!(who, format!("{user}@%"));
                    session.close();
                }
            }
            drop_user(server, &user);
            tried += 1;
        }
        assert!(tried > 0, "{} knows none of the methods", server.name);
    });
}

/// By `unix_socket` or `auth_socket` the server asks the operating system who is there.
#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_user_of_the_operating_system_gets_in_without_a_password() {
    let id = std::process::Command::new("id")
        .arg("-un")
        .output()
        .unwrap();
    let me = String::from_utf8(id.stdout).unwrap();
    let me = me.trim();
    each_server(|server| {
        let mut session = server.open();
        let is_mariadb = session.info().is_mariadb;
        let (plugin, identified) = match is_mariadb {
            true => ("unix_socket", format!("VIA unix_socket AS '{me}'")),
            false => ("auth_socket", format!("WITH auth_socket AS '{me}'")),
        };
        // MySQL has it as a library, which test servers need not have.
        let _ = session.query("INSTALL PLUGIN auth_socket SONAME 'auth_socket.so'");
        let user = "dbdyno_wire_socket";
        session
            .query(&format!("DROP USER IF EXISTS {user}@localhost"))
            .unwrap();
        let create = format!("CREATE USER {user}@localhost IDENTIFIED {identified}");
        if let Err(error) = session.query(&create) {
            eprintln!("  without {plugin}: {error}");
            return;
        }
        let mut endpoint = server.endpoint(Route::Socket, TlsPolicy::Off);
        endpoint.user = user.to_owned();
        for password in ["", "ignored"] {
            endpoint.password = Password::new(password);
            let who = single(&open(&endpoint).query("SELECT CURRENT_USER()").unwrap());
            assert_eq!(who, format!("{user}@localhost"));
        }
        session
            .query(&format!("DROP USER {user}@localhost"))
            .unwrap();
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_empty_password_is_accepted_where_it_is_right() {
    each_server(|server| {
        for (plugin, _, short) in &METHODS[..3] {
            let user = format!("dbdyno_wire_empty_{short}");
            if create_user(server, &user, plugin, "") {
                for mut endpoint in ways(server) {
                    endpoint.user.clone_from(&user);
                    endpoint.password = Password::default();
                    open(&endpoint).close();
                }
                drop_user(server, &user);
            }
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_wrong_password_is_an_authentication_error_that_does_not_show_it() {
    each_server(|server| {
        for (plugin, _, short) in METHODS {
            let user = format!("dbdyno_wire_wrong_{short}");
            if !create_user(server, &user, plugin, PASSWORD) {
                continue;
            }
            for mut endpoint in ways(server) {
                endpoint.user.clone_from(&user);
                endpoint.password = Password::new("hunter2");
                let error = Session::open(&endpoint, LIMIT).unwrap_err();
                let is_expected = matches!(&error, WireError::Authentication { user: named, .. } if *named == user);
                assert!(is_expected, "{error:?}");
                assert!(!format!("{error} {error:?} {endpoint:?}").contains("hunter2"));
            }
            drop_user(server, &user);
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn the_facts_say_whether_the_connection_is_encrypted() {
    each_server(|server| {
        for endpoint in ways(server) {
            let mut session = open(&endpoint);
            let cipher = session.query("SHOW STATUS LIKE 'Ssl_cipher'").unwrap();
            let cipher = String::from_utf8(cipher.rows[0][1].clone().unwrap()).unwrap();
            let session_info = session.info();
            assert_eq!(
                session_info.tls.is_some(),
                !cipher.is_empty(),
                "{endpoint:?}: {session_info:?}"
            );
            match endpoint.tls {
                TlsPolicy::Off => assert_eq!(session_info.tls, None),
                TlsPolicy::Required => assert!(session_info.tls.is_some()),
                _ => {}
            }
            let id = single(&session.query("SELECT CONNECTION_ID()").unwrap());
            assert_eq!(id, session.info().connection_id.to_string());
            let version = single(&session.query("SELECT VERSION()").unwrap());
            assert!(
                version.starts_with(&session.info().server_version),
                "{version}"
            );
        }
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_certificate_of_another_authority_is_refused() {
    // The certificate of an authority made for this test; its key is gone.
    let path = std::env::temp_dir().join(format!("dbdyno_wire_{}.pem", std::process::id()));
    std::fs::write(&path, include_str!("stranger.pem")).unwrap();
    each_server(|server| {
        for tls in [
            TlsPolicy::VerifyCa(path.clone()),
            TlsPolicy::VerifyIdentity(path.clone()),
        ] {
            let endpoint = server.endpoint(Route::Loopback, tls);
            let error = Session::open(&endpoint, LIMIT).unwrap_err();
            assert!(matches!(error, WireError::Tls { .. }), "{error:?}");
        }
    });
    std::fs::remove_file(&path).unwrap();
}

/// Servers that make their certificates themselves leave them in their data directory.
fn own_files(server: &TestServer) -> Option<[std::path::PathBuf; 3]> {
    let folder = single(&server.open().query("SELECT @@datadir").unwrap());
    let path = |name: &str| std::path::Path::new(&folder).join(name);
    let files = ["ca.pem", "client-cert.pem", "client-key.pem"].map(path);
    let is_readable = files.iter().all(|file| std::fs::read(file).is_ok());
    is_readable.then_some(files)
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_user_known_by_a_certificate_gets_in_with_it_alone() {
    each_server(|server| {
        let Some([authority, certificates, key]) = own_files(server) else {
            eprintln!("  without certificates to read");
            return;
        };
        let user = "dbdyno_wire_certified";
        let mut session = server.open();
        session
            .query(&format!("DROP USER IF EXISTS {user}@'%'"))
            .unwrap();
        let create = format!("CREATE USER {user}@'%' IDENTIFIED BY 'Some-pw-1' REQUIRE X509");
        session.query(&create).unwrap();
        let mut endpoint = server.endpoint(Route::Loopback, TlsPolicy::VerifyCa(authority.clone()));
        endpoint.user = user.to_owned();
        endpoint.password = Password::new("Some-pw-1");
        let error = Session::open(&endpoint, LIMIT).unwrap_err();
        assert!(
            matches!(error, WireError::Authentication { .. }),
            "{error:?}"
        );
        let certificate = ClientCertificate { certificates, key };
        let options = SessionOptions {
            client_certificate: Some(certificate),
            ..SessionOptions::default()
        };
        open_with(&endpoint, &options).close();
        // Made by the server for itself, it names no host.
        endpoint.tls = TlsPolicy::VerifyIdentity(authority);
        let error = Session::open_with(&endpoint, &options, LIMIT).unwrap_err();
        assert!(matches!(error, WireError::Tls { .. }), "{error:?}");
        session.query(&format!("DROP USER {user}@'%'")).unwrap();
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn the_oldest_version_of_tls_is_the_callers_choice() {
    each_server(|server| {
        let endpoint = server.endpoint(Route::Loopback, TlsPolicy::Required);
        let version = |tls_minimum| {
            let options = SessionOptions {
                tls_minimum,
                ..SessionOptions::default()
            };
            let session = Session::open_with(&endpoint, &options, LIMIT)?;
            Ok::<_, WireError>(session.info().tls.as_ref().unwrap().version.clone())
        };
        assert_eq!(version(TlsVersion::V1_2).unwrap(), "TLSv1.3");
        assert_eq!(version(TlsVersion::V1_3).unwrap(), "TLSv1.3");
        let mut session = server.open();
        if session.info().is_mariadb {
            return; // it can't change its versions while it runs
        }
        session.query("SET GLOBAL tls_version = 'TLSv1.2'").unwrap();
        session.query("ALTER INSTANCE RELOAD TLS").unwrap();
        let (older, newer) = (version(TlsVersion::V1_2), version(TlsVersion::V1_3));
        session.query("SET GLOBAL tls_version = DEFAULT").unwrap();
        session.query("ALTER INSTANCE RELOAD TLS").unwrap();
        assert_eq!(older.unwrap(), "TLSv1.2");
        let error = newer.unwrap_err();
        assert!(matches!(error, WireError::Tls { .. }), "{error:?}");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn the_ciphers_are_the_callers_choice() {
    each_server(|server| {
        let endpoint = server.endpoint(Route::Loopback, TlsPolicy::Required);
        let cipher = |names: &[&str]| {
            let options = SessionOptions {
                tls_ciphers: names.iter().map(|name| (*name).to_owned()).collect(),
                ..SessionOptions::default()
            };
            let mut session = Session::open_with(&endpoint, &options, LIMIT)?;
            let told = session.info().tls.as_ref().unwrap().cipher.clone();
            let shown = session.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")?;
            assert_eq!(shown.rows[0][1].as_deref(), Some(told.as_bytes()));
            Ok::<_, WireError>(told)
        };
        for name in [
            "TLS_AES_128_GCM_SHA256",
            "TLS_CHACHA20_POLY1305_SHA256",
            "ECDHE-RSA-AES128-GCM-SHA256",
            "ECDHE-RSA-AES256-GCM-SHA384",
        ] {
            assert_eq!(cipher(&[name]).unwrap(), name);
        }
        let error = cipher(&["AES256-SHA"]).unwrap_err();
        assert!(matches!(error, WireError::Tls { .. }), "{error:?}");
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn an_unknown_schema_is_a_server_error() {
    each_server(|server| {
        let mut endpoint = server.endpoint(Route::Socket, TlsPolicy::Off);
        endpoint.database = Some("dbdyno_test_wire_absent".to_owned());
        let error = Session::open(&endpoint, LIMIT).unwrap_err();
        assert!(
            matches!(&error, WireError::Server(error) if error.code == 1049),
            "{error:?}"
        );
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_session_begins_in_its_schema() {
    each_server(|server| {
        let (_session, schema) = server.open_in_schema("begin");
        let mut endpoint = server.endpoint(Route::Loopback, TlsPolicy::Off);
        endpoint.database = Some(schema.name.clone());
        assert_eq!(
            single(&open(&endpoint).query("SELECT DATABASE()").unwrap()),
            schema.name
        );
    });
}

#[test]
fn an_absent_server_is_a_network_error_that_names_it() {
    let endpoint = Endpoint {
        address: dbdyno_wire::Address::Socket("/nowhere/s.sock".into()),
        user: String::new(),
        password: Password::default(),
        database: None,
        tls: TlsPolicy::Off,
    };
    let error = Session::open(&endpoint, LIMIT).unwrap_err();
    assert!(matches!(error, WireError::Network { .. }), "{error:?}");
    assert!(error.to_string().contains("/nowhere/s.sock"), "{error}");
}
