//! Payment: 9 statements, 10 by name, and one more for a customer with bad credit.

use super::{Says, Scratch, find_named};
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::input::Input;
use crate::tpcc::saying::{push, say};
use std::io::Write;

/// Longest `c_data`.
const DATA_LENGTH: usize = 500;

pub(super) async fn tell(
    input: &Input,
    scratch: &mut Scratch,
    talk: &mut Talk,
) -> Result<End, GivenUp> {
    let (warehouse, district) = (input.warehouse, input.district);
    let amount = f64::from(input.amount) / 100.0;
    let label = &mut scratch.label;
    label.clear();
    let values = talk.say(Says::PayWarehouse.into());
    values.push_double(amount);
    push(values, &[warehouse]);
    talk.ask().await?;
    say(talk, Says::PaidWarehouse, &[warehouse]).await?;
    label.extend_from_slice(talk.rows.text(0, 0).unwrap_or_default());
    let values = talk.say(Says::PayDistrict.into());
    values.push_double(amount);
    push(values, &[warehouse, district]);
    talk.ask().await?;
    say(talk, Says::PaidDistrict, &[warehouse, district]).await?;
    label.extend_from_slice(b"    ");
    label.extend_from_slice(talk.rows.text(0, 0).unwrap_or_default());
    let customer = pay(input, amount, &mut scratch.known, talk).await?;
    let values = talk.say(Says::History.into());
    push(values, &[input.customer_district, input.customer_warehouse]);
    push(values, &[customer, district, warehouse]);
    values.push_double(amount);
    values.push_text(label);
    talk.ask().await?;
    Ok(End::Done)
}

/// What changes at the customer, and which one it is.
async fn pay(
    input: &Input,
    amount: f64,
    known: &mut Vec<u8>,
    talk: &mut Talk,
) -> Result<u32, GivenUp> {
    let (warehouse, district) = (input.customer_warehouse, input.customer_district);
    let mut customer = input.customer;
    if input.is_by_name {
        let what = Says::PayersNamed;
        customer = find_named(talk, what, warehouse, district, input.last_name).await?;
    }
    let who = [warehouse, district, customer];
    say(talk, Says::Payer, &who).await?;
    let has_bad_credit = talk.rows.text(0, 0) == Some(b"BC");
    if has_bad_credit {
        say(talk, Says::PayerData, &who).await?;
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
        known.extend_from_slice(talk.rows.text(0, 0).unwrap_or_default());
        known.truncate(DATA_LENGTH);
    }
    let says = if has_bad_credit {
        Says::PayWithData
    } else {
        Says::Pay
    };
    let values = talk.say(says.into());
    values.push_double(amount);
    values.push_double(amount);
    if has_bad_credit {
        values.push_text(known);
    }
    push(values, &who);
    talk.ask().await?;
    Ok(customer)
}
