//! Sends statements of terminals, where the dialects do it alike.

use super::input::TransactionInput;
use super::names::LastName;
use crate::transaction_script::{Aborted, ScriptContext};
use dbdyno_wire::Parameters;

/// Sends a statement without values.
pub(crate) async fn bare(context: &mut ScriptContext, what: impl Into<u16>) -> Result<(), Aborted> {
    say::<u32>(context, what, &[]).await
}

/// Sends a statement whose values are whole numbers.
pub(crate) async fn say<V: Copy + Into<i64>>(
    context: &mut ScriptContext,
    what: impl Into<u16>,
    values: &[V],
) -> Result<(), Aborted> {
    push(context.bind(what.into()), values);
    context.execute().await
}

pub(crate) fn push<V: Copy + Into<i64>>(to: &mut Parameters, values: &[V]) {
    for value in values {
        to.push_int((*value).into());
    }
}

/// The number in a row and a column, 0 if there is none.
pub(crate) fn found(context: &ScriptContext, row: usize, column: usize) -> u32 {
    let number = context.rows.int(row, column).unwrap_or_default();
    u32::try_from(number).unwrap_or_default()
}

/// Asks how many customers have the name that was typed in, then for all of them. Gives the row, from 0, of the one
/// that is meant.
pub(crate) async fn find_namesake(
    context: &mut ScriptContext,
    input: &TransactionInput,
    [count, select]: [u16; 2],
    row_of: fn(usize) -> usize,
) -> Result<usize, Aborted> {
    say_name(context, input, count).await?;
    let namesakes = context.rows.int(0, 0).unwrap_or_default() as usize;
    say_name(context, input, select).await?;
    Ok(row_of(namesakes))
}

/// The number of the customer who pays: the one typed in, or that of a name.
pub(crate) async fn find_payer(
    context: &mut ScriptContext,
    input: &TransactionInput,
    statements: [u16; 2],
    row_of: fn(usize) -> usize,
) -> Result<i64, Aborted> {
    let drawn = i64::from(input.customer);
    if !input.is_by_name {
        return Ok(drawn);
    }
    let row = find_namesake(context, input, statements, row_of).await?;
    Ok(context.rows.int(row, 0).unwrap_or(drawn))
}

async fn say_name(
    context: &mut ScriptContext,
    input: &TransactionInput,
    what: u16,
) -> Result<(), Aborted> {
    let (warehouse, district) = input.buyers_home();
    let values = context.bind(what);
    push(values, &[warehouse, district]);
    LastName::of(input.last_name).push(values);
    context.execute().await
}

/// Stock-Level of the dialects in which one statement looks at the lines of the last twenty orders: what the next
/// order will be, then the count of items of which little is left.
pub(crate) async fn look_at_stock(
    context: &mut ScriptContext,
    input: &TransactionInput,
    [district, low_stock]: [u16; 2],
) -> Result<(), Aborted> {
    let place = [input.warehouse, input.district];
    say(context, district, &place).await?;
    let next = found(context, 0, 0);
    let oldest = next.saturating_sub(20);
    let values = context.bind(low_stock);
    push(values, &place);
    push(values, &[next, oldest, input.warehouse, input.threshold]);
    context.execute().await
}
