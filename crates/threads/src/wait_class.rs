//! Names the classes of waits.

/// Describes what a blocked thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WaitClass {
    /// The next command of its client: wire, wake-up and the client itself.
    Client,
    /// A read of tables, indexes or undo.
    DataRead,
    /// A write or flush of tables, indexes, undo or the doublewrite buffer.
    DataFlush,
    /// A write or flush of the redo log (the write-ahead log of an LSM engine).
    RedoFlush,
    /// A write or flush of the binary log.
    BinlogFlush,
    /// A read or write of another file: temporary tables, sort files.
    OtherFile,
    /// A row lock of another transaction.
    RowLock,
    /// A latch: a mutex or read-write lock of the server's memory.
    Latch,
    /// A metadata lock or table lock, also those of `LOCK TABLES` and `FLUSH TABLES WITH READ LOCK` of others.
    MetadataLock,
    /// A lock that the session asked for with `GET_LOCK()`, `FLUSH TABLES WITH READ LOCK` or a backup statement.
    UserLock,
    /// Its turn in the group commit.
    CommitOrder,
    /// Room in the redo log: a checkpoint must come first.
    RedoSpace,
    /// A free page of the buffer pool.
    FreePage,
    /// A write stall of an LSM engine: too many files or memtables.
    WriteStall,
    /// Admission by the storage engine (`innodb_thread_concurrency`) or the thread pool.
    Admission,
    /// `SLEEP()`.
    Sleep,
    /// A pause that the server makes by itself, such as that before changes while purge lags (`innodb_max_purge_lag`).
    Delay,
    /// Room in the socket to the client.
    NetworkSend,
    /// A page fault: memory that was swapped out or not yet there.
    PageFault,
    /// Nothing: a signal or a debugger has stopped the whole process.
    Stopped,
    /// Not named: no known function led to it, or its stack could not be read.
    NotNamed,
}

impl WaitClass {
    /// All of them, in the order of the reports.
    pub const ALL: [Self; 21] = [
        Self::Client,
        Self::DataRead,
        Self::DataFlush,
        Self::RedoFlush,
        Self::BinlogFlush,
        Self::OtherFile,
        Self::RowLock,
        Self::Latch,
        Self::MetadataLock,
        Self::UserLock,
        Self::CommitOrder,
        Self::RedoSpace,
        Self::FreePage,
        Self::WriteStall,
        Self::Admission,
        Self::Sleep,
        Self::Delay,
        Self::NetworkSend,
        Self::PageFault,
        Self::Stopped,
        Self::NotNamed,
    ];

    /// Returns the id, as it stands in records.
    ///
    /// ```
    /// use dbdyno_threads::WaitClass;
    /// assert_eq!(WaitClass::RedoFlush.id(), "redo_flush");
    /// assert!(WaitClass::ALL.iter().all(|class| WaitClass::of_id(class.id()) == Some(*class)));
    /// ```
    pub fn id(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::DataRead => "data_read",
            Self::DataFlush => "data_flush",
            Self::RedoFlush => "redo_flush",
            Self::BinlogFlush => "binlog_flush",
            Self::OtherFile => "other_file",
            Self::RowLock => "row_lock",
            Self::Latch => "latch",
            Self::MetadataLock => "metadata_lock",
            Self::UserLock => "user_lock",
            Self::CommitOrder => "commit_order",
            Self::RedoSpace => "redo_space",
            Self::FreePage => "free_page",
            Self::WriteStall => "write_stall",
            Self::Admission => "admission",
            Self::Sleep => "sleep",
            Self::Delay => "delay",
            Self::NetworkSend => "network_send",
            Self::PageFault => "page_fault",
            Self::Stopped => "stopped",
            Self::NotNamed => "not_named",
        }
    }

    /// Returns the class of an id.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.id() == id)
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}
