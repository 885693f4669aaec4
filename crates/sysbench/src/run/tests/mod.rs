//! Checks whole runs, of users that do what a test says.

mod ends;
mod figures;
mod rate;
mod reports;
pub(super) mod stand;

use stand::{Play, pause, settings};
