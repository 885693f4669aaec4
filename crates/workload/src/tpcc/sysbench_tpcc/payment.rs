//! Runs Payment as a worker of sysbench-tpcc does, and looks up a customer.

use super::statements::StatementKind;
use super::terminal::SysbenchTpccTerminal;
use crate::event_time::EventTime;
use crate::tpcc::client::{find_payer, say};
use crate::tpcc::names::middle_row;
use crate::tpcc::statement_rows::{Word, put, put_words};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// c_data is cut here.
const DATA_LENGTH: usize = 500;

/// What the customer has and owes after the payment.
struct CustomerBalance {
    has_bad_credit: bool,
    balance: f64,
    paid: f64,
}

impl SysbenchTpccTerminal {
    pub(super) async fn payment(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        let amount = i64::from(self.input.amount);
        self.bare(StatementKind::Begin, context).await?;
        say(
            context,
            self.of(StatementKind::PayWarehouse),
            &[amount, warehouse],
        )
        .await?;
        say(
            context,
            self.of(StatementKind::PaymentWarehouse),
            &[warehouse],
        )
        .await?;
        let mut history = std::mem::take(&mut self.history);
        history.clear();
        put_name(context, &mut history);
        say(
            context,
            self.of(StatementKind::PayDistrict),
            &[amount, warehouse, district],
        )
        .await?;
        say(
            context,
            self.of(StatementKind::PaymentDistrict),
            &[warehouse, district],
        )
        .await?;
        history.push(b' ');
        put_name(context, &mut history);
        history.extend_from_slice(b"   ");
        self.history = history;
        let statements =
            [StatementKind::CountPayers, StatementKind::Payers].map(|kind| self.of(kind));
        let customer = find_payer(context, &self.input, statements, self.row_of()).await?;
        self.book(customer, context).await?;
        self.insert_history(customer, context).await?;
        self.bare(StatementKind::Commit, context).await?;
        Ok(EventEnd::Done)
    }

    /// Which of so many namesakes is taken.
    pub(super) fn row_of(&self) -> fn(usize) -> usize {
        if self.shared.is_fixed {
            middle_row
        } else {
            tool_row
        }
    }

    /// Reads the customer and writes what they have now.
    async fn book(&mut self, customer: i64, context: &mut ScriptContext) -> Result<(), Aborted> {
        let (warehouse, district) = self.input.buyers_home();
        say(
            context,
            self.of(StatementKind::Payer),
            &[warehouse, district, customer],
        )
        .await?;
        let amount = f64::from(self.input.amount);
        let account = CustomerBalance {
            has_bad_credit: context.rows.text(0, 9) == Some(b"BC"),
            balance: context.rows.number(0, 12).unwrap_or_default() - amount,
            paid: context.rows.number(0, 13).unwrap_or_default() + amount,
        };
        if account.has_bad_credit {
            say(
                context,
                self.of(StatementKind::PayerData),
                &[warehouse, district, customer],
            )
            .await?;
            self.note(customer, context.rows.text(0, 0).unwrap_or_default());
        }
        self.write_account(customer, &account, context);
        context.execute().await
    }

    /// Puts the payment in front of c_data.
    fn note(&mut self, customer: i64, old: &[u8]) {
        let (their_warehouse, their_district) = self.input.buyers_home();
        let second = EventTime::of_event(self.events).seconds();
        let (district, warehouse) = (self.input.district, self.input.warehouse);
        let amount = f64::from(self.input.amount);
        self.data.clear();
        put(
            &mut self.data,
            format_args!(
                "| {customer:4} {their_district:2} {their_warehouse:4} {district:2} {warehouse:4} ${amount:7.2} {second:12} "
            ),
        );
        self.data.extend_from_slice(old);
        self.data.truncate(DATA_LENGTH);
    }

    fn write_account(&self, customer: i64, account: &CustomerBalance, context: &mut ScriptContext) {
        let (warehouse, district) = self.input.buyers_home();
        let (balance, paid) = (account.balance, account.paid);
        let head = [
            Word::Bare(format_args!("{balance:.6}")),
            Word::Bare(format_args!("{paid:.6}")),
        ];
        let tail = [
            Word::Bare(format_args!("{warehouse}")),
            Word::Bare(format_args!("{district}")),
            Word::Bare(format_args!("{customer}")),
        ];
        let data = [Word::Quoted(&self.data)];
        let (kind, data) = if account.has_bad_credit {
            (StatementKind::SetPayerAndData, &data[..])
        } else {
            (StatementKind::SetPayer, &[][..])
        };
        let words = head.iter().chain(data).chain(&tail);
        put_words(self.template(kind), words, context.text(self.of(kind)));
    }

    async fn insert_history(
        &self,
        customer: i64,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        let (their_warehouse, their_district) = self.input.buyers_home();
        let (warehouse, district) = self.input.home();
        let values = context.bind(self.of(StatementKind::InsertHistory));
        for value in [
            their_district,
            their_warehouse,
            customer,
            district,
            warehouse,
        ] {
            values.push_int(value);
        }
        values.push_int(i64::from(self.input.amount));
        values.push_text(&self.history);
        context.execute().await
    }
}

/// w_name or d_name, at the right of ten places.
fn put_name(context: &ScriptContext, history: &mut Vec<u8>) {
    let name = context.rows.text(0, 5).unwrap_or_default();
    history.extend(std::iter::repeat_n(
        b' ',
        10_usize.saturating_sub(name.len()),
    ));
    history.extend_from_slice(name);
}

/// Q-ST-7: the row after the middle of an even number of rows, from 0; the last one where there are no more.
fn tool_row(rows: usize) -> usize {
    let even = rows + rows % 2;
    (even / 2).min(rows.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::tool_row;
    use crate::tpcc::vectors::vectors;

    #[test]
    fn of_namesakes_the_row_of_the_vectors_is_taken() {
        let Some(file) = vectors("tpcc.json") else {
            return;
        };
        for vector in file["customer_by_last_name_row"].as_array().unwrap() {
            let rows = vector["rows"].as_u64().unwrap() as usize;
            assert_eq!(tool_row(rows) as u64 + 1, vector["sysbench_tpcc"]);
        }
    }
}
