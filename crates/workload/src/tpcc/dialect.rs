//! Names the dialects of TPC-C.

use super::NAME;

/// One established implementation, or the standard's text itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Standard,
    SysbenchTpcc,
    TpccMysql,
    Hammerdb,
}

impl Dialect {
    pub(crate) const ALL: [Self; 4] = [
        Self::Standard,
        Self::SysbenchTpcc,
        Self::TpccMysql,
        Self::Hammerdb,
    ];

    /// Returns the word for the option `dialect`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::SysbenchTpcc => "sysbench-tpcc",
            Self::TpccMysql => "tpcc-mysql",
            Self::Hammerdb => "hammerdb",
        }
    }

    /// Returns the full name of the workload.
    pub(crate) fn workload(self) -> String {
        format!("{NAME}/{}", self.word())
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.word() == word.replace('_', "-"))
    }

    /// Returns the tool and the version that was compared.
    pub(crate) fn imitates(self) -> &'static str {
        match self {
            Self::Standard => "TPC-C standard 5.11, derived",
            Self::SysbenchTpcc => "sysbench-tpcc 585e2b8 on sysbench 1.0.20",
            Self::TpccMysql => "tpcc-mysql 1ec1c5e",
            Self::Hammerdb => "HammerDB 5725747",
        }
    }

    /// Returns whether its tables have Percona's types and key names (H of the specification otherwise).
    pub(crate) fn has_percona_schema(self) -> bool {
        self != Self::Hammerdb
    }
}
