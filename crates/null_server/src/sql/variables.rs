//! Lists the variables and status counters that clients ask for before they begin.

/// Names and values as `SHOW VARIABLES` has them, in order.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    ("auto_increment_increment", "1"),
    ("autocommit", "ON"),
    ("character_set_client", "utf8mb4"),
    ("character_set_connection", "utf8mb4"),
    ("character_set_database", "utf8mb4"),
    ("character_set_results", "utf8mb4"),
    ("character_set_server", "utf8mb4"),
    ("character_set_system", "utf8mb3"),
    ("collation_connection", "utf8mb4_general_ci"),
    ("collation_database", "utf8mb4_general_ci"),
    ("collation_server", "utf8mb4_general_ci"),
    ("init_connect", ""),
    ("interactive_timeout", "28800"),
    ("license", "Apache-2.0"),
    ("lower_case_table_names", "0"),
    ("max_allowed_packet", "67108864"),
    ("max_connections", "100000"),
    ("max_prepared_stmt_count", MAX_PREPARED),
    ("net_buffer_length", "16384"),
    ("net_write_timeout", "60"),
    ("performance_schema", "OFF"),
    ("query_cache_size", "0"),
    ("query_cache_type", "OFF"),
    ("sql_mode", "STRICT_TRANS_TABLES"),
    ("system_time_zone", "UTC"),
    ("time_zone", "SYSTEM"),
    ("transaction_isolation", "REPEATABLE-READ"),
    ("transaction_read_only", "OFF"),
    ("tx_isolation", "REPEATABLE-READ"),
    ("tx_read_only", "OFF"),
    ("version", VERSION),
    ("version_comment", "dbdyno null server"),
    ("wait_timeout", "28800"),
];

/// Stand for what is known when the server runs only.
pub(super) const VERSION: &str = "\0version";
pub(super) const MAX_PREPARED: &str = "\0max_prepared";

/// Names and values as `SHOW STATUS` has them.
pub(super) const STATUS: &[(&str, &str)] = &[("Ssl_cipher", ""), ("Ssl_version", "")];

/// Returns the value of `@@name`, which has switches as numbers; unknown ones are 1.
pub(super) fn system_variable(name: &[u8]) -> &'static str {
    let found = VARIABLES
        .iter()
        .find(|(server_info, _)| server_info.as_bytes().eq_ignore_ascii_case(name));
    match found {
        Some((_, "ON")) | None => "1",
        Some((_, "OFF")) => "0",
        Some((_, value)) => value,
    }
}
