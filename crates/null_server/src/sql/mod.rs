//! Reads from a statement's text alone what its reply looks like: the server holds no data.

mod generated;
mod parameters;
mod pattern;
mod request;
mod select_list;
mod shapes;
mod show;
mod split;
mod token;
mod variables;

pub(crate) use generated::{GeneratedTable, ServerInfo};
pub(crate) use parameters::{ParameterTypes, count_places, first_two};
pub(crate) use request::{ParsedStatement, ResponsePlan, parse_statement, width};
pub(crate) use shapes::{Content, Count, Effect, KINDS, SHAPES, ShapeColumn, StatementShape};
pub(crate) use split::statements;
pub(crate) use token::Token;
