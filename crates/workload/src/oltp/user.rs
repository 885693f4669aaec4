//! Walks the blocks of an event for one client and draws the values, in sysbench's order.

use super::blocks::{EventBlock, EventPlan};
use super::script::Part;
use super::text::{C_LENGTH, PAD_LENGTH, fill};
use crate::{Call, NextAction, Response, RetryValues, TransactionType, User};
use dbdyno_chance::{RandomKind, Sampler, Stream, Unique};
use dbdyno_wire::Parameters;
use std::sync::Arc;

/// A client and where it stands in its event. Nothing here is allocated after it was made.
#[derive(Debug)]
pub(crate) struct OltpUser {
    event: Arc<EventPlan>,
    stream: Stream,
    ids: NewIds,
    /// Values of k that the random_points and random_ranges scripts look for.
    segment: Sampler,
    /// The block under way.
    block: usize,
    /// Repeats of it that were begun.
    begun: u32,
    /// Table of the block, from 0.
    table: u16,
    /// A DELETE went out, and its INSERT is due.
    insert_due: bool,
    row: NewRow,
    /// Where the draws stood when the event started.
    at_start: (Stream, u32),
}

/// Gives the user ids of new rows, when the server doesn't.
#[derive(Debug)]
pub(crate) struct NewIds {
    pub(crate) unique: Unique,
    /// Place of the next id in the sequence.
    pub(crate) place: u32,
    /// Every user takes each `stride`-th place, so no two users meet.
    pub(crate) stride: u32,
}

/// A row about to be inserted.
#[derive(Debug)]
struct NewRow {
    id: i64,
    k: i64,
    c: [u8; C_LENGTH],
    pad: [u8; PAD_LENGTH],
}

impl OltpUser {
    pub(crate) fn new(
        event: Arc<EventPlan>,
        stream: Stream,
        ids: NewIds,
        segment: Sampler,
    ) -> Self {
        Self {
            at_start: (stream.clone(), ids.place),
            event,
            stream,
            ids,
            segment,
            block: 0,
            begun: 0,
            table: 0,
            insert_due: false,
            row: NewRow {
                id: 0,
                k: 0,
                c: [0; C_LENGTH],
                pad: [0; PAD_LENGTH],
            },
        }
    }

    /// Goes to the front of an event.
    #[inline]
    fn rewind(&mut self) {
        self.block = 0;
        self.begun = 0;
        self.insert_due = false;
    }

    #[inline]
    fn draw_id(&mut self) -> i64 {
        i64::from(self.event.ids.draw(&mut self.stream))
    }

    /// Fills in the statement of one repeat of the block.
    fn fill(&mut self, block: EventBlock, call: &mut Call) {
        match block.part {
            Part::Bare(_) => call.start(block.statement),
            Part::ById(_) | Part::Delete => {
                let id = self.draw_id();
                call.start(block.statement + self.table);
                call.parameters.push_int(id);
            }
            Part::Range(_) => self.fill_range(block, call),
            Part::NonIndexUpdates => self.fill_non_index_update(block, call),
            Part::DeleteInserts => self.fill_delete(block, call),
            Part::Insert => self.fill_new_row(block, call),
            Part::RandomPoints => self.fill_points(block, call),
            Part::RandomRanges => self.fill_ranges(block, call),
        }
    }

    fn fill_range(&mut self, block: EventBlock, call: &mut Call) {
        let id = self.draw_id();
        call.start(block.statement + self.table);
        call.parameters.push_int(id);
        call.parameters.push_int(id + self.event.range_reach);
    }

    fn fill_non_index_update(&mut self, block: EventBlock, call: &mut Call) {
        fill(&mut self.stream, self.event.kind, &mut self.row.c);
        let id = self.draw_id();
        call.start(block.statement + self.table);
        call.parameters.push_text(&self.row.c);
        call.parameters.push_int(id);
    }

    /// Draws the whole pair before the DELETE goes out, as the script does: it matters when the DELETE fails.
    fn fill_delete(&mut self, block: EventBlock, call: &mut Call) {
        self.row.id = self.draw_id();
        self.draw_row();
        self.insert_due = true;
        call.start(block.statement + self.table);
        call.parameters.push_int(self.row.id);
    }

    /// Draws k, c and pad, in this order.
    fn draw_row(&mut self) {
        self.row.k = self.draw_id();
        fill(&mut self.stream, self.event.kind, &mut self.row.c);
        fill(&mut self.stream, self.event.kind, &mut self.row.pad);
    }

    fn fill_new_row(&mut self, block: EventBlock, call: &mut Call) {
        self.draw_row();
        self.row.id = if self.event.auto_inc {
            0 // the server gives one
        } else {
            self.ids.next()
        };
        call.start(block.statement + self.table);
        self.row.push_to(&mut call.parameters);
    }

    fn fill_points(&mut self, block: EventBlock, call: &mut Call) {
        call.start(block.statement);
        for _ in 0..self.event.random_points {
            let k = self.segment.draw(&mut self.stream);
            call.parameters.push_int(i64::from(k));
        }
    }

    fn fill_ranges(&mut self, block: EventBlock, call: &mut Call) {
        call.start(block.statement);
        for _ in 0..self.event.number_of_ranges {
            let k = i64::from(self.segment.draw(&mut self.stream));
            call.parameters.push_int(k);
            call.parameters.push_int(k + self.event.delta);
        }
    }
}

impl User for OltpUser {
    /// Starts an event. The family has one transaction type, so there is nothing to choose.
    fn start_event(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.rewind();
        self.at_start = (self.stream.clone(), self.ids.place);
        0
    }

    fn repeat_event(&mut self, draws: RetryValues) -> TransactionType {
        self.rewind();
        if draws == RetryValues::Same {
            (self.stream, self.ids.place) = self.at_start.clone();
        }
        0
    }

    fn next(&mut self, _answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        while let Some(&block) = self.event.blocks.get(self.block) {
            if self.insert_due {
                self.insert_due = false;
                call.start(block.insert + self.table);
                self.row.push_to(&mut call.parameters);
                return NextAction::Send;
            }
            if self.begun == 0 && block.draws_table {
                // Drawn even if nothing is repeated, as the script does.
                self.table = (self.event.tables.draw(&mut self.stream) - 1) as u16;
            }
            if self.begun < block.repeat {
                self.begun += 1;
                self.fill(block, call);
                return NextAction::Send;
            }
            self.block += 1;
            self.begun = 0;
        }
        NextAction::Done
    }

    /// Takes a draw of the worker's generator, with which sysbench's latency histogram chooses its slot.
    fn finish_event(&mut self) -> u64 {
        if self.event.kind == RandomKind::Sysbench {
            self.stream.next_u64();
        }
        0
    }
}

impl NewRow {
    fn push_to(&self, parameters: &mut Parameters) {
        parameters.push_int(self.id);
        parameters.push_int(self.k);
        parameters.push_text(&self.c);
        parameters.push_text(&self.pad);
    }
}

impl NewIds {
    /// Returns the next id, anywhere in the range of a signed 32-bit column.
    fn next(&mut self) -> i64 {
        let id = i64::from(self.unique.value(self.place)) + i64::from(i32::MIN);
        self.place = self.place.wrapping_add(self.stride);
        id
    }
}

#[cfg(test)]
mod tests {
    use crate::{Call, NextAction, RetryValues, User, Workload, workload};
    use dbdyno_chance::{RandomKind, RandomSource};
    use dbdyno_wire::Parameter;
    use std::collections::HashSet;
    use std::sync::Arc;

    fn make_workload(script: &str, given: &[(&str, &str)], users: u32) -> Arc<dyn Workload> {
        let given: Vec<_> = given
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect();
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: 1,
        };
        workload(script, &given, source, users).unwrap()
    }

    fn next(workload: &dyn Workload, user: &mut dyn User) -> Option<(String, Vec<i64>)> {
        let mut call = Call::default();
        if user.next(None, &mut call) == NextAction::Done {
            return None;
        }
        let numbers = call.parameters.iter().filter_map(|value| match value {
            Parameter::Int(number) => Some(number),
            _ => None,
        });
        let text = workload.spec().statements[usize::from(call.statement)]
            .text
            .clone();
        Some((text, numbers.collect()))
    }

    #[test]
    fn an_event_given_up_between_delete_and_insert_starts_again_with_its_first_statement() {
        let made = make_workload("oltp_write_only", &[("table_size", "1000000")], 1);
        let mut user = made.user(0);
        user.start_event(None);
        let first: Vec<_> = (0..4).map_while(|_| next(&*made, &mut *user)).collect();
        assert!(first[3].0.starts_with("DELETE"));
        user.repeat_event(RetryValues::New);
        let second: Vec<_> = std::iter::from_fn(|| next(&*made, &mut *user)).collect();
        assert_eq!(second[0].0, "BEGIN");
        assert_eq!(second.len(), 6);
        assert_ne!(second[1].1, first[1].1, "a repeat draws anew");
    }

    #[test]
    fn an_event_repeated_with_the_same_draws_sends_the_same_values() {
        let options = [("table_size", "1000000"), ("auto_inc", "off")];
        for script in ["oltp_read_write", "oltp_insert"] {
            let made = make_workload(script, &options, 1);
            let mut user = made.user(0);
            for _ in 0..3 {
                user.start_event(None);
                let attempt: Vec<_> = std::iter::from_fn(|| next(&*made, &mut *user)).collect();
                user.repeat_event(RetryValues::Same);
                let repeat: Vec<_> = std::iter::from_fn(|| next(&*made, &mut *user)).collect();
                assert_eq!(attempt, repeat, "{script}");
            }
        }
    }

    #[test]
    fn a_finished_event_stays_finished() {
        let made = make_workload("oltp_point_select", &[], 1);
        let mut user = made.user(0);
        user.start_event(None);
        assert!(next(&*made, &mut *user).is_some());
        assert!(next(&*made, &mut *user).is_none());
        assert!(next(&*made, &mut *user).is_none());
    }

    #[test]
    fn the_upper_end_of_a_range_may_pass_the_table() {
        let options = [
            ("table_size", "10"),
            ("point_selects", "0"),
            ("skip_trx", "on"),
        ];
        let made = make_workload("oltp_read_only", &options, 1);
        let mut user = made.user(0);
        user.start_event(None);
        let (_, ends) = next(&*made, &mut *user).unwrap();
        assert_eq!(ends[1], ends[0] + 99);
    }

    #[test]
    fn inserters_never_make_up_the_same_id() {
        let made = make_workload("oltp_insert", &[("auto_inc", "off")], 7);
        let mut seen = HashSet::new();
        for index in 0..7 {
            let mut user = made.user(index);
            for _ in 0..500 {
                user.start_event(None);
                let (_, numbers) = next(&*made, &mut *user).unwrap();
                assert!(i32::try_from(numbers[0]).is_ok());
                assert!(seen.insert(numbers[0]));
            }
        }
    }

    #[test]
    fn searchers_share_the_table_out_among_themselves() {
        let made = make_workload(
            "select_random_points",
            &[("rand_type", "uniform"), ("rows", "100")],
            3,
        );
        for (index, low, high) in [(0, 0, 33), (1, 33, 66), (2, 66, 100)] {
            let mut user = made.user(index);
            let mut seen = HashSet::new();
            for _ in 0..200 {
                user.start_event(None);
                seen.extend(next(&*made, &mut *user).unwrap().1);
            }
            let ends = (seen.iter().min().copied(), seen.iter().max().copied());
            assert_eq!(ends, (Some(low), Some(high)), "user {index}");
        }
    }
}
