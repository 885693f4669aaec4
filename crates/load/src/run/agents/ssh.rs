//! Makes the command by which a host is reached.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Environment variable: the command for ssh, such as `ssh -F FILE`.
const SSH_VARIABLE: &str = "DBDYNO_SSH";

/// Nothing is asked for and nothing accepted silently, and nothing but the command goes through.
const SSH_OPTIONS: [&str; 10] = [
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
];

/// Exit code of ssh where it failed itself.
pub(super) const SSH_FAILED: i32 = 255;

/// A shell splits the variable as the user's own would. The group is another one, so that Ctrl-C ends the shares in order.
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
