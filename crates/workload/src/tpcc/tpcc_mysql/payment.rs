//! How a connection of tpcc-mysql takes money, and looks up a customer.

use super::statements::Kind;
use super::terminal::Terminal;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::lines::put;
use crate::tpcc::names::middle_row;
use crate::tpcc::saying::{bare, find_payer, say};

/// c_data is cut here.
const DATA_LENGTH: usize = 500;

impl Terminal {
    pub(super) async fn payment(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        let amount = self.money(f64::from(self.input.amount));
        let values = talk.say(Kind::PayWarehouse as u16);
        values.push_double(amount);
        values.push_int(warehouse);
        talk.ask().await?;
        say(talk, Kind::PaymentWarehouse, &[warehouse]).await?;
        self.history.clear();
        put_name(talk, &mut self.history);
        let values = talk.say(Kind::PayDistrict as u16);
        values.push_double(amount);
        values.push_int(warehouse);
        values.push_int(district);
        talk.ask().await?;
        say(talk, Kind::PaymentDistrict, &[warehouse, district]).await?;
        self.history.extend_from_slice(b"    ");
        put_name(talk, &mut self.history);
        let statements = [Kind::CountPayers, Kind::Payers].map(u16::from);
        let customer = find_payer(talk, &self.input, statements, middle_row).await?;
        self.book(customer, talk).await?;
        self.insert_history(customer, talk).await?;
        bare(talk, Kind::Commit).await?;
        Ok(End::Done)
    }

    /// Reads the customer and writes what they have now.
    async fn book(&mut self, customer: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let (warehouse, district) = self.input.buyers_home();
        let key = [warehouse, district, customer];
        say(talk, Kind::Payer, &key).await?;
        let has_bad_credit = talk
            .rows
            .text(0, 9)
            .is_some_and(|word| word.starts_with(b"BC"));
        let amount = f64::from(self.input.amount);
        let balance = talk.rows.number(0, 12).unwrap_or_default();
        // Read, changed and written as a float of 32 bits (Q-TM-8).
        let balance = self.money(self.money(balance) - amount);
        if has_bad_credit {
            say(talk, Kind::PayerData, &key).await?;
            self.note(customer, talk.rows.text(0, 0).unwrap_or_default());
        }
        let kind = if has_bad_credit {
            Kind::SetPayerAndData
        } else {
            Kind::SetPayer
        };
        let values = talk.say(kind as u16);
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
        talk.ask().await
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

    async fn insert_history(&self, customer: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let ((c_warehouse, c_district), (warehouse, district)) =
            (self.input.buyers_home(), self.input.home());
        let values = talk.say(Kind::InsertHistory as u16);
        for value in [c_district, c_warehouse, customer, district, warehouse] {
            values.push_int(value);
        }
        values.push_text(&self.now);
        values.push_double(self.money(f64::from(self.input.amount)));
        values.push_text(&self.history);
        talk.ask().await
    }
}

fn put_name(talk: &Talk, history: &mut Vec<u8>) {
    history.extend_from_slice(talk.rows.text(0, 5).unwrap_or_default());
}
