//! Builds the workload from a script and its options.

use super::blocks::EventPlan;
use super::statement::OltpStatement;
use super::user::{NewIds, OltpUser};
use super::{OltpOptions, OltpScript, quirks};
use crate::{
    Metadata, StatementTemplate, StatementType, User, UserDraws, Workload, WorkloadError,
    WorkloadSpec,
};
use dbdyno_chance::{RandomSource, Sampler};
use std::sync::Arc;

/// A workload of the sysbench OLTP family.
#[derive(Debug)]
pub(crate) struct Oltp {
    spec: WorkloadSpec,
    options: OltpOptions,
    source: RandomSource,
    users: u32,
    event: Arc<EventPlan>,
}

impl Oltp {
    pub(crate) fn new(
        script: &'static OltpScript,
        options: OltpOptions,
        source: RandomSource,
        users: u32,
    ) -> Result<Self, WorkloadError> {
        let kinds = kinds(script, &options);
        check_count(&kinds, &options)?;
        let first_statement = |kind| first_statement(&kinds, kind, options.tables);
        let event = Arc::new(EventPlan::new(
            script,
            &options,
            source.kind,
            first_statement,
        ));
        Ok(Self {
            spec: WorkloadSpec {
                name: format!("sysbench/{}", script.name),
                statements: templates(script, &kinds, &options),
                statement_types: kinds.iter().map(|kind| kind.type_name()).collect(),
                transaction_types: vec![script.transaction_type],
                metadata: Metadata {
                    imitates: "sysbench 1.0.20".to_owned(),
                    options: options.list(script),
                    quirks: quirks::active(script, &options, source.kind),
                },
                ..WorkloadSpec::default()
            },
            source,
            users: users.max(1),
            event,
            options,
        })
    }

    /// Returns the values of k that a user of the select_random scripts looks for. sysbench computes with fractions of
    /// rows and cuts them at the end: neighbours share a value, and the first user may draw 0.
    fn segment(&self, index: u32) -> Sampler {
        let length = f64::from(self.options.table_size) / f64::from(self.users);
        let low = length * f64::from(index % self.users);
        let distribution = self.options.distribution();
        distribution.sampler(low as u32, (low + length) as u32)
    }
}

impl Workload for Oltp {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        let draws = UserDraws {
            stream: self.source.worker(&self.spec.name, index),
            unique: self.source.unique(&self.spec.name),
        };
        self.user_drawing(index, draws)
    }

    fn user_drawing(&self, index: u32, draws: UserDraws) -> Box<dyn User> {
        let ids = NewIds {
            unique: draws.unique,
            place: index,
            stride: self.users,
        };
        Box::new(OltpUser::new(
            Arc::clone(&self.event),
            draws.stream,
            ids,
            self.segment(index),
        ))
    }
}

/// Returns the kinds that the options leave, in the order of preparing.
fn kinds(script: &OltpScript, options: &OltpOptions) -> Vec<OltpStatement> {
    script
        .prepares
        .iter()
        .copied()
        .filter(|kind| !kind.switched_off(options))
        .collect()
}

/// Checks the count: a call names its statement in 16 bits.
fn check_count(kinds: &[OltpStatement], options: &OltpOptions) -> Result<(), WorkloadError> {
    let most = u64::from(u16::MAX) + 1;
    let statements = kinds
        .iter()
        .map(|kind| u64::from(kind.count(options.tables)))
        .sum();
    if statements <= most {
        return Ok(());
    }
    Err(WorkloadError::TooManyStatements {
        tables: options.tables,
        statements,
        most,
    })
}

/// Returns where the statements of `kind` begin; 0 for a kind that isn't there.
fn first_statement(kinds: &[OltpStatement], kind: OltpStatement, tables: u32) -> u16 {
    kinds
        .iter()
        .take_while(|before| **before != kind)
        .map(|before| before.count(tables) as u16)
        .sum()
}

fn templates(
    script: &OltpScript,
    kinds: &[OltpStatement],
    options: &OltpOptions,
) -> Vec<StatementTemplate> {
    let mut templates = Vec::new();
    for (place, kind) in kinds.iter().enumerate() {
        for number in 1..=kind.count(options.tables) {
            let text = kind.text(number, options);
            templates.push(StatementTemplate {
                text_only: script.text_only,
                ..StatementTemplate::new(text, place as StatementType, kind.class())
            });
        }
    }
    templates
}

#[cfg(test)]
mod tests {
    use crate::{Class, Workload, WorkloadError, workload};
    use dbdyno_chance::{RandomKind, RandomSource};
    use std::sync::Arc;

    fn make_workload(
        name: &str,
        given: &[(&str, &str)],
    ) -> Result<Arc<dyn Workload>, WorkloadError> {
        let given: Vec<_> = given
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect();
        let source = RandomSource {
            kind: RandomKind::Sysbench,
            seed: 1,
        };
        workload(name, &given, source, 1)
    }

    #[test]
    fn the_short_name_means_the_same_workload() {
        for name in ["oltp_read_only", "sysbench/oltp_read_only"] {
            assert_eq!(
                make_workload(name, &[]).unwrap().spec().name,
                "sysbench/oltp_read_only"
            );
        }
    }

    #[test]
    fn statements_know_their_type_and_class() {
        let made = make_workload("oltp_read_write", &[("tables", "3")]).unwrap();
        let described: Vec<_> = made
            .spec()
            .statements
            .iter()
            .map(|s| {
                (
                    s.text.as_str(),
                    made.spec().statement_types[usize::from(s.statement_type)],
                    s.class,
                )
            })
            .collect();
        assert_eq!(described.len(), 2 + 9 * 3);
        assert_eq!(described[0], ("BEGIN", "begin", Class::Begin));
        assert_eq!(described[1], ("COMMIT", "commit", Class::Commit));
        assert_eq!(
            described[4],
            (
                "SELECT c FROM sbtest3 WHERE id=?",
                "point_select",
                Class::Work
            )
        );
        assert_eq!(described[28].1, "insert");
        assert_eq!(made.spec().transaction_types, ["read_write"]);
    }

    #[test]
    fn facts_hold_every_option_and_the_active_quirks() {
        let quirks = |name: &str, given: &[(&str, &str)]| {
            make_workload(name, given)
                .unwrap()
                .spec()
                .metadata
                .quirks
                .clone()
        };
        assert_eq!(
            quirks("oltp_read_write", &[]),
            ["Q-SB-1", "Q-SB-2", "Q-SB-4", "Q-SB-5", "Q-SB-6"]
        );
        assert_eq!(
            quirks(
                "oltp_write_only",
                &[("skip_trx", "on"), ("rand_type", "uniform")]
            ),
            ["Q-SB-4", "Q-SB-5", "Q-SB-6", "Q-SB-7"]
        );
        let three_tables = make_workload("oltp_read_write", &[("tables", "3")]).unwrap();
        assert_eq!(three_tables.spec().metadata.imitates, "sysbench 1.0.20");
        assert_eq!(three_tables.spec().metadata.options.len(), 24);
        assert!(
            three_tables
                .spec()
                .metadata
                .options
                .contains(&("tables".to_owned(), "3".to_owned()))
        );
        assert!(
            three_tables
                .spec()
                .metadata
                .options
                .contains(&("rand_type".to_owned(), "special".to_owned()))
        );
    }

    #[test]
    fn wrong_choices_are_refused_with_a_way_out() {
        let refused = |name: &str, given: &[(&str, &str)]| {
            make_workload(name, given).unwrap_err().to_string()
        };
        let message = refused("oltp_readwrite", &[]);
        assert!(
            message.contains("\"sysbench/oltp_read_write\""),
            "{message}"
        );
        let message = refused("oltp_read_write", &[("tables", "60000")]);
        assert!(message.contains("fewer tables"), "{message}");
    }
}
