//! Executes requests: one line per primitive.

use crate::answer::Answer;
use crate::clocks;
use crate::copy::copy_tree;
use crate::describe;
use crate::files;
use crate::leftovers;
use crate::locks::Locks;
use crate::processes::Processes;
use crate::pushes::{self, Pushes};
use crate::refusal::{AtPath, Refusal};
use crate::request::Request;
use crate::session::Session;
use crate::streams::{self, Streams};
use crate::watches::Watches;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Holds a session and its open resources.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) session: Session,
    pub(crate) processes: Arc<Processes>,
    locks: Locks,
    pushes: Pushes,
    streams: Streams,
    watches: Watches,
}

impl Agent {
    pub(crate) fn new(session: Session) -> Self {
        Self {
            pushes: Pushes::new(session.home.join("incoming")),
            session,
            processes: Processes::begin(),
            locks: Locks::default(),
            streams: Streams::default(),
            watches: Watches::default(),
        }
    }

    /// Executes a request that waits for nothing; `None`: a thread of its own must, with what is left of the body.
    ///
    /// The thread that reads all requests calls this. It stamps the clock, as any time before the stamp would count as
    /// network time. Waking another thread costs more than the other requests that a lab makes each second.
    pub(crate) fn answer_at_once(
        &self,
        request: &Request,
        body: &mut Vec<u8>,
    ) -> Option<Result<Answer, Refusal>> {
        match request {
            Request::Ping => Some(Ok(().into())),
            Request::Clock => Some(Ok(clocks::clocks().into())),
            Request::Wait {
                process,
                timeout_ms: 0,
            } => self.processes.look(*process).map(|exit| Ok(exit.into())),
            Request::WatchTake { watch, from, .. } => {
                self.watches.take_at_once(*watch, *from).map(Ok)
            }
            Request::StreamWrite { stream } => {
                let written = self.streams.write_at_once(*stream, body)?;
                Some(written.map(Answer::from))
            }
            _ => None,
        }
    }

    /// Executes one request, except `End`, which the daemon handles.
    pub(crate) fn answer(&self, request: Request, body: &[u8]) -> Result<Answer, Refusal> {
        Ok(match request {
            Request::Ping | Request::End => ().into(),
            Request::Clock => clocks::clocks().into(),
            Request::Facts => clocks::facts(&self.session.home).into(),
            Request::Agents => json!({"agents": leftovers::find_all(&self.session.home)?}).into(),
            Request::EndAgent { session } => leftovers::end(&self.session.home, &session)?.into(),
            Request::AtEnd { name, argv } => self.session.note_at_end(name, argv)?.into(),
            Request::ForgetAtEnd { name } => self.session.forget_at_end(&name)?.into(),
            Request::Spawn(request) => self.processes.spawn(&request, body, &self.session)?.into(),
            Request::Signal {
                process,
                signal,
                to_group,
            } => self.processes.signal(process, signal, to_group)?.into(),
            Request::Wait {
                process,
                timeout_ms,
            } => self
                .processes
                .wait(process, milliseconds(timeout_ms))?
                .into(),
            Request::Output {
                process,
                stream,
                offset,
                timeout_ms,
            } => {
                let timeout = milliseconds(timeout_ms);
                self.processes.output(process, stream, offset, timeout)?
            }
            Request::Read {
                paths,
                offset,
                limit,
                owners,
            } => files::read(&paths, offset, limit, owners.as_deref()),
            Request::Write(request) => files::write(&request, body)?.into(),
            Request::List { path, recursive } => describe::list(&path, recursive)?,
            Request::Stat { paths, follow } => describe::stat(&paths, follow),
            Request::Resolve { path } => json!({"path": describe::resolve(&path)}).into(),
            Request::Digest { path } => json!({"sha256": pushes::hash_of(&path).at(&path)?}).into(),
            Request::Make(request) => files::make(&request, &self.session)?.into(),
            Request::Move { from, to } => files::rename(&from, &to)?.into(),
            Request::Remove { path, recursive } => {
                files::remove(&path, recursive)?;
                self.session.forget_temporary(&path);
                ().into()
            }
            Request::CopyTree { from, to } => json!({"how": copy_tree(&from, &to)?}).into(),
            Request::WriteBack { path } => files::write_back(&path)?.into(),
            Request::Space { path } => describe::space(&path)?.into(),
            Request::Lock {
                path,
                shared,
                timeout_ms,
            } => {
                let timeout = milliseconds(timeout_ms);
                json!({"lock": self.locks.lock(&path, shared, timeout)?}).into()
            }
            Request::Unlock { lock } => self.locks.unlock(lock)?.into(),
            Request::Listener { path } => {
                json!({"pid": streams::listener(&path).at(&path)?}).into()
            }
            Request::FreePort => {
                json!({"port": streams::free_port().at(Path::new("127.0.0.1"))?}).into()
            }
            Request::Connect(destination) => {
                json!({"stream": self.streams.connect(&destination)?}).into()
            }
            Request::StreamRead { stream, timeout_ms } => {
                self.streams.read(stream, milliseconds(timeout_ms))?
            }
            Request::StreamWrite { stream } => self.streams.write(stream, body)?.into(),
            Request::StreamClose { stream } => self.streams.close(stream)?.into(),
            Request::Watch {
                paths,
                start_ns,
                interval_ns,
                count,
            } => json!({"watch": self.watches.begin(paths, start_ns, interval_ns, count)?}).into(),
            Request::WatchTake {
                watch,
                from,
                timeout_ms,
            } => self.watches.take(watch, from, milliseconds(timeout_ms))?,
            Request::WatchStop { watch } => self.watches.stop(watch)?.into(),
            Request::PushBegin { sha256, path } => self.pushes.begin(&sha256, &path)?.into(),
            Request::PushChunk { sha256, offset } => {
                self.pushes.chunk(&sha256, offset, body)?.into()
            }
            Request::PushFinish { sha256, path, mode } => {
                self.pushes.finish(&sha256, &path, mode)?.into()
            }
        })
    }
}

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}
