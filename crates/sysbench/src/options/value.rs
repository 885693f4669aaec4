//! Parses values of options, by type.

use crate::Log;

/// The types that sysbench knows; the numbers are those of `sysbench.cmdline.ARG_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// No value.
    Null = 0,
    /// on or off.
    Flag = 1,
    /// A whole number.
    Int = 2,
    /// A number with K, M, G or T.
    Size = 3,
    /// A number.
    Double = 4,
    /// Words.
    Text = 5,
    /// Words with commas between.
    List = 6,
    /// The name of a file with options.
    File = 7,
}

impl ArgKind {
    /// Returns the kind of this number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Self> {
        [
            Self::Null,
            Self::Flag,
            Self::Int,
            Self::Size,
            Self::Double,
            Self::Text,
            Self::List,
            Self::File,
        ]
        .into_iter()
        .find(|kind| *kind as u32 == number)
    }

    /// Returns how help shows that an option of this kind takes a value.
    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Self::Null => "",
            Self::Flag => "[=on|off]",
            Self::Int | Self::Double => "=N",
            Self::Size => "=SIZE",
            Self::Text => "=STRING",
            Self::List => "=[LIST,...]",
            Self::File => "=FILENAME",
        }
    }
}

/// One option of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptOption {
    /// As declared.
    pub name: String,
    /// For the help.
    pub description: String,
    /// As text (flags as on and off, lists with commas); `None`: not set.
    pub default: Option<String>,
    /// Declared, or derived from the default.
    pub kind: ArgKind,
    /// The script wants to see a value before it counts.
    pub has_validator: bool,
}

/// A value, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// on or off.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// Bytes or the like.
    Size(u64),
    /// A number.
    Double(f64),
    /// Words; not set is empty.
    Text(String),
    /// Several words.
    List(Vec<String>),
}

/// Holds what `sysbench.opt` shows: options by their names with underscores, in the order in which they became known.
#[derive(Clone, Default, PartialEq)]
pub struct OptionValues {
    values: Vec<(String, Value)>,
    /// Names of which no type is known, from a file with options.
    pub(super) untyped: Vec<String>,
}

impl OptionValues {
    /// Returns the value of an option, dashes and underscores being the same.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let name = underscored(name);
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Gives an option a value, in its old place if it had one.
    pub fn set(&mut self, name: &str, value: Value) {
        let name = underscored(name);
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name, value)),
        }
    }

    /// Prints what sysbench says each time values are handed to a state of a script: some have no type, and are left
    /// out.
    pub fn warn_of_untyped(&self, log: &Log) {
        for name in &self.untyped {
            let warning =
                format!("Global option '{name}' will not be exported, because the type is unknown");
            log.warning(&warning);
        }
    }

    /// Returns all, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }
}

/// Names only: a password is among the values.
impl std::fmt::Debug for OptionValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

/// Returns a name as scripts see it.
pub(super) fn underscored(name: &str) -> String {
    name.replace('-', "_")
}
