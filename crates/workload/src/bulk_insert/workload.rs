//! Builds the users of the workload.

use super::NAME;
use super::options::Options;
use super::user::BulkUser;
use crate::{Class, Metadata, StatementTemplate, User, Workload, WorkloadSpec};

#[derive(Debug)]
pub(super) struct BulkInsert {
    spec: WorkloadSpec,
}

impl BulkInsert {
    pub(super) fn new(options: &Options) -> Self {
        let text = "INSERT INTO sbtestN VALUES(n,n),(n,n), ..";
        let statement = StatementTemplate {
            is_written: true,
            ..StatementTemplate::new(text, 0, Class::Work)
        };
        Self {
            spec: WorkloadSpec {
                name: format!("sysbench/{NAME}"),
                statements: vec![statement],
                statement_types: vec!["insert"],
                transaction_types: vec!["row"],
                metadata: Metadata {
                    imitates: "sysbench 1.0.20".to_owned(),
                    options: options.list(),
                    quirks: Vec::new(),
                },
                ..WorkloadSpec::default()
            },
        }
    }
}

impl Workload for BulkInsert {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        Box::new(BulkUser::new(index))
    }
}

#[cfg(test)]
mod tests {
    use crate::option_table::given;
    use crate::transcript::walk;
    use crate::{RandomKind, RandomSource, workload};

    /// Returns event and text of each statement of a user.
    fn sent(index: u32, events: u64) -> Vec<(u64, String)> {
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: 1,
        };
        let made = workload(
            "sysbench/bulk_insert",
            &given(&[("tables", "3")]),
            source,
            3,
        )
        .unwrap();
        let mut all = Vec::new();
        walk(&*made, index, events, |sent| {
            all.push((sent.event, sent.sql()));
            Ok::<(), ()>(())
        })
        .unwrap();
        all
    }

    #[test]
    fn a_statement_leaves_when_a_row_has_no_room_and_the_rest_at_the_end() {
        let sent = sent(1, 100_000);
        let events: Vec<u64> = sent.iter().map(|(event, _)| *event).collect();
        assert_eq!(events, [39_034, 39_034 + 37_447, 100_000]);
        let rows = |sql: &str| sql.matches("),(").count() + 1;
        let counts: Vec<usize> = sent.iter().map(|(_, sql)| rows(sql)).collect();
        assert_eq!(counts, [39_033, 37_447, 100_000 - 39_033 - 37_447]);
        assert!(
            sent[1]
                .1
                .starts_with("INSERT INTO sbtest2 VALUES(39034,39034),")
        );
        assert!(sent[2].1.ends_with(",(100000,100000)"));
    }

    #[test]
    fn without_events_nothing_is_sent() {
        assert!(sent(0, 0).is_empty());
    }
}
