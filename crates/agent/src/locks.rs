//! Holds lock files until the lab releases them or the session ends.

use crate::refusal::{AtPath, Refusal};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Holds the locks of this session.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    held: Mutex<(u64, HashMap<u64, File>)>,
}

impl Locks {
    /// Waits for a lock and acquires it.
    pub(crate) fn lock(
        &self,
        path: &Path,
        shared: bool,
        timeout: Duration,
    ) -> Result<u64, Refusal> {
        let deadline = Instant::now() + timeout;
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .at(path)?;
        let operation = if shared {
            FlockOperation::NonBlockingLockShared
        } else {
            FlockOperation::NonBlockingLockExclusive
        };
        loop {
            match flock(&file, operation) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) if Instant::now() < deadline => {
                    thread::sleep(RETRY_INTERVAL)
                }
                Err(Errno::WOULDBLOCK) => {
                    let path = path.to_string_lossy();
                    return Err(Refusal::new("timeout", path, "another process holds it"));
                }
                error => error.at(path)?,
            }
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.0 += 1;
        let handle = held.0;
        held.1.insert(handle, file);
        Ok(handle)
    }

    /// Releases a lock.
    pub(crate) fn unlock(&self, handle: u64) -> Result<(), Refusal> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let file = held.1.remove(&handle);
        file.map(drop)
            .ok_or_else(|| Refusal::no_handle("lock", handle))
    }
}
