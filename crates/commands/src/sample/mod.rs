//! Implements `dbdyno-load sample`: it prints what a worker would send, or the numbers a distribution gives,
//! without a server.
//!
//! It serves as a dry run for users, and to compare sequences with those of sysbench.

mod draws;
mod statements;

use crate::arguments::SampleArguments;
use crate::terminal;
use std::io::{self, BufWriter, Write};

/// Prints the sample to standard output. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// A workload, option or distribution that doesn't exist or can't have its value; an output that can't be written.
pub(crate) fn run(arguments: SampleArguments) -> anyhow::Result<()> {
    arguments.check()?;
    let mut out = BufWriter::with_capacity(1 << 16, terminal::raw_stdout().lock());
    let written = match &arguments.distribution {
        Some(distribution) => draws::write(&arguments, distribution, &mut out),
        None => statements::write(&arguments, &mut out),
    };
    forgive_closed_pipe(written.and_then(|()| Ok(out.flush()?)))
}

fn forgive_closed_pipe(result: anyhow::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        other => other,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::forgive_closed_pipe;
    use std::io::{Error, ErrorKind};

    #[test]
    fn only_a_closed_pipe_is_forgiven() {
        let closed = Error::from(ErrorKind::BrokenPipe);
        assert!(forgive_closed_pipe(Err(closed.into())).is_ok());
        let full = Error::from(ErrorKind::StorageFull);
        assert!(forgive_closed_pipe(Err(full.into())).is_err());
    }
}
