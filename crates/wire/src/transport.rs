//! A connection in clear or under encryption: one branch a call, and nothing else on the clear path.

use crate::stream::{Deadline, Stream};
use crate::tls::TlsStream;
use crate::{Address, ReadBuffer, TlsFacts, TlsPolicy, WireError};
use std::io::{self, Read, Write};

#[derive(Debug)]
pub(crate) enum Transport {
    Clear(Stream),
    Tls(Box<TlsStream>),
}

impl Transport {
    /// The same connection under encryption; blocking.
    pub(crate) fn encrypted(
        self,
        address: &Address,
        policy: &TlsPolicy,
        deadline: Deadline,
    ) -> Result<(Self, TlsFacts), WireError> {
        let tls = match self {
            Self::Clear(stream) => Box::new(TlsStream::connect(stream, address, policy, deadline)?),
            Self::Tls(tls) => tls,
        };
        let facts = tls.facts();
        Ok((Self::Tls(tls), facts))
    }

    pub(crate) fn stream(&self) -> &Stream {
        match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => &tls.stream,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => &mut tls.stream,
        }
    }

    /// Reads once into `buffer.clear`, at least one byte. `None` if there is none at present, or, blocking, none within the
    /// limit. The end of the stream is an error: only the server's side ends unasked.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut ReadBuffer) -> Result<Option<usize>, WireError> {
        let stream = match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => return tls.read(buffer),
        };
        loop {
            match stream.read(&mut buffer.clear) {
                Ok(0) => return Err(stream.closed()),
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(stream.failed("reading from", error)),
            }
        }
    }

    /// Writes once and says how many bytes were taken; 0 if the socket is full.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let stream = match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => return tls.write(bytes),
        };
        loop {
            match stream.write(bytes) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(stream.failed("writing to", error)),
            }
        }
    }

    /// Whether bytes taken by `write` still wait inside.
    pub(crate) fn wants_write(&self) -> bool {
        match self {
            Self::Clear(_) => false,
            Self::Tls(tls) => tls.wants_write(),
        }
    }

    /// Sends bytes taken by `write` that still wait inside. False if the socket is full.
    pub(crate) fn push(&mut self) -> Result<bool, WireError> {
        match self {
            Self::Clear(_) => Ok(true),
            Self::Tls(tls) => tls.push(),
        }
    }
}
