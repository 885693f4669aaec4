//! Defines the primitives as requests.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Holds the header of a frame of the lab.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Counts up within a session.
    pub(crate) id: u64,
    /// Replies to requests below this one have arrived: they need not be kept.
    #[serde(default)]
    pub(crate) answered_below: u64,
    pub(crate) request: Request,
}

/// Identifies a process: a pid alone may be another process tomorrow.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct ProcessId {
    pub(crate) pid: u32,
    /// Clock ticks from boot to start.
    pub(crate) start_ticks: u64,
}

/// Lists what a lab can request.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Answer at once.
    Ping,
    /// Read the clocks.
    Clock,
    /// Describe this agent and its host.
    Facts,
    /// List the agents of this home.
    Agents,
    /// Have another agent of this home end, or remove what a dead one left.
    EndAgent { session: String },
    /// End: kill what was started, remove what was made for the session.
    End,
    /// Run a command when the session ends, however it ends; replaces one of the same name.
    AtEnd { name: String, argv: Vec<String> },
    /// No longer run the command of that name.
    ForgetAtEnd { name: String },
    /// Start a process.
    Spawn(Box<SpawnRequest>),
    /// Send a signal.
    Signal {
        process: ProcessId,
        signal: i32,
        /// To all of its process group.
        #[serde(default)]
        to_group: bool,
    },
    /// Wait for the end of a process and return its exit code.
    Wait { process: ProcessId, timeout_ms: u64 },
    /// Read the output of a process from an offset on; drops what is before it.
    Output {
        process: ProcessId,
        stream: OutputStream,
        offset: u64,
        timeout_ms: u64,
    },
    /// Read files, one after the other into one body.
    Read {
        paths: Vec<PathBuf>,
        /// Negative: before the end.
        #[serde(default)]
        offset: i64,
        /// Most bytes of each file.
        limit: Option<usize>,
        /// Refused unless it is a plain file of one of these users, and no link.
        owners: Option<Vec<u32>>,
    },
    /// Write the body to a file.
    Write(WriteRequest),
    /// List a folder, as JSON in the body.
    List {
        path: PathBuf,
        #[serde(default)]
        recursive: bool,
    },
    /// Describe files.
    Stat {
        paths: Vec<PathBuf>,
        #[serde(default)]
        follow: bool,
    },
    /// Resolve the links of a path; its missing part stays.
    Resolve { path: PathBuf },
    /// SHA-256 of a file.
    Digest { path: PathBuf },
    /// Make a folder and its parents.
    Make(MakeRequest),
    /// Rename a file or a folder.
    Move { from: PathBuf, to: PathBuf },
    /// Remove a file or a folder.
    Remove {
        path: PathBuf,
        #[serde(default)]
        recursive: bool,
    },
    /// Copy a folder with owners, modes, times, links and holes.
    CopyTree { from: PathBuf, to: PathBuf },
    /// Wait until the files of a folder are on the device, and forget their pages.
    WriteBack { path: PathBuf },
    /// Size and free space where a path, or its nearest existing parent, lies.
    Space { path: PathBuf },
    /// Hold a lock file.
    Lock {
        path: PathBuf,
        #[serde(default)]
        shared: bool,
        timeout_ms: u64,
    },
    /// Release a lock.
    Unlock { lock: u64 },
    /// Pid of the process that accepts connections on a unix socket.
    Listener { path: PathBuf },
    /// Find a TCP port that nobody listens on.
    FreePort,
    /// Connect to a socket of this host.
    Connect(Destination),
    /// Read what arrived on a stream.
    StreamRead { stream: u64, timeout_ms: u64 },
    /// Write the body to a stream.
    StreamWrite { stream: u64 },
    /// Close a stream.
    StreamClose { stream: u64 },
    /// Read files at given instants of this host's monotonic clock, and keep their content.
    Watch {
        paths: Vec<PathBuf>,
        start_ns: u64,
        interval_ns: u64,
        count: Option<u64>,
    },
    /// Return looks from an index on; those before it are dropped.
    WatchTake {
        watch: u64,
        from: u64,
        timeout_ms: u64,
    },
    /// End a watch.
    WatchStop { watch: u64 },
    /// Begin or resume a push of a file with known content.
    PushBegin { sha256: String, path: PathBuf },
    /// Add the body to it.
    PushChunk { sha256: String, offset: u64 },
    /// Verify the content and put it where it belongs.
    PushFinish {
        sha256: String,
        path: PathBuf,
        mode: u32,
    },
}

/// Selects which output of a process is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OutputStream {
    Stdout,
    Stderr,
}

/// Says where a standard stream of a process goes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sink {
    /// Nowhere.
    #[default]
    Null,
    /// To the end of a file.
    File(PathBuf),
    /// Kept until it is read.
    Keep,
}

/// A process to start; its standard input is the body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpawnRequest {
    pub(crate) argv: Vec<String>,
    /// Variables of the agent that it gets, by name.
    #[serde(default)]
    pub(crate) inherit: Vec<String>,
    /// Variables that it gets in addition.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: Option<PathBuf>,
    #[serde(default)]
    pub(crate) stdout: Sink,
    #[serde(default)]
    pub(crate) stderr: Sink,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
    /// Control group that it joins before its program begins.
    pub(crate) control_group: Option<PathBuf>,
}

/// A file to write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteRequest {
    pub(crate) path: PathBuf,
    pub(crate) how: WriteHow,
    /// Mode of a new file.
    pub(crate) mode: Option<u32>,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
}

/// Says how a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WriteHow {
    /// In place of the former file, at once.
    Replace,
    /// At its end.
    Append,
    /// From its beginning, in place, as the kernel's control files require.
    InPlace,
}

/// A folder to make.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MakeRequest {
    pub(crate) path: PathBuf,
    /// Exact; if missing, the process's mask decides.
    pub(crate) mode: Option<u32>,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
    /// Refused if it is there.
    #[serde(default)]
    pub(crate) is_new: bool,
    /// Removed at the end of the session: this folder, or one above it.
    pub(crate) temporary: Option<PathBuf>,
}

/// A socket of this host, or one reachable from it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Destination {
    /// A unix socket.
    Unix(PathBuf),
    /// A port of the loopback address.
    Loopback(u16),
    /// A port of another host.
    Tcp(SocketAddr),
}
