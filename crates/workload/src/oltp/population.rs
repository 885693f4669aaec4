//! The dataset of the family.

use super::rows::{RowStream, Sums};
use super::text::DIGITS_A_ROW;
use super::{Options, Script, schema};
use crate::{Check, Population, RowSource};
use dbdyno_chance::{RandomKind, RandomSource, Stream};
use std::sync::{Arc, OnceLock};

const CHECKS: &[Check] = &[
    Check {
        name: "rows",
        sql: "COUNT(*)",
    },
    Check {
        // Servers may be set to number rows otherwise than 1, 2, 3; then events would miss them.
        name: "sum_id",
        sql: "COALESCE(SUM(id), 0)",
    },
    Check {
        name: "sum_k",
        sql: "COALESCE(SUM(k), 0)",
    },
    Check {
        name: "sum_crc32_c",
        sql: "COALESCE(SUM(CRC32(c)), 0)",
    },
    Check {
        name: "sum_crc32_pad",
        sql: "COALESCE(SUM(CRC32(pad)), 0)",
    },
];

/// The tables `sbtest1` and on. The same for all scripts: they share their datasets.
///
/// With rng=sysbench the rows are those of a one-worker `prepare` of an upstream build: one stream runs through all
/// tables, whatever the seed. With rng=dbdyno every table has a stream of its own, made of the seed and the table's
/// number. In both modes the content doesn't depend on who fills which table when.
#[derive(Debug)]
pub(crate) struct OltpPopulation {
    options: Options,
    source: RandomSource,
    rows_a_table: u32,
    starts: Arc<Starts>,
}

/// Where the one stream of sysbench stands when a table begins, as far as known.
type Starts = Vec<OnceLock<Stream>>;

impl OltpPopulation {
    pub(crate) fn new(script: &Script, options: Options, source: RandomSource) -> Self {
        // The ids that oltp_insert makes up itself could meet those of rows.
        let stays_empty = script.name == "oltp_insert" && !options.auto_inc;
        let starts: Starts = (0..options.tables).map(|_| OnceLock::new()).collect();
        Self {
            rows_a_table: if stays_empty { 0 } else { options.table_size },
            options,
            source,
            starts: Arc::new(starts),
        }
    }

    /// The stream from which the table's rows are drawn.
    fn stream(&self, table: u32) -> Stream {
        match self.source.kind {
            RandomKind::Dbdyno => self.source.keyed("sysbench/rows", u64::from(table)),
            RandomKind::Sysbench => self.sysbench_start(table as usize),
        }
    }

    /// Goes through the tables before, from the last one whose start is known. Filled in order, by one connection,
    /// every start is known when it's needed.
    fn sysbench_start(&self, table: usize) -> Stream {
        let known = (0..=table)
            .rev()
            .find_map(|at| self.starts[at].get().map(|start| (at, start.clone())));
        let (mut at, mut stream) = known.unwrap_or((0, RandomSource::sysbench_main_thread()));
        while at < table {
            self.skip_table(&mut stream);
            at += 1;
            stream = self.starts[at].get_or_init(|| stream).clone();
        }
        stream
    }

    fn row_stream(&self, table: u32, stream: Stream) -> RowStream {
        let rows = self.rows_a_table;
        RowStream::new(table + 1, rows, &self.options, stream, self.source.kind)
    }

    fn skip_table(&self, stream: &mut Stream) {
        let ks = self.options.distribution().over(1, self.options.table_size);
        for _ in 0..self.rows_a_table {
            for _ in 0..DIGITS_A_ROW {
                stream.next_u64();
            }
            ks.draw(stream);
        }
    }
}

impl Population for OltpPopulation {
    fn tables(&self) -> u32 {
        self.options.tables
    }

    fn table_name(&self, table: u32) -> String {
        format!("sbtest{}", table + 1)
    }

    fn rows_total(&self) -> u64 {
        u64::from(self.options.tables) * u64::from(self.rows_a_table)
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        vec![schema::create_table(table + 1, &self.options)]
    }

    fn rows(&self, table: u32, _part: u32) -> Box<dyn RowSource> {
        Box::new(TableRows {
            rows: self.row_stream(table, self.stream(table)),
            next_table: table as usize + 1,
            starts: Arc::clone(&self.starts),
        })
    }

    fn rows_drawing(&self, table: u32, stream: Stream) -> Box<dyn RowSource> {
        Box::new(TableRows {
            rows: self.row_stream(table, stream),
            next_table: table as usize + 1,
            starts: Arc::default(), // where this stream stands says nothing of the tables' own
        })
    }

    fn after_rows(&self, table: u32) -> Vec<String> {
        if self.options.create_secondary {
            vec![schema::create_index(table + 1)]
        } else {
            Vec::new()
        }
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![schema::drop_table(table + 1)]
    }

    fn checks(&self, _table: u32) -> &'static [Check] {
        CHECKS
    }
}

/// The rows of one table; at its end the start of the next table is known.
#[derive(Debug)]
struct TableRows {
    rows: RowStream,
    next_table: usize,
    starts: Arc<Starts>,
}

impl RowSource for TableRows {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        let rows = self.rows.next_statement(statement);
        if rows == 0
            && let Some(start) = self.starts.get(self.next_table)
        {
            start.get_or_init(|| self.rows.stream().clone());
        }
        rows
    }

    fn stream(&self) -> Option<Stream> {
        Some(self.rows.stream().clone())
    }

    fn sums(&self) -> Vec<u64> {
        let Sums {
            rows,
            k,
            crc32_c,
            crc32_pad,
        } = self.rows.sums();
        vec![rows, rows * (rows + 1) / 2, k, crc32_c, crc32_pad]
    }
}

#[cfg(test)]
mod tests {
    use crate::{Population, population};
    use dbdyno_chance::{RandomKind, RandomSource};
    use std::sync::Arc;

    const KINDS: [RandomKind; 2] = [RandomKind::Sysbench, RandomKind::Dbdyno];

    fn made(
        script: &str,
        kind: RandomKind,
        seed: u64,
        more: &[(&str, &str)],
    ) -> Arc<dyn Population> {
        let mut options = vec![("tables", "4"), ("rows", "300")];
        options.extend(more);
        let options: Vec<_> = options
            .into_iter()
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .collect();
        population(script, &options, RandomSource { kind, seed }).unwrap()
    }

    fn content(population: &dyn Population, table: u32) -> (Vec<u8>, Vec<u64>) {
        let mut rows = population.rows(table, 0);
        let (mut all, mut statement) = (Vec::new(), Vec::new());
        while rows.next_statement(&mut statement) > 0 {
            all.extend_from_slice(&statement);
        }
        (all, rows.sums())
    }

    #[test]
    fn tables_have_the_same_rows_in_whatever_order_they_are_filled() {
        for kind in KINDS {
            let (forth, back) = (
                made("oltp_read_write", kind, 1, &[]),
                made("oltp_read_write", kind, 1, &[]),
            );
            let mut rising: Vec<_> = (0..4).map(|table| content(&*forth, table)).collect();
            let falling: Vec<_> = (0..4).rev().map(|table| content(&*back, table)).collect();
            rising.reverse();
            assert_eq!(rising, falling, "{kind:?}");
        }
    }

    #[test]
    fn every_table_has_rows_of_its_own() {
        for kind in KINDS {
            let made = made("oltp_read_write", kind, 1, &[]);
            let sums: Vec<_> = (0..4).map(|table| content(&*made, table).1).collect();
            for pair in sums.windows(2) {
                assert_eq!(pair[0][0], 300);
                assert_ne!(pair[0][2], pair[1][2]);
            }
        }
    }

    #[test]
    fn only_the_own_generator_heeds_the_seed() {
        let crc = |kind, seed| content(&*made("oltp_read_write", kind, seed, &[]), 0).1[2];
        assert_ne!(crc(RandomKind::Dbdyno, 1), crc(RandomKind::Dbdyno, 2));
        assert_eq!(crc(RandomKind::Sysbench, 1), crc(RandomKind::Sysbench, 2));
    }

    #[test]
    fn scripts_share_their_datasets_but_for_the_insert_script_without_auto_inc() {
        let kind = RandomKind::Dbdyno;
        let of = |script, more| content(&*made(script, kind, 1, more), 2);
        assert_eq!(of("oltp_read_write", &[]), of("oltp_point_select", &[]));
        assert_eq!(of("oltp_insert", &[]), of("oltp_point_select", &[]));
        assert_eq!(
            made("oltp_insert", kind, 1, &[("auto_inc", "off")]).rows_total(),
            0
        );
        assert_eq!(made("oltp_insert", kind, 1, &[]).rows_total(), 1200);
    }

    #[test]
    fn a_stream_that_is_given_runs_through_the_tables_as_sysbenchs_own_does() {
        let given = made("oltp_read_write", RandomKind::Sysbench, 1, &[]);
        let (mut stream, mut statement) = (RandomSource::sysbench_main_thread(), Vec::new());
        for table in 0..4 {
            let mut rows = given.rows_drawing(table, stream);
            while rows.next_statement(&mut statement) > 0 {}
            assert_eq!(rows.sums(), content(&*given, table).1, "table {table}");
            stream = rows.stream().unwrap();
        }
    }

    #[test]
    fn the_rows_of_the_own_generator_stay_what_they_are() {
        // A snapshot of an earlier release must still be what the order asks for.
        let sums = content(&*made("oltp_read_write", RandomKind::Dbdyno, 1, &[]), 0).1;
        assert_eq!(
            sums,
            [300, 45_150, 45_302, 624_876_694_018, 641_712_403_968]
        );
    }

    #[test]
    fn the_check_query_asks_for_all_sums_at_once() {
        let query = made("oltp_read_write", RandomKind::Dbdyno, 1, &[]).check_query(1);
        assert!(
            query.starts_with("SELECT COUNT(*), COALESCE(SUM(id), 0), COALESCE(SUM(k), 0), "),
            "{query}"
        );
        assert!(query.ends_with(" FROM sbtest2"), "{query}");
    }

    #[test]
    fn the_index_comes_after_the_rows_unless_it_is_switched_off() {
        let made_with = |value| {
            made(
                "oltp_read_write",
                RandomKind::Dbdyno,
                1,
                &[("create_secondary", value)],
            )
        };
        assert_eq!(
            made_with("on").after_rows(3),
            ["CREATE INDEX k_4 ON sbtest4(k)"]
        );
        assert!(made_with("off").after_rows(3).is_empty());
    }
}
