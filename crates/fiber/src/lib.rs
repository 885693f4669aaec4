//! Fibers.
