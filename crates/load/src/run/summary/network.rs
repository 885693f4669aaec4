//! Prints the kernel's data about the path to the server.

use super::{Summary, write_words};
use crate::run::figures::grouped;
use dbdyno_drive::{NetworkPath, NetworkTraffic};
use std::io::{self, Write};

impl Summary<'_> {
    pub(super) fn write_network(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(path) = &self.start.network else {
            return Ok(());
        };
        write_words(out, "network", &path_words(path))?;
        match &self.outcome.network {
            Some(traffic) => write_words(out, "", &traffic_words(*traffic)),
            None => Ok(()),
        }
    }
}

fn path_words(path: &NetworkPath) -> String {
    format!(
        "round trip {:.3} ms, median of {} connections {:.3} ms; packets up to {} bytes, {}",
        path.least_round_trip_ns as f64 / 1e6,
        grouped(path.connections.into()),
        path.median_round_trip_ns as f64 / 1e6,
        grouped(path.mtu_bytes.into()),
        path.congestion_control,
    )
}

fn traffic_words(traffic: NetworkTraffic) -> String {
    format!(
        "{} segments sent, {} of them again; {} received out of order",
        grouped(traffic.segments_sent),
        grouped(traffic.segments_retransmitted),
        grouped(traffic.segments_out_of_order),
    )
}
