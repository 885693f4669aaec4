//! Holds the memory that replies are read into.

use crate::WireError;
use crate::transport::Transport;

/// Bytes that a record of TLS can hold back until its end has come.
const MAX_RECORD_BYTES: usize = 17 * 1024;

/// Buffers what a worker reads: one for all of its channels, since nothing stays in it between reads.
#[derive(Debug)]
pub struct ReadBuffer {
    /// What the server said.
    pub(crate) clear: Box<[u8]>,
    /// What came over the network, if that is encrypted. Decrypted, it fits into `clear` together with
    /// a record held back.
    pub(crate) sealed: Box<[u8]>,
    /// What came, if that is compressed; empty until then.
    pub(crate) packed: Box<[u8]>,
}

impl ReadBuffer {
    /// Makes a buffer for 64 KiB at a time: more than almost every reply to an OLTP statement.
    #[must_use]
    pub fn new() -> Self {
        Self::for_bytes(64 * 1024)
    }

    /// Makes a buffer for the cold path, where connections don't share.
    pub(crate) fn small() -> Self {
        Self::for_bytes(32 * 1024)
    }

    fn for_bytes(count: usize) -> Self {
        let sealed = vec![0; count - MAX_RECORD_BYTES].into_boxed_slice();
        Self {
            clear: vec![0; count].into_boxed_slice(),
            sealed,
            packed: Box::default(),
        }
    }

    /// Reads as `transport` reads, but into `packed`.
    pub(crate) fn read_packed(
        &mut self,
        transport: &mut Transport,
    ) -> Result<Option<usize>, WireError> {
        if self.packed.is_empty() {
            self.packed = vec![0; self.clear.len()].into_boxed_slice();
        }
        std::mem::swap(&mut self.clear, &mut self.packed);
        let result = transport.read(self);
        std::mem::swap(&mut self.clear, &mut self.packed);
        result
    }
}

impl Default for ReadBuffer {
    fn default() -> Self {
        Self::new()
    }
}
