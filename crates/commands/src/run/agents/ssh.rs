//! Builds the command that connects to a host.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Environment variable: the command for ssh, such as `ssh -F FILE`.
const SSH_VARIABLE: &str = "DBDYNO_SSH";

/// ssh asks nothing and accepts nothing silently, and forwards nothing but the command. Without a reply for 15 s it ends:
/// that of a program which was killed would stay until TCP gives up, for a quarter of an hour.
const SSH_OPTIONS: [&str; 12] = [
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ControlMaster=no",
    "ControlPath=none",
    "PermitLocalCommand=no",
    "LogLevel=ERROR",
    "ConnectTimeout=10",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
];

/// Exit code of ssh for its own failure.
pub(super) const SSH_FAILED: i32 = 255;

/// Builds the command; a shell splits the variable. A separate process group lets Ctrl-C end the shares in order.
pub(super) fn ssh(destination: &str, command: &str) -> Command {
    let program = std::env::var(SSH_VARIABLE).unwrap_or_default();
    let program = match program.trim() {
        "" => "ssh",
        named => named,
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {program} \"$@\""), "ssh", "-T"]);
    for option in SSH_OPTIONS {
        shell.args(["-o", option]);
    }
    shell
        .args(["--", destination, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    shell
}
