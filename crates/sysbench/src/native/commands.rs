//! Implements `prepare`, `prewarm` and `cleanup` of the OLTP scripts.

use super::oltp::Oltp;
use super::words::{At, CALL_COMMAND};
use crate::db::{CallResult, Connection, Driver};
use crate::run::Failed;
use crate::{Actor, Dialect, Engine, Level};
use std::rc::Rc;
use std::sync::Arc;

/// A connection and whose it is.
struct OwnedConnection<'a> {
    engine: &'a Arc<Engine>,
    actor: Rc<Actor>,
    connection: Connection,
}

/// Carries out a user's part of a command; alone it is all of it.
pub(super) fn carry_out(
    oltp: &Oltp,
    engine: &Arc<Engine>,
    actor: Rc<Actor>,
    command: &str,
) -> Result<(), Failed> {
    match command {
        "prepare" => prepare(oltp, engine, actor),
        "cleanup" => clean_up(oltp, engine, actor),
        _ => warm(oltp, engine, actor),
    }
}

fn prepare(oltp: &Oltp, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<(), Failed> {
    let mut connection = OwnedConnection::connect(engine, actor, At::common(CALL_COMMAND, 83))?;
    for table in connection.tables(oltp) {
        connection.create(oltp, table)?;
    }
    connection.connection.disconnect();
    Ok(())
}

fn warm(oltp: &Oltp, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<(), Failed> {
    let mut connection = OwnedConnection::connect(engine, actor, At::common(CALL_COMMAND, 98))?;
    for (variable, line) in [("tmp_table_size", 103), ("max_heap_table_size", 104)] {
        let sql = format!("SET {variable}=2*1024*1024*1024");
        connection.ask(&sql, At::common(CALL_COMMAND, line))?;
    }
    for table in connection.tables(oltp) {
        connection.warm(oltp, table)?;
    }
    connection.connection.disconnect();
    Ok(())
}

fn clean_up(oltp: &Oltp, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<(), Failed> {
    let mut connection = OwnedConnection::connect(engine, actor, At::common("cleanup", 388))?;
    for table in 0..oltp.population.tables() {
        let name = oltp.population.table_name(table);
        connection.say(&format!("Dropping table '{name}'..."));
        for sql in oltp.population.drop_table(table) {
            connection.ask(&sql, At::common("cleanup", 392))?;
        }
    }
    connection.connection.disconnect();
    Ok(())
}

impl<'a> OwnedConnection<'a> {
    fn connect(engine: &'a Arc<Engine>, actor: Rc<Actor>, at: At) -> Result<Self, Failed> {
        let connection = connect(engine, &actor, at)?;
        Ok(Self {
            engine,
            actor,
            connection,
        })
    }

    /// Returns the tables that are this user's, from 0.
    fn tables(&self, oltp: &Oltp) -> impl Iterator<Item = u32> + use<> {
        let threads = self.engine.settings.threads.max(1);
        let first = self.actor.tid % threads;
        (first..oltp.population.tables()).step_by(threads as usize)
    }

    fn create(&mut self, oltp: &Oltp, table: u32) -> Result<(), Failed> {
        let population = &oltp.population;
        let name = population.table_name(table);
        self.say(&format!("Creating table '{name}'..."));
        for sql in population.before_rows(table) {
            self.ask(&sql, At::common(CALL_COMMAND, 197))?;
        }
        let rows = population.rows_total() / u64::from(population.tables());
        if rows > 0 {
            self.say(&format!("Inserting {rows} records into '{name}'"));
        }
        self.fill(oltp, table)?;
        for sql in population.after_rows(table) {
            self.say(&format!("Creating a secondary index on '{name}'..."));
            self.ask(&sql, At::common(CALL_COMMAND, 238))?;
        }
        Ok(())
    }

    /// Sends the rows: statements cut as a bulk insert cuts them, drawn from this user's stream.
    fn fill(&mut self, oltp: &Oltp, table: u32) -> Result<(), Failed> {
        let stream = self.actor.with_stream(|stream| stream.clone());
        let mut rows = oltp.population.rows_drawing(table, stream);
        let mut statement = Vec::new();
        while rows.next_statement(&mut statement) > 0 {
            if self.connection.query(&statement) == CallResult::Failed {
                let is_last = rows.next_statement(&mut statement) == 0;
                let (line, call) = if is_last {
                    (233, "done")
                } else {
                    (230, "next")
                };
                let at = At::common(CALL_COMMAND, line);
                return Err(at.fail(self.engine, &format!("db_bulk_insert_{call}() failed")));
            }
        }
        if let Some(after) = rows.stream() {
            self.actor.with_stream(|stream| *stream = after);
        }
        Ok(())
    }

    fn warm(&mut self, oltp: &Oltp, table: u32) -> Result<(), Failed> {
        let name = oltp.population.table_name(table);
        self.say(&match self.engine.settings.dialect {
            Dialect::V1_0 => format!("Prewarming table {name}"),
            Dialect::V1_1 => format!("Preloading table {name}"),
        });
        for (sql, line) in scans(&name, oltp.table_rows) {
            self.ask(&sql, At::common(CALL_COMMAND, line))?;
        }
        Ok(())
    }

    fn ask(&mut self, sql: &str, at: At) -> Result<(), Failed> {
        ask(self.engine, &mut self.connection, sql, at)
    }

    fn say(&self, line: &str) {
        say(self.engine, line);
    }
}

/// Returns what reads a table into memory, each statement with its line in the script.
fn scans(name: &str, rows: u64) -> [(String, u32); 3] {
    [
        (format!("ANALYZE TABLE {name}"), 110),
        (
            format!(
                "SELECT AVG(id) FROM (SELECT * FROM {name} FORCE KEY (PRIMARY) LIMIT {rows}) t"
            ),
            111,
        ),
        (
            format!(
                "SELECT COUNT(*) FROM (SELECT * FROM {name} WHERE k LIKE '%0%' LIMIT {rows}) t"
            ),
            116,
        ),
    ]
}

/// Opens a connection for a command.
pub(super) fn connect(
    engine: &Arc<Engine>,
    actor: &Rc<Actor>,
    at: At,
) -> Result<Connection, Failed> {
    let Some(driver) = Driver::new(engine, None) else {
        return Err(at.driverless(engine));
    };
    let connection = driver.connect(Rc::clone(actor));
    connection.ok_or_else(|| at.unconnected(engine))
}

/// Sends a statement, which must not fail.
pub(super) fn ask(
    engine: &Engine,
    connection: &mut Connection,
    sql: &str,
    at: At,
) -> Result<(), Failed> {
    match connection.query(sql.as_bytes()) {
        CallResult::Failed => Err(at.refused(engine, connection)),
        CallResult::Rows | CallResult::NoRows => Ok(()),
    }
}

/// Prints what scripts print, which `--verbosity` does not hold back.
pub(super) fn say(engine: &Engine, line: &str) {
    engine.log.print(Level::Fatal, &format!("{line}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Log;
    use crate::options::{Environment, OptionValues, Value, parse};

    #[test]
    fn tables_that_prepare_leaves_empty_are_warmed_up_to_the_size_asked_for() {
        let environment = Environment {
            dialect: Dialect::V1_0,
            own_name: false,
            own_form: false,
        };
        let line = parse(&["--mysql-dry-run".to_owned()], &environment).unwrap();
        let engine = Engine::new(line.settings, Log::to(0, Box::new(std::io::sink())));
        let mut values = OptionValues::default();
        values.set("table_size", Value::Double(2000.0));
        values.set("auto_inc", Value::Flag(false));
        let oltp = Oltp::new("oltp_insert", &values, &engine).unwrap();
        assert_eq!(oltp.population.rows_total(), 0);
        let [_, rows, index] = scans("sbtest1", oltp.table_rows).map(|(sql, _)| sql);
        assert!(
            rows.ends_with("FORCE KEY (PRIMARY) LIMIT 2000) t"),
            "{rows}"
        );
        assert!(index.ends_with("LIKE '%0%' LIMIT 2000) t"), "{index}");
    }
}
