//! Fills the tables of a directory: `setup.sql`, the rows of `[tables]`, `finish.sql`; and `cleanup.sql`.

use super::directory::{CLEANUP, Directory, FINISH, SETUP, SourceFile};
use super::distributions::generator;
use super::form::{TableForm, in_order};
use super::generator::Generator;
use super::rows::{PartRows, ROWS_A_PART};
use super::scan::{self, is_of_name};
use super::words::forever;
use crate::{Check, Population, RowForm, RowSource, WorkloadError};
use dbdyno_chance::RandomSource;
use dbdyno_wire::StatementText;
use std::sync::Arc;
use toml::Spanned;

/// The tables of a directory.
#[derive(Debug)]
pub(super) struct SqlPopulation {
    setup: Vec<String>,
    finish: Vec<String>,
    cleanup: Vec<String>,
    tables: Vec<Arc<SqlTable>>,
    engine: Option<String>,
    source: RandomSource,
}

/// A table that is filled.
#[derive(Debug)]
pub(super) struct SqlTable {
    pub(super) name: String,
    pub(super) rows: u64,
    /// Names of the columns, in the order of the generators.
    pub(super) columns: Vec<String>,
    pub(super) generators: Arc<[Generator]>,
    /// `INSERT INTO … VALUES`.
    pub(super) head: String,
    /// `(?, ?)`.
    pub(super) row: StatementText,
    pub(super) checks: &'static [Check],
}

impl SqlPopulation {
    /// Reads what fills the tables of a directory.
    pub(super) fn read(
        directory: &Directory,
        engine: Option<String>,
        source: RandomSource,
    ) -> Result<Self, WorkloadError> {
        let tables = in_order(&directory.form.tables).into_iter();
        let tables = tables
            .map(|(name, form)| SqlTable::read(&directory.form_file, name, form).map(Arc::new));
        Ok(Self {
            setup: texts(directory, SETUP)?,
            finish: texts(directory, FINISH)?,
            cleanup: texts(directory, CLEANUP)?,
            tables: tables.collect::<Result<_, _>>()?,
            engine,
            source,
        })
    }

    fn table(&self, number: u32) -> &Arc<SqlTable> {
        &self.tables[number as usize]
    }
}

impl SqlTable {
    fn read(
        toml: &SourceFile,
        name: &Spanned<String>,
        form: &TableForm,
    ) -> Result<Self, WorkloadError> {
        let rows = *form.rows.get_ref();
        let (mut columns, mut generators) = (Vec::new(), Vec::new());
        check_name(toml, name)?;
        for (column, form) in in_order(&form.columns) {
            check_name(toml, column)?;
            let made = generator(form.get_ref(), |_| None);
            let mut made = made.map_err(|why| {
                toml.wrong_at(form.span(), format!("column {}: {why}", column.get_ref()))
            })?;
            if let (Generator::Sequence { block, .. }, None) = (&mut made, form.get_ref().block) {
                *block = rows.max(1); // keys don't repeat unless that was asked for
            }
            generators.push(made);
            columns.push(column.get_ref().clone());
        }
        if columns.is_empty() {
            return Err(toml.wrong_at(
                name.span(),
                format!("table {} has no columns to fill", name.get_ref()),
            ));
        }
        let name = name.get_ref().clone();
        Ok(Self {
            head: format!("INSERT INTO `{name}` (`{}`) VALUES ", columns.join("`, `")),
            row: StatementText::new(&format!("({})", vec!["?"; columns.len()].join(", "))),
            checks: checks(&columns, &generators),
            rows,
            name,
            columns,
            generators: generators.into(),
        })
    }
}

/// Checks a name: names are written into SQL, so they must need no thought there.
fn check_name(toml: &SourceFile, name: &Spanned<String>) -> Result<(), WorkloadError> {
    let word = name.get_ref();
    if !word.is_empty() && word.bytes().all(is_of_name) {
        return Ok(());
    }
    let allowed = "a word of letters, digits and underscores is allowed";
    Err(toml.wrong_at(name.span(), format!("{word:?} can't be filled: {allowed}")))
}

/// Sums that the server and the rows agree on. Values that were written out may look different in a column (JSON,
/// dates), so those are not summed up.
fn checks(columns: &[String], generators: &[Generator]) -> &'static [Check] {
    let rows = Check {
        name: "rows",
        sql: "COUNT(*)",
    };
    let of_columns = columns
        .iter()
        .zip(generators)
        .filter_map(|(column, generator)| {
            let (kind, sql) = match generator {
                Generator::Choose(_) => return None,
                Generator::Text { .. } => ("crc32", format!("COALESCE(SUM(CRC32(`{column}`)), 0)")),
                numbers => {
                    let lowest = numbers.lowest();
                    (
                        "sum",
                        format!("CAST(COALESCE(SUM(`{column}` - ({lowest})), 0) AS UNSIGNED)"),
                    )
                }
            };
            Some(Check {
                name: forever(&format!("{kind}_{column}")),
                sql: forever(&sql),
            })
        });
    // One list per table that is read: a handful per process.
    std::iter::once(rows)
        .chain(of_columns)
        .collect::<Vec<_>>()
        .leak()
}

fn texts(directory: &Directory, name: &str) -> Result<Vec<String>, WorkloadError> {
    let Some(file) = directory.optional_file(name)? else {
        return Ok(Vec::new());
    };
    let found = scan::statements(&file)?;
    Ok(found.into_iter().map(|sql| sql.text).collect())
}

impl Population for SqlPopulation {
    fn tables(&self) -> u32 {
        self.tables.len() as u32
    }

    fn table_name(&self, table: u32) -> String {
        self.table(table).name.clone()
    }

    fn rows_total(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    fn session_statements(&self) -> Vec<String> {
        let set = |engine: &String| format!("SET default_storage_engine = {engine}");
        self.engine.iter().map(set).collect()
    }

    /// Returns the setup with the first table, for it makes all of them.
    fn before_rows(&self, table: u32) -> Vec<String> {
        if table == 0 {
            self.setup.clone()
        } else {
            Vec::new()
        }
    }

    fn parts(&self, table: u32) -> u32 {
        let parts = self.table(table).rows.div_ceil(ROWS_A_PART);
        u32::try_from(parts).unwrap_or(u32::MAX)
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        Box::new(PartRows::new(
            Arc::clone(self.table(table)),
            self.source,
            part,
        ))
    }

    /// Returns the form: texts are in the session's character set, which columns of type JSON need stated.
    fn row_form(&self, table: u32) -> Option<RowForm> {
        let table = self.table(table);
        let (name, columns) = (format!("`{}`", table.name), table.columns.join("`, `"));
        let columns = format!("`{columns}`");
        let form = RowForm::new((&name, &columns), &table.head, ", ", "utf8mb4");
        Some(form)
    }

    fn after_rows(&self, _table: u32) -> Vec<String> {
        Vec::new()
    }

    fn at_end(&self) -> Vec<String> {
        let setup = if self.tables.is_empty() {
            &self.setup[..]
        } else {
            &[]
        };
        setup.iter().chain(&self.finish).cloned().collect()
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![format!("DROP TABLE IF EXISTS `{}`", self.table(table).name)]
    }

    fn drop_rest(&self) -> Vec<String> {
        self.cleanup.clone()
    }

    fn checks(&self, table: u32) -> &'static [Check] {
        self.table(table).checks
    }
}
