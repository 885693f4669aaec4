//! Reads the files of a workload, and finds the places in them that errors name.

use super::form::Form;
use crate::WorkloadError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

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

/// Where the files are.
#[derive(Debug)]
enum Sources {
    Folder(PathBuf),
    /// Texts by name, of a directory on another machine.
    Texts(BTreeMap<String, String>),
}

/// The directory of a workload.
#[derive(Debug)]
pub(super) struct Directory {
    sources: Sources,
    /// `workload.toml`.
    pub(super) form_file: SourceFile,
    pub(super) form: Form,
}

impl Directory {
    /// Reads `workload.toml`.
    pub(super) fn open(path: &str) -> Result<Self, WorkloadError> {
        Self::read_form(Sources::Folder(path.into()))
    }

    /// Takes the files of a directory on another machine, an object of texts in JSON.
    pub(super) fn of_sources(workload: &str, json: &str) -> Result<Self, WorkloadError> {
        let texts = serde_json::from_str(json).map_err(|error| WorkloadError::Unreadable {
            file: workload.to_owned(),
            why: format!("its files did not arrive complete: {error}"),
        })?;
        Self::read_form(Sources::Texts(texts))
    }

    fn read_form(sources: Sources) -> Result<Self, WorkloadError> {
        let form_file = sources
            .read(FORM)
            .map_err(|why| WorkloadError::Unreadable {
                file: sources.path(FORM),
                why: format!("{why}; sql:DIRECTORY names a directory that holds a {FORM}"),
            })?;
        let form = toml::from_str(&form_file.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            form_file.wrong(form_file.line_of(at), error.message())
        })?;
        Ok(Self {
            sources,
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
        self.sources.read(name).map_err(|why| {
            let what = format!("{} can't be read: {why}", self.sources.path(name));
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
        if !self.sources.has(name) {
            return Ok(None);
        }
        let read = self.sources.read(name);
        let read = read.map_err(|why| WorkloadError::Unreadable {
            file: self.sources.path(name),
            why,
        });
        read.map(Some)
    }
}

impl Sources {
    /// Returns a file's path as errors name it.
    fn path(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Texts(_) => name.to_owned(),
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.join(name).exists(),
            Self::Texts(texts) => texts.contains_key(name),
        }
    }

    fn read(&self, name: &str) -> Result<SourceFile, String> {
        let text = match self {
            Self::Folder(folder) => {
                dbdyno_input::read_text(&folder.join(name)).map_err(|error| error.to_string())?
            }
            Self::Texts(texts) => {
                let text = texts.get(name).cloned();
                text.ok_or_else(|| "it was not sent".to_owned())?
            }
        };
        Ok(SourceFile {
            path: self.path(name),
            name: name.to_owned(),
            text,
        })
    }
}
