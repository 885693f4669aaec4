//! Defines the arguments by which several load hosts form one client.

use crate::order::{AgentOrder, ShareOrder};
use clap::Args;

/// Several processes as one client.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Several load hosts")]
pub(crate) struct ShareArguments {
    /// Drive the Kth of N shares of the load; other processes, on other hosts, drive the other shares
    ///
    /// All other arguments describe the whole load and are the same on all hosts: --threads and --rate are the totals of
    /// all shares, and all have the same seed. Connections, users, think times and due times are assigned by number, so
    /// that the shares together send what one process would. Merge their records with `dbdyno-load merge`. --require is
    /// refused, because it would judge one share, not the load: give it to the merge.
    #[arg(long, value_name = "K/N", value_parser = share, conflicts_with = "require")]
    pub(crate) share: Option<ShareOrder>,

    /// Start at this Unix time, such as 1795000000 or 1795000000.5; until then connections wait, opened and prepared
    ///
    /// The time is that of this host's clock, which a time service should keep accurate. If logging in and preparing
    /// take until after that time, the run is refused.
    #[arg(long, value_name = "UNIX_SECONDS", value_parser = unix_time)]
    pub(crate) start_at: Option<u64>,

    /// Hosts that drive the load as one client, as ssh takes them: c1,bench@c2; this process itself drives nothing
    ///
    /// Each host gets all other arguments and drives its share: --threads and --rate are the totals of all hosts, and
    /// input files, such as --password-file, are files of each host. The files of a workload sql:DIRECTORY are those here:
    /// they are sent to the hosts and kept in memory there. Once all hosts are ready, they start at the same instant,
    /// whatever their clocks say. Their records come back through SSH and are merged second by second, as by
    /// `dbdyno-load merge`. If a host is lost, or silent for 5 s, the run fails. DBDYNO_SSH names another command to use
    /// for ssh.
    #[arg(long, value_name = "HOST", value_delimiter = ',', value_parser = host, conflicts_with_all = ["share", "start_at"])]
    #[arg(conflicts_with_all = ["hdr_log", "cpus"])]
    pub(crate) agents: Vec<String>,

    /// Path of dbdyno-load on the hosts of --agents
    #[arg(
        long,
        value_name = "PATH",
        default_value = "dbdyno-load",
        requires = "agents"
    )]
    pub(crate) agent_program: String,

    /// Take the start and the end from standard input: how --agents runs a share
    #[arg(long, hide = true, requires = "share")]
    pub(crate) commanded: bool,

    /// Take the files of the workload sql:DIRECTORY from the first line of standard input: how --agents sends them
    #[arg(long, hide = true, requires = "commanded")]
    pub(crate) sources_from_input: bool,
}

impl ShareArguments {
    pub(super) fn agent_orders(&self) -> Vec<AgentOrder> {
        let order = |host: &String| AgentOrder {
            name: host.clone(),
            ssh: host.clone(),
            program: self.agent_program.clone(),
            password_file: None,
            workers: None,
            options: serde_json::Map::default(),
        };
        self.agents.iter().map(order).collect()
    }
}

/// What ssh would take for an option is refused.
fn host(text: &str) -> Result<String, String> {
    match text.chars().next() {
        Some(first) if first.is_alphanumeric() && !text.contains(char::is_whitespace) => {
            Ok(text.to_owned())
        }
        _ => Err("write hosts as ssh takes them, for example c1,bench@c2".to_owned()),
    }
}

fn share(text: &str) -> Result<ShareOrder, String> {
    let numbers = text.split_once('/');
    let numbers =
        numbers.and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((number, count)) if (1..=count).contains(&number) => Ok(ShareOrder { number, count }),
        _ => Err("write for example 2/3, for the second of three shares".to_owned()),
    }
}

/// Nanoseconds since 1970.
fn unix_time(text: &str) -> Result<u64, String> {
    let wrong = || "write seconds since 1970, for example $(($(date +%s) + 30))".to_owned();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let seconds: u64 = whole.parse().map_err(|_| wrong())?;
    let nanoseconds: u64 = format!("{fraction:0<9}").parse().map_err(|_| wrong())?;
    let all = seconds.checked_mul(1_000_000_000);
    all.and_then(|ns| ns.checked_add(nanoseconds))
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_counted_from_one() {
        assert_eq!(
            share("2/3"),
            Ok(ShareOrder {
                number: 2,
                count: 3
            })
        );
        for wrong in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_unix_time_keeps_its_nanoseconds() {
        assert_eq!(unix_time("1795000000"), Ok(1_795_000_000_000_000_000));
        assert_eq!(
            unix_time("1795000000.000000001"),
            Ok(1_795_000_000_000_000_001)
        );
        assert_eq!(unix_time("1795000000.5"), Ok(1_795_000_000_500_000_000));
        for wrong in [
            "",
            "now",
            "5.",
            "5.1234567890",
            "-3",
            "1e9",
            "99999999999999",
        ] {
            assert!(unix_time(wrong).is_err(), "{wrong}");
        }
    }
}
