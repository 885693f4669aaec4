//! Fills the dataset: nodes, links and counts, in parts that can be filled in parallel.

use super::options::LinkBenchOptions;
use super::rows::{
    Batches, COUNT_FRAME, CountRows, GraphContext, InsertFrame, LINK_FRAME, LinkBlock, LinkRows,
    NODE_FRAME, NodeRows, RowSequence,
};
use super::{conditions, schema};
use crate::{Check, Compression, Condition, Population, RowSource};
use std::ops::Range;
use std::sync::Arc;

/// Ids a part. Nodes have so few links, but for a few, that a part is soon done; the one node that may have nearly all
/// is apart, each of its blocks a part.
const PART_IDS: u64 = 8192;

const NODES: u32 = 0;
const LINKS: u32 = 1;
const COUNTS: u32 = 2;

/// The graph as rows.
#[derive(Debug)]
pub(super) struct LinkBenchPopulation {
    options: LinkBenchOptions,
    context: Arc<GraphContext>,
    rows_total: u64,
}

impl LinkBenchPopulation {
    pub(super) fn new(options: LinkBenchOptions, context: GraphContext) -> Self {
        let graph = &context.graph;
        Self {
            rows_total: graph.count() + graph.links_total() + graph.linked_pairs(),
            options,
            context: Arc::new(context),
        }
    }

    fn id_parts(&self) -> u32 {
        self.context.graph.count().div_ceil(PART_IDS) as u32
    }

    fn ids(&self, part: u32) -> Range<u64> {
        let graph = &self.context.graph;
        let first = graph.start() + u64::from(part) * PART_IDS;
        let end = graph.start() + graph.count();
        first..end.min(first + PART_IDS)
    }

    /// Returns the blocks of the node with the most links, type by type.
    fn hub_blocks(&self) -> impl Iterator<Item = LinkBlock> {
        let (context, hub) = (&self.context, self.context.graph.hub());
        (0..context.graph.types()).flat_map(move |number| context.blocks(hub, number))
    }

    fn link_blocks(&self, part: u32) -> Box<dyn Iterator<Item = LinkBlock> + Send> {
        if part >= self.id_parts() {
            let block = self.hub_blocks().nth((part - self.id_parts()) as usize);
            return Box::new(block.into_iter());
        }
        let (context, hub) = (Arc::clone(&self.context), self.context.graph.hub());
        let types = context.graph.types();
        let ids = self.ids(part).filter(move |&id1| id1 != hub);
        let pairs = ids.flat_map(move |id1| (0..types).map(move |number| (id1, number)));
        Box::new(pairs.flat_map(move |(id1, number)| context.blocks(id1, number)))
    }

    fn batches<R: RowSequence + 'static>(
        &self,
        rows: R,
        frame: &'static InsertFrame,
    ) -> Box<dyn RowSource> {
        Box::new(Batches::new(rows, frame, self.context.batch_rows))
    }
}

impl Population for LinkBenchPopulation {
    fn tables(&self) -> u32 {
        3
    }

    fn table_name(&self, table: u32) -> String {
        let name = match table {
            NODES => schema::NODES,
            LINKS => schema::LINKS,
            _ => schema::COUNTS,
        };
        name.to_owned()
    }

    fn rows_total(&self) -> u64 {
        self.rows_total
    }

    fn session_statements(&self) -> Vec<String> {
        match self.options.mysql_disable_binlog_load {
            true => vec!["SET SESSION sql_log_bin=0".to_owned()],
            false => Vec::new(),
        }
    }

    fn before_rows(&self, table: u32) -> Vec<String> {
        let create = match table {
            NODES => schema::create_nodes,
            LINKS => schema::create_links,
            _ => schema::create_counts,
        };
        vec![create(&self.options)]
    }

    fn parts(&self, table: u32) -> u32 {
        match table {
            LINKS => self.id_parts() + self.hub_blocks().count() as u32,
            _ => self.id_parts(),
        }
    }

    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource> {
        let context = Arc::clone(&self.context);
        match table {
            NODES => self.batches(NodeRows::new(context, self.ids(part)), &NODE_FRAME),
            LINKS => self.batches(LinkRows::new(context, self.link_blocks(part)), &LINK_FRAME),
            COUNTS => self.batches(CountRows::new(context, self.ids(part)), &COUNT_FRAME),
            _ => self.batches(CountRows::new(context, 0..0), &COUNT_FRAME),
        }
    }

    fn after_rows(&self, table: u32) -> Vec<String> {
        match table {
            LINKS if self.options.index_after_load => vec![schema::add_key()],
            _ => Vec::new(),
        }
    }

    fn drop_table(&self, table: u32) -> Vec<String> {
        vec![format!("DROP TABLE IF EXISTS {}", self.table_name(table))]
    }

    fn checks(&self, table: u32) -> &'static [Check] {
        match table {
            NODES => &schema::NODE_CHECKS,
            LINKS => &schema::LINK_CHECKS,
            _ => &schema::COUNT_CHECKS,
        }
    }

    fn compression(&self) -> Option<Compression> {
        schema::compression_of(&self.options)
    }

    fn conditions(&self) -> Vec<Condition> {
        conditions::conditions(&self.options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkbench::rows::BLOCK_LINKS;
    use crate::population;
    use dbdyno_chance::{RandomKind, RandomSource};
    use std::collections::HashMap;

    /// Returns a graph without the node that has nearly all links, unless asked for.
    fn make_population(seed: u64, more: &[(&str, &str)]) -> Arc<dyn Population> {
        let given = [("maxid1", "3001"), ("fidelity", "fixed")]
            .iter()
            .chain(more);
        let given: Vec<_> = given.map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        let kind = RandomKind::Dbdyno;
        population("linkbench", &given, RandomSource { kind, seed }).unwrap()
    }

    /// Returns the values of all rows of a table, and its sums.
    fn content(population: &dyn Population, table: u32) -> (Vec<Vec<String>>, Vec<u64>) {
        let (mut all, mut statement) = (Vec::new(), Vec::new());
        let mut sums = vec![0; population.checks(table).len()];
        for part in 0..population.parts(table) {
            let mut rows = population.rows(table, part);
            loop {
                let count = rows.next_statement(&mut statement);
                if count == 0 {
                    break;
                }
                let text = String::from_utf8(statement.clone()).unwrap();
                let (_, values) = text.split_once("VALUES (").unwrap();
                let values = values
                    .split(") ON DUP")
                    .next()
                    .unwrap()
                    .trim_end_matches(')');
                let before = all.len();
                let row = |row: &str| row.split(',').map(|v| v.trim().to_owned()).collect();
                all.extend(values.split("),(").map(row));
                assert_eq!((all.len() - before) as u64, count);
            }
            sums.iter_mut()
                .zip(rows.sums())
                .for_each(|(sum, more)| *sum += more);
        }
        (all, sums)
    }

    #[test]
    fn counts_are_those_of_the_links_and_their_times_the_latest() {
        let made = make_population(1, &[]);
        let ((links, link_sums), (counts, count_sums)) =
            (content(&*made, LINKS), content(&*made, COUNTS));
        let mut expected: HashMap<(String, String), (u64, u64)> = HashMap::new();
        for link in &links {
            let (count, latest) = expected
                .entry((link[0].clone(), link[2].clone()))
                .or_default();
            *count += 1;
            *latest = (*latest).max(link[5].parse().unwrap());
        }
        assert_eq!(counts.len(), expected.len());
        for row in &counts {
            let (count, latest) = expected[&(row[0].clone(), row[1].clone())];
            assert_eq!(
                (row[2].clone(), row[3].clone()),
                (count.to_string(), latest.to_string())
            );
        }
        assert_eq!(count_sums[2], links.len() as u64);
        let node_rows = content(&*made, NODES).1[0];
        assert_eq!(node_rows, 3000);
        assert_eq!(made.rows_total(), node_rows + link_sums[0] + count_sums[0]);
    }

    #[test]
    fn no_link_comes_twice_and_the_rows_depend_on_the_seed_alone() {
        let links = content(&*make_population(1, &[]), LINKS);
        let mut keys: Vec<_> = links
            .0
            .iter()
            .map(|row| (&row[2], &row[0], &row[1]))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), links.0.len());
        let same = content(
            &*make_population(1, &[("mysql_bulk_insert_batch", "77")]),
            LINKS,
        );
        assert!(same == links, "the size of a batch changed rows");
        assert_ne!(content(&*make_population(2, &[]), LINKS).1, links.1);
    }

    #[test]
    fn the_node_with_nearly_all_links_is_spread_over_many_parts() {
        let made = make_population(1, &[("fidelity", "tool")]);
        let parts = made.parts(LINKS);
        assert_eq!(parts, 1 + 2 * 480_982_u64.div_ceil(BLOCK_LINKS) as u32);
        for (part, links) in [(1, BLOCK_LINKS), (parts - 1, 480_982 % BLOCK_LINKS)] {
            let (mut rows, mut statement) = (made.rows(LINKS, part), Vec::new());
            while rows.next_statement(&mut statement) > 0 {}
            assert_eq!(rows.sums()[0], links);
        }
        let mut others = made.rows(LINKS, 0);
        let mut statement = Vec::new();
        while others.next_statement(&mut statement) > 0 {}
        assert!(others.sums()[0] < 20_000, "{}", others.sums()[0]);
    }

    #[test]
    fn the_key_comes_after_the_rows_where_asked_for() {
        assert!(make_population(1, &[]).after_rows(LINKS).is_empty());
        let after = make_population(1, &[("index_after_load", "on")]).after_rows(LINKS);
        assert_eq!(after.len(), 1);
    }

    #[test]
    fn the_rows_stay_what_they_are() {
        // A snapshot of an earlier release must still match the order.
        let made = make_population(1, &[]);
        let crc: Vec<u64> = (0..2)
            .map(|table| content(&*made, table).1[2 + table as usize])
            .collect();
        assert_eq!(crc, [6_392_856_748_793, 20_130_237_448_353]);
    }
}
