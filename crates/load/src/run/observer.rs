//! Hands a run on to those who want to know: records, screen, or both.

use super::screen::{Screen, show_message};
use crate::order::LoadOrder;
use crate::record::{End, IntervalLine, Message, RecordWriter, Start};
use dbdyno_drive::{IntervalRecord, Level, Load, Observer, Outcome};
use dbdyno_meter::{Encoder, Histogram};
use std::io::{self, Write};

/// Where records go.
pub(super) type Records = RecordWriter<Box<dyn Write>>;

pub(super) struct RunObserver<'a> {
    order: &'a LoadOrder,
    load: &'a Load,
    records: Option<Records>,
    screen: Option<Screen<'a>>,
    encoder: Encoder,
    told_of_saturation: bool,
}

impl<'a> RunObserver<'a> {
    pub(super) fn new(
        order: &'a LoadOrder,
        load: &'a Load,
        records: Option<Records>,
        screen: Option<Screen<'a>>,
    ) -> Self {
        Self {
            order,
            load,
            records,
            screen,
            encoder: Encoder::default(),
            told_of_saturation: false,
        }
    }

    /// The run is over.
    pub(super) fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        if let Some(records) = &mut self.records {
            records.write(&End::of(outcome))?;
        }
        self.screen
            .iter_mut()
            .try_for_each(|screen| screen.finish(outcome))
    }

    /// The run never began.
    pub(super) fn finish_unbegun(&mut self, end: &End) -> io::Result<()> {
        self.records
            .iter_mut()
            .try_for_each(|records| records.write(end))
    }

    /// Times over an hour are counted as an hour: kept, but worth knowing.
    fn tell_of_saturation(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let interval = record.interval;
        let transactions = interval.transactions.iter().map(|counts| &counts.response);
        let statements = interval.statements.iter().map(|counts| &counts.service);
        let saturated: u64 = transactions
            .chain(statements)
            .map(Histogram::saturated)
            .sum();
        if saturated == 0 || self.told_of_saturation {
            return Ok(());
        }
        self.told_of_saturation = true;
        let text = format!("{saturated} times were over one hour; they are counted as one hour");
        self.message(Level::Warning, &text)
    }
}

impl Observer for RunObserver<'_> {
    fn started(&mut self, start: &dbdyno_drive::Start) -> io::Result<()> {
        if let Some(records) = &mut self.records {
            records.write(&Start::of(self.order, self.load, start))?;
        }
        self.screen
            .iter_mut()
            .try_for_each(|screen| screen.started(start))
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        if let Some(records) = &mut self.records {
            let workload = &*self.load.workload;
            records.write(&IntervalLine::of(record, workload, &mut self.encoder))?;
        }
        self.tell_of_saturation(record)?;
        self.screen
            .iter_mut()
            .try_for_each(|screen| screen.interval(record))
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        if let Some(records) = &mut self.records {
            records.write(&Message::of(level, text))?;
        }
        match self.screen {
            Some(_) => show_message(level, text),
            None => Ok(()),
        }
    }
}
