//! Finds which file a code address of a process belongs to.

use std::fs;

/// Ends the path of a file that is no longer there: what has its name now is another one.
pub(crate) const REMOVED: &str = " (deleted)";

/// A stretch of executable memory that a file is mapped to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    /// Index of the file in [`MemoryMap::files`].
    pub(crate) file: usize,
}

/// Executable memory of a process.
#[derive(Debug, Default)]
pub(crate) struct MemoryMap {
    /// By address.
    ranges: Vec<CodeRange>,
    /// Paths as the kernel shows them: with [`REMOVED`] where the file was removed, or replaced by another.
    pub(crate) files: Vec<String>,
}

impl MemoryMap {
    /// Reads the map; empty if it may not be read.
    pub(crate) fn of(pid: u32) -> Self {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let mut map = Self::default();
        for line in text.lines() {
            if let Some((range, file)) = parse_line(line) {
                let known = map.files.iter().position(|name| name == file);
                let file = known.unwrap_or_else(|| {
                    map.files.push(file.to_owned());
                    map.files.len() - 1
                });
                map.ranges.push(CodeRange { file, ..range });
            }
        }
        map.ranges.sort_by_key(|range| range.start);
        map
    }

    /// Returns where the largest stretch begins: the program, whether it was started by itself or through a loader.
    pub(crate) fn largest(&self) -> Option<u64> {
        let largest = self
            .ranges
            .iter()
            .max_by_key(|range| range.end - range.start);
        largest.map(|range| range.start)
    }

    /// Returns the stretch that an address lies in.
    pub(crate) fn range(&self, address: u64) -> Option<&CodeRange> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        (address < range.end).then_some(range)
    }
}

/// Parses `START-END r-xp OFFSET DEVICE INODE PATH`.
fn parse_line(line: &str) -> Option<(CodeRange, &str)> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let is_code = words.next()?.as_bytes().get(2) == Some(&b'x');
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let path = words.nth(2)?.trim_start();
    let range = CodeRange {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        offset,
        file: 0,
    };
    (is_code && path.starts_with('/')).then_some((range, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_their_files() {
        let map = MemoryMap::parse(
            "55d0-55e0 r--p 00000000 fe:00 12 /usr/sbin/mysqld\n\
             55e0-5600 r-xp 00000010 fe:00 12                         /usr/sbin/mysqld\n\
             7f00-7f10 r-xp 00000000 fe:00 13 /lib/libc.so.6\n\
             7f20-7f30 r-xp 00000000 fe:00 14 /lib/libssl.so.3 (deleted)\n\
             7fff-8000 r-xp 00000000 00:00 0 [vdso]\n",
        );
        assert_eq!(
            map.files,
            [
                "/usr/sbin/mysqld",
                "/lib/libc.so.6",
                "/lib/libssl.so.3 (deleted)"
            ]
        );
        let range = map.range(0x55e8).unwrap();
        assert_eq!((range.file, range.offset), (0, 0x10));
        assert_eq!(map.largest(), Some(0x55e0));
        assert_eq!(map.range(0x55d0), None);
        assert_eq!(map.range(0x7f10), None);
        assert_eq!(map.range(0x7fff), None);
    }

    #[test]
    fn this_process_has_code() {
        let map = MemoryMap::of(std::process::id());
        assert!(map.range(MemoryMap::of as *const () as u64).is_some());
    }
}
