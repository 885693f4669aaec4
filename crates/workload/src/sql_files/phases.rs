//! Turns `[[phases]]` into a rate profile: rates and mixes that change.
//!
//! A mix that changes with the clock is one stream of events for each transaction, whose rate is its share of the
//! phase's. Independent visitors stay independent that way: a share of a Poisson process is one, too.

use super::directory::Directory;
use super::form::{Named, PhaseForm};
use super::plan::TransactionPlan;
use crate::nearest::nearest;
use crate::{RateProfile, RateSegment, TransactionType, WorkloadError};
use std::ops::Range;

/// Returns the course; `None` without phases.
pub(super) fn course(
    directory: &Directory,
    plan: &TransactionPlan,
) -> Result<Option<RateProfile>, WorkloadError> {
    let forms = &directory.form.phases;
    if forms.is_empty() {
        return Ok(None);
    }
    let mut phases = Vec::new();
    let mut streams = vec![Vec::new(); plan.transactions.len()];
    for form in forms {
        let phase = Phase {
            directory,
            plan,
            form: form.get_ref(),
            at: form.span(),
        };
        for (stream, stretch) in streams.iter_mut().zip(phase.stretches()?) {
            stream.push(stretch);
        }
        phases.push((phase.form.name.clone(), phase.form.seconds));
    }
    let occurs =
        |stretches: &[RateSegment]| stretches.iter().any(|s| s.from_per_s + s.to_per_s > 0.0);
    let streams = (0..)
        .zip(streams)
        .filter(|(_, stretches)| occurs(stretches));
    let streams: Vec<(TransactionType, _)> = streams.collect();
    if streams.is_empty() {
        return Err(directory
            .form_file
            .wrong_at(forms[0].span(), "the rates are 0 in all phases"));
    }
    Ok(Some(RateProfile { phases, streams }))
}

struct Phase<'a> {
    directory: &'a Directory,
    plan: &'a TransactionPlan,
    form: &'a PhaseForm,
    at: Range<usize>,
}

impl Phase<'_> {
    /// Returns one for each transaction.
    fn stretches(&self) -> Result<Vec<RateSegment>, WorkloadError> {
        let form = self.form;
        let Some(from_per_s) = form.rate_per_s else {
            return Err(self.wrong(
                "has no rate_per_s: without rates a user goes on as soon as it can and knows no clock, so a mix can't \
                 change in time",
            ));
        };
        let to_per_s = form.to_per_s.unwrap_or(from_per_s);
        if ![from_per_s, to_per_s]
            .iter()
            .all(|rate| (0.0..=1e7).contains(rate))
        {
            return Err(
                self.wrong("has a rate that is not between 0 and 10000000 events per second")
            );
        }
        if form.seconds == 0 {
            return Err(self.wrong("lasts 0 seconds"));
        }
        let weights = match &form.weights {
            None => self
                .plan
                .transactions
                .iter()
                .map(|each| each.weight)
                .collect(),
            Some(named) => self.weights(named)?,
        };
        let sum: f64 = weights.iter().sum();
        let stretch = |weight: f64| RateSegment {
            seconds: form.seconds,
            from_per_s: from_per_s * weight / sum,
            to_per_s: to_per_s * weight / sum,
        };
        Ok(weights.into_iter().map(stretch).collect())
    }

    /// Weights by transaction; one that isn't named does not occur.
    fn weights(&self, named: &Named<f64>) -> Result<Vec<f64>, WorkloadError> {
        let known = &self.plan.transaction_types;
        let mut weights = vec![0.0; known.len()];
        for (name, &weight) in named {
            let toml = &self.directory.form_file;
            let Some(at) = known.iter().position(|known| known == name.get_ref()) else {
                let (name, near) = (
                    name.get_ref(),
                    nearest(name.get_ref(), known.iter().copied()),
                );
                let what = format!("there is no transaction {name:?}; the nearest one is {near:?}");
                return Err(toml.wrong_at(self.at.clone(), what));
            };
            if !(0.0..=1e9).contains(&weight) {
                return Err(self.wrong("has a weight that is not between 0 and 1000000000"));
            }
            weights[at] = weight;
        }
        if weights.iter().sum::<f64>() <= 0.0 {
            return Err(self.wrong("has no weight above 0"));
        }
        Ok(weights)
    }

    fn wrong(&self, what: &str) -> WorkloadError {
        let what = format!("phase {:?} {what}", self.form.name);
        self.directory.form_file.wrong_at(self.at.clone(), what)
    }
}
