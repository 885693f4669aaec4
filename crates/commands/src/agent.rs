//! Implements `dbdyno-load agent`: a relay of frames on standard streams, or the daemon behind it.

use crate::arguments::AgentArguments;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use anyhow::Context as _;
use dbdyno_agent::{AgentError, AgentOptions};
use std::process::Command;
use std::time::Duration;

/// Serves until the lab or its lease ends.
pub(crate) fn run(arguments: &AgentArguments) -> anyhow::Result<()> {
    let options = AgentOptions {
        home: arguments.home.clone(),
        session: arguments.session.clone(),
        lease: Duration::from_secs(u64::from(arguments.lease)),
        lab: arguments.lab.clone(),
    };
    let served = if arguments.daemon {
        dbdyno_agent::serve(&options)
    } else if arguments.resume {
        dbdyno_agent::relay(&options, None)
    } else {
        dbdyno_agent::relay(&options, Some(daemon()?))
    };
    Ok(served.map_err(|error| failed(&error))?)
}

/// Returns this command line, as a daemon.
fn daemon() -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("this program's path is not known")?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).arg("--daemon");
    Ok(command)
}

fn failed(error: &AgentError) -> CliError {
    match error {
        AgentError::BadSession(_) => CliError::request(ErrorCode::WrongValue, error.to_string()),
        _ => CliError::world(ErrorCode::AgentFailed, "no agent can serve here").because(error),
    }
}
