//! Writes each statement to the log on its own thread, so that serving does not wait for it.

use crate::record::kind_of;
use crate::statistics::Times;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// First line of a log.
const HEADER: &str = "arrived_ns,replied_ns,connection,kind,code\n";

/// One statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatementRecord {
    pub(crate) arrived_ns: u64,
    pub(crate) replied_ns: u64,
    pub(crate) connection: u32,
    pub(crate) row: u8,
    pub(crate) code: u16,
}

/// The writing thread, which ends when nobody sends to it any more.
#[derive(Debug)]
pub(crate) struct StatementLog {
    sender: Sender<Vec<StatementRecord>>,
    thread: JoinHandle<io::Result<Times>>,
}

impl StatementLog {
    /// Begins a log: into a file, of times kept in memory, or both.
    pub(crate) fn start(file: Option<&Path>, keeps_times: bool) -> io::Result<Self> {
        let mut file = match file {
            Some(path) => Some(BufWriter::with_capacity(1 << 18, File::create(path)?)),
            None => None,
        };
        if let Some(file) = &mut file {
            file.write_all(HEADER.as_bytes())?;
        }
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("null-log".to_owned())
            .spawn(move || write_records(&receiver, file, keeps_times))?;
        Ok(Self { sender, thread })
    }

    pub(crate) fn sender(&self) -> Sender<Vec<StatementRecord>> {
        self.sender.clone()
    }

    /// Waits until everything is written.
    pub(crate) fn finish(self) -> io::Result<Times> {
        drop(self.sender);
        let result = self.thread.join();
        result.unwrap_or_else(|_| Err(io::Error::other("the thread that writes the log has ended")))
    }
}

fn write_records(
    receiver: &Receiver<Vec<StatementRecord>>,
    mut file: Option<BufWriter<File>>,
    keeps_times: bool,
) -> io::Result<Times> {
    let (mut times, mut lines) = (Times::default(), Vec::new());
    for batch in receiver {
        if keeps_times {
            batch.iter().for_each(|record| times.add(record));
        }
        if let Some(file) = &mut file {
            lines.clear();
            batch.iter().for_each(|record| put_line(&mut lines, record));
            file.write_all(&lines)?;
        }
    }
    if let Some(mut file) = file {
        file.flush()?;
    }
    Ok(times)
}

fn put_line(out: &mut Vec<u8>, record: &StatementRecord) {
    put_digits(out, record.arrived_ns);
    out.push(b',');
    put_digits(out, record.replied_ns);
    out.push(b',');
    put_digits(out, u64::from(record.connection));
    out.push(b',');
    out.extend_from_slice(kind_of(record.row).as_bytes());
    out.push(b',');
    put_digits(out, u64::from(record.code));
    out.push(b'\n');
}

/// Writes decimal digits without the formatting machinery.
fn put_digits(out: &mut Vec<u8>, value: u64) {
    let (mut digits, mut at, mut rest) = ([0; 20], 20, value);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_what_the_header_says() {
        let mut line = Vec::new();
        let record = StatementRecord {
            arrived_ns: 0,
            replied_ns: u64::MAX,
            connection: 7,
            row: 0,
            code: 1213,
        };
        put_line(&mut line, &record);
        assert_eq!(line, b"0,18446744073709551615,7,point_select,1213\n");
        assert_eq!(HEADER.matches(',').count(), 4);
    }
}
