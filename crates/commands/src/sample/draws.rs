//! Prints numbers drawn from a distribution.

use crate::arguments::SampleArguments;
use dbdyno_chance::{Distribution, DistributionError, RandomSource};
use dbdyno_workload::WorkloadError;
use std::io::Write;

/// Purpose of the draws, for dbdyno's own generator.
const PURPOSE: &str = "sample";

/// Writes the draws: a JSON list, or one per line.
pub(super) fn write(
    arguments: &SampleArguments,
    distribution: &str,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let source = arguments.source();
    if !source.seed_fits() {
        return Err(WorkloadError::SeedTooLarge { seed: source.seed }.into());
    }
    let draws = draws(arguments, distribution, source)?.take(usize::try_from(arguments.count)?);
    if arguments.json {
        write_list(draws, out)
    } else {
        write_lines(draws, out)
    }
}

fn draws(
    arguments: &SampleArguments,
    distribution: &str,
    source: RandomSource,
) -> anyhow::Result<Box<dyn Iterator<Item = u32>>> {
    if distribution == "unique" {
        if arguments.range.is_some() {
            let allowed = "no --range, since its numbers come from all 32 bits,";
            return Err(refused(distribution, allowed).into());
        }
        let unique = source.unique(PURPOSE);
        let (first, stride) = (arguments.worker_index(), arguments.users() as usize);
        let places = (first..=u32::MAX).step_by(stride);
        return Ok(Box::new(places.map(move |place| unique.value(place))));
    }
    let (low, high) = arguments.range.unwrap_or((1, 1000));
    let sampler = read(distribution)?.sampler(low, high);
    let mut stream = source.worker(PURPOSE, arguments.worker_index());
    Ok(Box::new(std::iter::repeat_with(move || {
        sampler.draw(&mut stream)
    })))
}

fn read(distribution: &str) -> Result<Distribution, WorkloadError> {
    let read: Result<Distribution, DistributionError> = distribution.parse();
    read.map_err(|error| refused(distribution, &error.allowed))
}

fn refused(distribution: &str, allowed: &str) -> WorkloadError {
    WorkloadError::InvalidValue {
        option: "distribution".to_owned(),
        value: distribution.to_owned(),
        allowed: allowed.to_owned(),
    }
}

fn write_list(draws: impl Iterator<Item = u32>, out: &mut dyn Write) -> anyhow::Result<()> {
    out.write_all(b"[")?;
    for (place, draw) in draws.enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(out, "{comma}{draw}")?;
    }
    Ok(out.write_all(b"]\n")?)
}

fn write_lines(draws: impl Iterator<Item = u32>, out: &mut dyn Write) -> anyhow::Result<()> {
    for draw in draws {
        writeln!(out, "{draw}")?;
    }
    Ok(())
}
