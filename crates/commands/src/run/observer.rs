//! Passes a run on to all its outputs.

use super::counter_poller::{CounterPoller, CounterReading};
use super::output::{Output, Second};
use dbdyno_drive::{IntervalRecord, Level, Observer, Probe, RunOutcome, Start};
use dbdyno_meter::{Histogram, HistogramEncoder};
use std::io;

/// Writes the run to its outputs, in their order.
pub(super) struct RunObserver<'a> {
    outputs: Vec<Box<dyn Output + 'a>>,
    /// Reported once the run has started.
    remark: Option<String>,
    counting: Option<CounterPoller>,
    encoder: HistogramEncoder,
    told_of_saturation: bool,
}

impl<'a> RunObserver<'a> {
    pub(super) fn new(
        outputs: Vec<Box<dyn Output + 'a>>,
        remark: Option<String>,
        counting: Option<CounterPoller>,
    ) -> Self {
        Self {
            outputs,
            remark,
            counting,
            encoder: HistogramEncoder::default(),
            told_of_saturation: false,
        }
    }

    /// Ends the run. Every output is ended, even if another can't be written.
    pub(super) fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        if let Some(counting) = self.counting.take() {
            self.tell_counts(counting.finish())?;
        }
        let ends = self.outputs.iter_mut().map(|output| output.finish(outcome));
        ends.collect::<Vec<_>>().into_iter().collect()
    }

    fn each(
        &mut self,
        tell: impl FnMut(&mut Box<dyn Output + 'a>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.outputs.iter_mut().try_for_each(tell)
    }

    /// Requests the server's counts if a reading is due, and passes on those that have come.
    fn count(&mut self, second: u32) -> io::Result<()> {
        let Some(counting) = &self.counting else {
            return Ok(());
        };
        counting.note(second);
        let come = counting.take();
        self.tell_counts(come)
    }

    fn tell_counts(&mut self, come: Vec<Result<CounterReading, String>>) -> io::Result<()> {
        come.into_iter().try_for_each(|answer| match answer {
            Ok(reading) => self.each(|output| output.counted(&reading)),
            Err(error) => {
                let text = format!("the server's own counts could not be read: {error}");
                self.message(Level::Warning, &text)
            }
        })
    }

    /// Reports times over an hour: they are counted as an hour.
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
        let text = format!("times over one hour, counted as one hour: {saturated}");
        self.message(Level::Warning, &text)
    }
}

impl Observer for RunObserver<'_> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.each(|output| output.started(start))?;
        self.count(0)?;
        match self.remark.take() {
            Some(text) => self.message(Level::Info, &text),
            None => Ok(()),
        }
    }

    fn interval(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let mut second = Second::new(record, &mut self.encoder);
        self.outputs
            .iter_mut()
            .try_for_each(|output| output.second(&mut second))?;
        self.count(record.interval.second + 1)?;
        self.tell_of_saturation(record)
    }

    fn probe(&mut self, probe: &Probe) -> io::Result<()> {
        self.each(|output| output.probe(probe))
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        self.each(|output| output.message(level, text))
    }
}
