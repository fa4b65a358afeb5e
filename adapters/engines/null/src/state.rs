//! A client as bytes. (A fork is a plain copy: there is nothing that it could share.)

use std::ops::Range;

use engine_api::{Rejection, SnapshotBytes};

use crate::client::Null;
use crate::group::{Group, Staged, WINDOW};
use crate::roster::{Departed, Received, Roster, Seat};
use crate::wire::{Reader, Tag, Writer, malformed};

impl Null {
    pub(crate) fn encode(&self) -> SnapshotBytes {
        let mut writer = Writer::new(Tag::Snapshot, 256);
        writer.bytes(self.identity.as_slice());
        writer.list(&self.key_packages, |writer, id| writer.id(id));
        writer.list(self.groups.values(), write_group);
        SnapshotBytes::new(writer.seal().0)
    }

    pub(crate) fn decode(snapshot: &SnapshotBytes) -> Result<Self, Rejection> {
        let mut reader = Reader::open(snapshot.as_slice(), Tag::Snapshot)?;
        let identity = reader.identity()?;
        let key_packages = reader.list(16, Reader::id)?;
        let groups = reader.list(80, read_group)?;
        reader.close()?;
        let keyed = |group: Group| (group.id, group);
        Ok(Self {
            identity,
            key_packages: key_packages.into_iter().collect(),
            groups: groups.into_iter().map(keyed).collect(),
        })
    }
}

impl Group {
    /// How many bytes of a snapshot this group takes.
    pub(crate) fn stored_size(&self) -> usize {
        let empty = Writer::new(Tag::Snapshot, 0).len();
        let mut writer = Writer::new(Tag::Snapshot, 256);
        write_group(&mut writer, self);
        writer.len() - empty
    }
}

fn write_group(writer: &mut Writer, group: &Group) {
    writer.id(&group.id);
    writer.bytes(group.name.as_bytes());
    writer.u64(group.epoch);
    writer.u64(group.authenticator);
    writer.list(&group.past, |writer, past| writer.u64(*past));
    writer.list(&group.roster.seats, |writer, seat| {
        writer.option(seat.as_ref(), write_seat);
    });
    writer.list(&group.roster.departed, |writer, was| {
        writer.u32(was.leaf);
        writer.u64(was.until);
        write_seat(writer, &was.seat);
    });
    writer.u32(group.own_leaf);
    writer.u32(group.next_sequence);
    writer.option(group.staged.as_ref(), |writer, staged| {
        writer.u64(staged.stage);
        writer.u64(staged.authenticator);
        writer.delta(&staged.delta);
    });
    writer.u8(u8::from(group.removed));
}

fn read_group(reader: &mut Reader<'_>) -> Result<Group, Rejection> {
    let group = Group {
        id: reader.id()?,
        name: reader.text()?,
        epoch: reader.u64()?,
        authenticator: reader.u64()?,
        past: reader.list(8, Reader::u64)?.into(),
        roster: Roster {
            seats: reader.list(1, |reader| reader.option(read_seat))?,
            departed: reader.list(44, read_departed)?,
        },
        own_leaf: reader.u32()?,
        next_sequence: reader.u32()?,
        staged: reader.option(read_staged)?,
        removed: reader.bool()?,
    };
    if group.roster.occupant(group.own_leaf).is_none() {
        return Err(malformed("the client's own leaf is blank"));
    }
    if let Some(staged) = &group.staged {
        group.check(&staged.delta, group.own_leaf)?;
    }
    if group.past.len() > WINDOW {
        return Err(malformed("too many past epochs"));
    }
    Ok(group)
}

fn write_seat(writer: &mut Writer, seat: &Seat) {
    writer.bytes(seat.identity.as_slice());
    writer.u64(seat.since);
    writer.u64(seat.received.next);
    writer.list(&seat.received.missing, |writer, gap| {
        writer.u64(gap.start);
        writer.u64(gap.end);
    });
}

fn read_seat(reader: &mut Reader<'_>) -> Result<Seat, Rejection> {
    let identity = reader.identity()?;
    let since = reader.u64()?;
    let next = reader.u64()?;
    let missing = reader.list(16, |reader| Ok(reader.u64()?..reader.u64()?))?;
    let ends = missing.iter().flat_map(|gap: &Range<u64>| [gap.start, gap.end]);
    if !ends.chain([next]).is_sorted_by(|a, b| a < b) {
        return Err(malformed("the missing messages are not in order"));
    }
    Ok(Seat { identity, since, received: Received { next, missing } })
}

fn read_departed(reader: &mut Reader<'_>) -> Result<Departed, Rejection> {
    Ok(Departed { leaf: reader.u32()?, until: reader.u64()?, seat: read_seat(reader)? })
}

fn read_staged(reader: &mut Reader<'_>) -> Result<Staged, Rejection> {
    Ok(Staged { stage: reader.u64()?, authenticator: reader.u64()?, delta: reader.delta()? })
}
