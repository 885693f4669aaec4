//! The load generator as a program.

fn main() {}
