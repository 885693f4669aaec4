//! Values of options, by type.

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
    /// A file's name.
    File = 7,
}

/// One option of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptOption {
    /// As declared.
    pub name: String,
    /// For the help.
    pub description: String,
    /// As text; `None`: not set.
    pub default: Option<String>,
    /// Declared, or told from the default.
    pub kind: ArgKind,
    /// The script wants to see the value before it counts.
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

/// Options by their names with underscores, in the order in which they became known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OptionValues(Vec<(String, Value)>);

impl OptionValues {
    /// The value of an option, dashes and underscores being the same.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let name = underscored(name);
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Gives an option a value, in its old place if it had one.
    pub fn set(&mut self, name: &str, value: Value) {
        let name = underscored(name);
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// A name as scripts see it.
pub(super) fn underscored(name: &str) -> String {
    name.replace('-', "_")
}
