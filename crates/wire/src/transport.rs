//! Selects between a clear, an encrypted and a compressed connection: one branch a call, and nothing else on
//! the clear path.

use crate::compression::CompressedStream;
use crate::stream::SocketStream;
use crate::tls::TlsStream;
use crate::{Address, ReadBuffer, SessionOptions, TlsInfo, TlsPolicy, WireError};
use std::io::{self, Read, Write};

#[derive(Debug)]
pub(crate) enum Transport {
    Clear(SocketStream),
    Tls(Box<TlsStream>),
    Compressed(Box<CompressedStream>),
}

impl Transport {
    /// Encrypts the connection; blocking.
    pub(crate) fn encrypted(
        self,
        address: &Address,
        policy: &TlsPolicy,
        options: &SessionOptions,
    ) -> Result<(Self, TlsInfo), WireError> {
        let tls = match self {
            Self::Clear(stream) => Box::new(TlsStream::connect(stream, address, policy, options)?),
            Self::Tls(tls) => tls,
            Self::Compressed(_) => {
                return Err(WireError::Misuse("encryption comes before compression"));
            }
        };
        let session_info = tls.info();
        Ok((Self::Tls(tls), session_info))
    }

    /// Packs the bytes of the connection.
    pub(crate) fn compressed(self) -> Self {
        Self::Compressed(Box::new(CompressedStream::over(self)))
    }

    pub(crate) fn stream(&self) -> &SocketStream {
        match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => &tls.stream,
            Self::Compressed(compressed) => compressed.inner.stream(),
        }
    }

    pub(crate) fn stream_mut(&mut self) -> &mut SocketStream {
        match self {
            Self::Clear(stream) => stream,
            Self::Tls(tls) => &mut tls.stream,
            Self::Compressed(compressed) => compressed.inner.stream_mut(),
        }
    }

    /// Reads once into `buffer.clear`, at least one byte. `None` if there is none at present, or, blocking, none within the
    /// limit. The end of the stream is an error: only the server's side ends unasked.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut ReadBuffer) -> Result<Option<usize>, WireError> {
        let Self::Clear(stream) = self else {
            return self.read_wrapped(buffer);
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

    /// Reads in every way but the clear one, kept apart so that that one is small enough to be inlined.
    #[inline(never)]
    fn read_wrapped(&mut self, buffer: &mut ReadBuffer) -> Result<Option<usize>, WireError> {
        match self {
            Self::Clear(_) => Ok(None),
            Self::Tls(tls) => tls.read(buffer),
            Self::Compressed(compressed) => compressed.read(buffer),
        }
    }

    /// Writes once and says how many bytes were taken; 0 if the socket is full.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let Self::Clear(stream) = self else {
            return self.write_wrapped(bytes);
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

    /// Writes in every way but the clear one, likewise.
    #[inline(never)]
    fn write_wrapped(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        match self {
            Self::Clear(_) => Ok(0),
            Self::Tls(tls) => tls.write(bytes),
            Self::Compressed(compressed) => compressed.write(bytes),
        }
    }

    /// Sets whether what is sent from now on continues the server's numbering instead of beginning a request.
    pub(crate) fn continue_sequence(&mut self, is_sequence_continued: bool) {
        if let Self::Compressed(compressed) = self {
            compressed.continue_sequence(is_sequence_continued);
        }
    }

    /// Returns whether bytes taken by `write` still wait inside.
    pub(crate) fn wants_write(&self) -> bool {
        match self {
            Self::Clear(_) => false,
            Self::Tls(tls) => tls.wants_write(),
            Self::Compressed(compressed) => compressed.wants_write(),
        }
    }

    /// Sends bytes taken by `write` that still wait inside. False if the socket is full.
    pub(crate) fn push(&mut self) -> Result<bool, WireError> {
        match self {
            Self::Clear(_) => Ok(true),
            Self::Tls(tls) => tls.push(),
            Self::Compressed(compressed) => compressed.push(),
        }
    }
}
