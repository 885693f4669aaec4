//! Reads which share of a client an order is for, and when all shares begin.

use super::{LoadOrder, PacingOrder, Place};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use dbdyno_drive::{ClientShare, Load, StartTime, counted};
use dbdyno_workload::Workload;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Options of workloads that say where files are on this host. The workload's metadata have checksums of the content.
const PLACES: [&str; 2] = ["folder", "data_file"];

/// One of several processes that together are one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareOrder {
    /// Number of this share, from 1.
    pub(crate) number: u32,
    /// Number of shares.
    pub(crate) count: u32,
}

/// A host that drives one share of the load, reached by SSH.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentOrder {
    /// Its name for people.
    pub(crate) name: String,
    /// Its ssh destination.
    pub(crate) ssh: String,
    /// Path of `dbdyno-load` there.
    pub(crate) program: String,
    /// Password file of the target there; `None`: none.
    #[serde(default)]
    pub(crate) password_file: Option<String>,
    /// Worker threads there; `None`: as suits connections and machine.
    #[serde(default)]
    pub(crate) workers: Option<u32>,
    /// Options of the workload that are others there, as they name files of the host.
    #[serde(default)]
    pub(crate) options: serde_json::Map<String, Value>,
}

impl ShareOrder {
    pub(super) fn share(self) -> Result<ClientShare, CliError> {
        match self.number.checked_sub(1) {
            Some(index) if index < self.count => Ok(ClientShare {
                index,
                count: self.count,
            }),
            _ => Err(CliError::request(
                ErrorCode::NoSuchShare,
                format!("there is no share {} of {}", self.number, self.count),
            )
            .hint("shares are counted from 1: 1/3, 2/3, 3/3")),
        }
    }
}

impl LoadOrder {
    pub(super) fn start_time(&self) -> StartTime {
        match self.start_at_ns {
            _ if self.is_commanded => StartTime::Common(Arc::default()),
            Some(unix_ns) => StartTime::UnixNs(unix_ns),
            None => StartTime::WhenReady,
        }
    }

    /// Refuses loads that the named hosts can't drive as one client.
    pub(crate) fn check_agents(&self) -> anyhow::Result<()> {
        let refusal = match () {
            () if self.share.is_some() || self.start_at_ns.is_some() || self.is_commanded => {
                CliError::request(ErrorCode::OptionsContradict, "load hosts can't be combined with a share or a start time")
                    .hint("omit --share and --start-at: dbdyno-load distributes the load and starts the hosts together")
            }
            () if self.cpus.is_some() => {
                CliError::request(ErrorCode::OptionsContradict, "--cpus can't be used for several hosts").hint("omit --cpus")
            }
            () if matches!(self.pacing, PacingOrder::Search(_)) => {
                CliError::request(ErrorCode::SearchNotShareable, "a search can't be driven from load hosts")
                    .hint("search on one host, or run rates one by one with --agents")
            }
            () => {
                let count = u32::try_from(self.agents.len()).unwrap_or(u32::MAX);
                let share = ClientShare { index: 0, count };
                return Ok(self.check_share(share, &*self.make_workload()?)?);
            }
        };
        Err(refusal.into())
    }

    /// Refuses loads that several processes can't share without communication.
    pub(super) fn check_share(
        &self,
        share: ClientShare,
        workload: &dyn Workload,
    ) -> Result<(), CliError> {
        if !share.is_part() {
            return Ok(());
        }
        let name = &workload.spec().name;
        if workload.spec().users.is_some() {
            let what = format!("{name} can't be shared by several processes");
            return Err(CliError::request(ErrorCode::WorkloadNotShareable, what)
                .because("its connections work in rounds that they share within one process")
                .hint("drive it from one host (omit --share)"));
        }
        if self.events.is_some() {
            return Err(CliError::request(
                ErrorCode::EventsNotShareable,
                "a number of events can't be shared by several processes",
            )
            .because("whichever connection is free takes the next event")
            .hint("give a time instead (--time), or omit --share"));
        }
        if matches!(self.pacing, PacingOrder::Search(_)) {
            return Err(CliError::request(
                ErrorCode::SearchNotShareable,
                "a search can't be shared by several processes",
            )
            .hint("search on one host, or run rates one by one with --share"));
        }
        if self.concurrency < share.count {
            let (connections, count) = (
                counted(u64::from(self.concurrency), "connection"),
                share.count,
            );
            let what = format!("{connections} can't be distributed over {count} shares");
            return Err(CliError::request(ErrorCode::TooFewConnections, what).hint(
                "--threads counts the connections of all shares together: give at least one per share",
            ));
        }
        Ok(())
    }

    /// Returns the SHA-256, in hexadecimal, of all that the shares of one client have in common: the whole request
    /// except paths to the servers, files, processors and threads of this host. Comparable within one program version.
    pub(crate) fn common_sha256(&self, load: &Load) -> String {
        let nowhere = Place {
            socket: None,
            host: None,
            port: None,
        };
        let mut common = self.clone();
        common.target = common.target.at(&nowhere);
        common.target.password_file = None;
        common.target.tls_ca_file = None;
        common.target.tls_cert_file = None;
        common.target.tls_key_file = None;
        common.role_targets.clear();
        for place in PLACES {
            common.workload.options.remove(place);
        }
        (common.workers, common.cpus) = (None, None);
        (common.share, common.start_at_ns) = (None, None);
        common.is_commanded = false;
        let text = format!("{common:?}{:?}", load.workload.spec());
        let digest = Sha256::digest(text);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ORDER: &str = include_str!("../../../../contract/samples/load-order-share.json");
    const AGENTS: &str = include_str!("../../../../contract/samples/load-order-agents.json");
    const SEARCH: &str = include_str!("../../../../contract/samples/load-order-search.json");

    fn order(change: impl Fn(&mut Value)) -> LoadOrder {
        let mut order: Value = serde_json::from_str(ORDER).unwrap();
        change(&mut order);
        serde_json::from_value(order).unwrap()
    }

    fn refusal(order: &LoadOrder) -> String {
        order.load().unwrap_err().to_string()
    }

    #[test]
    fn a_share_drives_its_connections_of_all() {
        let load = order(|_| ()).load().unwrap();
        assert_eq!((load.concurrency, load.connections()), (16, 5));
        assert_eq!(load.workers, 1);
    }

    #[test]
    fn what_processes_cannot_share_is_refused() {
        let share = json!({"number": 1, "count": 2});
        assert!(refusal(&order(|order| order["events"] = json!(5))).contains("events"));
        assert!(refusal(&order(|order| order["concurrency"] = json!(2))).contains("3 shares"));
        assert!(
            refusal(&order(|order| order["share"]["number"] = json!(4))).contains("share 4 of 3")
        );
        let mut search: Value = serde_json::from_str(SEARCH).unwrap();
        search["share"] = share;
        let search: LoadOrder = serde_json::from_value(search).unwrap();
        assert!(refusal(&search).contains("search"));
        let rounds = json!({"name": "insert-benchmark", "options": {"step": "qr100", "nr1": 1000}});
        assert!(refusal(&order(|order| order["workload"] = rounds.clone())).contains("shared"));
    }

    #[test]
    fn load_hosts_are_read_and_refused_with_what_they_cannot_share() {
        let refusal = |field: &str, value: Value| {
            let mut order: Value = serde_json::from_str(AGENTS).unwrap();
            order[field] = value;
            let order: LoadOrder = serde_json::from_value(order).unwrap();
            let refused = order.check_agents().err();
            refused.map_or_else(String::new, |error| error.to_string())
        };
        let order: LoadOrder = serde_json::from_str(AGENTS).unwrap();
        let names: Vec<_> = order.agents.iter().map(|agent| &agent.ssh).collect();
        assert_eq!(names, ["bench@c1", "c2"]);
        assert_eq!(order.agents[0].workers, Some(4));
        assert_eq!(order.agents[1].password_file, None);
        assert_eq!(refusal("seed", json!(2)), "");
        assert!(refusal("share", json!({"number": 1, "count": 2})).contains("with a share"));
        assert!(refusal("start_at_ns", json!(1)).contains("with a share"));
        assert!(refusal("cpus", json!([0])).contains("--cpus"));
        assert!(refusal("concurrency", json!(1)).contains("1 connection"));
    }

    #[test]
    fn shares_have_the_digest_of_what_they_have_in_common() {
        let digest = |order: LoadOrder| order.common_sha256(&order.load().unwrap());
        let first = digest(order(|_| ()));
        let other = order(|order| {
            order["share"]["number"] = json!(1);
            order["start_at_ns"] = json!(null);
            order["target"]["socket"] = json!(null);
            order["target"]["host"] = json!("db1");
            order["workers"] = json!(2);
            order["cpus"] = json!([3]);
        });
        assert_eq!(digest(other), first);
        for (field, value) in [
            ("seed", json!(2)),
            ("concurrency", json!(17)),
            ("drain_ns", json!(1)),
            (
                "phases",
                json!([{"name": "window", "duration_ns": 1_000_000_000}]),
            ),
        ] {
            assert_ne!(
                digest(order(|order| order[field] = value.clone())),
                first,
                "{field}"
            );
        }
    }

    #[test]
    fn shares_may_have_a_data_file_elsewhere_but_not_another_one() {
        let home = std::env::temp_dir().join(format!("data-files-{}", std::process::id()));
        let digest = |folder: &str, content: &str| {
            let file = home.join(folder).join("links.dat");
            std::fs::create_dir_all(home.join(folder)).unwrap();
            std::fs::write(&file, content).unwrap();
            let order = order(|order| {
                let options = json!({"maxid1": 300, "data_file": file});
                order["workload"] = json!({"name": "linkbench", "options": options});
            });
            order.common_sha256(&order.load().unwrap())
        };
        let first = digest("c1", "nlinks\n0 50\n9 100\n");
        assert_eq!(digest("c2", "nlinks\n0 50\n9 100\n"), first);
        assert_ne!(digest("c2", "nlinks\n0 51\n9 100\n"), first);
        std::fs::remove_dir_all(home).unwrap();
    }
}
