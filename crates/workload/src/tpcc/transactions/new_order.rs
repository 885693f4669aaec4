//! Runs New-Order.

use super::{StatementExecutor, number};
use crate::tpcc::input::TransactionInput;
use crate::tpcc::statements::StatementKind::*;
use crate::tpcc::stock::dist_info;
use crate::tpcc::values::Place;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

impl StatementExecutor {
    pub(super) async fn new_order(
        &mut self,
        input: &TransactionInput,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        if !self.rules().begins_after_customer {
            self.send(Begin, context).await?;
        }
        self.send(OrderCustomer, context).await?;
        let (discount, warehouse_tax) = (number(context, 0), number(context, 3));
        if self.rules().begins_after_customer {
            self.send(Begin, context).await?;
        }
        self.send(OrderDistrict, context).await?;
        let taxed = 1.0 + warehouse_tax + number(context, 1);
        self.take(Place::Order, context);
        let next = self.values.whole(Place::Order) + 1;
        self.values.set(Place::NextOrder, next);
        self.send(RaiseDistrict, context).await?;
        if !self.rules().inserts_order_last {
            self.insert_order(context).await?;
        }
        for place in 0..input.line_count {
            self.values.start_line(input, place, &self.dialect.rules);
            let factors = (taxed, 1.0 - discount);
            if !self.order_line(input, place, factors, context).await? {
                self.send(Rollback, context).await?;
                return Ok(EventEnd::RolledBack);
            }
        }
        if self.rules().inserts_order_last {
            self.insert_order(context).await?;
        }
        self.send(Commit, context).await?;
        Ok(EventEnd::Done)
    }

    async fn insert_order(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        self.send(InsertOrder, context).await?;
        self.send(InsertNewOrder, context).await?;
        Ok(())
    }

    /// Sends an order line; false if there is no such item.
    async fn order_line(
        &mut self,
        input: &TransactionInput,
        place: usize,
        (taxed, discounted): (f64, f64),
        context: &mut ScriptContext,
    ) -> Result<bool, Aborted> {
        let quantity = input.lines[place].quantity;
        self.send(Item, context).await?;
        let Some(price) = context.rows.number(0, 0) else {
            return Ok(false);
        };
        self.send(Stock, context).await?;
        let in_stock = context.rows.int(0, 0).unwrap_or_default();
        let left = (self.rules().stock)(u32::try_from(in_stock).unwrap_or_default(), quantity);
        let others = if self.rules().has_all_districts {
            input.district - 1
        } else {
            0
        };
        self.values.dist_info = dist_info(context, 2 + others as usize);
        self.values.set(Place::Stock, left);
        self.send(SetStock, context).await?;
        let amount = f64::from(quantity) * price;
        self.values.line_amount = (self.rules().line_amount)(amount, taxed, discounted);
        self.send(InsertLine, context).await
    }
}
