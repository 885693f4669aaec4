//! Runs the daemon of a session: takes connections of its user, serves the newest, and ends with its lease.

use crate::agent::Agent;
use crate::answer::Answer;
use crate::error::AgentError;
use crate::frame::{self, Frame, FrameError, read_frame};
use crate::lab_connection::LabConnection;
use crate::leftovers::sweep;
use crate::refusal::Refusal;
use crate::replies::{Admission, Replies};
use crate::request::{Header, Request};
use crate::session::{AgentOptions, Session};
use crate::session_folder::socket_path;
use crate::undo::block_undo;
use crate::workers::Workers;
use rustix::net::sockopt::socket_peercred;
use serde_json::json;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Before connections are accepted again where no descriptors were left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Interval between notes that the lab was heard.
const NOTE_INTERVAL: Duration = Duration::from_secs(5);

/// Serves a session until the lab ends it, a signal comes, or no lab has spoken for the time of the lease.
///
/// # Errors
///
/// Its folder or socket can't be made. A session that another process serves is left to it.
pub fn serve(options: &AgentOptions) -> Result<(), AgentError> {
    // A process group leader can't begin a session; then it has no terminal that it could lose either.
    let _ = rustix::process::setsid();
    // Orphans of processes that it starts become its children, so that none is left at the end.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let Some(session) = Session::take(options)? else {
        return Ok(());
    };
    let listener = listen(&session)?;
    let (end, ended) = end_channel().map_err(AgentError::refused(&session.folder))?;
    let home = options.home.clone();
    thread::spawn(move || sweep(&home)); // what others left may be large
    let daemon = Arc::new(Daemon {
        agent: Agent::new(session),
        replies: Replies::default(),
        workers: Workers::default(),
        lab: Mutex::new(Lab {
            connection: None,
            seen: Instant::now(),
            noted: Instant::now(),
        }),
        end,
    });
    let accepting = Arc::clone(&daemon);
    thread::spawn(move || accepting.accept(&listener));
    daemon.wait_for_end(ended, options.lease);
    let undo_blocked = block_undo();
    daemon.agent.processes.end_all();
    drop(undo_blocked);
    daemon.agent.session.remove();
    Ok(())
}

/// Returns where the end of the session is written, by a signal as well, and where it is read.
fn end_channel() -> io::Result<(UnixStream, UnixStream)> {
    let (end, ended) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::low_level::pipe::register(signal, end.try_clone()?)?;
    }
    Ok((end, ended))
}

fn listen(session: &Session) -> Result<UnixListener, AgentError> {
    let refused = AgentError::refused(&session.folder);
    let bind = || {
        let (_folder, path) = socket_path(&session.folder)?;
        let _ = std::fs::remove_file(&path); // left by a daemon that was killed
        UnixListener::bind(path)
    };
    bind().map_err(refused)
}

#[derive(Debug)]
struct Daemon {
    agent: Agent,
    replies: Replies,
    workers: Workers,
    lab: Mutex<Lab>,
    /// One byte in it ends the session.
    end: UnixStream,
}

/// Holds what the daemon knows of the lab.
#[derive(Debug)]
struct Lab {
    connection: Option<Arc<LabConnection>>,
    seen: Instant,
    noted: Instant,
}

impl Daemon {
    /// Waits for the end of the session, or of the lease. It wakes for nothing else: the host is busy with a server.
    fn wait_for_end(&self, mut ended: UnixStream, lease: Duration) {
        loop {
            let left = lease.saturating_sub(self.lab().seen.elapsed());
            if left.is_zero() || ended.set_read_timeout(Some(left)).is_err() {
                return;
            }
            match ended.read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {} // the lease, unless the lab was heard
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn accept(self: &Arc<Self>, listener: &UnixListener) {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) if is_own(&stream) => self.connect(stream),
                Ok(_) => {}
                Err(_) => thread::sleep(ACCEPT_PAUSE), // no descriptors are left
            }
        }
    }

    /// Serves a new connection; the previous one was lost.
    fn connect(self: &Arc<Self>, stream: UnixStream) {
        let daemon = Arc::clone(self);
        thread::spawn(move || {
            let Ok(connection) = LabConnection::take(stream).map(Arc::new) else {
                return; // it is no relay of ours
            };
            let former = daemon.lab().connection.replace(Arc::clone(&connection));
            if let Some(former) = former {
                former.end();
            }
            daemon.read(&connection);
            connection.end();
            // SSH waits until nobody holds its streams.
            let current = &mut daemon.lab().connection;
            current.take_if(|current| Arc::ptr_eq(current, &connection));
        });
    }

    fn read(self: &Arc<Self>, connection: &LabConnection) {
        let mut from = BufReader::new(connection);
        loop {
            match read_frame(&mut from) {
                Ok(Some(frame)) => {
                    if let Err(refusal) = self.take(frame) {
                        return self.send(&reply(0, Err(refusal)));
                    }
                }
                Ok(None) | Err(FrameError::Connection(_) | FrameError::Cut) => return,
                Err(error @ FrameError::Oversized { .. }) => {
                    let refusal = Refusal::new("damaged", "", error.to_string());
                    return self.send(&reply(0, Err(refusal)));
                }
            }
        }
    }

    /// Begins a request. Fails if the lab does not speak frames.
    fn take(self: &Arc<Self>, frame: Frame) -> Result<(), Refusal> {
        let header: Header = match serde_json::from_slice(&frame.header) {
            Ok(header) => header,
            Err(error) => match id_of(&frame.header) {
                Some(id) => {
                    let refusal = Refusal::new("unknown-request", "", error.to_string());
                    self.send(&reply(id, Err(refusal)));
                    return Ok(());
                }
                None => return Err(Refusal::new("damaged", "", error.to_string())),
            },
        };
        self.heard();
        let id = header.id;
        match self.replies.admit(id, header.answered_below) {
            Admission::Ignore => {}
            Admission::Again(reply) => self.send(&reply),
            Admission::Refuse(refusal) => self.send(&reply(id, Err(refusal))),
            Admission::Do => {
                let mut body = frame.body;
                if let Some(answer) = self.agent.answer_at_once(&header.request, &mut body) {
                    self.finish(id, answer);
                    return Ok(());
                }
                let daemon = Arc::clone(self);
                let work = move || daemon.perform(id, header.request, &body);
                if let Err(error) = self.workers.begin(Box::new(work)) {
                    let refusal = Refusal::new("busy", "", error.to_string());
                    self.finish(id, Err(refusal));
                }
            }
        }
        Ok(())
    }

    fn perform(&self, id: u64, request: Request, body: &[u8]) {
        let is_end = matches!(request, Request::End);
        let answer = panic::catch_unwind(AssertUnwindSafe(|| self.agent.answer(request, body)));
        let defect = || {
            Err(Refusal::new(
                "defect",
                "",
                "the agent failed; please report",
            ))
        };
        self.finish(id, answer.unwrap_or_else(|_| defect()));
        if is_end {
            let _ = (&self.end).write(&[1]);
        }
    }

    fn finish(&self, id: u64, answer: Result<Answer, Refusal>) {
        let reply = reply(id, answer);
        self.replies.keep(id, &reply);
        self.send(&reply);
    }

    /// Sends to the lab if it is connected; otherwise the lab asks again when it is back.
    fn send(&self, reply: &Arc<Vec<u8>>) {
        let connection = self.lab().connection.clone();
        if let Some(connection) = connection {
            connection.send(reply);
        }
    }

    fn heard(&self) {
        let mut lab = self.lab();
        lab.seen = Instant::now();
        if lab.noted.elapsed() > NOTE_INTERVAL {
            lab.noted = lab.seen;
            drop(lab);
            self.agent.session.seen();
        }
    }

    fn lab(&self) -> MutexGuard<'_, Lab> {
        self.lab.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_own(stream: &UnixStream) -> bool {
    socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

fn id_of(header: &[u8]) -> Option<u64> {
    let value: serde_json::Value = serde_json::from_slice(header).ok()?;
    value.get("id")?.as_u64()
}

/// Builds a frame ready to be sent.
fn reply(id: u64, answer: Result<Answer, Refusal>) -> Arc<Vec<u8>> {
    let (header, body) = match answer {
        Ok(answer) => (json!({"id": id, "ok": answer.value}), answer.body),
        Err(refusal) => (json!({"id": id, "error": refusal}), Vec::new()),
    };
    let mut bytes = Vec::new();
    let header = header.to_string();
    if let Err(error) = frame::write_frame(&mut bytes, header.as_bytes(), &body) {
        let refusal = Refusal::new("too-large", "", error.to_string());
        let header = json!({"id": id, "error": refusal}).to_string();
        let written = frame::write_frame(&mut bytes, header.as_bytes(), &[]);
        debug_assert!(written.is_ok(), "a short frame fits into memory");
    }
    Arc::new(bytes)
}
