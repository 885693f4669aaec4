//! Names the generations of sysbench that can be imitated.

/// The two generations in use. Where they differ, the dialect decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// 1.0.20, the last release, which distributions carry.
    #[default]
    V1_0,
    /// The master branch, which calls itself 1.1.0.
    V1_1,
}

impl Dialect {
    /// Returns what `sysbench.version` says to a script.
    #[must_use]
    pub fn version(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0.20",
            Self::V1_1 => "1.1.0",
        }
    }

    /// Returns the dialect of this name, `1.0` or `1.1`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "1.0" => Some(Self::V1_0),
            "1.1" => Some(Self::V1_1),
            _ => None,
        }
    }
}
