//! Applies New-Order's rule to a row of stock.

use crate::transaction_script::ScriptContext;

/// Computes what the three tools leave in stock: no margin, so it can fall to one.
pub(crate) fn tool_rule(in_stock: u32, ordered: u32) -> u32 {
    if in_stock > ordered {
        in_stock - ordered
    } else {
        in_stock + 91 - ordered
    }
}

/// Computes what clause 2.4.2.2 leaves in stock.
pub(crate) fn standard_rule(in_stock: u32, ordered: u32) -> u32 {
    if in_stock >= ordered + 10 {
        in_stock - ordered
    } else {
        in_stock + 91 - ordered
    }
}

/// The text of one district, 24 characters, kept while other statements are asked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DistInfo {
    text: [u8; 24],
    length: usize,
}

impl DistInfo {
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..self.length]
    }
}

/// Returns the one that the first row has in a column; empty where there is none.
pub(crate) fn dist_info(context: &ScriptContext, column: usize) -> DistInfo {
    let found = context.rows.text(0, column).unwrap_or_default();
    let length = found.len().min(24);
    let mut text = [0; 24];
    text[..length].copy_from_slice(&found[..length]);
    DistInfo { text, length }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;

    #[test]
    fn stock_is_what_the_vectors_say() {
        let file = vectors("tpcc.json");
        let number = |row: &serde_json::Value, name: &str| row[name].as_u64().unwrap() as u32;
        for row in file["stock_update"].as_array().unwrap() {
            let (in_stock, ordered) = (number(row, "s_quantity"), number(row, "ol_quantity"));
            assert_eq!(standard_rule(in_stock, ordered), number(row, "standard"));
            let tools = number(row, "tpcc_mysql_sysbench_hammerdb");
            assert_eq!(tool_rule(in_stock, ordered), tools);
        }
    }
}
