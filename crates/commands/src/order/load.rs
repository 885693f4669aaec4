//! Reads the order of `dbdyno-load run`: `contract/load-order.schema.json`.

use super::{
    AgentOrder, ErrorOrder, LOGIN_TIMEOUT, PacingOrder, Place, SCHEMA_VERSION, ShareOrder, Target,
    WorkloadChoice,
};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use dbdyno_drive::{
    ClientShare, Load, Phase, PreparedFull, Protocol, Search, StopSwitch, counted, default_workers,
};
use dbdyno_meter::SECOND_NS;
use dbdyno_wire::{Endpoint, SessionOptions};
use dbdyno_workload::{Digested, RandomKind, RandomSource, Workload, name_schema, workload};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

/// Describes the load.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadOrder {
    pub(crate) schema_version: u32,
    pub(crate) target: Target,
    /// Addresses of the servers of the workload's roles. Everything else of a session is as for the target.
    #[serde(default)]
    pub(crate) role_targets: BTreeMap<String, Place>,
    pub(crate) workload: WorkloadChoice,
    pub(crate) protocol: Protocol,
    pub(crate) rng: RandomKind,
    pub(crate) seed: u64,
    pub(crate) concurrency: u32,
    /// `None`: as suits concurrency and machine.
    pub(crate) workers: Option<u32>,
    pub(crate) cpus: Option<Vec<usize>>,
    pub(crate) pacing: PacingOrder,
    pub(crate) phases: Vec<PhaseOrder>,
    #[serde(default)]
    pub(crate) errors: ErrorOrder,
    #[serde(default)]
    pub(crate) prepared_full: PreparedFull,
    pub(crate) drain_ns: u64,
    /// How long a statement may go without any byte of an answer; `None`: for ever.
    #[serde(default = "answer_timeout_ns")]
    pub(crate) answer_timeout_ns: Option<u64>,
    /// Ends the run early once so many events were started.
    #[serde(default)]
    pub(crate) events: Option<u64>,
    /// Events of each user whose statements are digested; `None`: nothing is.
    #[serde(default)]
    pub(crate) digest_events: Option<u64>,
    /// Time between readings of the server's own counts; `None`: only where phases begin and end.
    #[serde(default)]
    pub(crate) counts_every_ns: Option<u64>,
    /// Which share of the client this process is; `None`: the only one.
    #[serde(default)]
    pub(crate) share: Option<ShareOrder>,
    /// Unix time at which second 0 begins; `None`: as soon as all is ready.
    #[serde(default)]
    pub(crate) start_at_ns: Option<u64>,
    /// Whether the start and the end come from standard input.
    #[serde(default)]
    pub(crate) is_commanded: bool,
    /// Hosts that each drive a share instead of this process; empty: none.
    #[serde(default)]
    pub(crate) agents: Vec<AgentOrder>,
}

/// Default for how long a statement may go without any byte of an answer. Long answers are legal and to be measured:
/// several lock waits of 50 s one after the other, write stops of minutes. Beyond that a server
/// hangs: InnoDB ends a server itself after a hang of 600 s. A dead path is reported sooner, by other means.
pub(crate) const ANSWER_TIMEOUT_NS: u64 = 300 * SECOND_NS;

fn answer_timeout_ns() -> Option<u64> {
    Some(ANSWER_TIMEOUT_NS)
}

/// A named stretch of the run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PhaseOrder {
    pub(crate) name: String,
    pub(crate) duration_ns: u64,
}

impl PhaseOrder {
    fn phase(&self) -> Result<Phase, CliError> {
        Ok(Phase {
            name: self.name.clone(),
            seconds: whole_seconds(&format!("phase {}", self.name), self.duration_ns)?,
        })
    }
}

/// Returns the seconds of a duration. All durations lie on one grid.
pub(super) fn whole_seconds(what: &str, duration_ns: u64) -> Result<u32, CliError> {
    let whole = duration_ns.is_multiple_of(SECOND_NS);
    match u32::try_from(duration_ns / SECOND_NS) {
        Ok(seconds) if whole => Ok(seconds),
        _ => Err(CliError::request(
            ErrorCode::PartOfASecond,
            format!(
                "{what} can't last {duration_ns} ns: all phases begin at whole seconds, so only whole seconds are allowed"
            ),
        )),
    }
}

impl LoadOrder {
    /// Checks the order and builds the load. The password is read from its file.
    pub(crate) fn load(&self) -> anyhow::Result<Load> {
        check_version(self.schema_version)?;
        self.check_answer_timeout()?;
        let (access, workload) = (self.target.access()?, self.make_workload()?);
        let share = self.client_share()?;
        self.check_share(share, &*workload)?;
        self.check_users(&*workload)?;
        Ok(Load {
            pacing: self.pacing.pacing(&*workload)?,
            session: SessionOptions {
                multi_statements: workload.spec().sends_several_statements,
                ..access.options
            },
            role_endpoint: self.role_endpoint(&*workload)?,
            endpoint: access.endpoint,
            protocol: self.protocol,
            concurrency: self.concurrency,
            share,
            start: self.start_time(),
            workers: self.worker_count(share),
            cpus: self.cpus.clone().unwrap_or_default(),
            phases: self
                .phases
                .iter()
                .map(PhaseOrder::phase)
                .collect::<Result<_, _>>()?,
            errors: self.errors.policy(workload.spec().retry.clone()),
            workload: match self.digest_events {
                Some(events) => Arc::new(Digested::new(workload, events)),
                None => workload,
            },
            prepared_full: self.prepared_full,
            drain: Duration::from_nanos(self.drain_ns),
            events_limit: self.events,
            seed: self.seed,
            answer_timeout: self.answer_timeout_ns.map(Duration::from_nanos),
            login_timeout: LOGIN_TIMEOUT,
        })
    }

    /// Does the same as [`load`](Self::load), with sessions whose waits end when the switch is thrown.
    pub(crate) fn load_until(&self, stop: &StopSwitch) -> anyhow::Result<Load> {
        let mut load = self.load()?;
        load.session.cancel = stop.flag().into();
        Ok(load)
    }

    /// Returns the server of the workload's role.
    fn role_endpoint(&self, workload: &dyn Workload) -> Result<Option<Endpoint>, CliError> {
        let role = workload.spec().role.as_deref();
        if let Some(other) = self.role_targets.keys().find(|name| role != Some(name)) {
            let what = format!(
                "no transaction of {} has the role {other}",
                workload.spec().name
            );
            return Err(
                CliError::request(ErrorCode::RoleUnknown, what).hint(match role {
                    Some(role) => {
                        format!("name the server of the role {role} (--target {role}=HOST)")
                    }
                    None => "omit --target".to_owned(),
                }),
            );
        }
        let Some(role) = role else {
            return Ok(None);
        };
        let Some(place) = self.role_targets.get(role) else {
            let what = format!(
                "transactions of {} need a server with the role {role}, but no server has it",
                workload.spec().name
            );
            return Err(
                CliError::request(ErrorCode::RoleWithoutServer, what).hint(format!(
                    "name it (--target {role}=HOST:PORT, or {role}=/PATH/OF.SOCKET)"
                )),
            );
        };
        Ok(Some(self.target.at(place).access()?.endpoint))
    }

    /// Checks users with fixed parts: there are as many as parts, and they pace themselves.
    fn check_users(&self, workload: &dyn Workload) -> Result<(), CliError> {
        let Some(users) = workload.spec().users else {
            return Ok(());
        };
        let name = &workload.spec().name;
        if users != self.concurrency {
            let given = self.concurrency;
            let what = format!(
                "{name} with these options needs {}, not {given}",
                counted(u64::from(users), "connection")
            );
            return Err(CliError::request(ErrorCode::WrongConnections, what)
                .hint("omit --threads, or give that number"));
        }
        if self.pacing != (PacingOrder::Closed { think: None }) {
            let what = format!("{name} paces itself: it takes no rate, think time or search");
            return Err(CliError::request(ErrorCode::WorkloadPacesItself, what)
                .hint("use its own options to set its speed"));
        }
        Ok(())
    }

    /// Takes over the number of users from the workload, if it has one.
    pub(crate) fn follow_users(&mut self) -> anyhow::Result<()> {
        self.concurrency = self
            .make_workload()?
            .spec()
            .users
            .unwrap_or(self.concurrency);
        Ok(())
    }

    /// Takes over the rates of the workload, if it has some, and its phases, if none were asked for.
    pub(crate) fn follow_course(&mut self, with_phases: bool) -> anyhow::Result<()> {
        let workload = self.make_workload()?;
        let Some(course) = workload.spec().rate_profile.as_ref() else {
            return Ok(());
        };
        if !course.streams.is_empty() {
            self.pacing = PacingOrder::following(course, &workload.spec().transaction_types);
        }
        if with_phases {
            let phase = |(name, seconds): &(String, u32)| PhaseOrder {
                name: name.clone(),
                duration_ns: u64::from(*seconds) * SECOND_NS,
            };
            self.phases = course.phases.iter().map(phase).collect();
        }
        Ok(())
    }

    /// Returns which share of the client this process is.
    fn client_share(&self) -> Result<ClientShare, CliError> {
        self.share
            .map_or(Ok(ClientShare::default()), ShareOrder::share)
    }

    /// Returns the search, if one is asked for.
    pub(crate) fn search(&self) -> Result<Option<Search>, CliError> {
        match &self.pacing {
            PacingOrder::Search(search) => search.search().map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the seconds between readings of the server's own counts.
    pub(crate) fn counts_every_s(&self) -> Result<Option<NonZeroU32>, CliError> {
        let Some(every_ns) = self.counts_every_ns else {
            return Ok(None);
        };
        let seconds = whole_seconds(
            "the time between two readings of the server's counts",
            every_ns,
        )?;
        match NonZeroU32::new(seconds) {
            None => Err(CliError::request(ErrorCode::WrongValue, "the server's counts can't be read every 0 s".to_owned())
                .hint("give at least 1s, or omit --counts-every: counts are always read at the beginning and the end of phases")),
            every_s => Ok(every_s),
        }
    }

    fn check_answer_timeout(&self) -> Result<(), CliError> {
        match self.answer_timeout_ns {
            Some(ns) if ns < SECOND_NS => Err(CliError::request(
                ErrorCode::WrongValue,
                format!(
                    "an answer timeout of {ns} ns is below 1 s: answers are checked once a second"
                ),
            )
            .hint("give at least 1s, or none to wait forever (--answer-timeout)")),
            _ => Ok(()),
        }
    }

    /// Returns a remark about the order before it is executed.
    pub(crate) fn remark(&self) -> Option<String> {
        let durations = self.phases.iter().map(|phase| phase.duration_ns);
        self.pacing.remark(durations.fold(0, u64::saturating_add))
    }

    /// Returns the threads that drive the connections, at most one per connection.
    fn worker_count(&self, share: ClientShare) -> u32 {
        let connections = share.connections_of(self.concurrency);
        let cores = match &self.cpus {
            Some(cpus) if !cpus.is_empty() => 4 * cpus.len(), // the client has all of those
            _ => available_parallelism().map_or(1, usize::from),
        };
        let workers = self
            .workers
            .unwrap_or_else(|| default_workers(connections, cores));
        workers.min(connections)
    }

    pub(super) fn make_workload(&self) -> anyhow::Result<Arc<dyn Workload>> {
        let source = RandomSource {
            kind: self.rng,
            seed: self.seed,
        };
        let mut options = self.workload.option_texts()?;
        name_schema(&self.workload.name, &mut options, &self.target.database);
        Ok(workload(
            &self.workload.name,
            &options,
            source,
            self.concurrency,
        )?)
    }
}

pub(super) fn check_version(version: u32) -> Result<(), CliError> {
    if version == SCHEMA_VERSION {
        return Ok(());
    }
    Err(CliError::request(
        ErrorCode::OtherSchemaVersion,
        format!("the order has schema_version {version}, this program reads {SCHEMA_VERSION}"),
    )
    .hint("use dbdyno and dbdyno-load of the same version"))
}
