//! Creates the three tables, in their variants.

use super::options::LinkBenchOptions;
use crate::{Check, Compression};

pub(super) const NODES: &str = "nodetable";
pub(super) const LINKS: &str = "linktable";
pub(super) const COUNTS: &str = "counttable";

/// Times are summed up without their upper bits, lest the sum of a large table doesn't fit in 64.
pub(super) const TIME_MASK: u64 = 0xffff_ffff;

const fn check(name: &'static str, sql: &'static str) -> Check {
    Check { name, sql }
}

const ROWS: Check = check("rows", "COUNT(*)");

pub(super) const NODE_CHECKS: [Check; 3] = [
    ROWS,
    check("sum_id", "COALESCE(SUM(id), 0)"),
    check("sum_crc32_data", "COALESCE(SUM(CRC32(data)), 0)"),
];

pub(super) const LINK_CHECKS: [Check; 5] = [
    ROWS,
    check("sum_id1", "COALESCE(SUM(id1), 0)"),
    check("sum_id2", "COALESCE(SUM(id2), 0)"),
    check("sum_crc32_data", "COALESCE(SUM(CRC32(data)), 0)"),
    check("sum_time", "COALESCE(SUM(time & 4294967295), 0)"),
];

pub(super) const COUNT_CHECKS: [Check; 4] = [
    ROWS,
    check("sum_id", "COALESCE(SUM(id), 0)"),
    check("sum_count", "COALESCE(SUM(count), 0)"),
    check("sum_time", "COALESCE(SUM(time & 4294967295), 0)"),
];

const ID1_TYPE: &str = "KEY id1_type (id1, link_type, visibility, time, id2, version, data)";

pub(super) fn create_nodes(options: &LinkBenchOptions) -> String {
    format!(
        "CREATE TABLE {NODES} (\
         id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
         type INT UNSIGNED NOT NULL, \
         version BIGINT UNSIGNED NOT NULL, \
         time INT UNSIGNED NOT NULL, \
         data MEDIUMTEXT NOT NULL, \
         PRIMARY KEY (id)){}",
        table_options(options)
    )
}

pub(super) fn create_links(options: &LinkBenchOptions) -> String {
    let key = match options.index_after_load {
        true => String::new(),
        false => format!(", {ID1_TYPE}"),
    };
    let partitions = match options.partitions {
        0 => String::new(),
        count => format!(" PARTITION BY KEY(id1) PARTITIONS {count}"),
    };
    format!(
        "CREATE TABLE {LINKS} (\
         id1 BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         id2 BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         visibility TINYINT NOT NULL DEFAULT 0, \
         data VARCHAR(255) NOT NULL DEFAULT '', \
         time BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         version INT UNSIGNED NOT NULL DEFAULT 0, \
         PRIMARY KEY (link_type, id1, id2){key}){}{partitions}",
        table_options(options)
    )
}

pub(super) fn create_counts(options: &LinkBenchOptions) -> String {
    format!(
        "CREATE TABLE {COUNTS} (\
         id BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         count INT UNSIGNED NOT NULL DEFAULT 0, \
         time BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         version BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         PRIMARY KEY (id, link_type)){}",
        table_options(options)
    )
}

/// Returns the key for list reads, where it isn't there from the beginning.
pub(super) fn add_key() -> String {
    format!("ALTER TABLE {LINKS} ADD {ID1_TYPE}")
}

fn table_options(options: &LinkBenchOptions) -> String {
    let engine = &options.mysql_storage_engine;
    format!(
        " ENGINE={engine} DEFAULT CHARSET=latin1{}",
        compression(options)
    )
}

/// Returns words that each family reads its own part of: MariaDB passes over the comments of MySQL 5.7 and on, and for
/// MySQL those of MariaDB are comments. `PAGE_COMPRESSION` names no algorithm in MariaDB, where it is the server's.
fn compression(options: &LinkBenchOptions) -> String {
    match options.table_compression.as_str() {
        "row-compressed" => format!(
            " ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE={}",
            options.key_block_size
        ),
        "page-compressed" => format!(
            " /*M!100101 PAGE_COMPRESSED=1 */ /*!50708 COMPRESSION='{}' */",
            options.page_compression
        ),
        _ => String::new(),
    }
}

/// Returns what must be on the disk if the server heeds those words.
pub(super) fn compression_of(options: &LinkBenchOptions) -> Option<Compression> {
    match options.table_compression.as_str() {
        "row-compressed" => Some(Compression::SmallPages(options.key_block_size * 1024)),
        "page-compressed" => Some(Compression::Holes),
        _ => None,
    }
}

/// Returns a query for the tables that the server made otherwise than asked for: it may take words of compression and,
/// with a warning, not heed them.
pub(super) fn tables_of_another_form(options: &LinkBenchOptions) -> Option<String> {
    let has_form = match options.table_compression.as_str() {
        "row-compressed" => format!(
            "row_format = 'Compressed' AND create_options LIKE '%KEY_BLOCK_SIZE={}%'",
            options.key_block_size
        ),
        // MariaDB 10.11 writes the 1 in quotes, 10.5 and 11.8 don't.
        "page-compressed" => "create_options LIKE '%PAGE_COMPRESSED%=1%' \
             OR create_options LIKE '%PAGE_COMPRESSED%=''1''%' OR create_options LIKE '%COMPRESSION=%'"
            .to_owned(),
        _ => return None,
    };
    Some(format!(
        "SELECT table_name, row_format, create_options FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND table_name IN ('{NODES}', '{LINKS}', '{COUNTS}') AND NOT ({has_form})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_change_only_their_own_words() {
        let plain = create_links(&LinkBenchOptions::default());
        assert!(
            plain.ends_with("latin1 PARTITION BY KEY(id1) PARTITIONS 16"),
            "{plain}"
        );
        assert!(plain.contains("KEY id1_type"));
        let other = create_links(&LinkBenchOptions {
            partitions: 0,
            index_after_load: true,
            table_compression: "row-compressed".to_owned(),
            ..LinkBenchOptions::default()
        });
        assert!(
            other.ends_with("latin1 ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8"),
            "{other}"
        );
        assert!(!other.contains("id1_type"));
        let packed = LinkBenchOptions {
            table_compression: "row-compressed".to_owned(),
            ..LinkBenchOptions::default()
        };
        assert_eq!(compression_of(&packed), Some(Compression::SmallPages(8192)));
        assert_eq!(tables_of_another_form(&LinkBenchOptions::default()), None);
        assert_eq!(compression_of(&LinkBenchOptions::default()), None);
    }
}
