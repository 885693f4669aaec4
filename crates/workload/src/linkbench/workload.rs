//! Builds the workload from what all requesters share.

use super::canned_replies::CannedReplies;
use super::graph::Graph;
use super::ids::{Ids, SecondIdRange};
use super::operation::{self, OperationMix};
use super::options::LinkBenchOptions;
use super::statement::{self, at};
use super::text_template::TextTemplate;
use super::user::Requester;
use super::{NAME, quirks};
use crate::transaction_script::ScriptUser;
use crate::{
    Call, Metadata, RetryAfter, RetryPolicy, RetryValues, StatementTemplate, User, Workload,
    WorkloadSpec,
};
use dbdyno_chance::RandomSource;
use dbdyno_wire::{BufferedRows, Reply};
use std::sync::Arc;

const LOCK_WAIT_TIMEOUT: u16 = 1205;
const DEADLOCK: u16 = 1213;
const RECORD_CHANGED: u16 = 1020;

/// LinkBench with its options.
#[derive(Debug)]
pub(crate) struct LinkBench {
    options: LinkBenchOptions,
    source: RandomSource,
    users: u32,
    shared: Arc<LinkBenchShared>,
    spec: WorkloadSpec,
}

/// Holds what every requester looks at.
#[derive(Debug)]
pub(super) struct LinkBenchShared {
    pub(super) graph: Graph,
    pub(super) ids: Ids,
    pub(super) mix: OperationMix,
    pub(super) forms: Forms,
    /// Share of the list reads that go on behind an earlier one, from 0 to 1.
    pub(super) history_share: f64,
    pub(super) list_limit: u64,
    pub(super) is_fixed: bool,
}

/// The statements that requesters write themselves.
#[derive(Debug)]
pub(super) struct Forms {
    pub(super) insert_link: TextTemplate,
    pub(super) update_link: TextTemplate,
    pub(super) multiget: TextTemplate,
    pub(super) add_node: TextTemplate,
    pub(super) update_node: TextTemplate,
}

impl Forms {
    fn of(templates: &[StatementTemplate]) -> Self {
        let form = |place: u16| TextTemplate::new(&templates[usize::from(place)].text);
        Self {
            insert_link: form(at::INSERT_LINK),
            update_link: form(at::UPDATE_LINK),
            multiget: form(at::MULTIGET_LINK),
            add_node: form(at::ADD_NODE),
            update_node: form(at::UPDATE_NODE),
        }
    }
}

impl LinkBench {
    pub(super) fn new(
        options: LinkBenchOptions,
        graph: Graph,
        source: RandomSource,
        users: u32,
    ) -> Self {
        let templates = statement::templates(&options.dbid);
        let metadata = Metadata {
            imitates: "LinkBench ac67d54 (MySQL store)".to_owned(),
            options: listed(&options, graph.law().file_sum()),
            quirks: quirks::active(options.is_fixed()),
        };
        let shared = LinkBenchShared {
            ids: Ids::new(&graph, options.is_fixed()),
            graph,
            mix: options.mix(),
            forms: Forms::of(&templates),
            history_share: options.getlinklist_history / 100.0,
            list_limit: u64::from(options.range_limit),
            is_fixed: options.is_fixed(),
        };
        let spec = WorkloadSpec {
            name: NAME.to_owned(),
            statements: templates,
            statement_types: statement::NAMES.to_vec(),
            transaction_types: operation::NAMES.to_vec(),
            metadata,
            retry: Some(retry_policy(options.is_fixed())),
            sends_several_statements: true,
            has_second_connection: true,
            session_statements: [vec!["SET autocommit=0".to_owned()], Vec::new()],
            ..WorkloadSpec::default()
        };
        Self {
            options,
            source,
            users,
            shared: Arc::new(shared),
            spec,
        }
    }
}

/// Lists the options. Each host has the data file elsewhere, so its name and the checksum of its content stand for it.
fn listed(options: &LinkBenchOptions, file_sum: Option<u32>) -> Vec<(String, String)> {
    let mut list = options.list();
    if let Some(sum) = file_sum {
        for (_, path) in list.iter_mut().filter(|(name, _)| name == "data_file") {
            *path = path.rsplit('/').next().unwrap_or_default().to_owned();
        }
        list.push(("crc32 of data_file".to_owned(), format!("{sum:08x}")));
    }
    list
}

/// Repeats without end and with the same inputs; the tool sends no ROLLBACK before (Q-LB-7). It gives a request up
/// after any other error; here 1020, which its servers didn't know, is repeated, too, and others end the run.
fn retry_policy(is_fixed: bool) -> RetryPolicy {
    RetryPolicy {
        after: RetryAfter::Codes(vec![LOCK_WAIT_TIMEOUT, DEADLOCK, RECORD_CHANGED]),
        rollback_first: is_fixed,
        limit: None,
        draws: RetryValues::Same,
    }
}

impl Workload for LinkBench {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        CannedReplies::new(&self.shared.graph, self.shared.list_limit).reply(call, rows)
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        let second = match self.options.id2gen_config {
            0 => SecondIdRange::Any,
            _ => SecondIdRange::Own {
                users: u64::from(self.users),
                remainder: u64::from(index),
            },
        };
        let stream = self.source.keyed("linkbench/requester", u64::from(index));
        ScriptUser::of(Requester::new(Arc::clone(&self.shared), second, stream))
    }
}
