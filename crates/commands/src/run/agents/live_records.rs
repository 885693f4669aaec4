//! Passes the records of a share on as they come.

use crate::run::merge::ShareSource;
use std::io;
use std::sync::mpsc::Receiver;

/// Holds a record of a share as it was written, or why no more come.
#[derive(Debug)]
pub(super) enum ShareLine {
    Record(Vec<u8>),
    Lost(String),
}

/// Reads the records of a share as they come.
pub(super) struct LiveRecords {
    lines: Receiver<ShareLine>,
    loss: Option<String>,
}

impl LiveRecords {
    pub(super) fn new(lines: Receiver<ShareLine>) -> Self {
        Self { lines, loss: None }
    }
}

impl ShareSource for LiveRecords {
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.loss.is_some() {
            return Ok(None);
        }
        match self.lines.recv() {
            Ok(ShareLine::Record(line)) => Ok(Some(line)),
            Ok(ShareLine::Lost(reason)) => {
                self.loss = Some(reason);
                Ok(None)
            }
            Err(_) => Ok(None), // the share has ended
        }
    }

    fn loss(&self) -> Option<&str> {
        self.loss.as_deref()
    }
}
