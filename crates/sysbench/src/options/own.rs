//! Defines our own options, in addition to sysbench's.

use super::definitions::Definition;
use super::{ArgKind, EarlyExit, Leftover};
use crate::{Dialect, Fixes};
use std::path::PathBuf;

/// The spelling of `--script-timeout` in earlier versions.
const EARLIER_SCRIPT_TIMEOUT: &str = "script-patience";

/// Lists our own options with their help.
pub(super) const OWN: &[Definition] = &[
    Definition {
        name: "dialect",
        kind: ArgKind::Text,
        default: Some("1.0"),
        description: "version of sysbench to imitate {1.0, 1.1}; also by DBDYNO_SYSBENCH_DIALECT",
    },
    Definition {
        name: "workers",
        kind: ArgKind::Int,
        default: None,
        description: "operating system threads that drive the users; default: chosen for this machine",
    },
    Definition {
        name: "json-lines",
        kind: ArgKind::Text,
        default: None,
        description: "write dbdyno's own records to this file, '-' for standard output",
    },
    Definition {
        name: "fixes",
        kind: ArgKind::List,
        default: None,
        description: "improvements on sysbench: any of prepare-exit, done-exit, backlog, rollback, report, codes; or all, or none",
    },
    Definition {
        name: "script-timeout",
        kind: ArgKind::Int,
        default: Some("30"),
        description: "seconds that a script may compute outside of events without waiting, ten times as many in commands; 0 - no limit",
    },
    Definition {
        name: "native",
        kind: ArgKind::Flag,
        default: Some("on"),
        description: "run the bundled scripts as native code that sends the same statements",
    },
];

/// Their values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnOptions {
    pub workers: Option<u32>,
    pub json_lines: Option<PathBuf>,
    pub fixes: Fixes,
    pub script_timeout_s: u32,
    pub native: bool,
}

/// Returns whether an option is dbdyno's own.
pub(super) fn is(name: &str) -> bool {
    let name = name.replace('_', "-");
    OWN.iter().any(|own| own.name == name) || name == EARLIER_SCRIPT_TIMEOUT
}

/// Returns the dialect, which must be known before anything else is read: the last `--dialect`, or the environment's.
pub(super) fn dialect(arguments: &[String], environment: Dialect) -> Result<Dialect, EarlyExit> {
    let mut words = arguments.iter().rev();
    match words.find_map(|word| word.strip_prefix("--dialect=")) {
        Some(name) => Dialect::named(name).ok_or_else(|| EarlyExit::bad_value("dialect", name)),
        None => Ok(environment),
    }
}

/// Reads what was given; the last of several counts.
pub(super) fn read(given: &[Leftover], own_form: bool) -> Result<OwnOptions, EarlyExit> {
    let mut own = OwnOptions {
        workers: None,
        json_lines: None,
        fixes: if own_form {
            Fixes::ALL
        } else {
            Fixes::SYSBENCH
        },
        script_timeout_s: 30,
        native: true,
    };
    for option in given {
        own.take(option)?;
    }
    Ok(own)
}

impl OwnOptions {
    fn take(&mut self, given: &Leftover) -> Result<(), EarlyExit> {
        let value = given.value.as_deref().unwrap_or_default();
        let bad = || EarlyExit::bad_value(&given.name.replace('-', "_"), value);
        match given.name.replace('_', "-").as_str() {
            "workers" => {
                let count = value.parse().ok().filter(|count| *count > 0);
                self.workers = Some(count.ok_or_else(bad)?);
            }
            "json-lines" if value.is_empty() => return Err(bad()),
            "json-lines" => self.json_lines = Some(PathBuf::from(value)),
            "fixes" => self.fixes = fixes(value).ok_or_else(bad)?,
            "script-timeout" | EARLIER_SCRIPT_TIMEOUT => {
                self.script_timeout_s = value.parse().map_err(|_| bad())?
            }
            "native" => {
                self.native = match given.value.as_deref() {
                    None | Some("on" | "true" | "1") => true,
                    Some("off" | "false" | "0") => false,
                    Some(_) => return Err(given.refused()),
                }
            }
            // `--dialect` was read before; without a value it says nothing.
            _ => {}
        }
        Ok(())
    }
}

/// Reads `all`, `none`, or exactly those named.
fn fixes(list: &str) -> Option<Fixes> {
    match list {
        "all" => return Some(Fixes::ALL),
        "none" => return Some(Fixes::NONE),
        _ => {}
    }
    let mut fixes = Fixes::NONE;
    for name in list.split(',') {
        let fix = match name {
            "prepare-exit" => &mut fixes.prepare_exit,
            "done-exit" => &mut fixes.done_exit,
            "backlog" => &mut fixes.backlog,
            "rollback" => &mut fixes.rollback,
            "report" => &mut fixes.report,
            "codes" => &mut fixes.codes,
            _ => return None,
        };
        *fix = true;
    }
    Some(fixes)
}
