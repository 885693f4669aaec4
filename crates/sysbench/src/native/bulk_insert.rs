//! Implements `bulk_insert`: an event adds one row to a statement that leaves when it is full.

use super::commands::{ask, connect, say};
use super::words::At;
use crate::db::Connection;
use crate::run::{Failed, VirtualUser};
use crate::{Actor, Engine};
use dbdyno_workload::{Population, RandomKind, RandomSource, population};
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;

const fn at(function: &'static str, line: u32) -> At {
    At {
        function,
        file: "bulk_insert.lua",
        line,
    }
}

/// Carries a command out: `prepare` makes a table for every user, `cleanup` drops them.
pub(super) fn carry_out(
    engine: &Arc<Engine>,
    actor: Rc<Actor>,
    tables: &dyn Population,
    command: &str,
) -> Result<(), Failed> {
    let is_prepare = command == "prepare";
    let connecting = if is_prepare {
        at("prepare", 19)
    } else {
        at("cleanup", 50)
    };
    let mut connection = connect(engine, &actor, connecting)?;
    for table in 0..tables.tables() {
        let name = tables.table_name(table);
        let (doing, texts, at) = if is_prepare {
            ("Creating", tables.before_rows(table), at("prepare", 23))
        } else {
            ("Dropping", tables.drop_table(table), at("cleanup", 54))
        };
        say(engine, &format!("{doing} table '{name}'..."));
        for sql in texts {
            ask(engine, &mut connection, &sql, at)?;
        }
    }
    connection.disconnect();
    Ok(())
}

/// Returns a table for every user; `None`: more users than tables can be.
pub(super) fn tables(engine: &Engine) -> Option<Arc<dyn Population>> {
    let options = [("tables".to_owned(), engine.settings.threads.to_string())];
    let source = RandomSource {
        kind: RandomKind::Sysbench,
        seed: 0, // nothing is drawn
    };
    population("bulk_insert", &options, source).ok()
}

/// One user, with a table to itself.
pub(super) struct BulkUser {
    engine: Arc<Engine>,
    actor: Rc<Actor>,
    connection: Option<Connection>,
    row: Vec<u8>,
    rows: u64,
}

impl BulkUser {
    pub(super) fn new(engine: Arc<Engine>, actor: Rc<Actor>) -> Self {
        Self {
            engine,
            actor,
            connection: None,
            row: Vec::new(),
            rows: 0,
        }
    }

    fn add_row(&mut self) -> Result<(), Failed> {
        let Some(connection) = &mut self.connection else {
            return Err(Failed);
        };
        self.rows += 1;
        self.row.clear();
        let written = write!(self.row, "({0},{0})", self.rows);
        debug_assert!(written.is_ok(), "writing to memory does not fail");
        match connection.bulk_insert_next(&self.row) {
            true => Ok(()),
            false => Err(at("thread_run", 38).fail(&self.engine, "db_bulk_insert_next() failed")),
        }
    }
}

impl VirtualUser for BulkUser {
    fn thread_init(&mut self) -> Result<(), Failed> {
        let connecting = at("thread_init", 12);
        let mut connection = connect(&self.engine, &self.actor, connecting)?;
        let head = format!("INSERT INTO sbtest{} VALUES", self.actor.tid + 1);
        connection.bulk_insert_init(head.as_bytes());
        self.connection = Some(connection);
        Ok(())
    }

    fn thread_run(&mut self) -> Result<(), Failed> {
        while self.engine.more_events(&self.actor) {
            self.engine.event_start(&self.actor);
            self.add_row()?;
            self.engine.event_stop(&self.actor);
        }
        Ok(())
    }

    fn thread_done(&mut self) -> Result<(), Failed> {
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        let is_done = connection.bulk_insert_done();
        connection.disconnect();
        match is_done {
            true => Ok(()),
            false => Err(at("thread_done", 42).fail(&self.engine, "db_bulk_insert_done() failed")),
        }
    }
}
