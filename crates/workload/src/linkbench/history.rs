//! Remembers the ends of lists that were cut at their limit, from where a later request may go on.

use dbdyno_chance::Stream;

/// A user remembers at most so many.
const MOST: usize = 2048;

/// Describes where a list was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListEnd {
    pub(super) id1: u64,
    pub(super) link_type: u64,
    /// Time of the last link that was seen.
    pub(super) time: u64,
}

impl ListEnd {
    fn is_of_list(&self, other: &Self) -> bool {
        (self.id1, self.link_type) == (other.id1, other.link_type)
    }
}

/// Holds what one user remembers: one end a list.
#[derive(Debug, Clone, Default)]
pub(super) struct ListEnds {
    ends: Vec<ListEnd>,
}

impl ListEnds {
    /// Chooses one of them, if there is any.
    pub(super) fn choose(&self, stream: &mut Stream) -> Option<ListEnd> {
        let count = self.ends.len();
        (count > 0).then(|| self.ends[stream.below(count as u32) as usize])
    }

    /// Remembers where a list was cut. Where there is no room, a random one makes it.
    pub(super) fn remember(&mut self, end: ListEnd, stream: &mut Stream) {
        if let Some(known) = self.ends.iter_mut().find(|known| known.is_of_list(&end)) {
            *known = end;
        } else if self.ends.len() < MOST {
            self.ends.push(end);
        } else {
            self.ends[stream.below(MOST as u32) as usize] = end;
        }
    }

    /// Forgets a list that was read to its end.
    pub(super) fn forget(&mut self, end: ListEnd) {
        self.ends.retain(|known| !known.is_of_list(&end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(id1: u64, time: u64) -> ListEnd {
        ListEnd {
            id1,
            link_type: 1,
            time,
        }
    }

    #[test]
    fn a_list_is_remembered_once_and_forgotten_at_its_end() {
        let (mut ends, mut stream) = (ListEnds::default(), Stream::from_state([1, 2]));
        assert_eq!(ends.choose(&mut stream), None);
        ends.remember(end(5, 70), &mut stream);
        ends.remember(end(5, 60), &mut stream);
        assert_eq!(ends.ends, [end(5, 60)]);
        assert_eq!(ends.choose(&mut stream), Some(end(5, 60)));
        ends.forget(end(5, 0));
        assert_eq!(ends.choose(&mut stream), None);
    }

    #[test]
    fn a_full_memory_gives_up_one_for_the_next() {
        let (mut ends, mut stream) = (ListEnds::default(), Stream::from_state([1, 2]));
        for id1 in 0..3000 {
            ends.remember(end(id1, 1), &mut stream);
        }
        assert_eq!(ends.ends.len(), MOST);
        assert!(ends.ends.contains(&end(2999, 1)));
    }
}
