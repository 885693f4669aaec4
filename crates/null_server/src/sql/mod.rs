//! What a statement is and what its reply looks like, read from its text alone: there are no data behind.

mod made;
mod parameters;
mod pattern;
mod request;
mod select_list;
mod shapes;
mod show;
mod split;
mod token;
mod variables;

pub(crate) use made::{Known, MadeTable};
pub(crate) use parameters::{ParameterTypes, count_places, first_two};
pub(crate) use request::{Recipe, Understood, understand, width};
pub(crate) use shapes::{Column, Content, Count, Effect, KINDS, SHAPES, Shape};
pub(crate) use split::statements;
pub(crate) use token::Token;
