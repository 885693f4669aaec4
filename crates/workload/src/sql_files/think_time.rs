//! Reads and draws the think time of `workload.toml`.

use super::directory::Directory;
use super::form::TransactionForm;
use crate::WorkloadError;
use dbdyno_chance::Stream;

/// A day: what is longer is a slip of the unit.
const LONGEST_MS: f64 = 86_400_000.0;

/// Says how long a user rests after an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ThinkTime {
    mean_ns: f64,
    distribution: ThinkTimeDistribution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkTimeDistribution {
    Constant,
    Exponential,
}

impl ThinkTime {
    /// Returns the rest after a transaction: its own, or that of all; `None` where there is none.
    pub(super) fn read(
        directory: &Directory,
        form: &TransactionForm,
    ) -> Result<Option<Self>, WorkloadError> {
        let (toml, all) = (&directory.form_file, &directory.form);
        let distribution = match &all.think_distribution {
            None => ThinkTimeDistribution::Exponential,
            Some(word) => match word.get_ref().as_str() {
                "exponential" => ThinkTimeDistribution::Exponential,
                "constant" => ThinkTimeDistribution::Constant,
                other => {
                    let what = format!(
                        "think_distribution = {other:?}: exponential or constant is allowed"
                    );
                    return Err(toml.wrong_at(word.span(), what));
                }
            },
        };
        let Some(think_ms) = form.think_ms.as_ref().or(all.think_ms.as_ref()) else {
            return Ok(None);
        };
        let mean_ms = *think_ms.get_ref();
        let wrong = |what: String| Err(toml.wrong_at(think_ms.span(), what));
        if !(0.0..=LONGEST_MS).contains(&mean_ms) {
            return wrong(format!(
                "think_ms = {mean_ms}: 0 to {LONGEST_MS} (a day) is allowed"
            ));
        }
        if !all.phases.is_empty() {
            return wrong("with [[phases]], events are due by their rates, so users do not rest: remove think_ms".to_owned());
        }
        let mean_ns = mean_ms * 1e6;
        Ok((mean_ms > 0.0).then_some(Self {
            mean_ns,
            distribution,
        }))
    }

    pub(super) fn draw_ns(self, stream: &mut Stream) -> u64 {
        match self.distribution {
            ThinkTimeDistribution::Constant => self.mean_ns as u64,
            ThinkTimeDistribution::Exponential => {
                (-(1.0 - stream.next_double()).ln() * self.mean_ns) as u64
            }
        }
    }

    /// Draws what is left of a rest at an instant that has nothing to do with its beginning: any part of a constant
    /// one, and of an exponential one as much as of a fresh one.
    pub(super) fn draw_left_ns(self, stream: &mut Stream) -> u64 {
        match self.distribution {
            ThinkTimeDistribution::Constant => (stream.next_double() * self.mean_ns) as u64,
            ThinkTimeDistribution::Exponential => self.draw_ns(stream),
        }
    }
}
