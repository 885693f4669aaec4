//! Prints the kernel's data about the path to the server.

use super::{Summary, write_words};
use crate::run::figures::{grouped, grouped_noun};
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
    let median = match path.connections {
        1 => String::new(),
        connections => format!(
            ", median of {} {:.3} ms",
            grouped_noun(connections.into(), "connection"),
            path.median_round_trip_ns as f64 / 1e6,
        ),
    };
    format!(
        "round trip {:.3} ms{median}; packets up to {} bytes, {}",
        path.least_round_trip_ns as f64 / 1e6,
        grouped(path.mtu_bytes.into()),
        path.congestion_control,
    )
}

fn traffic_words(traffic: NetworkTraffic) -> String {
    format!(
        "{} sent, {} of them retransmitted; {} received out of order",
        grouped_noun(traffic.segments_sent, "segment"),
        grouped(traffic.segments_retransmitted),
        grouped(traffic.segments_out_of_order),
    )
}
