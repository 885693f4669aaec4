//! Sums up the kernel's data about the network path to the server, over the connections of a load.

use crate::worker::WorkerConnection;
use dbdyno_wire::PathUse;

/// Describes the path when all connections were open.
///
/// A round trip is the shortest of a connection so far: usually that of its handshake, which the server's kernel
/// answers itself, so that it includes no work of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkPath {
    /// Connections over TCP.
    pub connections: u32,
    /// Shortest round trip of all connections.
    pub least_round_trip_ns: u64,
    /// Median over the connections.
    pub median_round_trip_ns: u64,
    /// Largest packet of the path: the smallest value of any connection.
    pub mtu_bytes: u32,
    /// Congestion control algorithm of this side.
    pub congestion_control: String,
}

/// Counts the traffic of the connections that were open at the end, from their log-ins on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkTraffic {
    /// Segments that this side sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments that this side retransmitted.
    pub segments_retransmitted: u64,
    /// Segments of the server that arrived after a gap.
    pub segments_out_of_order: u64,
}

impl NetworkPath {
    /// Sums up the connections; `None` without a connection over TCP.
    pub(crate) fn of<'a>(connections: impl Iterator<Item = &'a WorkerConnection>) -> Option<Self> {
        let paths: Vec<_> = connections.flat_map(path_uses).collect();
        let mut round_trips: Vec<_> = paths.iter().map(|path| path.least_round_trip_ns).collect();
        round_trips.sort_unstable();
        Some(Self {
            connections: paths.len() as u32,
            least_round_trip_ns: *round_trips.first()?,
            median_round_trip_ns: round_trips[round_trips.len() / 2],
            mtu_bytes: paths.iter().map(|path| path.mtu_bytes).min()?,
            congestion_control: paths.into_iter().next()?.congestion_control,
        })
    }
}

impl NetworkTraffic {
    /// Sums up the connections; `None` without a connection over TCP.
    pub(crate) fn of<'a>(connections: impl Iterator<Item = &'a WorkerConnection>) -> Option<Self> {
        connections
            .flat_map(path_uses)
            .map(|path| Self {
                segments_sent: path.segments_sent,
                segments_retransmitted: path.segments_retransmitted,
                segments_out_of_order: path.segments_out_of_order,
            })
            .reduce(|sum, path| Self {
                segments_sent: sum.segments_sent + path.segments_sent,
                segments_retransmitted: sum.segments_retransmitted + path.segments_retransmitted,
                segments_out_of_order: sum.segments_out_of_order + path.segments_out_of_order,
            })
    }
}

fn path_uses(connection: &WorkerConnection) -> impl Iterator<Item = PathUse> {
    let lanes = connection.lanes.iter().flat_map(|lanes| lanes.iter());
    lanes.filter_map(dbdyno_wire::Channel::path_use)
}
