//! Writes the rows of the three tables as statements. Every row is a function of the seed and its key alone.

use super::graph::Graph;
use super::motif::{LINK, Motif, NODE};
use super::text_template::TextTemplate;
use super::{CLOCK_START_MS, schema};
use crate::RowSource;
use dbdyno_chance::{RandomSource, Stream};
use std::ops::Range;
use std::sync::Arc;

/// Links of one node and type are drawn from one stream up to so many, so that no part of the table is a long one.
pub(super) const BLOCK_LINKS: u64 = 8192;

/// Holds what all parts share.
#[derive(Debug)]
pub(super) struct GraphContext {
    pub(super) graph: Graph,
    pub(super) source: RandomSource,
    pub(super) batch_rows: u64,
    link_data: Motif,
    node_data: Motif,
}

impl GraphContext {
    pub(super) fn new(graph: Graph, source: RandomSource, batch_rows: u64) -> Self {
        let motif = |look, name| Motif::new(look, &mut source.keyed(name, 0));
        Self {
            graph,
            source,
            batch_rows,
            link_data: motif(LINK, "linkbench/motif/link"),
            node_data: motif(NODE, "linkbench/motif/node"),
        }
    }

    /// Makes a block's own stream.
    fn of_block(&self, purpose: &str, block: &LinkBlock) -> Stream {
        let number = block.from / BLOCK_LINKS * self.graph.types() + block.type_number;
        self.source.keyed(purpose, (number << 37) | block.id1)
    }

    fn times(&self, block: &LinkBlock) -> Stream {
        self.of_block("linkbench/times", block)
    }

    /// Returns the blocks of one node and type.
    pub(super) fn blocks(
        &self,
        id1: u64,
        type_number: u64,
    ) -> impl Iterator<Item = LinkBlock> + use<> {
        let links = self.graph.links(id1, type_number);
        let block = move |from: u64| LinkBlock {
            id1,
            type_number,
            from,
            to: links.min(from + BLOCK_LINKS),
        };
        (0..links).step_by(BLOCK_LINKS as usize).map(block)
    }

    /// Draws the time of the next link: up to 2^32 ms, some 50 days, before the load.
    fn draw_time(times: &mut Stream) -> u64 {
        CLOCK_START_MS - 1 - (times.next_u64() >> 32)
    }
}

/// Links of one node and type that lie side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkBlock {
    id1: u64,
    type_number: u64,
    from: u64,
    to: u64,
}

/// Rows one by one.
pub(super) trait RowSequence: Send {
    /// Appends the next row and adds it to the sums, or says that there is none.
    fn put_next(&mut self, out: &mut Vec<u8>, sums: &mut [u64]) -> bool;
}

/// Rows in batches, each a statement.
pub(super) struct Batches<R> {
    rows: R,
    frame: &'static InsertFrame,
    batch_rows: u64,
    sums: Vec<u64>,
}

/// Holds what stands before and after the rows of a statement, and how many sums are kept of them.
pub(super) struct InsertFrame {
    before: &'static str,
    after: &'static str,
    sums: usize,
}

impl<R: RowSequence> Batches<R> {
    pub(super) fn new(rows: R, frame: &'static InsertFrame, batch_rows: u64) -> Self {
        Self {
            rows,
            frame,
            batch_rows,
            sums: vec![0; frame.sums],
        }
    }
}

impl<R: RowSequence> RowSource for Batches<R> {
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64 {
        statement.clear();
        statement.extend_from_slice(self.frame.before.as_bytes());
        let mut count = 0;
        while count < self.batch_rows && self.rows.put_next(statement, &mut self.sums) {
            statement.push(b',');
            count += 1;
        }
        statement.pop(); // the comma after the last row
        statement.extend_from_slice(self.frame.after.as_bytes());
        self.sums[0] += count;
        count
    }

    fn sums(&self) -> Vec<u64> {
        self.sums.clone()
    }
}

/// Nodes in rising order of their ids.
pub(super) struct NodeRows {
    context: Arc<GraphContext>,
    ids: Range<u64>,
    row: TextTemplate,
    data: Vec<u8>,
}

/// Ids are given, where the tool leaves them to AUTO_INCREMENT: so parts can be filled side by side.
pub(super) const NODE_FRAME: InsertFrame = InsertFrame {
    before: "INSERT INTO nodetable (id, type, version, time, data) VALUES ",
    after: "",
    sums: schema::NODE_CHECKS.len(),
};

impl NodeRows {
    pub(super) fn new(context: Arc<GraphContext>, ids: Range<u64>) -> Self {
        let row = TextTemplate::new("(?,2048,1,?,?)");
        Self {
            context,
            ids,
            row,
            data: Vec::new(),
        }
    }
}

impl RowSequence for NodeRows {
    fn put_next(&mut self, out: &mut Vec<u8>, sums: &mut [u64]) -> bool {
        let Some(id) = self.ids.next() else {
            return false;
        };
        let mut stream = self.context.source.keyed("linkbench/node", id);
        self.context.node_data.draw(&mut stream, &mut self.data);
        self.row
            .begin(out)
            .int(id)
            .int(CLOCK_START_MS / 1000)
            .bytes(&self.data);
        sums[1] += id;
        sums[2] += u64::from(crc32fast::hash(&self.data));
        true
    }
}

/// Links, block by block.
pub(super) struct LinkRows<B> {
    context: Arc<GraphContext>,
    blocks: B,
    /// The block under way, with the streams of its data and times.
    under_way: Option<(LinkBlock, Stream, Stream)>,
    row: TextTemplate,
    data: Vec<u8>,
}

pub(super) const LINK_FRAME: InsertFrame = InsertFrame {
    before: "INSERT INTO linktable(id1, id2, link_type, visibility, data, time, version) VALUES ",
    after: " ON DUPLICATE KEY UPDATE visibility = VALUES(visibility)",
    sums: schema::LINK_CHECKS.len(),
};

impl<B: Iterator<Item = LinkBlock> + Send> LinkRows<B> {
    pub(super) fn new(context: Arc<GraphContext>, blocks: B) -> Self {
        Self {
            context,
            blocks,
            under_way: None,
            row: TextTemplate::new("(?, ?, ?, 1, ?, ?, 0)"),
            data: Vec::new(),
        }
    }

    /// Finds whether there is a link to come; then its block is under way.
    fn find_next(&mut self) -> bool {
        let has_more = |(block, ..): &(LinkBlock, _, _)| block.from < block.to;
        if !self.under_way.as_ref().is_some_and(has_more) {
            self.under_way = self.blocks.next().map(|block| {
                let data = self.context.of_block("linkbench/links", &block);
                (block, data, self.context.times(&block))
            });
        }
        self.under_way.is_some()
    }
}

impl<B: Iterator<Item = LinkBlock> + Send> RowSequence for LinkRows<B> {
    fn put_next(&mut self, out: &mut Vec<u8>, sums: &mut [u64]) -> bool {
        if !self.find_next() {
            return false;
        }
        let Some((block, data, times)) = &mut self.under_way else {
            return false;
        };
        let (id1, id2) = (block.id1, block.id1 + block.from);
        block.from += 1;
        self.context.link_data.draw(data, &mut self.data);
        let time = GraphContext::draw_time(times);
        let link_type = self.context.graph.type_name(block.type_number);
        let row = self.row.begin(out).int(id1).int(id2).int(link_type);
        row.bytes(&self.data).int(time);
        sums[1] += id1;
        sums[2] += id2;
        sums[3] += u64::from(crc32fast::hash(&self.data));
        sums[4] += time & schema::TIME_MASK;
        true
    }
}

/// Counts, of the pairs of a node and a type that have links.
pub(super) struct CountRows {
    context: Arc<GraphContext>,
    ids: Range<u64>,
    /// The next type of the first id.
    type_number: u64,
    row: TextTemplate,
}

pub(super) const COUNT_FRAME: InsertFrame = InsertFrame {
    before: "REPLACE INTO counttable(id, link_type, count, time, version) VALUES ",
    after: "",
    sums: schema::COUNT_CHECKS.len(),
};

impl CountRows {
    pub(super) fn new(context: Arc<GraphContext>, ids: Range<u64>) -> Self {
        let row = TextTemplate::new("(?, ?, ?, ?, 0)");
        Self {
            context,
            ids,
            type_number: 0,
            row,
        }
    }

    /// Finds the next node, type and count of links that isn't 0.
    fn find_next(&mut self) -> Option<(u64, u64, u64)> {
        while !self.ids.is_empty() {
            let (id1, type_number) = (self.ids.start, self.type_number);
            self.type_number += 1;
            if self.type_number == self.context.graph.types() {
                self.type_number = 0;
                self.ids.start += 1;
            }
            let links = self.context.graph.links(id1, type_number);
            if links > 0 {
                return Some((id1, type_number, links));
            }
        }
        None
    }

    /// Returns the time of the latest of the links.
    fn latest(&self, id1: u64, type_number: u64) -> u64 {
        let of_block = |block: LinkBlock| {
            let mut times = self.context.times(&block);
            (block.from..block.to)
                .map(|_| GraphContext::draw_time(&mut times))
                .max()
        };
        let blocks = self.context.blocks(id1, type_number);
        blocks.filter_map(of_block).max().unwrap_or_default()
    }
}

impl RowSequence for CountRows {
    fn put_next(&mut self, out: &mut Vec<u8>, sums: &mut [u64]) -> bool {
        let Some((id1, type_number, links)) = self.find_next() else {
            return false;
        };
        let time = self.latest(id1, type_number);
        let row = self.row.begin(out).int(id1);
        row.int(self.context.graph.type_name(type_number))
            .int(links)
            .int(time);
        sums[1] += id1;
        sums[2] += links;
        sums[3] += time & schema::TIME_MASK;
        true
    }
}
