//! Reads an order's settings for errors of the server, beyond what the imitated tool does by itself.

use dbdyno_drive::{ErrorPolicy, FurtherError};
use dbdyno_workload::{RetryAfter, RetryPolicy, RetryValues};
use serde::{Deserialize, Deserializer};
use std::time::Duration;

/// sysbench's own list: deadlock, record changed, lock wait timeout.
const TRANSIENT: [u16; 3] = [1213, 1020, 1205];

/// Says what happens after an error of the server. A missing value is that of the workload's imitated tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ErrorOrder {
    pub(crate) ignore: Option<Vec<u16>>,
    /// Errors in addition to these, or those of the imitated tool.
    pub(crate) also: Vec<FurtherError>,
    pub(crate) rollback_first: Option<bool>,
    /// `Some(None)`: repeated until it succeeds.
    #[serde(deserialize_with = "given")]
    pub(crate) retry_limit: Option<Option<u32>>,
    /// Used if neither the order nor the imitated tool has a limit.
    #[serde(skip)]
    pub(crate) retry_limit_otherwise: Option<u32>,
    pub(crate) draws: Option<RetryValues>,
    pub(crate) pause_ns: u64,
}

/// Reads a field that is present, `null` included.
fn given<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(field).map(Some)
}

impl ErrorOrder {
    /// Returns the error policy of a load whose workload has this retry policy.
    pub(super) fn policy(&self, law: Option<RetryPolicy>) -> ErrorPolicy {
        let law = law.unwrap_or_else(|| self.sysbench_law());
        ErrorPolicy {
            after: self.ignore.clone().map_or(law.after, RetryAfter::Codes),
            also: self.also.clone(),
            rollback_first: self.rollback_first.unwrap_or(law.rollback_first),
            retry_limit: self.retry_limit.unwrap_or(law.limit),
            draws: self.draws.unwrap_or(law.draws),
            pause: Duration::from_nanos(self.pause_ns),
        }
    }

    fn sysbench_law(&self) -> RetryPolicy {
        RetryPolicy {
            after: RetryAfter::Codes(TRANSIENT.to_vec()),
            rollback_first: false,
            limit: self.retry_limit_otherwise,
            draws: RetryValues::New,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(text: &str) -> ErrorOrder {
        serde_json::from_str(text).unwrap()
    }

    fn law() -> Option<RetryPolicy> {
        Some(RetryPolicy {
            after: RetryAfter::AnyError,
            rollback_first: true,
            limit: Some(0),
            draws: RetryValues::Same,
        })
    }

    #[test]
    fn what_is_not_ordered_is_as_the_imitated_tool_does_it() {
        let policy = order("{}").policy(law());
        assert_eq!(policy.after, RetryAfter::AnyError);
        assert_eq!(policy.retry_limit, Some(0));
        assert_eq!(
            (policy.rollback_first, policy.draws),
            (true, RetryValues::Same)
        );
        let policy = order(r#"{"ignore": [1213], "retry_limit": null, "draws": "new"}"#);
        let policy = policy.policy(law());
        assert_eq!(policy.after, RetryAfter::Codes(vec![1213]));
        assert_eq!(policy.retry_limit, None);
        assert_eq!(
            (policy.rollback_first, policy.draws),
            (true, RetryValues::New)
        );
    }

    #[test]
    fn further_errors_come_on_top_of_whatever_else_is_repeated() {
        let text = r#"{"also": [{"code": 1180, "cause": 149}, {"code": 1296}]}"#;
        let further = |code, cause| FurtherError { code, cause };
        for law in [law(), None] {
            let policy = order(text).policy(law.clone());
            assert_eq!(policy.also, [further(1180, Some(149)), further(1296, None)]);
            assert_eq!(policy.after, order("{}").policy(law).after);
        }
        assert!(serde_json::from_str::<ErrorOrder>(r#"{"also": [1180]}"#).is_err());
    }

    #[test]
    fn a_workload_without_a_law_has_sysbenchs() {
        let policy = order("{}").policy(None);
        assert_eq!(policy.after, RetryAfter::Codes(vec![1213, 1020, 1205]));
        assert_eq!((policy.retry_limit, policy.draws), (None, RetryValues::New));
        let patient = ErrorOrder {
            retry_limit_otherwise: Some(100),
            ..ErrorOrder::default()
        };
        assert_eq!(patient.policy(None).retry_limit, Some(100));
        assert_eq!(patient.policy(law()).retry_limit, Some(0));
    }
}
