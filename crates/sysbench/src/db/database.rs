//! Names the server that all connections go to, and holds what is known of them all.

use super::Connection;
use super::answer_watch::{AnswerWatch, ConnectionAccount, Watching};
use super::login::ciphers;
use super::placement::Placement;
use crate::{Actor, DatabaseSettings, Engine};
use dbdyno_drive::Failure;
use dbdyno_wire::{TlsInfo, knows_tls_cipher};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// The one driver there is.
const DRIVER: &str = "mysql";

/// Holds what all connections of a process share.
#[derive(Debug)]
pub struct Database {
    pub(super) placement: Placement,
    encryption: Mutex<Encryption>,
    pub(super) answers: Option<Arc<AnswerWatch>>,
}

/// Counts connections that were encrypted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encryption {
    /// Those that were.
    pub encrypted: u64,
    /// Those that were not.
    pub plain: u64,
    /// How the first of those that were.
    pub facts: Option<TlsInfo>,
}

/// Makes connections. The user's options have been looked at.
#[derive(Debug, Clone)]
pub struct Driver {
    engine: Arc<Engine>,
}

impl Database {
    /// Holds the servers that the user named; nothing is connected to yet.
    #[must_use]
    pub fn new(settings: &DatabaseSettings) -> Self {
        Self {
            placement: Placement::new(settings),
            encryption: Mutex::default(),
            answers: settings
                .answers
                .map(|limits| Arc::new(AnswerWatch::new(limits))),
        }
    }

    /// Returns how the connections made so far were encrypted.
    #[must_use]
    pub fn encryption(&self) -> Encryption {
        let known = self.encryption.lock();
        known.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Watches the answers, where that was asked for, until what this gives is dropped.
    pub(crate) fn watch_answers(engine: &Arc<Engine>) -> Option<Watching> {
        let watch = engine.database.answers.as_ref()?;
        Some(watch.start(engine))
    }

    /// Returns what became of the connections up to now; nothing where nobody watches.
    #[must_use]
    pub fn account(&self, engine: &Engine) -> ConnectionAccount {
        let watch = self.answers.as_ref();
        watch.map_or_else(ConnectionAccount::default, |watch| watch.account(engine))
    }

    /// Notes why an actor has no connection any more. A user may get another one, or its script do without, so only its
    /// end tells whether the run failed by that; other actors are believed at once.
    pub(super) fn note_loss(&self, actor: &Actor, failure: Failure) {
        match &self.answers {
            Some(_) if actor.counts => actor.note_loss(failure),
            Some(watch) => watch.fail(failure),
            None => {}
        }
    }

    /// Records that a user ended by an error, and that it had lost its connection, if so.
    pub(crate) fn fail_user(&self, actor: &Actor) {
        if let (Some(watch), Some(failure)) = (&self.answers, actor.take_loss()) {
            watch.fail(failure);
        }
    }

    pub(super) fn note_encryption(&self, facts: Option<&TlsInfo>) {
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
}

impl Driver {
    /// Returns the driver of this name, or the one that `--db-driver` names. `None` if its options are wrong, which was
    /// logged.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, name: Option<&str>) -> Option<Self> {
        let settings = &engine.settings.database;
        let name = name.unwrap_or(&settings.driver);
        if name != DRIVER {
            let text = format!("invalid database driver name: '{name}'");
            engine.log.fatal(&text);
            return None;
        }
        if !matches!(settings.ps_mode.as_str(), "auto" | "disable") {
            let text = format!("Invalid value for db-ps-mode: {}", settings.ps_mode);
            engine.log.fatal(&text);
            return None;
        }
        // No server to connect to, even if a socket is named instead.
        for (places, are_none) in [
            ("hosts", settings.hosts.is_empty()),
            ("ports", settings.ports.is_empty()),
        ] {
            if are_none {
                let text = format!("No MySQL {places} specified, aborting");
                engine.log.fatal(&text);
                return None;
            }
        }
        for name in ciphers(&settings.ssl_cipher).filter(|name| !knows_tls_cipher(name)) {
            let text = format!("--mysql-ssl-cipher: {name} is not known, and left out");
            engine.log.warning(&text);
        }
        engine.figures.note_driver();
        Some(Self {
            engine: Arc::clone(engine),
        })
    }

    /// Returns the driver's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        DRIVER
    }

    /// Returns a connection to the next server in turn, for the fiber or thread that asks. `None` if it can't be had,
    /// which was logged.
    #[must_use]
    pub fn connect(&self, actor: Rc<Actor>) -> Option<Connection> {
        Connection::open(Arc::clone(&self.engine), actor)
    }
}

/// Returns whether the client fills statements in, even if the server could.
pub(super) fn is_text_only(engine: &Engine) -> bool {
    engine.settings.database.ps_mode == "disable"
}
