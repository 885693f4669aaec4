//! Holds requests as values. An order file and the command line both end here, so that both can express
//! every request, and everything is checked before anything starts.

mod errors;
mod load;
mod pacing;
mod password;
mod populate;
mod read;
mod share;
mod target;
mod timeouts;
mod words;

pub(crate) use errors::ErrorOrder;
pub(crate) use load::{ANSWER_TIMEOUT_NS, LoadOrder, PhaseOrder};
pub(crate) use pacing::{PacingOrder, SearchOrder, StreamOrder};
pub(crate) use populate::PopulateOrder;
pub(crate) use read::{OrderFile, read_order, read_order_text};
pub(crate) use share::{AgentOrder, ShareOrder};
pub(crate) use target::{Access, Place, Target};
pub(crate) use timeouts::{
    CHECK_TIMEOUT, DDL_TIMEOUT, LOGIN_TIMEOUT, ROWS_TIMEOUT, SHORT_STATEMENT_TIMEOUT,
};
pub(crate) use words::{LoadBy, TlsWord, WorkloadChoice};

/// Version of the contract that this program speaks.
pub(crate) const SCHEMA_VERSION: u32 = 1;
