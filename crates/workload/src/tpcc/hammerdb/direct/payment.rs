//! Runs Payment: 9 statements, 10 by name, and one more for a customer with bad credit.

use super::{HammerdbPaymentBuffers, Says, cents, count_named};
use crate::tpcc::client::{bare, push, say};
use crate::tpcc::input::TransactionInput;
use crate::tpcc::names::{LastName, middle_row};
use crate::transaction_script::{Aborted, ScriptContext};
use std::io::Write;

/// Who pays, and what is looked up of them.
struct Payer {
    id: u32,
    has_bad_credit: bool,
    balance: f64,
}

/// Longest `c_data`.
const DATA_LENGTH: usize = 500;
/// Characters of `NOW()`.
const DATE_LENGTH: usize = 19;

pub(super) async fn run(
    input: &TransactionInput,
    is_fixed: bool,
    scratch: &mut HammerdbPaymentBuffers,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    scratch.label.clear();
    bare(context, Says::Begin).await?;
    say(context, Says::PayWarehouse, &[input.amount, warehouse]).await?;
    say(context, Says::PaidWarehouse, &[warehouse]).await?;
    scratch.label.extend_from_slice(name(context));
    say(
        context,
        Says::PayDistrict,
        &[input.amount, warehouse, district],
    )
    .await?;
    say(context, Says::PaidDistrict, &[warehouse, district]).await?;
    scratch.label.push(b' ');
    scratch.label.extend_from_slice(name(context));
    let payer = find(input, is_fixed, context).await?;
    if payer.has_bad_credit {
        pay_badly(input, is_fixed, &payer, scratch, context).await?;
    } else {
        let values = context.bind(Says::Pay.into());
        values.push_double(balance_after(&payer, input, is_fixed));
        push_rest(input, is_fixed, &payer, values);
        context.execute().await?;
    }
    let values = context.bind(Says::History.into());
    push(values, &[input.customer_district, input.customer_warehouse]);
    push(values, &[payer.id, district, warehouse, input.amount]);
    values.push_text(&scratch.label);
    context.execute().await
}

/// Of the warehouse or the district.
fn name(context: &ScriptContext) -> &[u8] {
    context.rows.text(0, 5).unwrap_or_default()
}

async fn find(
    input: &TransactionInput,
    is_fixed: bool,
    context: &mut ScriptContext,
) -> Result<Payer, Aborted> {
    let (warehouse, district) = (input.customer_warehouse, input.customer_district);
    let mut row = 0;
    if input.is_by_name {
        let place = [district, warehouse];
        let count = count_named(context, Says::PayerCount, input.last_name, place).await?;
        row = row_of(count, is_fixed);
        let values = context.bind(Says::PayersNamed.into());
        push(values, &[warehouse, district]);
        LastName::of(input.last_name).push(values);
        context.execute().await?;
    } else {
        say(context, Says::Payer, &[warehouse, district, input.customer]).await?;
    }
    let id = context.rows.int(row, 0).unwrap_or_default();
    Ok(Payer {
        id: u32::try_from(id).unwrap_or_default(),
        has_bad_credit: context.rows.text(row, 1) == Some(b"BC"),
        balance: context.rows.number(row, 2).unwrap_or_default(),
    })
}

/// The row, from 0, of the customer meant by a name that `count` have: HammerDB's is one too far (Q-HD-8).
fn row_of(count: usize, is_fixed: bool) -> usize {
    if is_fixed {
        middle_row(count)
    } else {
        count / 2
    }
}

/// HammerDB adds what was paid (Q-HD-4).
fn balance_after(payer: &Payer, input: &TransactionInput, is_fixed: bool) -> f64 {
    let amount = f64::from(input.amount);
    cents(if is_fixed {
        payer.balance - amount
    } else {
        payer.balance + amount
    })
}

/// What was paid, where that is noted (Q-HD-6), and who it is.
fn push_rest(
    input: &TransactionInput,
    is_fixed: bool,
    payer: &Payer,
    to: &mut dbdyno_wire::Parameters,
) {
    if is_fixed {
        push(to, &[input.amount]);
    }
    push(
        to,
        &[input.customer_warehouse, input.customer_district, payer.id],
    );
}

/// Puts the payment in front of what is known of the customer.
async fn pay_badly(
    input: &TransactionInput,
    is_fixed: bool,
    payer: &Payer,
    scratch: &mut HammerdbPaymentBuffers,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    let (warehouse, district) = (input.customer_warehouse, input.customer_district);
    say(context, Says::PayerData, &[warehouse, district, payer.id]).await?;
    let (news, rest) = (&mut scratch.news, &mut scratch.rest);
    news.clear();
    let (thousands, below) = (input.amount / 1000, input.amount % 1000);
    // Writing to memory can't fail.
    let _ = write!(
        news,
        "{} {district} {warehouse} {} {} ",
        payer.id, input.district, input.warehouse
    );
    let _ = if thousands > 0 {
        write!(news, "{thousands},{below:03}.00")
    } else {
        write!(news, "{below}.00")
    };
    let length = news.len() + DATE_LENGTH + scratch.label.len();
    let most = if is_fixed {
        DATA_LENGTH
    } else {
        DATA_LENGTH - length
    }; // Q-HD-10
    let old = context.rows.text(0, 0).unwrap_or_default();
    rest.clear();
    rest.extend_from_slice(&scratch.label);
    rest.extend_from_slice(&old[..old.len().min(most.saturating_sub(length))]);
    let values = context.bind(Says::PayWithData.into());
    values.push_double(balance_after(payer, input, is_fixed));
    values.push_text(news);
    values.push_text(rest);
    push_rest(input, is_fixed, payer, values);
    context.execute().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;

    #[test]
    fn the_customer_of_a_name_is_in_the_row_of_the_vectors() {
        let Some(file) = vectors("tpcc.json") else {
            return;
        };
        for row in file["customer_by_last_name_row"].as_array().unwrap() {
            let count = row["rows"].as_u64().unwrap() as usize;
            let place = |is_fixed| row_of(count, is_fixed) + 1;
            assert_eq!(row["hammerdb_no_procedures_payment"], place(false), "{row}");
            assert_eq!(row["standard"], place(true), "{row}");
        }
    }
}
