//! Checks scripts from their first statement to their last, and when they are aborted.

use super::*;
use crate::canned::changed;
use dbdyno_wire::Parameter;

/// Reads a number, writes it back one higher; every third event is rolled back.
struct Raise {
    events: u32,
    attempts: u32,
}

impl TransactionScript for Raise {
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.events += 1;
        wanted.unwrap_or(1)
    }

    fn replay(&mut self, _draws: RetryValues) -> TransactionType {
        self.attempts += 1;
        1
    }

    async fn run(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        context.bind(0).push_int(i64::from(self.events));
        context.execute().await?;
        let found = context.rows.int(0, 0).unwrap_or_default();
        context.bind(1).push_int(found + 1);
        context.execute().await?;
        context.text(2).extend_from_slice(b"DO 1");
        context.execute().await?;
        if context.affected == 0 {
            return Ok(EventEnd::RolledBack);
        }
        Ok(EventEnd::Done)
    }

    fn rest_ns(&mut self) -> u64 {
        7
    }
}

fn script_user() -> (Box<dyn User>, Call) {
    let script = Raise {
        events: 0,
        attempts: 0,
    };
    (ScriptUser::of(script), Call::default())
}

fn values(call: &Call) -> (u16, Vec<Parameter<'_>>) {
    (call.statement, call.parameters.iter().collect())
}

fn rows(value: i64) -> BufferedRows {
    let mut rows = BufferedRows::default();
    rows.push(&[Parameter::Int(value)]);
    rows
}

fn reply_with<'a>(reply: &'a Reply, rows: &'a mut BufferedRows) -> Option<Response<'a>> {
    Some(Response { reply, rows })
}

#[test]
fn a_statement_is_made_of_the_rows_of_the_one_before() {
    let (mut user, mut call) = script_user();
    assert_eq!(user.start_event(None), 1);
    assert_eq!(user.next(None, &mut call), NextAction::Send);
    assert_eq!(values(&call), (0, vec![Parameter::Int(1)]));
    let answer = changed(1);
    assert_eq!(
        user.next(reply_with(&answer, &mut rows(3001)), &mut call),
        NextAction::Send
    );
    assert_eq!(values(&call), (1, vec![Parameter::Int(3002)]));
    let step = user.next(reply_with(&answer, &mut rows(0)), &mut call);
    assert_eq!(step, NextAction::Send);
    assert_eq!((call.statement, call.text.as_slice()), (2, &b"DO 1"[..]));
    let step = user.next(reply_with(&answer, &mut rows(0)), &mut call);
    assert_eq!(step, NextAction::Done);
    assert_eq!(user.finish_event(), 7);
    assert_eq!(user.start_event(Some(0)), 0);
}

#[test]
fn an_intended_rollback_is_told_apart() {
    let (mut user, mut call) = script_user();
    user.start_event(None);
    user.next(None, &mut call);
    user.next(reply_with(&changed(1), &mut rows(1)), &mut call);
    user.next(reply_with(&changed(1), &mut rows(1)), &mut call);
    let end = user.next(reply_with(&changed(0), &mut rows(1)), &mut call);
    assert_eq!(end, NextAction::RolledBack);
}

/// Returns a user in its first event, after so many answers.
fn user_after(answers: u32) -> (Box<dyn User>, Call) {
    let (mut user, mut call) = script_user();
    user.start_event(None);
    user.next(None, &mut call);
    for _ in 0..answers {
        user.next(reply_with(&changed(1), &mut rows(1)), &mut call);
    }
    (user, call)
}

#[test]
fn an_attempt_given_up_anywhere_begins_again_at_the_first_statement() {
    for answered in 0..2 {
        let (mut user, mut call) = user_after(answered);
        assert_eq!(user.repeat_event(RetryValues::Same), 1);
        assert_eq!(user.next(None, &mut call), NextAction::Send);
        assert_eq!(values(&call), (0, vec![Parameter::Int(1)]));
    }
}

#[test]
fn after_an_event_that_is_given_up_the_user_rests_as_after_any_other() {
    for answered in 0..2 {
        let (mut user, mut call) = user_after(answered);
        assert_eq!(user.give_up_event(), 7);
        user.start_event(None);
        user.next(None, &mut call);
        assert_eq!(values(&call), (0, vec![Parameter::Int(2)]));
    }
}

#[test]
fn an_event_can_be_dropped_for_the_next_one() {
    let (mut user, mut call) = script_user();
    user.start_event(None);
    user.start_event(None);
    user.next(None, &mut call);
    assert_eq!(values(&call), (0, vec![Parameter::Int(2)]));
    user.start_event(None);
    user.next(None, &mut call);
    assert_eq!(values(&call), (0, vec![Parameter::Int(3)]));
}

#[test]
fn users_that_take_turns_on_one_thread_or_change_threads_keep_their_own_answers() {
    let mut users: Vec<_> = (0..3).map(|_| script_user()).collect();
    for (user, call) in &mut users {
        user.start_event(None);
        user.next(None, call);
    }
    let answer = |(user, call): &mut (Box<dyn User>, Call), value| {
        user.next(reply_with(&changed(1), &mut rows(value)), call);
        assert_eq!(values(call), (1, vec![Parameter::Int(value + 1)]));
    };
    let mut moved = users.pop().unwrap();
    for (number, user) in (10..).zip(&mut users) {
        answer(user, number);
    }
    std::thread::spawn(move || answer(&mut moved, 77))
        .join()
        .unwrap();
}
