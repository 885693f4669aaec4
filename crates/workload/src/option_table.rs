//! Reads and lists the options of a family by a table: one row an option, with its name, its help, how its
//! value is read and written.
//!
//! A family keeps the values in its own struct, `O`, and says here where each of them goes. All tables are used in the
//! same way: names are looked up, values read, options described and listed.

use crate::nearest::nearest;
use crate::{OptionInfo, WorkloadError};

/// An option of a family.
pub(crate) struct OptionRow<O> {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) is_switch: bool,
    /// Whether it shapes the tables and their rows.
    pub(crate) shapes_data: bool,
    /// What the names of the workloads that have it end in; empty: the whole family has it.
    pub(crate) of: &'static [&'static str],
    /// Reads a value into its place, or says what is allowed.
    pub(crate) set: fn(&mut O, &str) -> Result<(), &'static str>,
    pub(crate) get: fn(&O) -> String,
}

/// A row: the field of the family's `Options` that has the option's name, its help, and how a text becomes its value.
macro_rules! option_row {
    ($name:ident, $help:expr, $read:expr) => {
        $crate::option_table::OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: false,
            shapes_data: false,
            of: &[],
            set: |options: &mut Options, text| {
                options.$name = $read(text)?;
                Ok(())
            },
            get: |options: &Options| options.$name.to_string(),
        }
    };
}

/// A row of an option that is on or off.
macro_rules! option_switch {
    ($name:ident, $help:expr) => {
        $crate::option_table::option_switch!($name, $help, $crate::option_value::switch)
    };
    ($name:ident, $help:expr, $read:expr) => {
        $crate::option_table::OptionRow {
            name: stringify!($name),
            help: $help,
            is_switch: true,
            shapes_data: false,
            of: &[],
            set: |options: &mut Options, text| {
                options.$name = $read(text)?;
                Ok(())
            },
            get: |options: &Options| $crate::option_value::switch_word(options.$name),
        }
    };
}

pub(crate) use {option_row, option_switch};

impl<O> OptionRow<O> {
    /// Limits it to some workloads of the family.
    pub(crate) const fn only(self, of: &'static [&'static str]) -> Self {
        Self { of, ..self }
    }

    /// Marks it as one that shapes the tables and their rows.
    pub(crate) const fn shapes_data(self) -> Self {
        Self {
            shapes_data: true,
            ..self
        }
    }

    fn belongs_to(&self, workload: &str) -> bool {
        let end = workload.rsplit('/').next().unwrap_or_default();
        self.of.is_empty() || self.of.contains(&end)
    }
}

/// All options of a family.
pub(crate) struct OptionTable<O: 'static> {
    /// Whose they are, as a heading of help texts.
    pub(crate) family: &'static str,
    pub(crate) rows: &'static [OptionRow<O>],
    /// Other names under which an option is known.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
}

impl<O> OptionTable<O> {
    /// Returns every option with its default; `defaults` has those for an option that only some workloads have.
    pub(crate) fn described(
        &self,
        defaults: impl Fn(&OptionRow<O>) -> O,
    ) -> Vec<(OptionInfo, String)> {
        let described = |row: &OptionRow<O>| {
            let info = OptionInfo {
                name: row.name,
                help: row.help,
                is_switch: row.is_switch,
                shapes_data: row.shapes_data,
                family: self.family,
            };
            (info, (row.get)(&defaults(row)))
        };
        self.rows.iter().map(described).collect()
    }

    /// Reads names and values as the user wrote them, into `options`.
    pub(crate) fn read(
        &self,
        workload: &str,
        options: &mut O,
        given: &[(String, String)],
    ) -> Result<(), WorkloadError> {
        for (name, value) in given {
            let row = self.row_for(workload, name)?;
            row.read(options, value)?;
        }
        Ok(())
    }

    /// Returns every option of the workload with its value, in the order of the table.
    pub(crate) fn list(&self, workload: &str, options: &O) -> Vec<(String, String)> {
        let value = |row: &OptionRow<O>| (row.name.to_owned(), (row.get)(options));
        self.rows_of(workload).map(value).collect()
    }

    fn rows_of(&self, workload: &str) -> impl Iterator<Item = &'static OptionRow<O>> {
        let belongs = move |row: &&OptionRow<O>| row.belongs_to(workload);
        self.rows.iter().filter(belongs)
    }

    /// Finds an option under any of its spellings, among those that the workload has.
    fn row_for(&self, workload: &str, given: &str) -> Result<&'static OptionRow<O>, WorkloadError> {
        let spelt = given.replace('-', "_");
        let alias = self.aliases.iter().find(|(other, _)| *other == spelt);
        let name = alias.map_or(spelt.as_str(), |(_, name)| name);
        let found = self.rows_of(workload).find(|row| row.name == name);
        found.ok_or_else(|| WorkloadError::UnknownOption {
            workload: workload.to_owned(),
            option: given.to_owned(),
            nearest: nearest(name, self.rows_of(workload).map(|row| row.name)).to_owned(),
        })
    }
}

impl<O> OptionRow<O> {
    /// Reads one value.
    pub(crate) fn read(&self, options: &mut O, value: &str) -> Result<(), WorkloadError> {
        (self.set)(options, value)
            .map_err(|allowed| WorkloadError::invalid(self.name, value, allowed))
    }
}

#[cfg(test)]
impl<O: Default + PartialEq + std::fmt::Debug> OptionTable<O> {
    /// Checks what holds for every table; `tried` has for each option a value that it takes and that isn't its default.
    pub(crate) fn assert_sound(&self, tried: &[&str]) {
        self.assert_defaults_read_back();
        self.assert_options_reach_their_own_places(tried);
        self.assert_names_are_of_options();
    }

    fn assert_defaults_read_back(&self) {
        let mut options = O::default();
        for (row, (_, value)) in self.rows.iter().zip(self.described(|_| O::default())) {
            (row.set)(&mut options, &value).unwrap();
        }
        assert_eq!(options, O::default());
    }

    fn assert_options_reach_their_own_places(&self, tried: &[&str]) {
        let defaults = O::default();
        for row in self.rows {
            let mut options = O::default();
            let takes = |value: &&&str| {
                (row.set)(&mut options, value).is_ok()
                    && (row.get)(&options) != (row.get)(&defaults)
            };
            assert!(tried.iter().find(takes).is_some(), "{}", row.name);
            let is_changed =
                |other: &&OptionRow<O>| (other.get)(&options) != (other.get)(&defaults);
            let changed: Vec<_> = self
                .rows
                .iter()
                .filter(is_changed)
                .map(|row| row.name)
                .collect();
            assert_eq!(changed, [row.name]);
        }
    }

    fn assert_names_are_of_options(&self) {
        for (_, name) in self.aliases {
            assert!(self.rows.iter().any(|row| row.name == *name), "{name}");
        }
    }
}

/// Makes options as given, from pairs of words.
#[cfg(test)]
pub(crate) fn given(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}
