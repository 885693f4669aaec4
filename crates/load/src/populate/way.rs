//! How rows go to the server: as statements, or as the file of a LOAD DATA LOCAL.

use crate::order::LoadBy;
use crate::trouble::Trouble;
use dbdyno_wire::{Session, WireError};
use dbdyno_workload::{FileForm, Population, RowSource};
use std::io::{self, Read};

/// How the rows of one table go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    /// What the server is asked to read; `None`: statements.
    pub(super) file: Option<FileForm>,
    /// Whether only one connection at a time can fill the table this way.
    pub(super) is_alone: bool,
}

impl Way {
    /// The word of records.
    pub(super) fn word(&self) -> &'static str {
        match self.file {
            Some(_) => "infile",
            None => "statements",
        }
    }
}

/// What decides on the ways.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    pub(super) load_by: LoadBy,
    pub(super) connections: u32,
}

/// Chooses a way for each table, once the tables are there.
///
/// A file costs the server two thirds of what statements cost it, for it has nothing to parse. Only where InnoDB hands out
/// numbers by its older rule, a LOAD DATA locks out all others from a table with AUTO_INCREMENT. (MariaDB and MySQL 5.7
/// do so by default, MySQL 8.0 doesn't.) Where there are fewer tables than connections, statements side by side
/// are faster then.
pub(super) fn choose(
    session: &mut Session,
    population: &dyn Population,
    wish: Wish,
) -> Result<Vec<Way>, Trouble> {
    let facts = Facts::ask(session).map_err(|error| {
        Trouble::world("the server could not be asked how it takes rows").because(error)
    })?;
    if wish.load_by == LoadBy::Infile && !facts.takes_files {
        return Err(Trouble::world("the server takes no LOAD DATA LOCAL")
            .because("its variable local_infile is OFF")
            .hint("SET GLOBAL local_infile = ON, or choose --load-by statements"));
    }
    let tables = population.tables();
    let is_crowded = tables < wish.connections;
    let way = |table| {
        let locks = facts
            .locks
            .contains(&population.table_name(table).to_ascii_lowercase());
        let is_wanted = match wish.load_by {
            LoadBy::Statements => false,
            LoadBy::Infile => true,
            LoadBy::Auto => {
                facts.takes_files && !(locks && is_crowded && population.parts(table) > 1)
            }
        };
        let file = population.file_form(table).filter(|_| is_wanted);
        Way {
            is_alone: locks && file.is_some(),
            file,
        }
    };
    Ok((0..tables).map(way).collect())
}

/// What the server says of itself.
#[derive(Debug)]
struct Facts {
    takes_files: bool,
    /// Names, in lower case, of tables that a LOAD DATA has for itself.
    locks: Vec<String>,
}

impl Facts {
    fn ask(session: &mut Session) -> Result<Self, WireError> {
        let variable = |session: &mut Session, name: &str| {
            let answer = session.query(&format!("SHOW GLOBAL VARIABLES LIKE '{name}'"))?;
            let value = answer.rows.first().and_then(|row| row.get(1)?.clone());
            Ok::<_, WireError>(String::from_utf8_lossy(&value.unwrap_or_default()).into_owned())
        };
        let takes_files = variable(session, "local_infile")? == "ON";
        let by_interleaving = variable(session, "innodb_autoinc_lock_mode")? == "2";
        let locks = if by_interleaving {
            Vec::new()
        } else {
            numbered_tables(session)?
        };
        Ok(Self { takes_files, locks })
    }
}

fn numbered_tables(session: &mut Session) -> Result<Vec<String>, WireError> {
    let answer = session.query(
        "SELECT t.table_name FROM information_schema.tables t \
         JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name \
         WHERE t.table_schema = DATABASE() AND t.engine = 'InnoDB' AND c.extra LIKE '%auto_increment%'",
    )?;
    let names = answer.rows.iter().filter_map(|row| row.first()?.as_deref());
    Ok(names
        .map(|name| String::from_utf8_lossy(name).to_ascii_lowercase())
        .collect())
}

/// Rows as a file that is made while it is read.
pub(super) struct RowsFile<'a> {
    rows: &'a mut dyn RowSource,
    form: &'a FileForm,
    /// Told how many rows the next piece has; an error ends the file.
    on_rows: &'a mut dyn FnMut(u64) -> io::Result<()>,
    lines: Vec<u8>,
    /// Where the lines that are not yet read begin.
    at: usize,
}

impl<'a> RowsFile<'a> {
    pub(super) fn new(
        rows: &'a mut dyn RowSource,
        form: &'a FileForm,
        on_rows: &'a mut dyn FnMut(u64) -> io::Result<()>,
    ) -> Self {
        Self {
            rows,
            form,
            on_rows,
            lines: Vec::new(),
            at: 0,
        }
    }
}

impl Read for RowsFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.lines.len() {
            let count = self.rows.next_statement(&mut self.lines);
            if count == 0 {
                self.lines.clear();
                self.at = 0;
                return Ok(0);
            }
            (self.on_rows)(count)?;
            self.at = self.form.cut(&mut self.lines);
        }
        let length = into.len().min(self.lines.len() - self.at);
        into[..length].copy_from_slice(&self.lines[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
