//! Replies as a server that holds the graph as it was loaded would, for runs without a server.

use super::graph::Graph;
use super::statement::at;
use crate::Call;
use crate::canned::{changed, rows_reply};
use dbdyno_wire::{BufferedRows, Parameter, Reply};

/// The graph, asked.
pub(super) struct CannedReplies<'a> {
    graph: &'a Graph,
    list_limit: u64,
}

impl<'a> CannedReplies<'a> {
    pub(super) fn new(graph: &'a Graph, list_limit: u64) -> Self {
        Self { graph, list_limit }
    }

    pub(super) fn reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        let values = values(call);
        match (call.statement, values.as_slice()) {
            (at::INSERT_LINK, &[id1, id2, link_type, ..]) => {
                changed(u64::from(!self.has_link(id1, id2, link_type)))
            }
            (at::FIND_LINK, &[id1, id2, link_type]) => {
                if self.has_link(id1, id2, link_type) {
                    rows.push(&[Parameter::Int(1)]);
                }
                rows_reply(rows.len() as u64, 1)
            }
            (at::COUNT_LINK, &[id1, link_type]) => {
                rows_reply(u64::from(self.links(id1, link_type) > 0), 1)
            }
            (at::MULTIGET_LINK, &[id1, link_type, ref id2s @ ..]) => {
                let there = id2s
                    .iter()
                    .filter(|&&id2| self.has_link(id1, id2, link_type));
                rows_reply(there.count() as u64, 7)
            }
            (at::GET_LINK_LIST | at::GET_LINK_LIST_HISTORY, &[id1, link_type, ..]) => {
                self.list(id1, link_type, rows)
            }
            (at::GET_NODE, _) => rows_reply(1, 5),
            (at::COMMIT, _) => changed(0),
            _ => changed(1),
        }
    }

    fn links(&self, id1: u64, link_type: u64) -> u64 {
        self.graph.links(id1, self.graph.type_number(link_type))
    }

    fn has_link(&self, id1: u64, id2: u64, link_type: u64) -> bool {
        id2.checked_sub(id1)
            .is_some_and(|place| place < self.links(id1, link_type))
    }

    /// Returns the rows, of which only the time of the last matters; there is no clock in the graph, so it is the
    /// place.
    fn list(&self, id1: u64, link_type: u64, rows: &mut BufferedRows) -> Reply {
        let count = self.links(id1, link_type).min(self.list_limit);
        for place in 0..count {
            let id2 = Parameter::Int((id1 + place) as i64);
            let time = Parameter::Int((count - place) as i64);
            let (id1, kind) = (Parameter::Int(id1 as i64), Parameter::Int(link_type as i64));
            let rest = (Parameter::Int(1), Parameter::Text(b""), Parameter::Int(0));
            rows.push(&[id1, id2, kind, rest.0, rest.1, time, rest.2]);
        }
        rows_reply(count, 7)
    }
}

/// Returns the whole numbers of a call: its parameters, or those that were written into its text.
fn values(call: &Call) -> Vec<u64> {
    let text = String::from_utf8_lossy(&call.text);
    let after = |mark: &str| {
        text.split_once(mark)
            .map_or("", |(_, rest)| rest)
            .to_owned()
    };
    match call.statement {
        at::INSERT_LINK => numbers(after("VALUES (").split(", ").take(3)),
        at::MULTIGET_LINK => {
            let words = after("where id1 = ").replace(" and link_type = ", ",");
            let words = words.replace(" and id2 in (", ",");
            numbers(words.trim_end_matches(");").split(','))
        }
        _ => {
            let whole = |value| match value {
                Parameter::Int(value) => Some(value as u64),
                _ => None,
            };
            call.parameters.iter().filter_map(whole).collect()
        }
    }
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<u64> {
    words.filter_map(|word| word.parse().ok()).collect()
}
