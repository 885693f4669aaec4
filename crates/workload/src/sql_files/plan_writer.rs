//! Plans the statements of a transaction: their values, what they keep, what they are called.

use super::directory::SourceFile;
use super::plan::{PlannedStatement, TransactionPlan, ValueSource};
use super::scan::{self, Placeholder, ScannedStatement};
use super::words::forever;
use crate::nearest::nearest;
use crate::{Class, StatementTemplate, StatementType, WorkloadError};

/// Lines of a report that can be distinguished.
const MOST_STATEMENTS: usize = StatementType::MAX as usize + 1;

/// Turns the statements of one transaction into lines.
pub(super) struct PlanWriter<'a> {
    plan: &'a mut TransactionPlan,
    transaction: &'a str,
    /// The connection over which its statements go.
    lane: u8,
    draws: Vec<usize>,
    /// Names of what was kept up to now.
    kept: Vec<String>,
    /// Where a transaction of the server was opened that isn't ended yet.
    opened: Option<(SourceFile, usize)>,
}

impl<'a> PlanWriter<'a> {
    pub(super) fn new(plan: &'a mut TransactionPlan, transaction: &'a str, lane: u8) -> Self {
        Self {
            plan,
            transaction,
            lane,
            draws: Vec::new(),
            kept: Vec::new(),
            opened: None,
        }
    }

    /// Returns the parameters that the lines draw. Nothing may be left open now.
    pub(super) fn draws(self) -> Result<Vec<usize>, WorkloadError> {
        match self.opened {
            None => Ok(self.draws),
            Some((file, line)) => {
                let what = "this transaction does not end: COMMIT or ROLLBACK is missing";
                Err(file.wrong(line, what))
            }
        }
    }

    pub(super) fn line(
        &mut self,
        file: &SourceFile,
        sql: &ScannedStatement,
    ) -> Result<PlannedStatement, WorkloadError> {
        let (text, places) = scan::places(file, sql)?;
        let values = places.iter().map(|place| self.source(file, place));
        let values = values.collect::<Result<_, _>>()?;
        let kind = TransactionEffect::of(&text);
        match kind {
            TransactionEffect::Begin => self.opened = Some((file.clone(), sql.line)),
            TransactionEffect::Commit | TransactionEffect::Rollback => self.opened = None,
            TransactionEffect::Work => {}
        }
        self.keep(file, sql)?;
        let statement = self.template(file, sql, text, kind)?;
        Ok(PlannedStatement {
            statement,
            values,
            keeps: sql.keep.len(),
            rolls_back: kind == TransactionEffect::Rollback,
        })
    }

    fn source(
        &mut self,
        file: &SourceFile,
        place: &Placeholder,
    ) -> Result<ValueSource, WorkloadError> {
        let Placeholder { name, line } = place;
        if let Some(at) = self.kept.iter().rposition(|kept| kept == name) {
            return Ok(ValueSource::Kept(at));
        }
        let parameters = &self.plan.parameters;
        let Some(parameter) = parameters.iter().position(|known| known == name) else {
            let known = parameters.iter().chain(&self.kept).map(String::as_str);
            let near = match nearest(name, known) {
                "" => String::new(),
                near => format!("; the nearest name is :{near}"),
            };
            let what = format!(
                "there is no value :{name}{near}; names are defined under [parameters] in workload.toml, or after -- keep: \
                 at an earlier statement of the same transaction"
            );
            return Err(file.wrong(*line, what));
        };
        let draw = self.draws.iter().position(|&drawn| drawn == parameter);
        Ok(ValueSource::Drawn(draw.unwrap_or_else(|| {
            self.draws.push(parameter);
            self.draws.len() - 1
        })))
    }

    fn keep(&mut self, file: &SourceFile, sql: &ScannedStatement) -> Result<(), WorkloadError> {
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
        file: &SourceFile,
        sql: &ScannedStatement,
        text: String,
        kind: TransactionEffect,
    ) -> Result<u16, WorkloadError> {
        let at = self.plan.templates.len();
        let (Ok(statement), Ok(number)) = (u16::try_from(at), StatementType::try_from(at)) else {
            let what = format!("at most {MOST_STATEMENTS} statements in total are allowed");
            return Err(file.wrong(sql.line, what));
        };
        let name = self.free_name(sql, &text);
        self.plan.statement_types.push(forever(&name));
        self.plan.templates.push(StatementTemplate {
            keeps_rows: !sql.keep.is_empty(),
            lane: self.lane,
            ..StatementTemplate::new(text, number, kind.class())
        });
        Ok(statement)
    }

    /// Returns `order.update`, or `order.update_2` where that is taken.
    fn free_name(&self, sql: &ScannedStatement, text: &str) -> String {
        let verb = first_words(text)[0].to_ascii_lowercase();
        let word = sql.name.as_ref().unwrap_or(&verb);
        let name = format!("{}.{word}", self.transaction);
        let is_free = |name: &String| !self.plan.statement_types.contains(&name.as_str());
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(is_free).unwrap_or(name)
    }
}

/// Says what a statement does to a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransactionEffect {
    Begin,
    Commit,
    Rollback,
    Work,
}

impl TransactionEffect {
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

/// Returns the first two words; `sql` where there are none.
fn first_words(text: &str) -> [&str; 2] {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut next = || words.find(|word| !word.is_empty()).unwrap_or("sql");
    [next(), next()]
}
