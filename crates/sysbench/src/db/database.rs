//! The server that all connections go to, and what is known of them all.

use super::placement::Placement;
use super::{Connection, Tally};
use crate::{DatabaseSettings, Dialect, Fixes, Log};
use dbdyno_wire::TlsFacts;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The one driver there is.
const DRIVER: &str = "mysql";

/// Where drivers come from; one a process.
#[derive(Debug, Clone)]
pub struct Database {
    shared: Arc<Shared>,
}

/// Makes connections. Its options have been looked at.
#[derive(Debug, Clone)]
pub struct Driver {
    shared: Arc<Shared>,
}

/// How many connections were encrypted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encryption {
    /// Those that were.
    pub encrypted: u64,
    /// Those that were not.
    pub plain: u64,
    /// How the first of those that were.
    pub facts: Option<TlsFacts>,
}

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: DatabaseSettings,
    pub(super) dialect: Dialect,
    pub(super) fixes: Fixes,
    pub(super) log: Arc<Log>,
    pub(super) placement: Placement,
    in_use: AtomicBool,
    gave_up: AtomicBool,
    encryption: Mutex<Encryption>,
    errors: Mutex<BTreeMap<u16, u64>>,
}

impl Database {
    /// A database by the user's options, which are looked at when a driver is made.
    #[must_use]
    pub fn new(settings: &DatabaseSettings, dialect: Dialect, fixes: Fixes, log: Arc<Log>) -> Self {
        Self {
            shared: Arc::new(Shared {
                placement: Placement::new(settings),
                settings: settings.clone(),
                dialect,
                fixes,
                log,
                in_use: AtomicBool::new(false),
                gave_up: AtomicBool::new(false),
                encryption: Mutex::default(),
                errors: Mutex::default(),
            }),
        }
    }

    /// The driver of this name, or the one that `--db-driver` names. `None` if its options are wrong, which was
    /// logged.
    #[must_use]
    pub fn driver(&self, name: Option<&str>) -> Option<Driver> {
        let settings = &self.shared.settings;
        let name = name.unwrap_or(&settings.driver);
        if name != DRIVER {
            let text = format!("invalid database driver name: '{name}'");
            self.shared.log.fatal(&text);
            return None;
        }
        if !matches!(settings.ps_mode.as_str(), "auto" | "disable") {
            let text = format!("Invalid value for db-ps-mode: {}", settings.ps_mode);
            self.shared.log.fatal(&text);
            return None;
        }
        self.shared.in_use.store(true, Ordering::Relaxed);
        Some(Driver {
            shared: Arc::clone(&self.shared),
        })
    }

    /// Whether a driver was made: reports then speak of queries.
    #[must_use]
    pub fn in_use(&self) -> bool {
        self.shared.in_use.load(Ordering::Relaxed)
    }

    /// Nobody tries to connect again from now on: the run has failed.
    pub fn give_up(&self) {
        self.shared.gave_up.store(true, Ordering::Relaxed);
    }

    /// How the connections made so far were encrypted.
    #[must_use]
    pub fn encryption(&self) -> Encryption {
        let known = self.shared.encryption.lock();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Errors so far by number, ignored ones included.
    #[must_use]
    pub fn errors(&self) -> Vec<(u16, u64)> {
        let errors = self.shared.errors.lock();
        let errors = errors.unwrap_or_else(PoisonError::into_inner);
        errors.iter().map(|(&code, &count)| (code, count)).collect()
    }
}

impl Driver {
    /// The driver's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        DRIVER
    }

    /// A connection to the next server in turn, for the fiber or thread that asks. `None` if it can't be had, which was
    /// logged.
    #[must_use]
    pub fn connect(&self, tally: Rc<dyn Tally>) -> Option<Connection> {
        Connection::open(Arc::clone(&self.shared), tally)
    }
}

impl Shared {
    pub(super) fn is_text_only(&self) -> bool {
        self.settings.ps_mode == "disable"
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    pub(super) fn note_encryption(&self, facts: Option<&TlsFacts>) {
        let known = self.encryption.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        match facts {
            Some(facts) => {
                known.encrypted += 1;
                known.facts.get_or_insert_with(|| facts.clone());
            }
            None => known.plain += 1,
        }
    }

    pub(super) fn note_error(&self, code: u16) {
        let errors = self.errors.lock();
        *errors
            .unwrap_or_else(PoisonError::into_inner)
            .entry(code)
            .or_default() += 1;
    }
}
