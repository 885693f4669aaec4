//! Defines what the options of TPC-C choose among.

/// Says whether the tool's quirks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fidelity {
    /// As the tool really does it.
    Tool,
    /// Every quirk of the dialect repaired.
    Fixed,
}

/// Says what becomes of the ten foreign keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignKeys {
    None,
    /// They are there, and no session heeds them (`foreign_key_checks=0`).
    Declared,
    Enforced,
}

/// Says what long texts are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strings {
    /// One letter again and again, which engines that compress love.
    Repeated,
    Random,
}

/// Order of the columns in the primary keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyOrder {
    /// Warehouse, district, number.
    Normal,
    /// Number, district, warehouse: tpcc-mysql's `schema2`.
    Reversed,
}

/// Says how a transaction reaches the server, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    Statements,
    Procedures,
}

/// Says where a terminal's transactions begin, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Fixed,
    Any,
}

/// Says how transaction types are drawn, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MixMethod {
    /// From a shuffled deck of 23 cards for each user.
    Deck,
    Weights,
}

/// Says when deliveries are done, in the dialect `standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryMode {
    /// By one worker for each ten terminals, from a queue.
    Queue,
    Inline,
}

/// Isolation level of sysbench-tpcc's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Isolation {
    RepeatableRead,
    ReadCommitted,
    Serializable,
}
