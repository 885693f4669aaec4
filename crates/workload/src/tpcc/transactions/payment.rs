//! Runs Payment.

use super::StatementExecutor;
use crate::tpcc::input::TransactionInput;
use crate::tpcc::rules::{PaymentNote, Rules};
use crate::tpcc::statements::StatementKind::*;
use crate::tpcc::values::{Place, Values};
use crate::transaction_script::{Aborted, ScriptContext};

impl StatementExecutor {
    pub(super) async fn payment(
        &mut self,
        input: &TransactionInput,
        second: u64,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        let form = self.rules().history;
        self.values.history.clear();
        self.send(Begin, context).await?;
        self.send(PayWarehouse, context).await?;
        self.send(PaymentWarehouse, context).await?;
        self.put_name(context);
        self.send(PayDistrict, context).await?;
        self.send(PaymentDistrict, context).await?;
        self.values
            .history
            .extend_from_slice(form.between.as_bytes());
        self.put_name(context);
        if self.values.history.len() >= form.after_from {
            self.values.history.extend_from_slice(form.after.as_bytes());
        }
        let has_bad_credit = self.find_payer(input, context).await?;
        if has_bad_credit {
            self.send(PayerData, context).await?;
            self.note(input, second, context);
        }
        let update = if has_bad_credit {
            SetPayerAndData
        } else {
            SetPayer
        };
        self.send(update, context).await?;
        self.send(InsertHistory, context).await?;
        self.send(Commit, context).await?;
        Ok(())
    }

    /// Appends the name of a warehouse or district to h_data.
    fn put_name(&mut self, context: &ScriptContext) {
        let rules = &self.dialect.rules;
        let name = context.rows.text(0, rules.name_column).unwrap_or_default();
        let padding = rules.history.width.saturating_sub(name.len());
        let history = &mut self.values.history;
        history.extend(std::iter::repeat_n(b' ', padding));
        history.extend_from_slice(name);
    }

    /// Reads the customer who pays, and what they have after it; says whether their credit is bad.
    async fn find_payer(
        &mut self,
        input: &TransactionInput,
        context: &mut ScriptContext,
    ) -> Result<bool, Aborted> {
        let mut row = 0;
        if input.is_by_name {
            row = self
                .find_namesake([CountPayers, Payers], self.rules().payer_row, context)
                .await?;
            self.take_customer(context.rows.int(row, 0), input);
        }
        if !(input.is_by_name && self.rules().namesakes_pay) {
            row = 0;
            self.send(Payer, context).await?;
        }
        if self.rules().namesakes_pay {
            let customer = context.rows.int(row, 0).unwrap_or_default();
            self.values.set(Place::Customer, customer);
        }
        let Rules {
            payer_columns: columns,
            payment_sign,
            round,
            ..
        } = *self.rules();
        let number = |column| context.rows.number(row, column).unwrap_or_default();
        let amount = f64::from(input.amount);
        let balance = round(number(columns.balance)) + payment_sign * amount;
        self.values.balance = round(balance);
        self.values.paid = number(columns.balance + 1) + amount;
        let credit = context.rows.text(row, columns.credit).unwrap_or_default();
        Ok(credit.starts_with(b"BC"))
    }

    /// Puts the payment in front of c_data.
    fn note(&mut self, input: &TransactionInput, second: u64, context: &ScriptContext) {
        let customer = self.values.whole(Place::Customer);
        let Values {
            data,
            data_rest,
            history,
            ..
        } = &mut self.values;
        data.clear();
        data_rest.clear();
        let note = PaymentNote {
            customer,
            input,
            second,
            history,
            old: context.rows.text(0, 0).unwrap_or_default(),
        };
        (self.dialect.rules.note)(&note, data, data_rest);
    }
}
