//! Runs the users of the OLTP scripts.

use super::options;
use super::words::At;
use crate::db::{CallResult, Connection, Driver, ErrorKind, Statement};
use crate::options::OptionValues;
use crate::run::{Failed, VirtualUser};
use crate::{Actor, Engine};
use dbdyno_workload::{
    Call, NextAction, Population, RandomKind, RandomSource, RetryValues, User, UserDraws, Workload,
    population, workload,
};
use std::rc::Rc;
use std::sync::Arc;

/// One of the scripts with its options; what all users share.
#[derive(Debug)]
pub(super) struct Oltp {
    name: &'static str,
    workload: Arc<dyn Workload>,
    pub(super) population: Arc<dyn Population>,
    /// Rows of a table that `prewarm` reads at most.
    pub(super) table_rows: u64,
    /// The texts, in the order of preparing.
    texts: Vec<Text>,
    /// Events after which a user connects anew; 0: never.
    reconnect_after: u64,
}

#[derive(Debug)]
struct Text {
    sql: Arc<[u8]>,
    /// Sent with its values in it, never prepared.
    is_filled_in: bool,
    /// Where the script fails if it does.
    at: At,
}

impl Oltp {
    pub(super) fn new(name: &'static str, values: &OptionValues, engine: &Engine) -> Option<Self> {
        let settings = &engine.settings;
        let options = options::of_workload(name, settings.dialect, values, &settings.random)?;
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: 0, // every user draws from a stream that it is given
        };
        let workload = workload(name, &options, source, settings.threads).ok()?;
        let population = population(name, &options, source).ok()?;
        let types = &workload.spec().statement_types;
        let texts = workload.spec().statements.iter().map(|statement| Text {
            sql: statement.text.as_bytes().into(),
            is_filled_in: statement.text_only,
            at: event_line(name, types[usize::from(statement.statement_type)]),
        });
        let filled_rows = population.rows_total() / u64::from(population.tables());
        Some(Self {
            name,
            texts: texts.collect(),
            workload,
            population,
            table_rows: options::table_rows(values).unwrap_or(filled_rows),
            reconnect_after: options::reconnect_after(values),
        })
    }

    pub(super) fn user(self: &Arc<Self>, engine: Arc<Engine>, actor: Rc<Actor>) -> OltpUser {
        let draws = UserDraws {
            stream: actor.with_stream(|stream| stream.clone()),
            unique: engine.seeds.unique(),
        };
        OltpUser {
            user: self.workload.user_drawing(actor.tid, draws),
            oltp: Arc::clone(self),
            engine,
            actor,
            connection: None,
            statements: Vec::new(),
            call: Call::default(),
            events: 0,
        }
    }
}

/// Returns the line at which an event's statement is sent.
fn event_line(script: &'static str, statement_type: &str) -> At {
    let (file, line) = match (script, statement_type) {
        ("oltp_delete", _) => ("oltp_delete.lua", 33),
        ("oltp_insert", _) => ("oltp_insert.lua", 61),
        ("select_random_points", _) => ("select_random_points.lua", 71),
        ("select_random_ranges", _) => ("select_random_ranges.lua", 76),
        (_, "begin") => (super::words::COMMON, 405),
        (_, "commit") => (super::words::COMMON, 409),
        (_, "point_select") => (super::words::COMMON, 419),
        (_, "index_update") => (super::words::COMMON, 458),
        (_, "non_index_update") => (super::words::COMMON, 469),
        (_, "delete") => (super::words::COMMON, 487),
        (_, "insert") => (super::words::COMMON, 488),
        _ => (super::words::COMMON, 432),
    };
    At {
        function: "thread_run",
        file,
        line,
    }
}

/// Returns the lines at which a user connects and prepares.
fn init_lines(script: &'static str) -> [At; 2] {
    let (file, lines) = match script {
        "select_random_points" => ("select_random_points.lua", [34, 38]),
        "select_random_ranges" => ("select_random_ranges.lua", [36, 42]),
        _ => (super::words::COMMON, [349, 284]),
    };
    lines.map(|line| At {
        function: "thread_init",
        file,
        line,
    })
}

/// One user of an OLTP script.
pub(super) struct OltpUser {
    oltp: Arc<Oltp>,
    engine: Arc<Engine>,
    actor: Rc<Actor>,
    connection: Option<Connection>,
    statements: Vec<Statement>,
    user: Box<dyn User>,
    call: Call,
    events: u64,
}

/// Describes how an attempt at an event ended.
enum Attempt {
    Done,
    Repeat,
}

impl VirtualUser for OltpUser {
    fn thread_init(&mut self) -> Result<(), Failed> {
        let [connecting, _] = init_lines(self.oltp.name);
        let Some(driver) = Driver::new(&self.engine, None) else {
            return Err(connecting.driverless(&self.engine));
        };
        self.connection = driver.connect(Rc::clone(&self.actor));
        if self.connection.is_none() {
            return Err(connecting.unconnected(&self.engine));
        }
        self.prepare_all()
    }

    fn thread_run(&mut self) -> Result<(), Failed> {
        while self.engine.more_events(&self.actor) {
            self.engine.event_start(&self.actor);
            self.user.start_event(None);
            while let Attempt::Repeat = self.attempt()? {
                self.before_repeat();
            }
            self.reconnect_if_due()?;
            self.engine.event_stop(&self.actor);
            if self.engine.settings.percentile > 0 {
                self.user.finish_event(); // draws what sysbench's histogram draws
            }
        }
        Ok(())
    }

    fn thread_done(&mut self) -> Result<(), Failed> {
        self.close_all();
        if let Some(connection) = &mut self.connection {
            connection.disconnect();
        }
        Ok(())
    }
}

impl OltpUser {
    fn prepare_all(&mut self) -> Result<(), Failed> {
        let [_, preparing] = init_lines(self.oltp.name);
        let Some(connection) = &mut self.connection else {
            return Err(Failed);
        };
        self.statements.reserve_exact(self.oltp.texts.len());
        for text in &self.oltp.texts {
            let sql = Arc::clone(&text.sql);
            let statement = match text.is_filled_in {
                true => Some(Statement::text(sql)),
                false => connection.prepare(sql),
            };
            match statement {
                Some(statement) => self.statements.push(statement),
                None => return Err(preparing.refused(&self.engine, connection)),
            }
        }
        Ok(())
    }

    fn close_all(&mut self) {
        if let Some(connection) = &mut self.connection {
            for mut statement in self.statements.drain(..) {
                connection.close_statement(&mut statement);
            }
        }
    }

    /// Goes through the statements of the event.
    #[inline]
    fn attempt(&mut self) -> Result<Attempt, Failed> {
        let Some(connection) = &mut self.connection else {
            return Err(Failed);
        };
        while self.user.next(None, &mut self.call) == NextAction::Send {
            let place = usize::from(self.call.statement);
            let statement = &mut self.statements[place];
            let answer = connection.execute(statement, &self.call.parameters);
            if answer == CallResult::Failed {
                if connection.last_error().kind == ErrorKind::Ignorable {
                    return Ok(Attempt::Repeat);
                }
                return Err(self.oltp.texts[place].at.refused(&self.engine, connection));
            }
        }
        Ok(Attempt::Done)
    }

    #[cold]
    fn before_repeat(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.roll_back();
        }
        self.user.repeat_event(RetryValues::New);
    }

    /// With `--reconnect`, opens a new connection every so many events.
    #[inline]
    fn reconnect_if_due(&mut self) -> Result<(), Failed> {
        if self.oltp.reconnect_after == 0 {
            return Ok(());
        }
        self.events += 1;
        if self.events.is_multiple_of(self.oltp.reconnect_after) {
            self.close_all();
            let [connecting, _] = init_lines(self.oltp.name);
            let reconnected = self.connection.as_mut().is_some_and(Connection::reconnect);
            if !reconnected {
                return Err(connecting.unconnected(&self.engine));
            }
            self.prepare_all()?;
        }
        Ok(())
    }
}
