//! Implements `dbdyno-load null-server`: a server that does no work, for calibrating and testing load
//! generators.

mod arguments;

pub(crate) use arguments::NullServerArguments;

use crate::cli_error::{CliError, Exit};
use crate::error_code::ErrorCode;
use crate::signals;
use crate::terminal;
use dbdyno_null_server::{NullAddress, NullServer, NullServerError, Statistics};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time in which a signal or the end of the time is noticed.
const LOOK: Duration = Duration::from_millis(50);

/// Reports where clients find it.
#[derive(Debug, Serialize)]
struct ReadyLine {
    ready: bool,
    socket: Option<PathBuf>,
    host: Option<String>,
    port: Option<u16>,
    process_id: u32,
}

/// Reports what was done.
#[derive(Debug, Serialize)]
struct EndLine<'a> {
    ended: bool,
    #[serde(flatten)]
    statistics: &'a Statistics,
}

/// Serves until the time is over or a signal comes.
pub(crate) fn run(arguments: NullServerArguments) -> anyhow::Result<Exit> {
    let stop = signals::stop_switch()?;
    let server = NullServer::start(arguments.settings()).map_err(cli_error)?;
    say(&ReadyLine::at(server.address()))?;
    let begun = Instant::now();
    let limit = arguments.serve.map(Duration::from_nanos);
    while !stop.is_thrown() && limit.is_none_or(|limit| begun.elapsed() < limit) {
        let left = limit.map_or(LOOK, |limit| limit.saturating_sub(begun.elapsed()));
        std::thread::sleep(left.min(LOOK));
    }
    let statistics = server.stop().map_err(cli_error)?;
    if arguments.stats {
        let ended = true;
        say(&EndLine {
            ended,
            statistics: &statistics,
        })?;
    }
    Ok(Exit::Done)
}

impl ReadyLine {
    fn at(address: &NullAddress) -> Self {
        Self {
            ready: true,
            socket: address.socket.clone(),
            host: address.tcp.map(|tcp| tcp.ip().to_string()),
            port: address.tcp.map(|tcp| tcp.port()),
            process_id: std::process::id(),
        }
    }
}

/// Writes one line to standard output, at once.
fn say(what: &impl Serialize) -> anyhow::Result<()> {
    let mut out = terminal::raw_stdout().lock();
    serde_json::to_writer(&mut out, what)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn cli_error(error: NullServerError) -> CliError {
    let (code, what) = (ErrorCode::from(&error), "the null server failed");
    let cli_error = match error.is_wrong_request() {
        true => CliError::request(code, what),
        false => CliError::world(code, what),
    };
    let hint = match error {
        NullServerError::Nowhere => Some("give it --socket PATH, --listen 127.0.0.1:PORT, or both"),
        NullServerError::Exposed(_) => Some("add --anyone if that is intended"),
        _ => None,
    };
    let cli_error = cli_error.because(error);
    match hint {
        Some(hint) => cli_error.hint(hint),
        None => cli_error,
    }
}
