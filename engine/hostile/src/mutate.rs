//! What is done to a message.

use crate::{
    dice::Dice,
    shape::Role,
    value::{Header, Value},
};

/// No input is made longer than this by a mutation.
pub const MAX_LENGTH: usize = 1 << 16;

/// A kind of mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// A bit of the encoding, anywhere.
    FlipBit,
    /// A few bytes of the encoding, anywhere.
    SetBytes,
    /// The end is missing.
    Truncate,
    /// There is more behind the end.
    Extend,
    /// A length header says far too much.
    HugeLength,
    /// A length header is longer than it has to be.
    LongLength,
    /// A length header is off by one or a few.
    WrongLength,
    /// A length header has the prefix that none has.
    BadPrefix,
    /// What says how to read something says something else.
    Tag,
    /// Another version or cipher suite.
    Suite,
    /// Another extension, proposal or credential type.
    Type,
    /// Another epoch, leaf or generation.
    Place,
    /// Another number.
    Number,
    /// An `opaque<V>` with other bytes.
    FieldBytes,
    /// An `opaque<V>` of another length, all else right.
    FieldLength,
    /// An item of a list twice.
    DuplicateItem,
    /// An item of a list missing.
    DeleteItem,
    /// Two items of a list in each other's place.
    SwapItems,
    /// The whole list the other way round.
    ReverseItems,
    /// An item of a list very often.
    RepeatItem,
    /// A field taken from another object of the same kind.
    Splice,
    /// A field taken from another place in the same object.
    Transplant,
    /// Made wrong on purpose, out of right parts: see [`crate::forge`].
    Forged,
    /// Nothing at all, so that what is right is seen to be accepted.
    None,
}

impl Mutation {
    /// All that [`mutate`] does.
    pub const ALL: [Self; 22] = [
        Self::FlipBit,
        Self::SetBytes,
        Self::Truncate,
        Self::Extend,
        Self::HugeLength,
        Self::LongLength,
        Self::WrongLength,
        Self::BadPrefix,
        Self::Tag,
        Self::Suite,
        Self::Type,
        Self::Place,
        Self::Number,
        Self::FieldBytes,
        Self::FieldLength,
        Self::DuplicateItem,
        Self::DeleteItem,
        Self::SwapItems,
        Self::ReverseItems,
        Self::RepeatItem,
        Self::Splice,
        Self::Transplant,
    ];

    /// Whether it changes the encoding and not the fields.
    #[must_use]
    pub fn is_of_bytes(self) -> bool {
        matches!(self, Self::FlipBit | Self::SetBytes | Self::Truncate | Self::Extend)
    }

    fn suits(self, field: &Value) -> bool {
        match (self, field) {
            (
                Self::HugeLength | Self::LongLength | Self::WrongLength | Self::BadPrefix,
                Value::Opaque(..) | Value::List(..),
            )
            | (Self::Tag, Value::Int(_, Role::Tag, _))
            | (Self::Suite, Value::Int(_, Role::Suite, _))
            | (Self::Type, Value::Int(_, Role::Type, _))
            | (Self::Place, Value::Int(_, Role::Place, _))
            | (Self::Number, Value::Int(_, Role::Number, _))
            | (Self::FieldBytes | Self::FieldLength, Value::Opaque(..)) => true,
            (Self::DuplicateItem | Self::DeleteItem | Self::RepeatItem, Value::List(items, _)) => {
                !items.is_empty()
            }
            (Self::SwapItems | Self::ReverseItems, Value::List(items, _)) => items.len() > 1,
            (Self::Splice | Self::Transplant, Value::Struct(_, fields)) => !fields.is_empty(),
            (Self::Splice | Self::Transplant, Value::Opaque(..) | Value::List(..)) => true,
            _ => false,
        }
    }
}

/// Mutates the fields of `value` in this way; whether there was one to do it to. `donor` is another
/// object of the same kind.
pub fn mutate(value: &mut Value, donor: &Value, mutation: Mutation, dice: &mut Dice) -> bool {
    if mutation.is_of_bytes() {
        let mut bytes = value.to_bytes();
        mutate_bytes(&mut bytes, mutation, dice);
        *value = Value::Raw(bytes);
        return true;
    }
    let mut places = places(value, |field| mutation.suits(field));
    if matches!(mutation, Mutation::Splice | Mutation::Transplant) {
        // The whole of another object is no mutation.
        places.retain(|place| *place > 0);
    }
    let Some(place) = dice.pick(&places).copied() else {
        return false;
    };
    let replacement = match mutation {
        Mutation::Splice => part_like(value, place, donor, dice),
        Mutation::Transplant => part_like(value, place, &value.clone(), dice),
        _ => None,
    };
    let Some(field) = value.nth_mut(&mut { place }) else {
        return false;
    };
    match (mutation, replacement) {
        (Mutation::Splice | Mutation::Transplant, None) => return false,
        (_, Some(replacement)) => *field = replacement,
        (_, None) => change(field, mutation, dice),
    }
    true
}

/// Mutates an encoding in one of the ways for which it need not be taken apart.
pub fn mutate_bytes(bytes: &mut Vec<u8>, mutation: Mutation, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    match mutation {
        Mutation::Truncate => bytes.truncate(at),
        Mutation::Extend => {
            let most = if dice.one_in(64) { 4096 } else { 16 };
            let more = 1 + dice.below(most);
            bytes.extend(dice.bytes(more));
        }
        Mutation::SetBytes => {
            let many = 1 + dice.below(8);
            let filling = *dice.pick(&[0, 0xff, 0x40, 0x80, 0xc0]).unwrap_or(&0);
            let any = dice.one_in(2);
            for byte in bytes.iter_mut().skip(at).take(many) {
                *byte = if any { dice.number().to_be_bytes()[0] } else { filling };
            }
        }
        _ => {
            let bit = 1 << dice.below(8);
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
        }
    }
}

/// The numbers of the fields that something can be done to.
fn places(value: &Value, suits: impl Fn(&Value) -> bool) -> Vec<usize> {
    fn walk(value: &Value, at: &mut usize, suits: &dyn Fn(&Value) -> bool, found: &mut Vec<usize>) {
        if suits(value) {
            found.push(*at);
        }
        *at += 1;
        if let Value::Struct(_, fields) | Value::List(fields, _) = value {
            fields.iter().for_each(|field| walk(field, at, suits, found));
        }
    }
    let mut found = Vec::new();
    walk(value, &mut 0, &suits, &mut found);
    found
}

/// Some part of `donor` that could be read in this place.
fn part_like(value: &Value, place: usize, donor: &Value, dice: &mut Dice) -> Option<Value> {
    let field = value.nth(&mut { place })?;
    // What is at the same place is the likeliest to be taken for right.
    if let Some(same) = donor.nth(&mut { place })
        && same.is_like(field)
        && same != field
        && dice.one_in(2)
    {
        return Some(same.clone());
    }
    let places = places(donor, |part| part.is_like(field));
    donor.nth(&mut { *dice.pick(&places)? }).cloned()
}

fn change(field: &mut Value, mutation: Mutation, dice: &mut Dice) {
    match field {
        Value::Int(width, role, value) => *value = other_int(*width, *role, *value, dice),
        Value::Opaque(bytes, header) => match mutation {
            Mutation::FieldBytes => {
                let mutation = *dice
                    .pick(&[Mutation::FlipBit, Mutation::SetBytes])
                    .unwrap_or(&Mutation::FlipBit);
                mutate_bytes(bytes, mutation, dice);
            }
            Mutation::FieldLength => resize(bytes, dice),
            _ => *header = other_header(bytes.len(), mutation, dice),
        },
        Value::List(items, header) => match mutation {
            Mutation::DuplicateItem
            | Mutation::DeleteItem
            | Mutation::SwapItems
            | Mutation::ReverseItems
            | Mutation::RepeatItem => change_list(items, mutation, dice),
            _ => *header = other_header(items.len(), mutation, dice),
        },
        Value::Struct(..) | Value::Raw(_) => {}
    }
}

fn resize(bytes: &mut Vec<u8>, dice: &mut Dice) {
    match dice.below(5) {
        0 => bytes.clear(),
        1 => bytes.truncate(bytes.len().saturating_sub(1)),
        2 => bytes.push(0),
        3 => {
            let length = dice.below(2 * bytes.len() + 2);
            bytes.resize(length, 0);
        }
        _ => {
            let length = *dice.pick(&[63, 64, 255, 256, 16_383, 16_384]).unwrap_or(&0);
            bytes.resize(length, 0x5a);
        }
    }
}

fn other_header(length: usize, mutation: Mutation, dice: &mut Dice) -> Header {
    match mutation {
        Mutation::HugeLength => {
            let says =
                [0x3fff_ffff, 0x3fff_fffe, 0x1000_0000, 0x10_0000, 0x4000, length as u32 * 2];
            Header::Says(*dice.pick(&says).unwrap_or(&0))
        }
        Mutation::LongLength => Header::NotMinimal,
        Mutation::BadPrefix => Header::Prefix11,
        _ => Header::Off(*dice.pick(&[-1, 1, -1, 1, -2, 2, 64, -64]).unwrap_or(&1)),
    }
}

fn other_int(width: u8, role: Role, value: u64, dice: &mut Dice) -> u64 {
    let max = u64::MAX >> (64 - 8 * u32::from(width));
    let near = [value.wrapping_add(1), value.wrapping_sub(1), value ^ 1];
    let edges = [0, 1, 2, 3, max, max - 1, max / 2, max / 2 + 1];
    let known: &[u64] = match role {
        Role::Tag => &[0, 1, 2, 3, 4, 5, 6],
        Role::Suite => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 0x0a0a, 0xf000],
        Role::Type => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x0a0a, 0x1a1a, 0xf001],
        Role::Place => &[0, 1, 2, 3, 5, 7, 8, 15, 19, 20, 31, 32, 100, 1000, 1001, 65_535],
        Role::Number => &[0, 1, 127, 128, 1_800_000_000, 1_799_996_400],
    };
    let chosen = match dice.below(4) {
        0 => dice.pick(&near),
        1 => dice.pick(&edges),
        _ => dice.pick(known),
    };
    chosen.map_or(0, |chosen| chosen & max)
}

fn change_list(items: &mut Vec<Value>, mutation: Mutation, dice: &mut Dice) {
    let (one, other) = (dice.below(items.len()), dice.below(items.len()));
    match mutation {
        Mutation::DuplicateItem => {
            if let Some(item) = items.get(one).cloned() {
                items.insert(other, item);
            }
        }
        Mutation::DeleteItem if one < items.len() => {
            items.remove(one);
        }
        Mutation::SwapItems if items.len() > 1 => {
            let other = if one == other { (one + 1) % items.len() } else { other };
            items.swap(one, other);
        }
        Mutation::ReverseItems => items.reverse(),
        Mutation::RepeatItem => {
            if let Some(item) = items.get(one).cloned() {
                let size = item.to_bytes().len().max(1);
                // Seldom as much as there may be: it is slow.
                let most = if dice.one_in(16) { MAX_LENGTH } else { 2048 };
                let times = (most / size).min(1 + dice.below(most));
                items.splice(one..one, std::iter::repeat_n(item, times));
            }
        }
        _ => {}
    }
}
