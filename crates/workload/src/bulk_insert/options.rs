//! Lists the options: two of those of the other scripts.

use crate::WorkloadError;
use crate::option_table::{OptionRow, OptionTable, option_row};
use crate::option_value::{identifier, whole};

/// The storage engine that the server takes by itself.
const SERVERS_OWN: &str = "default";

/// All options; values are checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Options {
    pub(super) tables: u32,
    pub(super) mysql_storage_engine: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tables: 1,
            mysql_storage_engine: SERVERS_OWN.to_owned(),
        }
    }
}

const ROWS: &[OptionRow<Options>] = &[
    option_row!(tables, "Number of tables, one for each user", |text| {
        whole(text, 1, 65_535, "a whole number, 1 to 65535,")
    })
    .shapes_data(),
    option_row!(
        mysql_storage_engine,
        "Storage engine of the tables; default: the server's",
        identifier
    )
    .shapes_data(),
];

const TABLE: OptionTable<Options> = OptionTable {
    family: "Options of sysbench workloads",
    rows: ROWS,
    aliases: &[],
};

impl Options {
    pub(super) fn read(given: &[(String, String)]) -> Result<Self, WorkloadError> {
        let mut options = Self::default();
        TABLE.read(super::NAME, &mut options, given)?;
        Ok(options)
    }

    /// Checks the number of users: two users on one table would insert the same keys.
    pub(super) fn check_users(&self, users: u32) -> Result<(), WorkloadError> {
        if users <= self.tables {
            return Ok(());
        }
        let allowed = format!("{users} or more, as each of {users} users has a separate table,");
        let tables = self.tables.to_string();
        Err(WorkloadError::invalid("tables", &tables, &allowed))
    }

    /// Returns words at the end of CREATE TABLE.
    pub(super) fn engine_clause(&self) -> String {
        match self.mysql_storage_engine.as_str() {
            SERVERS_OWN => String::new(),
            engine => format!(" /*! ENGINE = {engine} */"),
        }
    }

    /// Returns every option with its value.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        TABLE.list(super::NAME, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option_table::given;

    #[test]
    fn every_option_reads_its_default_back_and_reaches_its_own_place() {
        TABLE.assert_sound(&["2", "rocksdb"]);
    }

    #[test]
    fn every_user_needs_a_table() {
        let options = Options::read(&given(&[("tables", "8")])).unwrap();
        assert!(options.check_users(8).is_ok());
        let message = options.check_users(9).unwrap_err().to_string();
        assert!(message.contains("9 or more"), "{message}");
    }

    #[test]
    fn options_of_the_other_scripts_are_refused() {
        let message = Options::read(&given(&[("table_size", "8")])).unwrap_err();
        assert!(message.to_string().contains("\"tables\""), "{message}");
    }
}
