//! Draws how many links a node has: most have none or one, a few have very many.

use std::path::Path;

/// Shares of nodes by their count of links, in rising order of the counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinkCountDistribution {
    counts: Vec<u64>,
    /// Share of the nodes with at most as many links.
    shares: Vec<f64>,
    /// CRC-32 of the file that it was read from; `None`: it is dbdyno's own.
    file_sum: Option<u32>,
}

/// The section of the tool's distribution file that holds the law.
const SECTION: &str = "nlinks";

impl LinkCountDistribution {
    /// Reads the law from the file that the tool ships, `Distribution.dat`: after the section's name, a count and the
    /// percentage of nodes with at most so many links a line.
    pub(super) fn read(path: &str) -> Result<Self, String> {
        let text = dbdyno_input::read_text(Path::new(path)).map_err(|error| error.to_string())?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut law = Self {
            counts: Vec::new(),
            shares: Vec::new(),
            file_sum: Some(crc32fast::hash(text.as_bytes())),
        };
        let section = text
            .lines()
            .skip_while(|line| line.trim() != SECTION)
            .skip(1);
        let is_point = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
        for line in section.take_while(is_point) {
            let (count, percent) = point(line).ok_or_else(|| format!("{line:?} is not a point"))?;
            law.counts.push(count);
            law.shares.push(percent / 100.0);
        }
        let rises = law.counts.is_sorted_by(|a, b| a < b) && law.shares.is_sorted();
        match law.shares.last() {
            None => Err(format!("it has no section {SECTION}")),
            Some(&last) if rises && last == 1.0 => Ok(law),
            Some(_) => Err(format!("section {SECTION} doesn't rise to 100 percent")),
        }
    }

    /// Creates the law made of points of a curve; see [`crate::linkbench::curve`].
    pub(super) fn of(points: impl Iterator<Item = (u64, f64)>) -> Self {
        let (counts, shares) = points.unzip();
        Self {
            counts,
            shares,
            file_sum: None,
        }
    }

    /// Returns the CRC-32 of the file that it was read from; `None`: it is dbdyno's own.
    pub(super) fn file_sum(&self) -> Option<u32> {
        self.file_sum
    }

    /// Returns the count of links at a place among all nodes, from 0 (fewest) to 1 (most).
    pub(super) fn at(&self, place: f64) -> u64 {
        let found = self.shares.partition_point(|&share| share < place);
        self.counts[found.min(self.counts.len() - 1)]
    }
}

fn point(line: &str) -> Option<(u64, f64)> {
    let (count, percent) = line.split_once(char::is_whitespace)?;
    Some((count.parse().ok()?, percent.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::LinkCountDistribution;

    #[test]
    fn a_file_of_the_tools_form_is_read_up_to_the_next_section() {
        let law =
            LinkCountDistribution::parse("nlinks\n0 50\n3 90.5\n10 100\nlink_nreads\n0 100\n")
                .unwrap();
        let found: Vec<u64> = [0.0, 0.5, 0.51, 0.905, 0.906, 1.0]
            .map(|u| law.at(u))
            .to_vec();
        assert_eq!(found, [0, 0, 3, 3, 10, 10]);
    }

    #[test]
    fn a_file_of_another_form_is_refused_with_the_reason() {
        let refused = |text| LinkCountDistribution::parse(text).unwrap_err();
        assert!(refused("other\n0 100\n").contains("no section"));
        assert!(refused("nlinks\n0 50\n1 x\n").contains("\"1 x\""));
        assert!(refused("nlinks\n0 50\n1 40\n").contains("rise"));
        assert!(refused("nlinks\n0 50\n1 99\n").contains("rise"));
        assert!(LinkCountDistribution::read("/nowhere/Distribution.dat").is_err());
    }
}
