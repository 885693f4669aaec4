//! Runs the transactions statement by statement, the same way for all dialects.
//!
//! A dialect is its [statements](StatementTable) and its [`Rules`]. A statement that it doesn't have is left out.

mod after_orders;
mod new_order;
mod payment;

use super::input::TransactionInput;
use super::rules::Rules;
use super::statements::StatementKind::{self, *};
use super::statements::StatementTable;
use super::terminal::{Event, TransactionExecutor};
use super::transaction::{NEW_ORDER, ORDER_STATUS, PAYMENT, PURGE, STOCK_LEVEL};
use super::values::{Place, Values};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use crate::{StatementTemplate, TransactionType};
use std::sync::Arc;

/// Holds what all terminals of a dialect share.
#[derive(Debug)]
pub(crate) struct StatementDialect {
    pub(crate) table: StatementTable,
    pub(crate) templates: Vec<StatementTemplate>,
    pub(crate) rules: Rules,
}

/// Sends the statements of one terminal.
pub(crate) struct StatementExecutor {
    dialect: Arc<StatementDialect>,
    /// Table set, from 0.
    set: usize,
    values: Values,
    /// Items that a Stock-Level looks up.
    items: Vec<i64>,
}

impl TransactionExecutor for StatementExecutor {
    async fn run(
        &mut self,
        event: Event<'_>,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let input = event.input;
        self.set = input.set as usize;
        self.values.start(input);
        if self.dialect.table.has_time {
            self.values.set_now(event.time);
        }
        if self.has(CallNewOrder) {
            return self.call(event.transaction, input, context).await;
        }
        match event.transaction {
            NEW_ORDER => return self.new_order(input, context).await,
            PAYMENT => self.payment(input, event.time.seconds(), context).await?,
            ORDER_STATUS => self.order_status(input, context).await?,
            STOCK_LEVEL => self.stock_level(context).await?,
            PURGE if self.has(OldOrder) => self.purge(event.stream, context).await?,
            _ => self.delivery(context).await?,
        }
        Ok(EventEnd::Done)
    }
}

impl StatementExecutor {
    pub(crate) fn new(dialect: Arc<StatementDialect>) -> Self {
        Self {
            dialect,
            set: 0,
            values: Values::default(),
            items: Vec::new(),
        }
    }

    fn rules(&self) -> &Rules {
        &self.dialect.rules
    }

    fn has(&self, kind: StatementKind) -> bool {
        self.dialect.table.place(kind).is_some()
    }

    /// Sends a statement and waits for its answer, if the dialect has it; says whether it has.
    async fn send(
        &mut self,
        kind: StatementKind,
        context: &mut ScriptContext,
    ) -> Result<bool, Aborted> {
        let Some(mut place) = self.dialect.table.place(kind) else {
            return Ok(false);
        };
        if kind == Stock && self.dialect.table.has_stock_by_district {
            place += self.values.whole(Place::District) as u16 - 1;
        }
        self.bind(usize::from(place), context);
        context.execute().await?;
        Ok(true)
    }

    fn bind(&self, place: usize, context: &mut ScriptContext) {
        let StatementDialect {
            table,
            templates,
            rules,
        } = &*self.dialect;
        let number = self.set * table.statements.len() + place;
        let statement = &table.statements[place];
        if statement.is_written {
            let text = context.text(number as u16);
            let template = &templates[number].text;
            self.values.write(template, &statement.places, rules, text);
            return;
        }
        let parameters = context.bind(number as u16);
        for place in &statement.places {
            self.values.push(*place, rules, parameters);
        }
    }

    /// Calls the procedure of a transaction.
    async fn call(
        &mut self,
        transaction: TransactionType,
        input: &TransactionInput,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let kind = match transaction {
            NEW_ORDER => CallNewOrder,
            PAYMENT => CallPayment,
            ORDER_STATUS => CallOrderStatus,
            STOCK_LEVEL => CallStockLevel,
            _ => CallDelivery,
        };
        let is_order = transaction == NEW_ORDER;
        if is_order {
            self.values.pack_lines(input);
        }
        self.send(kind, context).await?;
        Ok(match is_order && input.has_unused_item() {
            true => EventEnd::RolledBack,
            false => EventEnd::Done,
        })
    }

    async fn begin_read_only(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        if !self.send(BeginReadOnly, context).await? {
            self.send(Begin, context).await?;
        }
        Ok(())
    }

    /// Takes over a whole number from the first row and column; 0 if there is none.
    fn take(&mut self, place: Place, context: &ScriptContext) {
        let found = context.rows.int(0, 0).unwrap_or_default();
        self.values.set(place, found);
    }

    fn take_customer(&mut self, found: Option<i64>, input: &TransactionInput) {
        let customer = found.unwrap_or(input.customer.into());
        self.values.set(Place::Customer, customer);
    }

    /// Looks for all customers of the name; gives the row, from 0, of the one that is meant.
    async fn find_namesake(
        &mut self,
        [count, select]: [StatementKind; 2],
        row_of: fn(usize) -> usize,
        context: &mut ScriptContext,
    ) -> Result<usize, Aborted> {
        let is_counted = self.send(count, context).await?;
        let counted = context.rows.int(0, 0).unwrap_or_default() as usize;
        self.send(select, context).await?;
        let namesakes = if is_counted {
            counted
        } else {
            context.rows.len()
        };
        Ok(row_of(namesakes))
    }
}

/// Returns the number in a column of the first row, 0 if there is none.
fn number(context: &ScriptContext, column: usize) -> f64 {
    context.rows.number(0, column).unwrap_or_default()
}
