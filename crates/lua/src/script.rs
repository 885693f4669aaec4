//! Finds a script and compiles its bytecode for all states.

use crate::bare_state::compile;
use dbdyno_sysbench::options::{OptionValues, ScriptOption};
use std::collections::HashMap;
use std::ffi::CString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Holds the script's part of a command line.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The script's name: a file, a module, or `-` and `None` for standard input.
    pub name: Option<String>,
    /// The command, which scripts see.
    pub command: Option<String>,
    /// The whole command line, the program's name first.
    pub arguments: Vec<String>,
}

/// Holds what all states of a run share.
#[derive(Debug)]
pub(crate) struct LuaScript {
    pub(crate) launch: Launch,
    pub(crate) source: ScriptSource,
    /// Whether the script declares no options, in the first dialect: then all options are globals, too.
    pub(crate) options_are_globals: OnceLock<bool>,
    pub(crate) options: OnceLock<OptionValues>,
    /// What the script declares, for its help.
    pub(crate) declared: OnceLock<Vec<ScriptOption>>,
    modules: Mutex<HashMap<String, Arc<[u8]>>>,
}

/// Says where the body comes from.
#[derive(Debug)]
pub(crate) enum ScriptSource {
    /// Its text and the name under which errors show it.
    Text { body: Vec<u8>, chunk_name: String },
    /// Looked up by Lua.
    Module,
}

impl LuaScript {
    /// Finds the script. A name that is no file may be a module: only a state can find out.
    pub(crate) fn find(launch: Launch) -> io::Result<Self> {
        let source = match launch.name.as_deref() {
            None | Some("-") => ScriptSource::standard_input()?,
            Some(path) => match dbdyno_input::read(Path::new(path)) {
                Ok(body) => ScriptSource::text(body, &format!("@{path}")),
                Err(error) if is_unbounded(&error) => return Err(error),
                Err(_) => ScriptSource::Module,
            },
        };
        Ok(Self {
            launch,
            source,
            options_are_globals: OnceLock::new(),
            options: OnceLock::new(),
            declared: OnceLock::new(),
            modules: Mutex::default(),
        })
    }

    /// Returns the name as scripts see it; none for standard input.
    pub(crate) fn path(&self) -> Option<&str> {
        self.launch.name.as_deref().filter(|name| *name != "-")
    }

    /// Returns the name for error messages: without folders.
    pub(crate) fn base_name(&self) -> &str {
        let name = self.path().unwrap_or("stdin");
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Returns the bytecode of a module's file; `None` if it can't be read or compiled, so that Lua reports the error.
    pub(crate) fn module(&self, path: &str) -> Option<Arc<[u8]>> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = modules.get(path) {
            return Some(Arc::clone(known));
        }
        let source = std::fs::read(path).ok()?;
        let bytecode: Arc<[u8]> = compiled(without_shebang(&source), &format!("@{path}"))?.into();
        modules.insert(path.to_owned(), Arc::clone(&bytecode));
        Some(bytecode)
    }
}

impl ScriptSource {
    fn standard_input() -> io::Result<Self> {
        let body = dbdyno_input::read_stream(io::stdin().lock())?;
        Ok(Self::text(body, "=stdin"))
    }

    /// Compiles the text if possible; if not, Lua will report the error.
    fn text(body: Vec<u8>, chunk_name: &str) -> Self {
        let body = match compiled(without_shebang(&body), chunk_name) {
            Some(bytecode) => bytecode,
            None => without_shebang(&body).to_vec(),
        };
        Self::Text {
            body,
            chunk_name: chunk_name.to_owned(),
        }
    }
}

/// Returns whether a script's file is there, but could not be read to an end: Lua must not try it, either.
fn is_unbounded(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge
    )
}

fn compiled(source: &[u8], chunk_name: &str) -> Option<Vec<u8>> {
    compile(source, &CString::new(chunk_name).ok()?).ok()
}

/// Removes a first line for the shell, which is no Lua; its line end stays, so that lines keep their numbers.
fn without_shebang(source: &[u8]) -> &[u8] {
    if !source.starts_with(b"#") {
        return source;
    }
    let end = source.iter().position(|byte| *byte == b'\n');
    &source[end.unwrap_or(source.len())..]
}
