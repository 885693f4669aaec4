//! Holds the connections behind one user.

use dbdyno_wire::Channel;

/// Holds one connection, or two if the workload needs them (LinkBench reads on one and writes on the other). At most
/// one statement of a user is under way, on one of them.
#[derive(Debug)]
pub(crate) struct ConnectionPair {
    first: Channel,
    second: Option<Box<Channel>>,
}

impl ConnectionPair {
    pub(crate) fn new(first: Channel, second: Option<Channel>) -> Self {
        Self {
            first,
            second: second.map(Box::new),
        }
    }

    /// Returns the connection of that number, counted from 0.
    #[inline]
    pub(crate) fn lane(&mut self, number: u8) -> &mut Channel {
        match &mut self.second {
            Some(second) if number > 0 => second,
            _ => &mut self.first,
        }
    }

    /// Returns the connection on which nothing is under way, if there are two.
    #[inline]
    pub(crate) fn other(&mut self, number: u8) -> Option<&mut Channel> {
        let second = self.second.as_deref_mut()?;
        Some(if number > 0 { &mut self.first } else { second })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Channel> {
        std::iter::once(&self.first).chain(self.second.as_deref())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u8, &mut Channel)> {
        let both = std::iter::once(&mut self.first).chain(self.second.as_deref_mut());
        (0..).zip(both)
    }

    /// Returns the bytes sent and received by all of them since they were opened.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        self.iter().fold((0, 0), |(sent, received), channel| {
            (
                sent + channel.bytes_sent(),
                received + channel.bytes_received(),
            )
        })
    }
}
