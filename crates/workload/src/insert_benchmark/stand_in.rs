//! Replies of a server that holds the rows of the load, for walks without one.

use super::ground::Ground;
use super::statement::Kind;
use super::step::Step;
use dbdyno_wire::{KeptRows, OkReply, Parameter, Reply, RowsReply};

/// What the server says to a statement of this kind, by its number.
pub(super) fn reply(ground: &Ground, kind: usize, rows: &mut KeptRows) -> Reply {
    let is = |other: Kind| kind == other as usize;
    let options = &ground.options;
    if is(Kind::Insert) || is(Kind::Delete) {
        return changed(ground.plan.rows_per_commit);
    }
    if is(Kind::FindMin) || is(Kind::FindMax) {
        let key = match is(Kind::FindMin) {
            true => 1,
            false => options.plan_of(Step::Load).rows_per_client(),
        };
        rows.push(&[Parameter::Int(key as i64)]);
        return found(1, 1);
    }
    let is_query = (Kind::RangeMarketsegment as usize..=Kind::Point as usize).contains(&kind);
    match is_query {
        true => found(u64::from(options.rows_per_query), 3),
        false => changed(0),
    }
}

fn changed(affected_rows: u64) -> Reply {
    Reply::Ok(OkReply {
        affected_rows,
        ..OkReply::default()
    })
}

fn found(rows: u64, columns: u16) -> Reply {
    Reply::Rows(RowsReply {
        rows,
        columns,
        ..RowsReply::default()
    })
}
