//! Implements the server's side of the MySQL protocol, as far as a server without data needs it.

mod handshake;
mod packet;
mod reply;

pub(crate) use dbdyno_wire::bytes::{Bytes, Truncated, put_length, put_string};
pub(crate) use dbdyno_wire::packet::{HEADER_BYTES, MAX_PAYLOAD, PacketHeader, begin};
pub use handshake::Auth;
pub(crate) use handshake::{HandshakeResponse, put_greeting};
pub(crate) use packet::{finish, renumber};
pub(crate) use reply::{
    ColumnDefinition, put_column, put_end_of_rows, put_error, put_middle_eof, put_ok, put_prepared,
};

/// Capability bits that matter here.
pub(crate) mod capability {
    pub(crate) const CONNECT_WITH_DB: u32 = 1 << 3;
    pub(crate) const SSL: u32 = 1 << 11;
    pub(crate) const MULTI_STATEMENTS: u32 = 1 << 16;
    pub(crate) const PLUGIN_AUTH: u32 = 1 << 19;
    pub(crate) const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
    pub(crate) const DEPRECATE_EOF: u32 = 1 << 24;

    const LONG_PASSWORD: u32 = 1;
    const FOUND_ROWS: u32 = 1 << 1;
    const LONG_FLAG: u32 = 1 << 2;
    const PROTOCOL_41: u32 = 1 << 9;
    const TRANSACTIONS: u32 = 1 << 13;
    const SECURE_CONNECTION: u32 = 1 << 15;
    const MULTI_RESULTS: u32 = 1 << 17;
    const PS_MULTI_RESULTS: u32 = 1 << 18;
    const CONNECT_ATTRS: u32 = 1 << 20;

    /// Lists what is offered. Not in it, because it is not there: TLS, compression, local files, session tracking.
    pub(crate) const OFFERED: u32 = LONG_PASSWORD
        | FOUND_ROWS
        | LONG_FLAG
        | CONNECT_WITH_DB
        | PROTOCOL_41
        | TRANSACTIONS
        | SECURE_CONNECTION
        | MULTI_STATEMENTS
        | MULTI_RESULTS
        | PS_MULTI_RESULTS
        | PLUGIN_AUTH
        | CONNECT_ATTRS
        | PLUGIN_AUTH_LENENC
        | DEPRECATE_EOF;
}

/// Status bits that a reply ends with.
pub(crate) mod status {
    pub(crate) const IN_TRANSACTION: u16 = 0x0001;
    pub(crate) const AUTOCOMMIT: u16 = 0x0002;
    pub(crate) const MORE_RESULTS: u16 = 0x0008;
}

/// The first byte of a request.
pub(crate) mod command {
    pub(crate) const QUIT: u8 = 0x01;
    pub(crate) const INIT_DB: u8 = 0x02;
    pub(crate) const QUERY: u8 = 0x03;
    pub(crate) const STATISTICS: u8 = 0x09;
    pub(crate) const PING: u8 = 0x0e;
    pub(crate) const CHANGE_USER: u8 = 0x11;
    pub(crate) const PREPARE: u8 = 0x16;
    pub(crate) const EXECUTE: u8 = 0x17;
    pub(crate) const SEND_LONG_DATA: u8 = 0x18;
    pub(crate) const CLOSE_STATEMENT: u8 = 0x19;
    pub(crate) const RESET_STATEMENT: u8 = 0x1a;
    pub(crate) const SET_OPTION: u8 = 0x1b;
    pub(crate) const RESET_CONNECTION: u8 = 0x1f;
}

/// Types of columns and parameters.
pub(crate) mod wire_type {
    pub(crate) const TINY: u8 = 1;
    pub(crate) const SHORT: u8 = 2;
    pub(crate) const LONG: u8 = 3;
    pub(crate) const LONGLONG: u8 = 8;
    pub(crate) const INT24: u8 = 9;
    pub(crate) const NEWDECIMAL: u8 = 246;
    pub(crate) const VAR_STRING: u8 = 253;
    pub(crate) const STRING: u8 = 254;
}
