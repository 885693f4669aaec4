//! Connects to a lab by the standard streams of its relay, which hands them over and then sleeps. A relay that passed
//! the data would be woken twice for each request: a third to a half of the daemon's processor time once more.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::Duration;

/// How long a relay may take to hand over its streams.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(10);
/// A lab that accepts no data for this long has lost its connection.
const WRITE_TIMEOUT: Timespec = Timespec {
    tv_sec: 30,
    tv_nsec: 0,
};
/// A pipe that is writable takes so many bytes without waiting: `PIPE_BUF`.
const PIPE_BYTES: usize = 4096;

/// Hands a relay's streams over to the daemon at the other end of a socket.
pub(crate) fn hand_over(
    relay: &UnixStream,
    from_lab: BorrowedFd<'_>,
    to_lab: BorrowedFd<'_>,
) -> io::Result<()> {
    let streams = [from_lab, to_lab];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&streams));
    sendmsg(
        relay,
        &[IoSlice::new(&[0])],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

/// Holds the streams of a relay. Neither is closed or made non-blocking for others: a shell may hold them, too.
#[derive(Debug)]
pub(crate) struct LabConnection {
    /// Its peer is gone when the relay has ended. Shut down on this side, it ends the relay and all waits here.
    relay: UnixStream,
    from_lab: OwnedFd,
    to_lab: OwnedFd,
    /// SSH servers give their commands sockets or pipes. Only sockets can be written to without waiting, as they are.
    is_socket: bool,
    writing: Mutex<()>,
}

impl LabConnection {
    /// Takes the streams that a relay hands over.
    pub(crate) fn take(relay: UnixStream) -> io::Result<Self> {
        relay.set_read_timeout(Some(HAND_OVER_TIMEOUT))?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut data = [IoSliceMut::new(&mut byte)];
        // Programs that the daemon starts must not hold them: SSH waits until nobody does.
        recvmsg(&relay, &mut data, &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let mut streams = control
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(streams) => Some(streams),
                _ => None,
            })
            .flatten();
        let (Some(from_lab), Some(to_lab)) = (streams.next(), streams.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let mode = fstat(&to_lab)?.st_mode;
        Ok(Self {
            is_socket: FileType::from_raw_mode(mode).is_socket(),
            relay,
            from_lab,
            to_lab,
            writing: Mutex::default(),
        })
    }

    /// Sends all bytes, or ends the connection: half a frame is no frame.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let _writing = self.writing.lock();
        if self.write_all(bytes).is_err() {
            self.end();
        }
    }

    /// Ends the connection and the relay.
    pub(crate) fn end(&self) {
        let _ = self.relay.shutdown(Shutdown::Both); // a relay that has ended needs none
    }

    fn write_all(&self, mut unsent: &[u8]) -> io::Result<()> {
        while !unsent.is_empty() {
            let sent = if self.is_socket {
                send(
                    &self.to_lab,
                    unsent,
                    SendFlags::DONTWAIT | SendFlags::NOSIGNAL,
                )
            } else {
                self.wait_for(&self.to_lab, PollFlags::OUT, Some(&WRITE_TIMEOUT))?;
                write(&self.to_lab, &unsent[..unsent.len().min(PIPE_BYTES)])
            };
            match sent {
                Ok(count) => unsent = &unsent[count..],
                Err(Errno::AGAIN) => {
                    self.wait_for(&self.to_lab, PollFlags::OUT, Some(&WRITE_TIMEOUT))?;
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits until a stream is ready. Fails when the connection has been ended, or the time is over.
    fn wait_for(
        &self,
        stream: &OwnedFd,
        readiness: PollFlags,
        timeout: Option<&Timespec>,
    ) -> io::Result<()> {
        let mut polled = [
            PollFd::new(&self.relay, PollFlags::empty()), // its end is always reported
            PollFd::new(stream, readiness),
        ];
        match retry_on_intr(|| poll(&mut polled, timeout))? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ if polled[0].revents().is_empty() => Ok(()),
            _ => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

impl Read for &LabConnection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait_for(&self.from_lab, PollFlags::IN, None)?;
        Ok(read(&self.from_lab, buffer)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::thread;

    /// Returns the daemon's side of a connection, and the relay's.
    fn connect(from_lab: &impl AsFd, to_lab: &impl AsFd) -> (Arc<LabConnection>, UnixStream) {
        let (relay, daemon) = UnixStream::pair().unwrap();
        hand_over(&relay, from_lab.as_fd(), to_lab.as_fd()).unwrap();
        (Arc::new(LabConnection::take(daemon).unwrap()), relay)
    }

    fn check_long_frames(from_lab: OwnedFd, to_lab: OwnedFd, mut lab_end: impl Read) {
        let (connection, _relay) = connect(&from_lab, &to_lab);
        drop((from_lab, to_lab));
        let sent: Vec<u8> = (0..3_000_001_u32).map(|number| number as u8).collect();
        let mut received = vec![0; sent.len()];
        thread::scope(|scope| {
            scope.spawn(|| connection.send(&sent));
            lab_end.read_exact(&mut received).unwrap();
        });
        assert_eq!(received, sent);
        drop(connection);
        assert_eq!(lab_end.read(&mut received).unwrap(), 0, "somebody holds it");
    }

    #[test]
    fn a_long_frame_arrives_whole_by_sockets_and_by_pipes() {
        let (lab, sshd) = UnixStream::pair().unwrap();
        check_long_frames(sshd.try_clone().unwrap().into(), sshd.into(), lab);
        let ((from_lab, _to_daemon), (lab_end, to_lab)) =
            (io::pipe().unwrap(), io::pipe().unwrap());
        check_long_frames(from_lab.into(), to_lab.into(), lab_end);
    }

    #[test]
    fn what_the_lab_sends_is_read_until_it_or_its_relay_ends() {
        let (mut lab, sshd) = UnixStream::pair().unwrap();
        let (connection, relay) = connect(&sshd, &sshd);
        lab.write_all(b"frame").unwrap();
        let mut block = [0; 16];
        assert_eq!((&*connection).read(&mut block).unwrap(), 5);
        drop(lab);
        assert_eq!((&*connection).read(&mut block).unwrap(), 0);
        let (_lab, sshd) = UnixStream::pair().unwrap();
        let (connection, _relay) = connect(&sshd, &sshd);
        thread::scope(|scope| {
            let reading = scope.spawn(|| {
                (&*connection)
                    .read(&mut [0; 16])
                    .map_err(|error| error.kind())
            });
            connection.end();
            assert_eq!(
                reading.join().unwrap(),
                Err(io::ErrorKind::ConnectionAborted)
            );
        });
        drop(relay);
    }

    #[test]
    fn a_lab_that_reads_nothing_blocks_no_thread_once_its_relay_has_ended() {
        let (_lab_end, to_lab) = io::pipe().unwrap();
        let (from_lab, _to_daemon) = io::pipe().unwrap();
        let (connection, relay) = connect(&from_lab, &to_lab);
        thread::scope(|scope| {
            let sending = scope.spawn(|| connection.send(&vec![0; 1 << 20]));
            thread::sleep(Duration::from_millis(50));
            assert!(!sending.is_finished());
            drop(relay);
            sending.join().unwrap();
        });
    }

    #[test]
    fn a_peer_that_hands_nothing_over_is_no_relay() {
        let (relay, daemon) = UnixStream::pair().unwrap();
        (&relay).write_all(b"{").unwrap();
        let error = LabConnection::take(daemon).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
