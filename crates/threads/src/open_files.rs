//! Identifies the files that a server has open, by their names.

use std::collections::HashMap;
use std::fs;

/// Describes what a file descriptor stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenFile {
    /// Redo log, or write-ahead log of an LSM engine.
    Redo,
    /// Binary log and its index.
    Binlog,
    /// Tables, indexes, undo, doublewrite buffer.
    Data,
    /// A socket, by its inode.
    Socket(u64),
    /// Any other.
    Other,
}

/// The open files of one process, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    known: HashMap<u64, OpenFile>,
}

impl OpenFiles {
    /// Returns what a descriptor stands for. Files that are rotated get new descriptors or the same with another name,
    /// so [`forget`](Self::forget) is called once a second.
    pub(crate) fn file(&mut self, pid: u32, descriptor: u64) -> OpenFile {
        *self.known.entry(descriptor).or_insert_with(|| {
            fs::read_link(format!("/proc/{pid}/fd/{descriptor}"))
                .map_or(OpenFile::Other, |path| named(&path.to_string_lossy()))
        })
    }

    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}

/// Classifies by the names that MySQL and MariaDB, InnoDB, MyISAM, Aria, RocksDB and TidesDB give their files.
fn named(path: &str) -> OpenFile {
    if let Some(inode) = path
        .strip_prefix("socket:[")
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return inode.parse().map_or(OpenFile::Other, OpenFile::Socket);
    }
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_lsm = folder.contains("rocksdb") || folder.contains("tidesdb");
    if name.starts_with("ib_logfile") || name.starts_with("#ib_redo") {
        return OpenFile::Redo;
    }
    if is_lsm && (extension == "log" || extension == "wal" || name.starts_with("wal")) {
        return OpenFile::Redo;
    }
    // Binary logs can have any name (`log_bin`). Only Aria's log and old logs of RocksDB have such a number, too.
    let is_number = extension.len() >= 6 && extension.bytes().all(|byte| byte.is_ascii_digit());
    let is_other = name.starts_with("aria_log.") || name.starts_with("LOG.old.");
    if (is_number && !is_other) || extension == "index" {
        return OpenFile::Binlog;
    }
    if name.starts_with("#sql") && extension.starts_with('M') {
        return OpenFile::Other; // temporary tables of Aria and MyISAM
    }
    let is_data = matches!(
        extension,
        "ibd" | "ibu" | "dblwr" | "sst" | "klog" | "vlog" | "MYD" | "MYI" | "MAD" | "MAI"
    );
    let is_space = ["ibdata", "undo", "#ib_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if is_data || is_space {
        return OpenFile::Data;
    }
    OpenFile::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names() {
        for (path, file) in [
            ("/d/ib_logfile0", OpenFile::Redo),
            ("/d/#innodb_redo/#ib_redo12", OpenFile::Redo),
            ("/d/#rocksdb/000123.log", OpenFile::Redo),
            ("/d/#rocksdb/000124.sst", OpenFile::Data),
            ("/d/binlog.000007", OpenFile::Binlog),
            ("/d/db1-bin.000001", OpenFile::Binlog),
            ("/d/mysql-bin.index", OpenFile::Binlog),
            ("/d/master.000001", OpenFile::Binlog),
            ("/d/master.1000000", OpenFile::Binlog),
            ("/d/master.index", OpenFile::Binlog),
            ("/d/general.log.1", OpenFile::Other),
            ("/d/aria_log.00000001", OpenFile::Other),
            ("/d/of-rocksdb/binlog.000001", OpenFile::Binlog),
            ("/d/#rocksdb/LOG.old.1764316800000000", OpenFile::Other),
            ("/tmp/#sql-temptable-1a2b-5-0.MAD", OpenFile::Other),
            ("/tmp/#sql_1a2b_0.MYI (deleted)", OpenFile::Other),
            ("/d/sbtest/#sql-alter-1a2b-5.ibd", OpenFile::Data),
            ("/d/sbtest/t.MAD", OpenFile::Data),
            ("/d/sbtest/sbtest1.ibd", OpenFile::Data),
            ("/d/ibdata1", OpenFile::Data),
            ("/d/undo_001", OpenFile::Data),
            ("/d/#ib_16384_0.dblwr", OpenFile::Data),
            ("/d/ibtmp1", OpenFile::Other),
            ("/tmp/MLfd=12 (deleted)", OpenFile::Other),
            ("/d/error.log", OpenFile::Other),
            ("socket:[4711]", OpenFile::Socket(4711)),
            ("anon_inode:[eventpoll]", OpenFile::Other),
        ] {
            assert_eq!(named(path), file, "{path}");
        }
    }
}
