//! How terminals speak to the server, where the dialects do it alike.

use super::input::Input;
use super::names::LastName;
use crate::story::{GivenUp, Talk};
use dbdyno_wire::Parameters;

/// Sends a statement without values.
pub(crate) async fn bare(talk: &mut Talk, what: impl Into<u16>) -> Result<(), GivenUp> {
    say::<u32>(talk, what, &[]).await
}

/// Sends a statement whose values are whole numbers.
pub(crate) async fn say<V: Copy + Into<i64>>(
    talk: &mut Talk,
    what: impl Into<u16>,
    values: &[V],
) -> Result<(), GivenUp> {
    push(talk.say(what.into()), values);
    talk.ask().await
}

pub(crate) fn push<V: Copy + Into<i64>>(to: &mut Parameters, values: &[V]) {
    for value in values {
        to.push_int((*value).into());
    }
}

/// The number in a row and a column, 0 if there is none.
pub(crate) fn found(talk: &Talk, row: usize, column: usize) -> u32 {
    let number = talk.rows.int(row, column).unwrap_or_default();
    u32::try_from(number).unwrap_or_default()
}

/// Asks how many customers have the name that was typed in, then for all of them. Gives the row, from 0, of the one
/// that is meant.
pub(crate) async fn find_namesake(
    talk: &mut Talk,
    input: &Input,
    [count, select]: [u16; 2],
    row_of: fn(usize) -> usize,
) -> Result<usize, GivenUp> {
    say_name(talk, input, count).await?;
    let namesakes = talk.rows.int(0, 0).unwrap_or_default() as usize;
    say_name(talk, input, select).await?;
    Ok(row_of(namesakes))
}

/// The number of the customer who pays: the one typed in, or that of a name.
pub(crate) async fn find_payer(
    talk: &mut Talk,
    input: &Input,
    statements: [u16; 2],
    row_of: fn(usize) -> usize,
) -> Result<i64, GivenUp> {
    let drawn = i64::from(input.customer);
    if !input.is_by_name {
        return Ok(drawn);
    }
    let row = find_namesake(talk, input, statements, row_of).await?;
    Ok(talk.rows.int(row, 0).unwrap_or(drawn))
}

async fn say_name(talk: &mut Talk, input: &Input, what: u16) -> Result<(), GivenUp> {
    let (warehouse, district) = input.buyers_home();
    let values = talk.say(what);
    push(values, &[warehouse, district]);
    LastName::of(input.last_name).push(values);
    talk.ask().await
}

/// Stock-Level of the dialects in which one statement looks at the lines of the last twenty orders: what the next
/// order will be, then the count of items of which little is left.
pub(crate) async fn look_at_stock(
    talk: &mut Talk,
    input: &Input,
    [district, low_stock]: [u16; 2],
) -> Result<(), GivenUp> {
    let place = [input.warehouse, input.district];
    say(talk, district, &place).await?;
    let next = found(talk, 0, 0);
    let oldest = next.saturating_sub(20);
    let values = talk.say(low_stock);
    push(values, &place);
    push(values, &[next, oldest, input.warehouse, input.threshold]);
    talk.ask().await
}
