//! Implements the scripts that come with sysbench as our own code: same statements in the same order, same draws, same
//! counts, same words.
//!
//! A [`Builtin`] is known by its name; with the values of its options it becomes a [`Native`], whose users the run
//! drives and whose commands fill and drop the tables. Statements and draws are those of `dbdyno-workload`; what is
//! here is how sysbench goes about them. Values that no sensible run has (no tables, half a row) make no
//! [`Native`]: the script itself is to be run then.

mod bulk_insert;
mod commands;
mod oltp;
mod options;
mod words;

use crate::options::{OptionValues, ScriptOption};
use crate::run::{Failed, MainActor, Program, VirtualUser};
use crate::{Actor, Dialect, Engine};
use bulk_insert::BulkUser;
use dbdyno_workload::Population;
use oltp::Oltp;
use std::rc::Rc;
use std::sync::Arc;

/// Scripts that make OLTP events, by their names.
const OLTP: [&str; 10] = [
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_delete",
    "oltp_insert",
    "select_random_points",
    "select_random_ranges",
];

const BULK_INSERT: &str = "bulk_insert";

/// A script of sysbench's by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    name: &'static str,
    dialect: Dialect,
}

/// A builtin with its options.
#[derive(Debug, Clone)]
pub struct Native {
    kind: BuiltinKind,
    /// What every state of the script would have.
    values: Arc<OptionValues>,
}

#[derive(Debug, Clone)]
enum BuiltinKind {
    Oltp(Arc<Oltp>),
    BulkInsert(Arc<dyn Population>),
}

impl Builtin {
    /// Returns the builtin of this name.
    #[must_use]
    pub fn named(name: &str, dialect: Dialect) -> Option<Self> {
        let name = Self::names().find(|known| *known == name)?;
        Some(Self { name, dialect })
    }

    /// Returns the names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        OLTP.into_iter().chain([BULK_INSERT])
    }

    /// Returns what it declares; `None`: nothing, as `bulk_insert`.
    #[must_use]
    pub fn options(self) -> Option<Vec<ScriptOption>> {
        (self.name != BULK_INSERT).then(|| options::declared(self.name, self.dialect))
    }

    /// Returns whether each user carries out its part of a command, where there are several; `None`: not a command
    /// other than `run` and `help`.
    #[must_use]
    pub fn command(self, command: &str) -> Option<bool> {
        let is_oltp = self.name != BULK_INSERT;
        match command {
            "cleanup" => Some(false),
            "prepare" => Some(is_oltp),
            "prewarm" if is_oltp => Some(true),
            "warmup" if is_oltp && self.dialect == Dialect::V1_1 => Some(true),
            _ => None,
        }
    }

    /// Reports that no command was given.
    ///
    /// # Errors
    /// The script won't have that, and says so.
    pub fn without_command(self, engine: &Engine) -> Result<(), Failed> {
        if self.name == BULK_INSERT {
            return Ok(());
        }
        let warm = match self.dialect {
            Dialect::V1_0 => "prewarm",
            Dialect::V1_1 => "warmup",
        };
        let required =
            format!("Command is required. Supported commands: prepare, {warm}, run, cleanup, help");
        Err(words::refuse_to_load(engine, &required))
    }

    /// Returns the builtin with values for its options. `None` where the values are so odd that only the script itself
    /// does with them what sysbench does.
    #[must_use]
    pub fn with(self, values: &OptionValues, engine: &Engine) -> Option<Native> {
        let kind = match self.name {
            BULK_INSERT => BuiltinKind::BulkInsert(bulk_insert::tables(engine)?),
            name => BuiltinKind::Oltp(Arc::new(Oltp::new(name, values, engine)?)),
        };
        let values = Arc::new(values.clone());
        Some(Native { kind, values })
    }
}

impl Native {
    /// Reports what is said where a state of the script gets its options: before `run` by the main thread.
    pub fn take_options(&self, engine: &Engine) {
        self.values.warn_of_untyped(&engine.log);
    }

    /// Carries out a command, or a user's part of it.
    ///
    /// # Errors
    /// It failed, which was logged.
    pub fn command(
        &self,
        engine: &Arc<Engine>,
        actor: Rc<Actor>,
        command: &str,
    ) -> Result<(), Failed> {
        self.take_options(engine);
        match &self.kind {
            BuiltinKind::Oltp(oltp) => commands::carry_out(oltp, engine, actor, command),
            BuiltinKind::BulkInsert(tables) => {
                bulk_insert::carry_out(engine, actor, &**tables, command)
            }
        }
    }
}

impl Program for Native {
    fn user(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed> {
        self.take_options(engine);
        let engine = Arc::clone(engine);
        Ok(match &self.kind {
            BuiltinKind::Oltp(oltp) => Box::new(oltp.user(engine, actor)),
            BuiltinKind::BulkInsert(_) => Box::new(BulkUser::new(engine, actor)),
        })
    }
}

/// Nothing to do before or after.
impl MainActor for Native {
    fn init(&mut self) -> Result<(), Failed> {
        Ok(())
    }

    fn cumulative(&mut self, _stat: &crate::figures::Stat) -> Result<bool, Failed> {
        Ok(false)
    }

    fn done(&mut self) -> Result<(), Failed> {
        Ok(())
    }
}
