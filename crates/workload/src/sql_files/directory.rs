//! Reads the files of a workload, and finds the places in them that errors name.

use super::form::Form;
use crate::WorkloadError;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The file that says what the others are.
const FORM: &str = "workload.toml";

/// The file that is run before rows come, after them, and the one that takes away what was made: each may be absent.
pub(super) const SETUP: &str = "setup.sql";
pub(super) const FINISH: &str = "finish.sql";
pub(super) const CLEANUP: &str = "cleanup.sql";

/// A file and what it holds.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// As errors name it.
    pub(super) path: String,
    /// Its name in the directory.
    pub(super) name: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Makes an error at a line, from 1.
    pub(super) fn wrong(&self, line: usize, what: impl Into<String>) -> WorkloadError {
        WorkloadError::InFile {
            file: self.path.clone(),
            line,
            what: what.into(),
        }
    }

    /// Makes an error at a place.
    pub(super) fn wrong_at(&self, span: Range<usize>, what: impl Into<String>) -> WorkloadError {
        self.wrong(self.line_of(span.start), what)
    }

    /// Returns the line of a byte, from 1.
    pub(super) fn line_of(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// The directory of a workload.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// `workload.toml`.
    pub(super) form_file: SourceFile,
    pub(super) form: Form,
}

impl Directory {
    /// Reads `workload.toml`.
    pub(super) fn open(path: &str) -> Result<Self, WorkloadError> {
        let path = PathBuf::from(path);
        let form_file = read(&path, FORM).map_err(|why| WorkloadError::Unreadable {
            file: path.join(FORM).display().to_string(),
            why: format!("{why}; sql:DIRECTORY names a directory that holds a {FORM}"),
        })?;
        let form = toml::from_str(&form_file.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            form_file.wrong(form_file.line_of(at), error.message())
        })?;
        Ok(Self {
            path,
            form_file,
            form,
        })
    }

    /// Reads a file that `workload.toml` names at a place.
    pub(super) fn file(
        &self,
        name: &str,
        named_at: Range<usize>,
    ) -> Result<SourceFile, WorkloadError> {
        read(&self.path, name).map_err(|why| {
            let path = self.path.join(name);
            let what = format!("{} can't be read: {why}", path.display());
            self.form_file.wrong_at(named_at, what)
        })
    }

    /// Returns the files with fixed names, as far as they exist.
    pub(super) fn own_files(&self) -> Result<Vec<SourceFile>, WorkloadError> {
        let mut files = vec![self.form_file.clone()];
        for name in [SETUP, FINISH, CLEANUP] {
            files.extend(self.optional_file(name)?);
        }
        Ok(files)
    }

    /// Reads a file that may be absent.
    pub(super) fn optional_file(&self, name: &str) -> Result<Option<SourceFile>, WorkloadError> {
        if !self.path.join(name).exists() {
            return Ok(None);
        }
        let read = read(&self.path, name).map_err(|why| WorkloadError::Unreadable {
            file: self.path.join(name).display().to_string(),
            why,
        });
        read.map(Some)
    }
}

fn read(directory: &Path, name: &str) -> Result<SourceFile, String> {
    let path = directory.join(name);
    let text = dbdyno_input::read_text(&path).map_err(|error| error.to_string())?;
    Ok(SourceFile {
        path: path.display().to_string(),
        name: name.to_owned(),
        text,
    })
}
