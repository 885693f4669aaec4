//! The dataset of the family.

use super::rows::{COLUMNS, COMMA, RowStream, Sums, head};
use super::starts::Starts;
use super::{Options, Script, schema};
use crate::{Check, Population, RowForm, RowSource};
use dbdyno_chance::{RandomKind, RandomSource, Stream};
use dbdyno_wire::BoundRows;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

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

/// Rows of a part. A part is a range of ids that is drawn from a place of its own in the random numbers, so that any
/// connection can fill it at any time; it is small enough to be repeated, and large enough for its overhead not to count.
const ROWS_A_PART: u32 = 25_000;

/// The tables `sbtest1` and on. The same for all scripts: they share their datasets.
///
/// With rng=sysbench the rows are those of a one-worker `prepare` of an upstream build: one stream runs through all
/// tables, whatever the seed. With rng=dbdyno every part of every table has a stream of its own, made of the seed and
/// the numbers of table and part. In both modes the content doesn't depend on who fills which part when.
#[derive(Debug)]
pub(crate) struct OltpPopulation {
    options: Options,
    source: RandomSource,
    parts: Parts,
    starts: OnceLock<Starts>,
}

/// How a table is cut into parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    rows: u32,
}

impl Parts {
    /// How many there are; a table without rows has one, without rows.
    pub(super) fn count(self) -> u32 {
        self.rows.div_ceil(ROWS_A_PART).max(1)
    }

    /// The ids of a part.
    pub(super) fn ids(self, part: u32) -> RangeInclusive<u32> {
        let before = part * ROWS_A_PART;
        before + 1..=self.rows.min(before.saturating_add(ROWS_A_PART))
    }
}

impl OltpPopulation {
    pub(crate) fn new(script: &Script, options: Options, source: RandomSource) -> Self {
        // The ids that oltp_insert makes up itself could meet those of rows.
        let stays_empty = script.name == "oltp_insert" && !options.auto_inc;
        let rows = if stays_empty { 0 } else { options.table_size };
        Self {
            options,
            source,
            parts: Parts { rows },
            starts: OnceLock::new(),
        }
    }

    /// The stream from which the rows of a part are drawn.
    fn stream(&self, table: u32, part: u32) -> Stream {
        match self.source.kind {
            RandomKind::Dbdyno => {
                let number = u64::from(part) << 32 | u64::from(table);
                self.source.keyed("sysbench/rows", number)
            }
            RandomKind::Sysbench => {
                let starts = || Starts::new(&self.options, self.parts);
                self.starts.get_or_init(starts).of(table, part)
            }
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
        u64::from(self.options.tables) * u64::from(self.parts.rows)
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        vec![schema::create_table(table + 1, &self.options)]
    }

    fn parts(&self, _table: u32) -> u32 {
        self.parts.count()
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        let (ids, stream) = (self.parts.ids(part), self.stream(table, part));
        let kind = self.source.kind;
        Box::new(RowStream::new(table + 1, ids, &self.options, stream, kind))
    }

    fn rows_drawing(&self, table: u32, stream: Stream) -> Box<dyn RowSource> {
        let (ids, kind) = (1..=self.parts.rows, self.source.kind);
        let rows = RowStream::of_sysbench(table + 1, ids, &self.options, stream, kind);
        Box::new(rows)
    }

    fn loader_stream(&self) -> Option<Stream> {
        (self.source.kind == RandomKind::Sysbench).then(RandomSource::sysbench_main_thread)
    }

    fn row_form(&self, table: u32) -> Option<RowForm> {
        let (name, head) = (self.table_name(table), head(table + 1, COLUMNS));
        let form = RowForm::new((&name, COLUMNS), &head, COMMA, "binary");
        Some(form.with_long_values())
    }

    fn part_condition(&self, _table: u32, part: u32) -> Option<String> {
        let ids = self.parts.ids(part);
        Some(format!("id BETWEEN {} AND {}", ids.start(), ids.end()))
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

impl RowSource for RowStream {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        Self::next_statement(self, statement)
    }

    fn bind(&mut self, rows: &mut BoundRows) -> Option<u64> {
        Some(Self::bind(self, rows))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Self::stream(self).clone())
    }

    fn sums(&self) -> Vec<u64> {
        let Sums {
            rows,
            id,
            k,
            crc32_c,
            crc32_pad,
        } = Self::sums(self);
        vec![rows, id, k, crc32_c, crc32_pad]
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

    /// The rows of a part as a file has them, and its sums.
    fn part(population: &dyn Population, table: u32, part: u32) -> (Vec<u8>, Vec<u64>) {
        let form = population.row_form(table).unwrap();
        let mut rows = population.rows(table, part);
        let (mut all, mut statement) = (Vec::new(), Vec::new());
        while rows.next_statement(&mut statement) > 0 {
            let first = form.cut(&mut statement);
            all.extend_from_slice(&statement[first..]);
        }
        (all, rows.sums())
    }

    fn content(population: &dyn Population, table: u32) -> (Vec<u8>, Vec<u64>) {
        let (mut all, mut sums) = (Vec::new(), vec![0; 5]);
        for number in 0..population.parts(table) {
            let (rows, of_part) = part(population, table, number);
            all.extend(rows);
            sums.iter_mut()
                .zip(of_part)
                .for_each(|(sum, of)| *sum += of);
        }
        (all, sums)
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
    fn parts_have_the_same_rows_in_whatever_order_they_are_filled() {
        for kind in KINDS {
            let sized = || {
                made(
                    "oltp_read_write",
                    kind,
                    1,
                    &[("rows", "60000"), ("tables", "2")],
                )
            };
            let (forth, back) = (sized(), sized());
            assert_eq!(forth.parts(1), 3);
            let order = |table| (0..3).map(move |number| (table, number));
            let of = |from: &dyn Population, at: (u32, u32)| (at, part(from, at.0, at.1));
            let mut rising: Vec<_> = (0..2).flat_map(order).map(|at| of(&*forth, at)).collect();
            let units: Vec<_> = (0..2).flat_map(order).collect();
            let falling: Vec<_> = units.into_iter().rev().map(|at| of(&*back, at)).collect();
            rising.reverse();
            assert!(rising == falling, "{kind:?}");
            let rows: Vec<u64> = rising.iter().map(|(_, (_, sums))| sums[0]).collect();
            assert_eq!(rows, [10_000, 25_000, 25_000, 10_000, 25_000, 25_000]);
        }
    }

    #[test]
    fn the_condition_of_a_part_holds_for_its_ids() {
        let made = made(
            "oltp_read_write",
            RandomKind::Dbdyno,
            1,
            &[("rows", "60000")],
        );
        for (number, expected) in [
            (0, "id BETWEEN 1 AND 25000"),
            (2, "id BETWEEN 50001 AND 60000"),
        ] {
            assert_eq!(made.part_condition(3, number).unwrap(), expected);
            let (first, last) = expected[11..].split_once(" AND ").unwrap();
            let (rows, _) = part(&*made, 3, number);
            let rows = String::from_utf8(rows).unwrap();
            assert!(rows.starts_with(&format!("({first}, ")));
            let last_row = rows.trim_end_matches("),").rsplit("),(").next().unwrap();
            assert!(last_row.starts_with(&format!("{last}, ")), "{last_row}");
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
        let more = [("rows", "26000")];
        let given = made("oltp_read_write", RandomKind::Sysbench, 1, &more);
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
