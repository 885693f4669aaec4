//! Names functions of a program or library by its symbol tables.

use object::{
    Object, ObjectSegment, ObjectSymbol, ReadCache, ReadRef, SymbolKind, read::elf::ElfFile64,
};
use std::fs::File;

/// A stretch of a file that is loaded, and where.
#[derive(Debug, Clone, Copy)]
struct Segment {
    offset: u64,
    bytes: u64,
    address: u64,
}

/// Functions of one file, by address.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    segments: Vec<Segment>,
    /// First address, bytes, name as the linker knows it.
    functions: Vec<(u64, u64, String)>,
    /// The linker's mark of this build; empty where there is none.
    pub(crate) build_id: String,
}

impl Symbols {
    /// Reads the tables of a file. Nothing where the file is gone or is no ELF file of 64 bits: its functions then have
    /// no names.
    pub(crate) fn read(path: &str) -> Self {
        let Ok(file) = File::open(path) else {
            return Self::default();
        };
        Self::parse(&ReadCache::new(file)).unwrap_or_default()
    }

    fn parse<'data, R: ReadRef<'data>>(data: R) -> Option<Self> {
        let file: ElfFile64<'data, object::Endianness, R> = ElfFile64::parse(data).ok()?;
        let segments = file.segments().map(|segment| {
            let (offset, bytes) = segment.file_range();
            Segment {
                offset,
                bytes,
                address: segment.address(),
            }
        });
        let symbols = file.dynamic_symbols().chain(file.symbols());
        let named = symbols.filter(|symbol| {
            symbol.is_definition()
                && matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown)
        });
        let mut functions: Vec<_> = named
            .filter_map(|symbol| {
                Some((
                    symbol.address(),
                    symbol.size(),
                    symbol.name().ok()?.to_owned(),
                ))
            })
            .collect();
        functions.sort_unstable();
        functions.dedup_by_key(|function| function.0);
        let build_id = file.build_id().ok().flatten().unwrap_or_default();
        Some(Self {
            segments: segments.collect(),
            functions,
            build_id: build_id.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// Returns the address within the file's own numbering of what stands at an offset of the file.
    pub(crate) fn address_of(&self, offset: u64) -> Option<u64> {
        let holds =
            |segment: &&Segment| (segment.offset..segment.offset + segment.bytes).contains(&offset);
        let segment = self.segments.iter().find(holds)?;
        Some(offset - segment.offset + segment.address)
    }

    /// Returns the function that holds an address.
    pub(crate) fn name(&self, address: u64) -> Option<&str> {
        let after = self
            .functions
            .partition_point(|(start, ..)| *start <= address);
        let (start, bytes, name) = self.functions.get(after.checked_sub(1)?)?;
        (address < start + bytes).then_some(name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_map::MemoryMap;

    #[test]
    fn a_function_of_the_c_library_is_named() {
        let address = libc::getpid as *const () as u64;
        let map = MemoryMap::of(std::process::id());
        let range = map.range(address).unwrap();
        let symbols = Symbols::read(&map.files[range.file]);
        let within = symbols
            .address_of(address - range.start + range.offset)
            .unwrap();
        let name = symbols.name(within).unwrap();
        assert!(name.ends_with("getpid"), "{name}");
        assert!(!symbols.build_id.is_empty());
    }

    #[test]
    fn a_file_that_is_no_program_has_no_names() {
        let symbols = Symbols::read("/proc/self/status");
        assert_eq!((symbols.name(0), symbols.build_id.as_str()), (None, ""));
    }
}
