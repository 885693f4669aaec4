//! Defines the errors of the agent itself, by who is at fault. An error of a request is a `Refusal`.

use crate::frame::FrameError;
use std::io;

/// Says why there is no agent.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// A session's name has characters that a folder's name should not have.
    #[error("'{0}' can't be the name of a session: letters, digits and hyphens only")]
    BadSession(String),
    /// The lab resumes a session that has ended: by its lease, or with the host.
    #[error("the session {0} has ended")]
    NoSession(String),
    /// The daemon did not begin to listen.
    #[error("the daemon of the session did not start: {0}")]
    NotStarted(String),
    /// A folder or a socket can't be made or used.
    #[error("{path}: {error}")]
    Refused {
        /// The file.
        path: String,
        /// The kernel's answer.
        error: io::Error,
    },
    /// The peer is not of this user, or does not speak frames.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

impl AgentError {
    pub(crate) fn refused<E: Into<io::Error>>(
        path: &std::path::Path,
    ) -> impl FnOnce(E) -> Self + use<'_, E> {
        move |error| Self::Refused {
            path: path.display().to_string(),
            error: error.into(),
        }
    }
}
