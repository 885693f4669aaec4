//! Holds the options that are known so far, with their values still as text.

use super::definitions::{Definition, Groups, all};
use super::value::{ArgKind, OptionValues, Value, underscored};
use super::{EarlyExit, OptionMessage, config_file, number};
use crate::Dialect;
use dbdyno_workload::probably_meant;

/// Options with their values. A value is read when it is asked for: that is when sysbench complains of it.
#[derive(Clone)]
pub struct Table {
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    name: String,
    kind: ArgKind,
    /// Shown only where it is given: the dialect has no such option, or is not built with it.
    hidden: bool,
    /// A flag is on if there is any value, a list has all of them, anything else has the first.
    values: Vec<String>,
}

/// Describes what became of an option that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionOutcome {
    Taken,
    Unknown,
    /// A flag is neither on nor off, or the type is unknown.
    Refused,
}

impl Table {
    /// Creates the options that every run knows.
    pub(super) fn general(dialect: Dialect) -> Self {
        let mut table = Self {
            entries: Vec::new(),
        };
        for Definition {
            name,
            kind,
            default,
            ..
        } in all(dialect)
        {
            // None of our defaults names a file or is an invalid flag, so nothing can be said or refused.
            table.declare(name, *kind, *default, &mut Vec::new());
        }
        for Definition { name, kind, .. } in Groups::of(dialect).hidden.iter().copied().flatten() {
            table.declare(name, *kind, None, &mut Vec::new());
            table
                .entries
                .last_mut()
                .into_iter()
                .for_each(|entry| entry.hidden = true);
        }
        table
    }

    /// Replaces the given value: by that of an old name, or by what follows from another option.
    pub(super) fn replace(&mut self, name: &str, value: i32) {
        self.give(name, Some(&value.to_string()), &mut Vec::new());
    }

    /// Makes an option known with its default; one that was known begins anew.
    pub(super) fn declare(
        &mut self,
        name: &str,
        kind: ArgKind,
        default: Option<&str>,
        said: &mut Vec<OptionMessage>,
    ) -> OptionOutcome {
        let name = underscored(name);
        self.entries.retain(|entry| entry.name != name);
        self.entries.push(Entry {
            name: name.clone(),
            kind,
            hidden: false,
            values: Vec::new(),
        });
        match default {
            Some(value) => self.give(&name, Some(value), said),
            None => OptionOutcome::Taken,
        }
    }

    /// Returns the option that was probably meant by a name that nobody has declared, as it is written.
    pub(super) fn nearest_option(&self, name: &str) -> Option<String> {
        let shown = self.entries.iter().filter(|entry| !entry.hidden);
        let names = shown.map(|entry| entry.name.as_str());
        probably_meant(&underscored(name), names)
            .map(|near| format!("--{}", near.replace('_', "-")))
    }

    /// Takes a value from the command line.
    pub(super) fn give(
        &mut self,
        name: &str,
        value: Option<&str>,
        said: &mut Vec<OptionMessage>,
    ) -> OptionOutcome {
        let name = underscored(name);
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) else {
            return OptionOutcome::Unknown;
        };
        match entry.kind {
            // From a file: nobody knows its type. The line has no end, as in sysbench.
            ArgKind::Null if value.is_some() => {
                said.push(OptionMessage::out("Unknown argument type: 0"));
                return OptionOutcome::Refused;
            }
            ArgKind::Null => {}
            // A word that is neither switches it off all the same.
            ArgKind::Flag => match flag(&name, value) {
                Some(values) => entry.values = values,
                None => {
                    entry.values.clear();
                    return OptionOutcome::Refused;
                }
            },
            ArgKind::List => {
                let items = value.unwrap_or_default().split(',');
                entry.values = items
                    .filter(|item| !item.is_empty())
                    .map(str::to_owned)
                    .collect();
            }
            // A mode word in 1.1, but the flag that it was in 1.0 goes on being understood.
            ArgKind::Text if name == "mysql_ssl" && value.is_none() => {
                entry.values = vec!["on".to_owned()];
            }
            ArgKind::File => {
                if let Some(path) = value.filter(|path| !path.is_empty()) {
                    self.give_file(path, said);
                }
            }
            _ => entry.values = value.map(str::to_owned).into_iter().collect(),
        }
        OptionOutcome::Taken
    }

    /// Takes values from a file with options, each in place of what was there.
    fn give_file(&mut self, path: &str, said: &mut Vec<OptionMessage>) {
        match config_file::read(path) {
            Ok(settings) => {
                for setting in settings {
                    self.give_setting(setting, said);
                }
            }
            Err(why) => said.push(OptionMessage::err(format!("{path}: {why}\n"))),
        }
    }

    fn give_setting(&mut self, setting: config_file::Setting, said: &mut Vec<OptionMessage>) {
        if let Some(line) = setting.unended_on_line {
            said.push(OptionMessage::err(format!(
                "unexpected EOL on line {line}\n"
            )));
        }
        let name = underscored(&setting.name);
        match self.entries.iter_mut().find(|entry| entry.name == name) {
            Some(entry) => entry.values = setting.values,
            None => self.entries.push(Entry {
                name,
                kind: ArgKind::Null,
                hidden: false,
                values: setting.values,
            }),
        }
    }

    fn values_of(&self, name: &str) -> &[String] {
        self.entries
            .iter()
            .find(|entry| entry.name == name)
            .map_or(&[], |entry| &entry.values)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        !self.values_of(name).is_empty()
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.values_of(name).first().map_or("", String::as_str)
    }

    pub(super) fn list(&self, name: &str) -> &[String] {
        self.values_of(name)
    }

    pub(super) fn int(&self, name: &str) -> Result<i32, EarlyExit> {
        let text = self.text(name);
        number::int(text).ok_or_else(|| EarlyExit::bad_value(name, text))
    }

    pub(super) fn size(&self, name: &str) -> u64 {
        number::size(self.text(name))
    }

    pub(super) fn double(&self, name: &str) -> f64 {
        number::double(self.text(name))
    }

    /// Returns all values, read, as `sysbench.opt` shows them.
    ///
    /// # Errors
    ///
    /// A whole number is none.
    pub fn values(&self) -> Result<OptionValues, EarlyExit> {
        let mut values = OptionValues::default();
        let is_shown = |entry: &&Entry| !(entry.hidden && entry.values.is_empty());
        for Entry { name, kind, .. } in self.entries.iter().filter(is_shown) {
            let value = match kind {
                ArgKind::Null => {
                    values.untyped.push(name.clone());
                    continue;
                }
                ArgKind::File => continue,
                ArgKind::Flag => Value::Flag(self.flag(name)),
                ArgKind::Int => Value::Int(i64::from(self.int(name)?)),
                ArgKind::Size => Value::Size(self.size(name)),
                ArgKind::Double => Value::Double(self.double(name)),
                ArgKind::Text => Value::Text(self.text(name).to_owned()),
                ArgKind::List => Value::List(self.list(name).to_vec()),
            };
            values.set(name, value);
        }
        Ok(values)
    }
}

/// Names only: a password is among the values.
impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.entries.iter().map(|entry| &entry.name);
        f.debug_list().entries(names).finish()
    }
}

/// Modes of encryption that the master branch knows by word; taken in place of on and off in either dialect.
const TLS_MODES: [&str; 4] = ["preferred", "required", "verify_ca", "verify_identity"];

/// Returns the values that stand for a flag's value; `None` if it is none.
fn flag(name: &str, value: Option<&str>) -> Option<Vec<String>> {
    let on = |word: &str| Some(vec![word.to_owned()]);
    match value {
        None => on("on"),
        Some(word @ ("on" | "true" | "1")) => on(word),
        Some("off" | "false" | "0") => Some(Vec::new()),
        Some(word) if name == "mysql_ssl" => {
            let word = word.to_ascii_lowercase();
            match word.as_str() {
                "disabled" => Some(Vec::new()),
                mode if TLS_MODES.contains(&mode) => on(mode),
                _ => None,
            }
        }
        Some(_) => None,
    }
}
