//! Runs the transactions of one client of a SQL-file workload.

use super::generator::GeneratorStates;
use super::plan::{PlannedStatement, Transaction, TransactionPlan, ValueSource};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext, TransactionScript};
use crate::{RetryValues, TransactionType};
use dbdyno_chance::{RandomSource, Stream};
use dbdyno_wire::{Parameter, Parameters};
use std::sync::Arc;

/// Draws a transaction by weight and runs its statements.
pub(super) struct SqlFilesUser {
    plan: Arc<TransactionPlan>,
    mix: Stream,
    rests: Stream,
    drawers: GeneratorStates,
    /// Number of the transaction under way.
    transaction: usize,
    /// Its values, in the order of its draws.
    drawn: Parameters,
    /// What its statements kept, in their order.
    kept: Parameters,
}

impl SqlFilesUser {
    /// Creates the client of a number, from 0. Each parameter has its own stream, so that one more changes no other's
    /// values.
    pub(super) fn new(plan: Arc<TransactionPlan>, source: RandomSource, index: u32) -> Self {
        let number = u64::from(index);
        let stream = |place: usize| {
            source.keyed(&format!("sql/parameter/{}", plan.parameters[place]), number)
        };
        let drawers = GeneratorStates::new(Arc::clone(&plan.generators), number, 0, stream);
        Self {
            mix: source.keyed("sql/mix", number),
            rests: source.keyed("sql/rests", number),
            drawers,
            plan,
            transaction: 0,
            drawn: Parameters::new(),
            kept: Parameters::new(),
        }
    }

    fn draw_values(&mut self) {
        self.drawn.clear();
        for &parameter in &self.plan.transactions[self.transaction].draws {
            self.drawers.draw(parameter, &mut self.drawn);
        }
    }

    fn fill(&self, line: &PlannedStatement, values: &mut Parameters) {
        for &source in &line.values {
            let value = match source {
                ValueSource::Drawn(at) => self.drawn.iter().nth(at),
                ValueSource::Kept(at) => self.kept.iter().nth(at),
            };
            push(value.unwrap_or(Parameter::Null), values);
        }
    }

    fn keep(&mut self, line: &PlannedStatement, context: &ScriptContext) {
        for column in 0..line.keeps {
            context.rows.hand_on(0, column, &mut self.kept);
        }
    }
}

impl TransactionScript for SqlFilesUser {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.transaction = match wanted {
            Some(transaction) => usize::from(transaction),
            None => by_weight(&self.plan.transactions, &mut self.mix),
        };
        self.draw_values();
        self.transaction as TransactionType
    }

    fn replay(&mut self, draws: RetryValues) -> TransactionType {
        if draws == RetryValues::New {
            self.draw_values();
        }
        self.transaction as TransactionType
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        self.kept.clear();
        let plan = Arc::clone(&self.plan);
        let lines = &plan.transactions[self.transaction].lines;
        for line in lines {
            self.fill(line, context.bind(line.statement));
            context.execute().await?;
            self.keep(line, context);
        }
        let rolled_back = lines.last().is_some_and(|line| line.rolls_back);
        Ok(if rolled_back {
            EventEnd::RolledBack
        } else {
            EventEnd::Done
        })
    }

    fn initial_rest_ns(&mut self) -> u64 {
        let first = by_weight(&self.plan.transactions, &mut self.rests);
        let rest = self.plan.transactions[first].rest;
        rest.map_or(0, |rest| rest.draw_left_ns(&mut self.rests))
    }

    fn rest_ns(&mut self) -> u64 {
        let rest = self.plan.transactions[self.transaction].rest;
        rest.map_or(0, |rest| rest.draw_ns(&mut self.rests))
    }
}

fn push(value: Parameter<'_>, out: &mut Parameters) {
    match value {
        Parameter::Int(number) => out.push_int(number),
        Parameter::Double(number) => out.push_double(number),
        Parameter::Text(text) => out.push_text(text),
        Parameter::Null => out.push_null(),
    }
}

/// Draws a transaction's number, as often as its weight says.
fn by_weight(transactions: &[Transaction], stream: &mut Stream) -> usize {
    let sum: f64 = transactions.iter().map(|each| each.weight).sum();
    let mut left = stream.next_double() * sum;
    let chosen = transactions.iter().position(|each| {
        left -= each.weight;
        left < 0.0
    });
    // Rounding may leave a small weight after the last one.
    chosen.unwrap_or_else(|| {
        transactions
            .iter()
            .rposition(|each| each.weight > 0.0)
            .unwrap_or(0)
    })
}
