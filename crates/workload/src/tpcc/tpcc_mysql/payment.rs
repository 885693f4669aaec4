//! Runs Payment as a connection of tpcc-mysql does, and looks up a customer.

use super::statements::StatementKind;
use super::terminal::TpccMysqlTerminal;
use crate::tpcc::client::{bare, find_payer, say};
use crate::tpcc::names::middle_row;
use crate::tpcc::statement_rows::put;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// c_data is cut here.
const DATA_LENGTH: usize = 500;

impl TpccMysqlTerminal {
    pub(super) async fn payment(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        let amount = self.money(f64::from(self.input.amount));
        let values = context.bind(StatementKind::PayWarehouse as u16);
        values.push_double(amount);
        values.push_int(warehouse);
        context.execute().await?;
        say(context, StatementKind::PaymentWarehouse, &[warehouse]).await?;
        self.history.clear();
        put_name(context, &mut self.history);
        let values = context.bind(StatementKind::PayDistrict as u16);
        values.push_double(amount);
        values.push_int(warehouse);
        values.push_int(district);
        context.execute().await?;
        say(
            context,
            StatementKind::PaymentDistrict,
            &[warehouse, district],
        )
        .await?;
        self.history.extend_from_slice(b"    ");
        put_name(context, &mut self.history);
        let statements = [StatementKind::CountPayers, StatementKind::Payers].map(u16::from);
        let customer = find_payer(context, &self.input, statements, middle_row).await?;
        self.book(customer, context).await?;
        self.insert_history(customer, context).await?;
        bare(context, StatementKind::Commit).await?;
        Ok(EventEnd::Done)
    }

    /// Reads the customer and writes what they have now.
    async fn book(&mut self, customer: i64, context: &mut ScriptContext) -> Result<(), Aborted> {
        let (warehouse, district) = self.input.buyers_home();
        let key = [warehouse, district, customer];
        say(context, StatementKind::Payer, &key).await?;
        let has_bad_credit = context
            .rows
            .text(0, 9)
            .is_some_and(|word| word.starts_with(b"BC"));
        let amount = f64::from(self.input.amount);
        let balance = context.rows.number(0, 12).unwrap_or_default();
        // Read, changed and written as a float of 32 bits (Q-TM-8).
        let balance = self.money(self.money(balance) - amount);
        if has_bad_credit {
            say(context, StatementKind::PayerData, &key).await?;
            self.note(customer, context.rows.text(0, 0).unwrap_or_default());
        }
        let kind = if has_bad_credit {
            StatementKind::SetPayerAndData
        } else {
            StatementKind::SetPayer
        };
        let values = context.bind(kind as u16);
        values.push_double(balance);
        if self.shared.is_fixed {
            values.push_double(amount); // Q-TM-7: the tool leaves c_ytd_payment alone
        }
        if has_bad_credit {
            values.push_text(&self.data);
        }
        for part in key {
            values.push_int(part);
        }
        context.execute().await
    }

    /// What c_data becomes: for the tool what it was (Q-TM-5).
    fn note(&mut self, customer: i64, old: &[u8]) {
        self.data.clear();
        if self.shared.is_fixed {
            let ((c_warehouse, c_district), (warehouse, district)) =
                (self.input.buyers_home(), self.input.home());
            let amount = f64::from(self.input.amount);
            put(
                &mut self.data,
                format_args!(
                    "| {customer:4} {c_district:2} {c_warehouse:4} {district:2} {warehouse:4} ${amount:7.2} "
                ),
            );
        }
        self.data.extend_from_slice(old);
        self.data.truncate(DATA_LENGTH);
    }

    async fn insert_history(
        &self,
        customer: i64,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        let ((c_warehouse, c_district), (warehouse, district)) =
            (self.input.buyers_home(), self.input.home());
        let values = context.bind(StatementKind::InsertHistory as u16);
        for value in [c_district, c_warehouse, customer, district, warehouse] {
            values.push_int(value);
        }
        values.push_text(&self.now);
        values.push_double(self.money(f64::from(self.input.amount)));
        values.push_text(&self.history);
        context.execute().await
    }
}

fn put_name(context: &ScriptContext, history: &mut Vec<u8>) {
    history.extend_from_slice(context.rows.text(0, 5).unwrap_or_default());
}
