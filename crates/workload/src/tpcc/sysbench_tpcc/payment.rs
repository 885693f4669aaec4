//! How a worker of sysbench-tpcc takes money, and looks up a customer.

use super::statements::Kind;
use super::terminal::Terminal;
use crate::moment::Moment;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::lines::{Word, put, put_words};
use crate::tpcc::names::middle_row;
use crate::tpcc::saying::{find_payer, say};

/// c_data is cut here.
const DATA_LENGTH: usize = 500;

/// What the customer has and owes after the payment.
struct Account {
    has_bad_credit: bool,
    balance: f64,
    paid: f64,
}

impl Terminal {
    pub(super) async fn payment(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        let amount = i64::from(self.input.amount);
        self.bare(Kind::Begin, talk).await?;
        say(talk, self.of(Kind::PayWarehouse), &[amount, warehouse]).await?;
        say(talk, self.of(Kind::PaymentWarehouse), &[warehouse]).await?;
        let mut history = std::mem::take(&mut self.history);
        history.clear();
        put_name(talk, &mut history);
        say(
            talk,
            self.of(Kind::PayDistrict),
            &[amount, warehouse, district],
        )
        .await?;
        say(talk, self.of(Kind::PaymentDistrict), &[warehouse, district]).await?;
        history.push(b' ');
        put_name(talk, &mut history);
        history.extend_from_slice(b"   ");
        self.history = history;
        let statements = [Kind::CountPayers, Kind::Payers].map(|kind| self.of(kind));
        let customer = find_payer(talk, &self.input, statements, self.row_of()).await?;
        self.book(customer, talk).await?;
        self.insert_history(customer, talk).await?;
        self.bare(Kind::Commit, talk).await?;
        Ok(End::Done)
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
    async fn book(&mut self, customer: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let (warehouse, district) = self.input.buyers_home();
        say(talk, self.of(Kind::Payer), &[warehouse, district, customer]).await?;
        let amount = f64::from(self.input.amount);
        let account = Account {
            has_bad_credit: talk.rows.text(0, 9) == Some(b"BC"),
            balance: talk.rows.number(0, 12).unwrap_or_default() - amount,
            paid: talk.rows.number(0, 13).unwrap_or_default() + amount,
        };
        if account.has_bad_credit {
            say(
                talk,
                self.of(Kind::PayerData),
                &[warehouse, district, customer],
            )
            .await?;
            self.note(customer, talk.rows.text(0, 0).unwrap_or_default());
        }
        self.write_account(customer, &account, talk);
        talk.ask().await
    }

    /// Puts the payment in front of c_data.
    fn note(&mut self, customer: i64, old: &[u8]) {
        let (their_warehouse, their_district) = self.input.buyers_home();
        let second = Moment::of_event(self.events).seconds();
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

    fn write_account(&self, customer: i64, account: &Account, talk: &mut Talk) {
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
            (Kind::SetPayerAndData, &data[..])
        } else {
            (Kind::SetPayer, &[][..])
        };
        let words = head.iter().chain(data).chain(&tail);
        put_words(self.template(kind), words, talk.write(self.of(kind)));
    }

    async fn insert_history(&self, customer: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let (their_warehouse, their_district) = self.input.buyers_home();
        let (warehouse, district) = self.input.home();
        let values = talk.say(self.of(Kind::InsertHistory));
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
        talk.ask().await
    }
}

/// w_name or d_name, at the right of ten places.
fn put_name(talk: &Talk, history: &mut Vec<u8>) {
    let name = talk.rows.text(0, 5).unwrap_or_default();
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
