//! Defines the arguments by which several load hosts are one client.

use crate::order::ShareOrder;
use clap::Args;

/// Several processes as one client.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Several load hosts")]
pub(crate) struct ShareArguments {
    /// Drive the Kth of N shares of the load; its other shares are driven by other processes, on other hosts
    ///
    /// All other arguments are those of the whole load, the same on all hosts: --threads and --rate are those of all
    /// shares together, and the seed is one. Connections, users, rests and due instants are dealt by number, so that the
    /// shares together send what one process would. Put their records together with `dbdyno-load merge`.
    #[arg(long, value_name = "K/N", value_parser = share)]
    pub(crate) share: Option<ShareOrder>,

    /// Begin second 0 at this Unix time, such as 1795000000 or 1795000000.5; until then connections stand ready
    ///
    /// By the clock of this host, which a time service should keep. A start that can't be kept is refused:
    /// logging in and preparing take their time.
    #[arg(long, value_name = "UNIX_SECONDS", value_parser = unix_time)]
    pub(crate) start_at: Option<u64>,
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
