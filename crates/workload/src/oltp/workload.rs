//! A script with its options: the workload that users are made of.

use super::blocks::Event;
use super::statement::Kind;
use super::user::{NewIds, OltpUser};
use super::{Options, Script, quirks};
use crate::{Facts, StatementTemplate, StatementType, User, Workload, WorkloadError};
use dbdyno_chance::{RandomSource, Sampler};
use std::sync::Arc;

/// A workload of the sysbench OLTP family.
#[derive(Debug)]
pub(crate) struct Oltp {
    name: String,
    script: &'static Script,
    options: Options,
    source: RandomSource,
    users: u32,
    statements: Vec<StatementTemplate>,
    statement_types: Vec<&'static str>,
    transaction_types: [&'static str; 1],
    event: Arc<Event>,
}

impl Oltp {
    pub(crate) fn new(
        script: &'static Script,
        options: Options,
        source: RandomSource,
        users: u32,
    ) -> Result<Self, WorkloadError> {
        let kinds = kinds(script, &options);
        check_count(&kinds, &options)?;
        let first_statement = |kind| first_statement(&kinds, kind, options.tables);
        let event = Arc::new(Event::new(script, &options, source.kind, first_statement));
        Ok(Self {
            name: format!("sysbench/{}", script.name),
            script,
            source,
            users: users.max(1),
            statements: templates(script, &kinds, &options),
            statement_types: kinds.iter().map(|kind| kind.type_name()).collect(),
            transaction_types: [script.transaction_type],
            event,
            options,
        })
    }

    /// The values of k that a user of the select_random scripts looks for. sysbench computes with fractions of rows
    /// and cuts them at the end: neighbours share a value, and the first user may draw 0.
    fn segment(&self, index: u32) -> Sampler {
        let length = f64::from(self.options.table_size) / f64::from(self.users);
        let low = length * f64::from(index % self.users);
        let distribution = self.options.distribution();
        distribution.over(low as u32, (low + length) as u32)
    }
}

impl Workload for Oltp {
    fn name(&self) -> &str {
        &self.name
    }

    fn statements(&self) -> &[StatementTemplate] {
        &self.statements
    }

    fn statement_types(&self) -> &[&'static str] {
        &self.statement_types
    }

    fn transaction_types(&self) -> &[&'static str] {
        &self.transaction_types
    }

    fn facts(&self) -> Facts {
        Facts {
            imitates: "sysbench 1.0.20".to_owned(),
            options: self.options.list(self.script),
            quirks: quirks::active(self.script, &self.options, self.source.kind),
        }
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        let ids = NewIds {
            unique: self.source.unique(&self.name),
            place: index,
            stride: self.users,
        };
        Box::new(OltpUser::new(
            Arc::clone(&self.event),
            self.source.worker(&self.name, index),
            ids,
            self.segment(index),
        ))
    }
}

/// The kinds that the options leave, in the order of preparing.
fn kinds(script: &Script, options: &Options) -> Vec<Kind> {
    script
        .prepares
        .iter()
        .copied()
        .filter(|kind| !kind.switched_off(options))
        .collect()
}

/// A call names its statement in 16 bits.
fn check_count(kinds: &[Kind], options: &Options) -> Result<(), WorkloadError> {
    let most = u64::from(u16::MAX) + 1;
    let statements = kinds
        .iter()
        .map(|kind| u64::from(kind.count(options.tables)))
        .sum();
    if statements <= most {
        return Ok(());
    }
    Err(WorkloadError::TooManyStatements {
        tables: options.tables,
        statements,
        most,
    })
}

/// Where the statements of `kind` begin; 0 for a kind that isn't there.
fn first_statement(kinds: &[Kind], kind: Kind, tables: u32) -> u16 {
    kinds
        .iter()
        .take_while(|before| **before != kind)
        .map(|before| before.count(tables) as u16)
        .sum()
}

fn templates(script: &Script, kinds: &[Kind], options: &Options) -> Vec<StatementTemplate> {
    let mut templates = Vec::new();
    for (place, kind) in kinds.iter().enumerate() {
        for number in 1..=kind.count(options.tables) {
            templates.push(StatementTemplate {
                text: kind.text(number, options),
                statement_type: place as StatementType,
                class: kind.class(),
                text_only: script.text_only,
            });
        }
    }
    templates
}
