//! Who sits on which leaf, who sat there before, and which of their messages have come.

use std::ops::Range;

use engine_api::{Identity, LeafIndex, Member};

/// A group's leaves. Messages are late at times, so who left is remembered for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Roster {
    /// By leaf; the last one is never blank.
    pub(crate) seats: Vec<Option<Seat>>,
    pub(crate) departed: Vec<Departed>,
}

/// A member on its leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) identity: Identity,
    /// The first epoch in which it sat here, as far as this client knows.
    pub(crate) since: u64,
    pub(crate) received: Received,
}

/// A member that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Departed {
    pub(crate) leaf: u32,
    /// The first epoch without it.
    pub(crate) until: u64,
    pub(crate) seat: Seat,
}

impl Seat {
    pub(crate) fn new(identity: Identity, since: u64) -> Self {
        Self { identity, since, received: Received::default() }
    }
}

impl Roster {
    pub(crate) fn new(seats: Vec<Option<Identity>>, epoch: u64) -> Self {
        let seat = |who: Option<Identity>| who.map(|identity| Seat::new(identity, epoch));
        Self { seats: seats.into_iter().map(seat).collect(), departed: Vec::new() }
    }

    pub(crate) fn members(&self) -> Vec<Member> {
        let seats = (0..).map(LeafIndex).zip(&self.seats);
        seats
            .filter_map(|(leaf, seat)| {
                let identity = seat.as_ref()?.identity.clone();
                Some(Member { leaf, identity })
            })
            .collect()
    }

    /// Who sits on a leaf now.
    pub(crate) fn occupant(&self, leaf: u32) -> Option<&Identity> {
        let seat = self.seats.get(leaf as usize)?.as_ref()?;
        Some(&seat.identity)
    }

    /// Who sat on a leaf in an epoch, this one or a past one.
    pub(crate) fn seat_in(&mut self, leaf: u32, epoch: u64) -> Option<&mut Seat> {
        let seat = self.seats.get_mut(leaf as usize).and_then(Option::as_mut);
        let present = seat.filter(|seat| seat.since <= epoch);
        present.or_else(|| {
            let sat = |was: &&mut Departed| {
                was.leaf == leaf && was.seat.since <= epoch && epoch < was.until
            };
            self.departed.iter_mut().find(sat).map(|was| &mut was.seat)
        })
    }

    /// The leaves that new members take, leftmost first; there is always another.
    pub(crate) fn vacancies(&self) -> impl Iterator<Item = u32> {
        let taken = self.seats.iter().map(Option::is_some);
        let taken = taken.chain(std::iter::repeat(false));
        (0..).zip(taken).filter_map(|(leaf, taken)| (!taken).then_some(leaf))
    }

    /// Who will sit on each leaf once `added` are in.
    pub(crate) fn seating<'a>(
        &'a self,
        added: &'a [Identity],
    ) -> impl Iterator<Item = Option<&'a Identity>> {
        let blanks = self.seats.iter().filter(|seat| seat.is_none()).count();
        let (inner, appended) = added.split_at(blanks.min(added.len()));
        let mut inner = inner.iter();
        let seated = move |seat: &'a Option<Seat>| match seat {
            Some(seat) => Some(&seat.identity),
            None => inner.next(),
        };
        self.seats.iter().map(seated).chain(appended.iter().map(Some))
    }

    pub(crate) fn add(&mut self, added: Vec<Identity>, epoch: u64) {
        let mut added = added.into_iter().map(|who| Seat::new(who, epoch));
        for seat in self.seats.iter_mut().filter(|seat| seat.is_none()) {
            *seat = added.next();
        }
        self.seats.extend(added.map(Some));
    }

    pub(crate) fn remove(&mut self, leaves: &[u32], epoch: u64) {
        for &leaf in leaves {
            if let Some(seat) = self.seats.get_mut(leaf as usize).and_then(Option::take) {
                let until = epoch;
                self.departed.push(Departed { leaf, until, seat });
            }
        }
        let last = self.seats.iter().rposition(Option::is_some);
        self.seats.truncate(last.map_or(0, |last| last + 1));
    }

    /// Forgets those who were no members any more in `oldest` or later.
    pub(crate) fn forget(&mut self, oldest: u64) {
        self.departed.retain(|was| was.until > oldest);
    }
}

/// Which of a sender's sequence numbers have been seen: all below `next` but the missing ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) next: u64,
    /// Ascending, apart from each other, none empty.
    pub(crate) missing: Vec<Range<u64>>,
}

impl Received {
    /// Whether the number is new; from now on it isn't.
    pub(crate) fn insert(&mut self, sequence: u32) -> bool {
        let sequence = u64::from(sequence);
        if sequence >= self.next {
            if sequence > self.next {
                self.missing.push(self.next..sequence);
            }
            self.next = sequence + 1;
            return true;
        }
        let at = self.missing.partition_point(|gap| gap.end <= sequence);
        let Some(gap) = self.missing.get(at).filter(|gap| gap.start <= sequence) else {
            return false;
        };
        let parts = [gap.start..sequence, sequence + 1..gap.end];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        self.missing.splice(at..=at, parts);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Received;

    #[test]
    fn a_number_is_new_once_in_whatever_order() {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [4, 2, 0, 3, 1], [2, 4, 1, 0, 3]] {
            let mut received = Received::default();
            for (turn, number) in order.into_iter().enumerate() {
                assert!(received.insert(number), "{number} of {order:?}");
                for seen in &order[..=turn] {
                    assert!(!received.insert(*seen), "{seen} again, of {order:?}");
                }
            }
            let all = Received { next: 5, missing: vec![] };
            assert_eq!(received, all, "{order:?}");
        }
    }

    #[test]
    fn the_largest_number_leaves_one_gap() {
        let mut received = Received::default();
        assert!(received.insert(u32::MAX));
        assert!(!received.insert(u32::MAX));
        assert_eq!(received.missing, vec![0..u64::from(u32::MAX)]);
        assert!(received.insert(7));
        assert_eq!(received.missing.len(), 2);
    }
}
