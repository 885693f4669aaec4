//! What users do: the transactions of a directory, checked and ready to be told.

use super::directory::{Directory, File};
use super::distributions::generator;
use super::form::{TransactionForm, in_order};
use super::generator::Generator;
use super::rest::Rest;
use super::scan::{self, Place, Sql};
use super::words::forever;
use crate::nearest::nearest;
use crate::{Class, StatementTemplate, StatementType, WorkloadError};
use std::ops::Range;
use std::sync::Arc;

/// Lines of a report that can be told apart.
const MOST_STATEMENTS: usize = StatementType::MAX as usize + 1;
const MOST_TRANSACTIONS: usize = 64;

/// All transactions.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) templates: Vec<StatementTemplate>,
    pub(super) statement_types: Vec<&'static str>,
    pub(super) transaction_types: Vec<&'static str>,
    pub(super) transactions: Vec<Transaction>,
    /// Names and generators of the parameters, in one order.
    pub(super) parameters: Vec<String>,
    pub(super) generators: Arc<[Generator]>,
    /// The files that were read, for the record.
    pub(super) files: Vec<File>,
}

/// One type of transaction.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) weight: f64,
    pub(super) rest: Option<Rest>,
    /// The parameters that it draws, in the order in which its statements name them.
    pub(super) draws: Vec<usize>,
    pub(super) lines: Vec<Line>,
}

/// One statement of a transaction.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) statement: u16,
    pub(super) values: Vec<Source>,
    /// Columns of its first row that are kept.
    pub(super) keeps: usize,
    /// It is a ROLLBACK.
    pub(super) rolls_back: bool,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The transaction's draw of that number.
    Drawn(usize),
    /// The kept value of that number.
    Kept(usize),
}

impl Plan {
    /// Reads the transactions of a directory.
    pub(super) fn read(directory: &Directory) -> Result<Self, WorkloadError> {
        let (parameters, generators) = read_parameters(directory)?;
        let mut plan = Self {
            templates: Vec::new(),
            statement_types: Vec::new(),
            transaction_types: Vec::new(),
            transactions: Vec::new(),
            parameters,
            generators: generators.into(),
            files: directory.own_files()?,
        };
        for (name, form) in in_order(&directory.form.transactions) {
            plan.add(directory, (name.get_ref(), name.span()), form)?;
        }
        let weights = plan.transactions.iter().map(|each| each.weight);
        if weights.sum::<f64>() <= 0.0 {
            return Err(directory
                .form_file
                .wrong(1, "[transactions] needs one with a weight above 0"));
        }
        Ok(plan)
    }

    fn add(
        &mut self,
        directory: &Directory,
        (name, at): (&str, Range<usize>),
        form: &TransactionForm,
    ) -> Result<(), WorkloadError> {
        let toml = &directory.form_file;
        let weight = form.weight.as_ref().map_or(1.0, |weight| *weight.get_ref());
        if !(0.0..=1e9).contains(&weight) {
            let span = form.weight.as_ref().map_or(at, toml::Spanned::span);
            return Err(toml.wrong_at(
                span,
                format!("weight = {weight}: 0 to 1000000000 is allowed"),
            ));
        }
        if self.transactions.len() == MOST_TRANSACTIONS {
            let what = format!("{MOST_TRANSACTIONS} transactions are the most");
            return Err(toml.wrong_at(at, what));
        }
        let rest = Rest::read(directory, form)?;
        let statements = read_statements(directory, (name, at.clone()), form)?;
        if statements.is_empty() {
            return Err(toml.wrong_at(at, format!("transaction {name} has no statement")));
        }
        let mut writer = Writer {
            plan: self,
            transaction: name,
            draws: Vec::new(),
            kept: Vec::new(),
            opened: None,
        };
        let lines = statements.iter().map(|(file, sql)| writer.line(file, sql));
        let lines = lines.collect::<Result<_, _>>()?;
        if let Some((file, line)) = writer.opened {
            return Err(file.wrong(
                line,
                "what is opened here is never ended: COMMIT or ROLLBACK is missing",
            ));
        }
        let draws = writer.draws;
        self.transaction_types.push(forever(name));
        self.transactions.push(Transaction {
            weight,
            rest,
            draws,
            lines,
        });
        for (file, _) in statements {
            if self.files.iter().all(|known| known.path != file.path) {
                self.files.push(file);
            }
        }
        Ok(())
    }
}

fn read_parameters(directory: &Directory) -> Result<(Vec<String>, Vec<Generator>), WorkloadError> {
    let forms = in_order(&directory.form.parameters);
    let sequence_at = |wanted: &str| {
        let is_it = |(name, form): &(
            &toml::Spanned<String>,
            &toml::Spanned<super::form::GeneratorForm>,
        )| { name.get_ref() == wanted && form.get_ref().sequence.is_some() };
        forms.iter().position(is_it)
    };
    let (mut names, mut generators) = (Vec::new(), Vec::new());
    for (name, form) in &forms {
        let made = generator(form.get_ref(), sequence_at);
        generators.push(made.map_err(|why| {
            directory
                .form_file
                .wrong_at(name.span(), format!("parameter {}: {why}", name.get_ref()))
        })?);
        names.push(name.get_ref().clone());
    }
    Ok((names, generators))
}

/// The statements of a transaction, each with the file that it stands in.
fn read_statements(
    directory: &Directory,
    (name, at): (&str, Range<usize>),
    form: &TransactionForm,
) -> Result<Vec<(File, Sql)>, WorkloadError> {
    let toml = &directory.form_file;
    let cut = |file: File| -> Result<Vec<(File, Sql)>, WorkloadError> {
        let found = scan::statements(&file)?;
        Ok(found.into_iter().map(|sql| (file.clone(), sql)).collect())
    };
    match (&form.file, &form.statements) {
        (Some(_), Some(_)) => {
            let what =
                format!("transaction {name} has a file and statements: one of both is allowed");
            Err(toml.wrong_at(at, what))
        }
        (Some(file), None) => cut(directory.file(file.get_ref(), file.span())?),
        (None, None) => cut(directory.file(&format!("{name}.sql"), at)?),
        (None, Some(listed)) => {
            let mut all = Vec::new();
            for text in listed {
                // Cut as if the rest of the file were not there, so that lines stay those of the file.
                let lines_before = "\n".repeat(toml.line_of(text.span().start) - 1);
                let alone = File {
                    text: lines_before + text.get_ref(),
                    ..toml.clone()
                };
                all.extend(cut(alone)?);
            }
            Ok(all)
        }
    }
}

/// Turns the statements of one transaction into lines.
struct Writer<'a> {
    plan: &'a mut Plan,
    transaction: &'a str,
    draws: Vec<usize>,
    /// Names of what was kept up to now.
    kept: Vec<String>,
    /// Where a transaction of the server was opened that isn't ended yet.
    opened: Option<(File, usize)>,
}

impl Writer<'_> {
    fn line(&mut self, file: &File, sql: &Sql) -> Result<Line, WorkloadError> {
        let (text, places) = scan::places(file, sql)?;
        let values = places.iter().map(|place| self.source(file, place));
        let values = values.collect::<Result<_, _>>()?;
        let kind = Kind::of(&text);
        match kind {
            Kind::Begin => self.opened = Some((file.clone(), sql.line)),
            Kind::Commit | Kind::Rollback => self.opened = None,
            Kind::Work => {}
        }
        self.keep(file, sql)?;
        let statement = self.template(file, sql, text, kind)?;
        Ok(Line {
            statement,
            values,
            keeps: sql.keep.len(),
            rolls_back: kind == Kind::Rollback,
        })
    }

    fn source(&mut self, file: &File, place: &Place) -> Result<Source, WorkloadError> {
        let Place { name, line } = place;
        if let Some(at) = self.kept.iter().rposition(|kept| kept == name) {
            return Ok(Source::Kept(at));
        }
        let parameters = &self.plan.parameters;
        let Some(parameter) = parameters.iter().position(|known| known == name) else {
            let known = parameters.iter().chain(&self.kept).map(String::as_str);
            let near = match nearest(name, known) {
                "" => String::new(),
                near => format!("; the nearest name is :{near}"),
            };
            let what = format!(
                "nothing is called :{name}{near}; names stand under [parameters] in workload.toml, or behind -- keep: \
                 at an earlier statement of the same transaction"
            );
            return Err(file.wrong(*line, what));
        };
        let draw = self.draws.iter().position(|&drawn| drawn == parameter);
        Ok(Source::Drawn(draw.unwrap_or_else(|| {
            self.draws.push(parameter);
            self.draws.len() - 1
        })))
    }

    fn keep(&mut self, file: &File, sql: &Sql) -> Result<(), WorkloadError> {
        for name in &sql.keep {
            if self.plan.parameters.contains(name) {
                let what =
                    format!("keep: {name} is the name of a parameter, too; choose another one");
                return Err(file.wrong(sql.line, what));
            }
            self.kept.push(name.clone());
        }
        Ok(())
    }

    fn template(
        &mut self,
        file: &File,
        sql: &Sql,
        text: String,
        kind: Kind,
    ) -> Result<u16, WorkloadError> {
        let at = self.plan.templates.len();
        let (Ok(statement), Ok(number)) = (u16::try_from(at), StatementType::try_from(at)) else {
            let what = format!("{MOST_STATEMENTS} statements in all are the most");
            return Err(file.wrong(sql.line, what));
        };
        let name = self.free_name(sql, &text);
        self.plan.statement_types.push(forever(&name));
        self.plan.templates.push(StatementTemplate {
            keeps_rows: !sql.keep.is_empty(),
            ..StatementTemplate::new(text, number, kind.class())
        });
        Ok(statement)
    }

    /// `order.update`, or `order.update_2` where that is taken.
    fn free_name(&self, sql: &Sql, text: &str) -> String {
        let verb = first_words(text)[0].to_ascii_lowercase();
        let word = sql.name.as_ref().unwrap_or(&verb);
        let name = format!("{}.{word}", self.transaction);
        let is_free = |name: &String| !self.plan.statement_types.contains(&name.as_str());
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(is_free).unwrap_or(name)
    }
}

/// What a statement does to a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Begin,
    Commit,
    Rollback,
    Work,
}

impl Kind {
    fn of(text: &str) -> Self {
        let words = first_words(text).map(str::to_ascii_uppercase);
        match [words[0].as_str(), words[1].as_str()] {
            ["BEGIN", _] | ["START", "TRANSACTION"] => Self::Begin,
            ["COMMIT", _] => Self::Commit,
            ["ROLLBACK", "TO"] => Self::Work,
            ["ROLLBACK", _] => Self::Rollback,
            _ => Self::Work,
        }
    }

    fn class(self) -> Class {
        match self {
            Self::Begin => Class::Begin,
            Self::Commit => Class::Commit,
            Self::Rollback | Self::Work => Class::Work,
        }
    }
}

/// The first two words; `sql` where there are none.
fn first_words(text: &str) -> [&str; 2] {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut next = || words.find(|word| !word.is_empty()).unwrap_or("sql");
    [next(), next()]
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
