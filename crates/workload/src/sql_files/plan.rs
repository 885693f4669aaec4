//! Plans what users do: it checks the transactions of a directory and makes them ready to run.

use super::directory::{Directory, SourceFile};
use super::distributions::generator;
use super::form::{TransactionForm, in_order};
use super::generator::Generator;
use super::plan_writer::PlanWriter;
use super::role;
use super::scan::{self, ScannedStatement};
use super::think_time::ThinkTime;
use super::words::forever;
use crate::{StatementTemplate, WorkloadError};
use std::ops::Range;
use std::sync::Arc;

const MOST_TRANSACTIONS: usize = 64;

/// All transactions.
#[derive(Debug)]
pub(super) struct TransactionPlan {
    pub(super) templates: Vec<StatementTemplate>,
    pub(super) statement_types: Vec<&'static str>,
    pub(super) transaction_types: Vec<&'static str>,
    pub(super) transactions: Vec<Transaction>,
    /// Of the server that transactions with a role go to.
    pub(super) role: Option<String>,
    /// Names and generators of the parameters, in one order.
    pub(super) parameters: Vec<String>,
    pub(super) generators: Arc<[Generator]>,
    /// The files that were read, for the record.
    pub(super) files: Vec<SourceFile>,
}

/// One type of transaction.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) weight: f64,
    pub(super) rest: Option<ThinkTime>,
    /// The parameters that it draws, in the order in which its statements name them.
    pub(super) draws: Vec<usize>,
    pub(super) lines: Vec<PlannedStatement>,
}

/// One statement of a transaction.
#[derive(Debug)]
pub(super) struct PlannedStatement {
    pub(super) statement: u16,
    pub(super) values: Vec<ValueSource>,
    /// Columns of its first row that are kept.
    pub(super) keeps: usize,
    /// It is a ROLLBACK.
    pub(super) rolls_back: bool,
}

/// Says where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueSource {
    /// The transaction's draw of that number.
    Drawn(usize),
    /// The kept value of that number.
    Kept(usize),
}

impl TransactionPlan {
    /// Reads the transactions of a directory.
    pub(super) fn read(directory: &Directory) -> Result<Self, WorkloadError> {
        let (parameters, generators) = read_parameters(directory)?;
        let mut plan = Self {
            templates: Vec::new(),
            statement_types: Vec::new(),
            transaction_types: Vec::new(),
            transactions: Vec::new(),
            role: role::read(directory)?,
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
            let what = format!("at most {MOST_TRANSACTIONS} transactions are allowed");
            return Err(toml.wrong_at(at, what));
        }
        let rest = ThinkTime::read(directory, form)?;
        let statements = read_statements(directory, (name, at.clone()), form)?;
        if statements.is_empty() {
            return Err(toml.wrong_at(at, format!("transaction {name} has no statement")));
        }
        let mut writer = PlanWriter::new(self, name, u8::from(form.role.is_some()));
        let lines = statements.iter().map(|(file, sql)| writer.line(file, sql));
        let lines = lines.collect::<Result<_, _>>()?;
        let draws = writer.draws()?;
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

/// Returns the statements of a transaction, each with the file that it stands in.
fn read_statements(
    directory: &Directory,
    (name, at): (&str, Range<usize>),
    form: &TransactionForm,
) -> Result<Vec<(SourceFile, ScannedStatement)>, WorkloadError> {
    let toml = &directory.form_file;
    let cut = |file: SourceFile| -> Result<Vec<(SourceFile, ScannedStatement)>, WorkloadError> {
        let found = scan::statements(&file)?;
        Ok(found.into_iter().map(|sql| (file.clone(), sql)).collect())
    };
    match (&form.file, &form.statements) {
        (Some(_), Some(_)) => {
            let what = format!(
                "transaction {name} has a file and statements: only one of them is allowed"
            );
            Err(toml.wrong_at(at, what))
        }
        (Some(file), None) => cut(directory.file(file.get_ref(), file.span())?),
        (None, None) => cut(directory.file(&format!("{name}.sql"), at)?),
        (None, Some(listed)) => {
            let mut all = Vec::new();
            for text in listed {
                // Parsed as if the file ended here, so that line numbers stay those of the file.
                let lines_before = "\n".repeat(toml.line_of(text.span().start) - 1);
                let alone = SourceFile {
                    text: lines_before + text.get_ref(),
                    ..toml.clone()
                };
                all.extend(cut(alone)?);
            }
            Ok(all)
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
