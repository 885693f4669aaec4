//! Holds the options, with the names of the tool's configuration files where it has them.

use super::NAME;
use super::operation::{MIXED, OperationMix};
use super::option_table::TABLE;
use crate::WorkloadError;
use crate::storage_engine::compresses_as_innodb;

/// All options; values are checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinkBenchOptions {
    pub(super) startid1: u64,
    pub(super) maxid1: u64,
    pub(super) link_type_count: u32,
    pub(super) data_file: String,
    pub(super) dbid: String,
    pub(super) id2gen_config: u32,
    pub(super) getlinklist_history: f64,
    pub(super) range_limit: u32,
    pub(super) fidelity: String,
    pub(super) addlink: f64,
    pub(super) deletelink: f64,
    pub(super) updatelink: f64,
    pub(super) countlink: f64,
    pub(super) getlink: f64,
    pub(super) getlinklist: f64,
    pub(super) addnode: f64,
    pub(super) updatenode: f64,
    pub(super) deletenode: f64,
    pub(super) getnode: f64,
    pub(super) mysql_storage_engine: String,
    pub(super) partitions: u32,
    pub(super) index_after_load: bool,
    pub(super) table_compression: String,
    pub(super) key_block_size: u32,
    pub(super) page_compression: String,
    pub(super) mysql_bulk_insert_batch: u32,
    pub(super) mysql_disable_binlog_load: bool,
}

impl Default for LinkBenchOptions {
    fn default() -> Self {
        let OperationMix(
            [
                addlink,
                deletelink,
                updatelink,
                countlink,
                getlink,
                getlinklist,
                addnode,
                updatenode,
                deletenode,
                getnode,
            ],
        ) = OperationMix::PUBLISHED;
        Self {
            startid1: 1,
            maxid1: 10_000_001,
            link_type_count: 2,
            data_file: String::new(),
            dbid: "linkdb".to_owned(),
            id2gen_config: 0,
            getlinklist_history: 0.3,
            range_limit: 10_000,
            fidelity: "tool".to_owned(),
            addlink,
            deletelink,
            updatelink,
            countlink,
            getlink,
            getlinklist,
            addnode,
            updatenode,
            deletenode,
            getnode,
            mysql_storage_engine: "innodb".to_owned(),
            partitions: 16,
            index_after_load: false,
            table_compression: "none".to_owned(),
            key_block_size: 8,
            page_compression: "lz4".to_owned(),
            mysql_bulk_insert_batch: 1024,
            mysql_disable_binlog_load: false,
        }
    }
}

impl LinkBenchOptions {
    /// Reads names and values as the user wrote them, over the defaults.
    pub(super) fn read(given: &[(String, String)]) -> Result<Self, WorkloadError> {
        let mut options = Self::default();
        TABLE.read(NAME, &mut options, given)?;
        options.check()?;
        Ok(options)
    }

    /// Checks what can only be judged when all values are known.
    fn check(&self) -> Result<(), WorkloadError> {
        if self.maxid1 <= self.startid1 {
            let allowed = "an id above startid1";
            return Err(WorkloadError::invalid(
                "maxid1",
                &self.maxid1.to_string(),
                allowed,
            ));
        }
        let (how, engine) = (&self.table_compression, &self.mysql_storage_engine);
        if how != "none" && !compresses_as_innodb(engine) {
            let allowed = format!("none ({engine} has no InnoDB compression)");
            return Err(WorkloadError::invalid("table_compression", how, &allowed));
        }
        let sum = self.mix().sum();
        if (sum - 100.0).abs() > 1e-6 {
            let allowed = "a mix whose ten shares, addlink to getnode, add up to 100";
            return Err(WorkloadError::invalid(
                "addlink .. getnode",
                &sum.to_string(),
                allowed,
            ));
        }
        Ok(())
    }

    /// Returns the count of nodes.
    pub(super) fn id_count(&self) -> u64 {
        self.maxid1 - self.startid1
    }

    /// Returns whether the tool's quirks are repaired.
    pub(super) fn is_fixed(&self) -> bool {
        self.fidelity == "fixed"
    }

    /// Returns the shares, in the order in which the tool adds them up.
    pub(super) fn mix(&self) -> OperationMix {
        let shares: [f64; MIXED] = [
            self.addlink,
            self.deletelink,
            self.updatelink,
            self.countlink,
            self.getlink,
            self.getlinklist,
            self.addnode,
            self.updatenode,
            self.deletenode,
            self.getnode,
        ];
        OperationMix(shares)
    }

    /// Returns every option with its value, in the order of the table.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        TABLE.list(NAME, self)
    }
}

#[cfg(test)]
mod tests {
    use super::LinkBenchOptions;
    use crate::option_table::given;

    fn read(pairs: &[(&str, &str)]) -> Result<LinkBenchOptions, String> {
        LinkBenchOptions::read(&given(pairs)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_mix_must_add_up() {
        let shares = [
            "addlink",
            "deletelink",
            "updatelink",
            "countlink",
            "getlink",
        ];
        let mut given: Vec<_> = shares.map(|name| (name, "20")).to_vec();
        assert!(read(&given).unwrap_err().contains("add up to 100"));
        for name in [
            "getlinklist",
            "addnode",
            "updatenode",
            "deletenode",
            "getnode",
        ] {
            given.push((name, "0"));
        }
        assert_eq!(read(&given).unwrap().mix().0[4], 20.0);
    }

    #[test]
    fn compression_of_tables_is_innodbs() {
        let rocksdb = ("mysql_storage_engine", "rocksdb");
        for how in ["row-compressed", "page-compressed"] {
            let message = read(&[rocksdb, ("table_compression", how)]).unwrap_err();
            assert!(message.contains("rocksdb"), "{message}");
            assert!(read(&[("table_compression", how)]).is_ok());
        }
        assert!(read(&[rocksdb]).is_ok());
    }

    #[test]
    fn wrong_values_are_refused_with_what_is_allowed() {
        for (name, value, hint) in [
            ("maxid1", "1", "above startid1"),
            ("max-id1", "5", "\"maxid1\""),
            ("link_type_count", "0", "1 to 16"),
            ("fidelity", "exact", "tool or fixed"),
            ("table_compression", "zlib", "row-compressed"),
            ("key_block_size", "3", "1, 2, 4, 8 or 16"),
            ("page_compression", "lz4'", "letters"),
            ("dbid", "a`b", "letters"),
            ("partitions", "1025", "0 to 1024"),
        ] {
            let message = read(&[(name, value)]).unwrap_err();
            assert!(message.contains(hint), "{message}");
        }
    }
}
