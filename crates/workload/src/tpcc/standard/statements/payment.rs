//! Runs Payment: 9 statements, 10 by name, and one more for a customer with bad credit.

use super::{Says, StandardPaymentBuffers, find_named};
use crate::tpcc::client::{push, say};
use crate::tpcc::input::TransactionInput;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use std::io::Write;

/// Longest `c_data`.
const DATA_LENGTH: usize = 500;

pub(super) async fn run(
    input: &TransactionInput,
    scratch: &mut StandardPaymentBuffers,
    context: &mut ScriptContext,
) -> Result<EventEnd, Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    let amount = f64::from(input.amount) / 100.0;
    let label = &mut scratch.label;
    label.clear();
    let values = context.bind(Says::PayWarehouse.into());
    values.push_double(amount);
    push(values, &[warehouse]);
    context.execute().await?;
    say(context, Says::PaidWarehouse, &[warehouse]).await?;
    label.extend_from_slice(context.rows.text(0, 0).unwrap_or_default());
    let values = context.bind(Says::PayDistrict.into());
    values.push_double(amount);
    push(values, &[warehouse, district]);
    context.execute().await?;
    say(context, Says::PaidDistrict, &[warehouse, district]).await?;
    label.extend_from_slice(b"    ");
    label.extend_from_slice(context.rows.text(0, 0).unwrap_or_default());
    let customer = pay(input, amount, &mut scratch.known, context).await?;
    let values = context.bind(Says::History.into());
    push(values, &[input.customer_district, input.customer_warehouse]);
    push(values, &[customer, district, warehouse]);
    values.push_double(amount);
    values.push_text(label);
    context.execute().await?;
    Ok(EventEnd::Done)
}

/// What changes at the customer, and which one it is.
async fn pay(
    input: &TransactionInput,
    amount: f64,
    known: &mut Vec<u8>,
    context: &mut ScriptContext,
) -> Result<u32, Aborted> {
    let (warehouse, district) = (input.customer_warehouse, input.customer_district);
    let mut customer = input.customer;
    if input.is_by_name {
        let what = Says::PayersNamed;
        customer = find_named(context, what, warehouse, district, input.last_name).await?;
    }
    let who = [warehouse, district, customer];
    say(context, Says::Payer, &who).await?;
    let has_bad_credit = context.rows.text(0, 0) == Some(b"BC");
    if has_bad_credit {
        say(context, Says::PayerData, &who).await?;
        known.clear();
        // Writing to memory can't fail.
        let _ = write!(
            known,
            "{customer} {district} {warehouse} {} {} {}.{:02} ",
            input.district,
            input.warehouse,
            input.amount / 100,
            input.amount % 100
        );
        known.extend_from_slice(context.rows.text(0, 0).unwrap_or_default());
        known.truncate(DATA_LENGTH);
    }
    let says = if has_bad_credit {
        Says::PayWithData
    } else {
        Says::Pay
    };
    let values = context.bind(says.into());
    values.push_double(amount);
    values.push_double(amount);
    if has_bad_credit {
        values.push_text(known);
    }
    push(values, &who);
    context.execute().await?;
    Ok(customer)
}
