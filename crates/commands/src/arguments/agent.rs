//! Defines the arguments of `agent`.

use super::parse::seconds;
use clap::Args;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Serve a lab that runs on another machine: start processes, read and write files, connect to
sockets and read clocks as it asks. dbdyno itself starts this on a remote host, through SSH, and
exchanges frames over standard input and output. You need not start it.

The processes that a lab starts belong to a session, which continues when the connection is lost.
If no lab connects within the lease, the session ends: its processes are killed and its folders
are removed.";

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

    /// End the session after this long without a lab
    #[arg(long, value_name = "TIME", default_value = "300s", value_parser = seconds)]
    pub(crate) lease: u32,

    /// Description of the lab, for people who look at this host
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) lab: String,

    /// Continue an existing session; never start one
    #[arg(long)]
    pub(crate) resume: bool,

    /// Serve the session itself, without standard streams
    #[arg(long, hide = true)]
    pub(crate) daemon: bool,
}
