//! Runs the second pass: the options that the script declares.

use super::table::{OptionOutcome, Table};
use super::value::{ArgKind, ScriptOption, underscored};
use super::{CommandLine, EarlyExit, Leftover, OptionMessage};
use crate::Dialect;

/// Returns the options of the first pass and those that the script declares, its defaults where the command line is
/// silent.
///
/// `declared` is `None` where the script declares none at all: then 1.0 takes what it does not know as text. `validate`
/// is called, with the name as written and the value, for each option given that has a validator. sysbench makes this
/// pass when there is a command, and before it looks whether there is such a command; the values are read later, where
/// a script begins to act ([`Table::values`]). The messages that option files caused are returned with the options.
///
/// # Errors
///
/// A default is no value of its type, or an option is refused or nobody's.
pub fn apply_script_options(
    line: &CommandLine,
    declared: Option<&[ScriptOption]>,
    validate: &mut dyn FnMut(&str, Option<&str>) -> bool,
) -> Result<(Table, Vec<OptionMessage>), EarlyExit> {
    let mut table = line.table.clone();
    let mut said = Vec::new();
    for option in declared.unwrap_or_default() {
        // A flag without a default is like a flag without a value: on.
        let bare = (option.kind == ArgKind::Flag).then_some("on");
        let default = option.default.as_deref().or(bare);
        if table.declare(&option.name, option.kind, default, &mut said) == OptionOutcome::Refused
            && option.kind != ArgKind::Null
        {
            let value = default.unwrap_or_default();
            return Err(EarlyExit::bad_value(&underscored(&option.name), value).after(said));
        }
    }
    let script = OptionDeclarations {
        declared,
        takes_anything: declared.is_none() && line.settings.dialect == Dialect::V1_0,
    };
    let own = line.own.iter().filter(|own| script.finds(own).is_some());
    let all: Vec<&Leftover> = own.chain(&line.leftovers).collect();
    for given in &all {
        let value = given.value.as_deref();
        let taken = match table.give(&given.name, value, &mut said) {
            OptionOutcome::Unknown if script.takes_anything => {
                table.declare(&given.name, ArgKind::Text, value, &mut said)
            }
            other => other,
        };
        if taken != OptionOutcome::Taken {
            let meant =
                (taken == OptionOutcome::Unknown).then(|| table.nearest_option(&given.name));
            let refused = EarlyExit {
                meant: meant.flatten(),
                ..given.refused()
            };
            return Err(refused.after(said));
        }
    }
    // Validators are asked when everything has been read.
    match all.iter().find(|given| !script.accepts(given, validate)) {
        Some(given) => Err(given.refused().after(said)),
        None => Ok((table, said)),
    }
}

struct OptionDeclarations<'a> {
    declared: Option<&'a [ScriptOption]>,
    takes_anything: bool,
}

impl OptionDeclarations<'_> {
    fn finds(&self, given: &Leftover) -> Option<&ScriptOption> {
        let name = underscored(&given.name);
        let mut options = self.declared.unwrap_or_default().iter();
        options.find(|option| underscored(&option.name) == name)
    }

    fn accepts(
        &self,
        given: &Leftover,
        validate: &mut dyn FnMut(&str, Option<&str>) -> bool,
    ) -> bool {
        match self.finds(given) {
            Some(option) if option.has_validator => validate(&given.name, given.value.as_deref()),
            _ => true,
        }
    }
}
