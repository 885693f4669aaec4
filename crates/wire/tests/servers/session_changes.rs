//! Checks what servers say of changes in the session.

use crate::server::{Route, each_server, open, open_with};
use dbdyno_wire::{SessionChanges, SessionOptions, TlsPolicy};

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_session_that_tracks_is_told_what_changed() {
    each_server(|server| {
        let (_setup, schema) = server.open_in_schema("changes");
        let mut endpoint = server.endpoint(Route::Loopback, TlsPolicy::Off);
        endpoint.database = Some(schema.name.clone());
        let options = SessionOptions {
            session_tracking: true,
            ..SessionOptions::default()
        };
        let mut session = open_with(&endpoint, &options);
        let changes = session.query("SET SESSION session_track_transaction_info = 'CHARACTERISTICS', SESSION session_track_system_variables = 'time_zone,autocommit'").unwrap();
        assert_eq!(changes.session_changes.schema, None);
        let went = session.query("USE mysql").unwrap().session_changes;
        assert_eq!(went.schema.as_deref(), Some("mysql"));
        let set = session
            .query("SET time_zone = '+01:00'")
            .unwrap()
            .session_changes;
        let zone = ("time_zone".to_owned(), "+01:00".to_owned());
        assert_eq!(set.variables, [zone]);
        session
            .query(&format!(
                "CREATE TABLE {}.t (id INT PRIMARY KEY) ENGINE=InnoDB",
                schema.name
            ))
            .unwrap();
        let begun = session
            .query("START TRANSACTION READ WRITE")
            .unwrap()
            .session_changes;
        assert_eq!(begun.transaction_state.as_deref(), Some("T_______"));
        let again = begun.transaction_characteristics.unwrap();
        assert!(again.starts_with("START TRANSACTION"), "{again}");
        // Rows end with an OK packet as well.
        let read = session
            .query(&format!("SELECT * FROM {}.t", schema.name))
            .unwrap();
        let state = read.session_changes.transaction_state.unwrap();
        assert!(state.starts_with('T') && state.contains('R'), "{state}");
        let ended = session.query("COMMIT").unwrap().session_changes;
        assert_eq!(ended.transaction_state.as_deref(), Some("________"));
        // Nobody asks a channel.
        let mut session = session.into_channel().unwrap().into_session().unwrap();
        let back = session.query("USE mysql").unwrap().session_changes;
        assert_eq!(back.schema.as_deref(), Some("mysql"));
    });
}

#[test]
#[ignore = "needs servers, named by DBDYNO_TEST_SERVERS"]
fn a_session_that_does_not_track_is_told_nothing() {
    each_server(|server| {
        let mut session = open(&server.endpoint(Route::Loopback, TlsPolicy::Off));
        let result = session.query("USE mysql").unwrap();
        assert_eq!(result.session_changes, SessionChanges::default());
    });
}
