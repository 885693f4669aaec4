//! Copies a folder with owners, modes, times, links and holes; blocks are shared where the file system can.
//!
//! Extended attributes are not kept.

use crate::refusal::{AtPath, Refusal};
use rustix::fs::{SeekFrom, copy_file_range, ioctl_ficlone, seek};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, FileTimes, Metadata, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

/// Copies a folder; returns `reflink` if all files share their blocks, else `copy`. A failed copy leaves nothing.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<&'static str, Refusal> {
    if to.symlink_metadata().is_ok() {
        return Err(Refusal::new(
            "exists",
            to.to_string_lossy(),
            "it already exists",
        ));
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).at(parent)?;
    }
    let mut copy = Copy {
        shares_blocks: true,
        links: HashMap::new(),
    };
    copy.entry(from, to).inspect_err(|_| {
        let _ = fs::remove_dir_all(to);
    })?;
    Ok(if copy.shares_blocks {
        "reflink"
    } else {
        "copy"
    })
}

struct Copy {
    shares_blocks: bool,
    /// Copies of files that have several names.
    links: HashMap<(u64, u64), PathBuf>,
}

impl Copy {
    fn entry(&mut self, from: &Path, to: &Path) -> Result<(), Refusal> {
        let facts = fs::symlink_metadata(from).at(from)?;
        if facts.is_symlink() {
            symlink(fs::read_link(from).at(from)?, to).at(to)?;
            return keep_owner(to, &facts);
        }
        if facts.is_dir() {
            return self.folder(from, to, &facts);
        }
        if !facts.is_file() {
            return Ok(()); // sockets and pipes belong to a process, not to the data
        }
        if facts.nlink() > 1 {
            let name = (facts.dev(), facts.ino());
            if let Some(copied) = self.links.get(&name) {
                return fs::hard_link(copied, to).at(to);
            }
            self.links.insert(name, to.to_owned());
        }
        self.file(from, to, &facts)
    }

    fn folder(&mut self, from: &Path, to: &Path, facts: &Metadata) -> Result<(), Refusal> {
        DirBuilder::new().mode(0o700).create(to).at(to)?;
        for entry in fs::read_dir(from).at(from)? {
            let name = entry.at(from)?.file_name();
            self.entry(&from.join(&name), &to.join(&name))?;
        }
        keep_owner(to, facts)?;
        fs::set_permissions(to, facts.permissions()).at(to)?;
        File::open(to)
            .and_then(|folder| folder.set_times(times(facts)?))
            .at(to)
    }

    fn file(&mut self, from: &Path, to: &Path, facts: &Metadata) -> Result<(), Refusal> {
        let source = File::open(from).at(from)?;
        let copy = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(to)
            .at(to)?;
        if facts.len() > 0 && !(self.shares_blocks && ioctl_ficlone(&copy, &source).is_ok()) {
            self.shares_blocks = false;
            copy_data(&source, &copy, facts.len()).at(to)?;
        }
        keep_owner(to, facts)?;
        copy.set_permissions(facts.permissions()).at(to)?;
        times(facts).and_then(|times| copy.set_times(times)).at(to)
    }
}

/// Copies data and leaves holes out.
fn copy_data(from: &File, to: &File, length: u64) -> Result<(), Errno> {
    rustix::fs::ftruncate(to, length)?;
    let mut at = 0;
    while at < length {
        let begin = match seek(from, SeekFrom::Data(at)) {
            Ok(begin) => begin,
            Err(Errno::NXIO) => break, // a hole up to the end
            Err(Errno::INVAL) => at,   // a file system that does not report holes
            Err(error) => return Err(error),
        };
        let end = seek(from, SeekFrom::Hole(begin)).unwrap_or(length);
        copy_range(from, to, begin, end)?;
        at = end;
    }
    Ok(())
}

fn copy_range(from: &File, to: &File, begin: u64, end: u64) -> Result<(), Errno> {
    let (mut read_at, mut write_at) = (begin, begin);
    while read_at < end {
        let left = usize::try_from(end - read_at).unwrap_or(usize::MAX);
        match copy_file_range(
            from,
            Some(&mut read_at),
            to,
            Some(&mut write_at),
            left.min(1 << 30),
        ) {
            Ok(0) => break, // it was cut meanwhile
            Ok(_) | Err(Errno::INTR) => {}
            Err(Errno::XDEV | Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => {
                return copy_by_hand(from, to, read_at, end);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Copies on kernels and file systems that do not copy by themselves.
fn copy_by_hand(from: &File, to: &File, begin: u64, end: u64) -> Result<(), Errno> {
    use std::os::unix::fs::FileExt;
    let errno = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let mut block = vec![0; 1 << 20];
    let mut at = begin;
    while at < end {
        let most = block
            .len()
            .min(usize::try_from(end - at).unwrap_or(usize::MAX));
        let count = from.read_at(&mut block[..most], at).map_err(errno)?;
        if count == 0 {
            break;
        }
        to.write_all_at(&block[..count], at).map_err(errno)?;
        at += count as u64;
    }
    Ok(())
}

fn times(facts: &Metadata) -> std::io::Result<FileTimes> {
    Ok(FileTimes::new()
        .set_accessed(facts.accessed()?)
        .set_modified(facts.modified()?))
}

/// Keeps the owner if run as root; other users own their copies.
fn keep_owner(path: &Path, facts: &Metadata) -> Result<(), Refusal> {
    if rustix::process::geteuid().is_root() {
        lchown(path, Some(facts.uid()), Some(facts.gid())).at(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{FileExt, PermissionsExt};

    #[test]
    fn a_copy_has_the_modes_times_links_and_holes_of_the_original() {
        let folder = std::env::temp_dir().join(format!("agent-copy-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("deep/to"));
        fs::create_dir_all(from.join("sub")).unwrap();
        let sparse = File::create(from.join("sub/sparse")).unwrap();
        sparse.write_all_at(b"begin", 0).unwrap();
        sparse.write_all_at(b"end", 64 << 20).unwrap();
        fs::write(from.join("empty"), "").unwrap();
        fs::write(from.join("plain"), "x").unwrap();
        fs::set_permissions(from.join("plain"), Permissions::from_mode(0o641)).unwrap();
        fs::hard_link(from.join("plain"), from.join("same")).unwrap();
        symlink("../nowhere", from.join("link")).unwrap();
        fs::set_permissions(from.join("sub"), Permissions::from_mode(0o750)).unwrap();

        let how = copy_tree(&from, &to).unwrap();

        assert!(["reflink", "copy"].contains(&how));
        let (of, is) = (
            fs::metadata(from.join("sub/sparse")).unwrap(),
            fs::metadata(to.join("sub/sparse")).unwrap(),
        );
        assert_eq!((of.len(), of.mtime_nsec()), (is.len(), is.mtime_nsec()));
        assert!(is.blocks() * 512 < 1 << 20, "{} blocks", is.blocks());
        let mut end = [0; 3];
        let copied = File::open(to.join("sub/sparse")).unwrap();
        copied.read_exact_at(&mut end, 64 << 20).unwrap();
        assert_eq!(&end, b"end");
        let mode = |name: &str| fs::metadata(to.join(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("plain"), mode("sub")), (0o641, 0o750));
        let inode = |name: &str| fs::metadata(to.join(name)).unwrap().ino();
        assert_eq!(inode("plain"), inode("same"));
        assert_eq!(
            fs::read_link(to.join("link")).unwrap(),
            Path::new("../nowhere")
        );
        assert_eq!(copy_tree(&from, &to).unwrap_err().code, "exists");
        fs::remove_dir_all(folder).unwrap();
    }
}
