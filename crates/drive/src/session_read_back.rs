//! Reads the session settings back from the server, instead of assuming them.

use crate::DriveError;
use crate::error::server;
use dbdyno_wire::{Compression, QueryResult, Session, WireError};
use dbdyno_workload::STEP_LOG_TABLE;

/// Holds the settings of a session that affect results, as the server reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionReadBack {
    /// The server's version.
    pub server_version: String,
    /// The authentication method that let the user in.
    pub auth_plugin: String,
    /// Such as `TLSv1.3`; `None` when the connection is not encrypted.
    pub tls_version: Option<String>,
    /// Cipher of the connection; `None` when it is not encrypted.
    pub tls_cipher: Option<String>,
    /// Compression of the connection.
    pub compression: Compression,
    /// Such as `REPEATABLE-READ`.
    pub isolation: String,
    /// Whether each statement commits by itself outside a transaction.
    pub autocommit: bool,
    /// `innodb_snapshot_isolation`; `None` on servers that don't have it.
    pub snapshot_isolation: Option<bool>,
    /// Character set of the connection.
    pub character_set: String,
    /// Collation of the connection.
    pub collation: String,
    /// Identifies the server: its name, port, folder and number. Read for a share of a client only.
    pub server_identity: Option<String>,
}

const VARIABLES: &str = "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', \
     'tx_isolation', 'autocommit', 'innodb_snapshot_isolation', 'character_set_connection', \
     'collation_connection')";
const IDENTITY: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('hostname', 'port', 'datadir', \
     'server_uuid', 'server_uid')";
const TLS_STATUS: &str = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')";

/// Reads the settings of this session from the server.
pub(crate) fn read_back(session: &mut Session) -> Result<SessionReadBack, DriveError> {
    let variables = ask(session, VARIABLES)?;
    let tls = ask(session, TLS_STATUS)?;
    let facts = session.info();
    let variable = |name: &str| find(&variables, name);
    Ok(SessionReadBack {
        server_version: facts.server_version.clone(),
        auth_plugin: facts.auth_plugin.clone(),
        tls_version: find(&tls, "Ssl_version").filter(|value| !value.is_empty()),
        tls_cipher: find(&tls, "Ssl_cipher").filter(|value| !value.is_empty()),
        compression: facts.compression,
        isolation: variable("transaction_isolation")
            .or_else(|| variable("tx_isolation"))
            .unwrap_or_default(),
        autocommit: variable("autocommit").is_some_and(|value| is_on(&value)),
        snapshot_isolation: variable("innodb_snapshot_isolation").map(|value| is_on(&value)),
        character_set: variable("character_set_connection").unwrap_or_default(),
        collation: variable("collation_connection").unwrap_or_default(),
        server_identity: None,
    })
}

/// Checks that no filling of the tables is unfinished: its step log would be there.
pub(crate) fn check_filling(session: &mut Session) -> Result<(), DriveError> {
    let is_step_log = |name: &Option<Vec<u8>>| name.as_deref() == Some(STEP_LOG_TABLE.as_bytes());
    match session.query(&format!("SHOW TABLES LIKE '{STEP_LOG_TABLE}'")) {
        Ok(found) if found.rows.iter().flatten().any(is_step_log) => {
            Err(DriveError::UnfinishedFilling)
        }
        Ok(_) | Err(WireError::Server(_)) => Ok(()),
        Err(error) => Err(server("asking whether the tables are filled")(error)),
    }
}

/// Identifies the server, regardless of the address it is reached by.
pub(crate) fn server_identity(session: &mut Session) -> Result<String, DriveError> {
    let variables = ask(session, IDENTITY)?;
    let names = ["hostname", "port", "datadir", "server_uuid", "server_uid"];
    let values = names.iter().filter_map(|name| find(&variables, name));
    Ok(values.collect::<Vec<_>>().join(" "))
}

/// Reads one of the server's global limits, for an error message; `None` if it can't be read.
pub(crate) fn global_variable(session: &mut Session, name: &str) -> Option<String> {
    let sql = format!("SHOW GLOBAL VARIABLES WHERE Variable_name = '{name}'");
    find(&session.select_columns(&sql, 2).ok()?, name)
}

fn ask(session: &mut Session, sql: &str) -> Result<QueryResult, DriveError> {
    let answer = session.select_columns(sql, 2);
    answer.map_err(server("reading back the settings of a session"))
}

fn find(result: &QueryResult, name: &str) -> Option<String> {
    let text = |value: &Option<Vec<u8>>| {
        String::from_utf8_lossy(value.as_deref().unwrap_or_default()).into_owned()
    };
    let row = result.rows.iter().find(|row| {
        row.first()
            .is_some_and(|value| text(value).eq_ignore_ascii_case(name))
    })?;
    row.get(1).map(text)
}

fn is_on(value: &str) -> bool {
    value.eq_ignore_ascii_case("ON") || value == "1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_found_whatever_the_case_of_its_name() {
        let value = |text: &str| Some(text.as_bytes().to_vec());
        let result = QueryResult {
            rows: vec![
                vec![value("autocommit"), value("ON")],
                vec![value("Ssl_cipher"), value("")],
            ],
            ..QueryResult::default()
        };
        assert_eq!(find(&result, "AUTOCOMMIT").as_deref(), Some("ON"));
        assert_eq!(find(&result, "ssl_cipher").as_deref(), Some(""));
        assert_eq!(find(&result, "tx_isolation"), None);
    }
}
