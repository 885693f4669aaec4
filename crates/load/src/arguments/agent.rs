//! Arguments of `agent`.

use super::parse::seconds;
use clap::Args;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Serve a lab that runs on another machine: start processes, read and write files, connect to sockets and
read clocks as it asks. dbdyno starts this on a remote host by itself, through SSH; frames go over standard
input and output. Nobody else needs it.

The processes that a lab starts belong to a session, which goes on when the connection is lost. Without a
lab for the time of the lease, the session ends: its processes are killed and its folders are removed.";

/// Serves a lab on another machine.
#[derive(Debug, Clone, Args)]
#[command(about = "Serve a lab that runs on another machine", long_about = LONG_ABOUT)]
pub(crate) struct AgentArguments {
    /// Folder of engines, snapshots and runs on this host
    #[arg(long, value_name = "FOLDER")]
    pub(crate) home: PathBuf,

    /// Name of the session: letters, digits and hyphens
    #[arg(long, value_name = "NAME")]
    pub(crate) session: String,

    /// End the session after so long without a lab
    #[arg(long, value_name = "TIME", default_value = "300s", value_parser = seconds)]
    pub(crate) lease: u32,

    /// Who the lab is, for those who look at this host
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) lab: String,

    /// Go on with a session that is there; never start one
    #[arg(long)]
    pub(crate) resume: bool,

    /// Serve the session itself, without standard streams
    #[arg(long, hide = true)]
    pub(crate) daemon: bool,
}
