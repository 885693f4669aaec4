//! Chooses how rows go to the server: as statements, as values of a prepared one, or as the file of a LOAD
//! DATA LOCAL.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::LoadBy;
use dbdyno_wire::{Session, SessionInfo, WireError};
use dbdyno_workload::{Population, RowForm};

/// Says how the rows of one table are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoadMethod {
    pub(super) transport: RowTransport,
    /// Whether only one connection at a time can fill the table this way.
    pub(super) is_exclusive: bool,
}

/// Says in which form rows are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowTransport {
    Statements,
    Prepared(RowForm),
    File(RowForm),
}

impl LoadMethod {
    /// Returns the word used in records.
    pub(super) fn word(&self) -> &'static str {
        match self.transport {
            RowTransport::Statements => "statements",
            RowTransport::Prepared(_) => "prepared",
            RowTransport::File(_) => "infile",
        }
    }
}

/// Holds the inputs of the choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadPreference {
    pub(super) load_by: LoadBy,
    pub(super) connections: u32,
    /// Rows after which a part continues in another transaction.
    pub(super) transaction_rows: Option<u64>,
}

/// Chooses a method for each table, once the tables exist.
///
/// Values of a prepared statement cost the server less than their text does, because it parses nothing; so does a file,
/// which it reads byte by byte. Which of the two costs less depends on the server, and on the length of the values. If
/// InnoDB uses its older rule for numbers, a LOAD DATA locks all others out of a table with AUTO_INCREMENT
/// (MariaDB and MySQL 5.7 do so by default, MySQL 8.0 doesn't). If there are fewer tables than connections, that
/// decides.
pub(super) fn choose(
    session: &mut Session,
    population: &dyn Population,
    preference: LoadPreference,
) -> Result<Vec<LoadMethod>, CliError> {
    let capabilities = ServerCapabilities::ask(session).map_err(|error| {
        CliError::world(
            ErrorCode::SettingsUnreadable,
            "the settings for loading rows could not be read",
        )
        .because_of(&error)
    })?;
    if preference.load_by == LoadBy::Infile && !capabilities.accepts_files {
        return Err(CliError::world(
            ErrorCode::InfileRefused,
            "the server does not accept LOAD DATA LOCAL",
        )
        .because("its variable local_infile is OFF")
        .hint("SET GLOBAL local_infile = ON, or choose --load-by prepared"));
    }
    let is_crowded = population.tables() < preference.connections;
    let method = |table| {
        let name = population.table_name(table).to_ascii_lowercase();
        let is_locked = capabilities.locked_tables.contains(&name);
        let waits = is_locked && is_crowded && population.parts(table) > 1;
        let transport = match (population.row_form(table), preference.load_by) {
            (None, _) | (_, LoadBy::Statements) => RowTransport::Statements,
            (Some(form), LoadBy::Infile) => RowTransport::File(form),
            (Some(form), LoadBy::Auto) if capabilities.prefers_files(&form) && !waits => {
                RowTransport::File(form)
            }
            (Some(form), LoadBy::Prepared | LoadBy::Auto) => RowTransport::Prepared(form),
        };
        LoadMethod {
            is_exclusive: is_locked && matches!(transport, RowTransport::File(_)),
            transport,
        }
    };
    Ok((0..population.tables()).map(method).collect())
}

/// Describes what the server supports.
#[derive(Debug)]
struct ServerCapabilities {
    accepts_files: bool,
    /// Whether a file of long values costs it less than the values do. A file of short values always does.
    reads_long_values: bool,
    /// Names, in lower case, of tables that a LOAD DATA locks exclusively.
    locked_tables: Vec<String>,
}

impl ServerCapabilities {
    fn ask(session: &mut Session) -> Result<Self, WireError> {
        let variable = |session: &mut Session, name: &str| {
            let sql = format!("SHOW GLOBAL VARIABLES LIKE '{name}'");
            let answer = session.select_columns(&sql, 2)?;
            let value = answer.rows.first().and_then(|row| row.get(1)?.clone());
            Ok::<_, WireError>(String::from_utf8_lossy(&value.unwrap_or_default()).into_owned())
        };
        let accepts_files = variable(session, "local_infile")? == "ON";
        let by_interleaving = variable(session, "innodb_autoinc_lock_mode")? == "2";
        let locked_tables = if by_interleaving {
            Vec::new()
        } else {
            numbered_tables(session)?
        };
        let reads_long_values = reads_long_values(session.info());
        Ok(Self {
            accepts_files,
            reads_long_values,
            locked_tables,
        })
    }

    fn prefers_files(&self, form: &RowForm) -> bool {
        self.accepts_files && (self.reads_long_values || !form.has_long_values())
    }
}

/// Decides as measured with rows of sysbench and TPC-C; see `docs/guides/populate.md`.
fn reads_long_values(info: &SessionInfo) -> bool {
    let version = info.server_version.split(['.', '-']).map(str::parse);
    let version: Vec<u32> = version.map_while(Result::ok).take(2).collect();
    if info.is_mariadb {
        version < vec![10, 6]
    } else {
        version >= vec![8, 0]
    }
}

fn numbered_tables(session: &mut Session) -> Result<Vec<String>, WireError> {
    let answer = session.select_columns(
        "SELECT t.table_name FROM information_schema.tables t \
         JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name \
         WHERE t.table_schema = DATABASE() AND t.engine = 'InnoDB' AND c.extra LIKE '%auto_increment%'",
        1,
    )?;
    let names = answer.rows.iter().filter_map(|row| row.first()?.as_deref());
    Ok(names
        .map(|name| String::from_utf8_lossy(name).to_ascii_lowercase())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_read_long_values_cheaply_are_told_by_their_version() {
        let prefers = |server_version: &str, is_mariadb| {
            reads_long_values(&SessionInfo {
                server_version: server_version.to_owned(),
                is_mariadb,
                ..SessionInfo::default()
            })
        };
        assert!(prefers("9.7.0", false) && prefers("8.0.36-28", false));
        assert!(!prefers("5.7.44-log", false));
        assert!(!prefers("11.8.6-MariaDB-0+deb13u1 from Debian", true));
        assert!(!prefers("10.11.19-MariaDB", true) && prefers("10.5.23-MariaDB", true));
    }
}
