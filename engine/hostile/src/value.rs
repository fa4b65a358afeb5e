//! An encoding taken apart into its fields, to be changed and put together again.

use crate::shape::{FRAMED_CONTENT, Name, Role, Shape};

/// A field, or fields one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An integer, big-endian, of so many bytes.
    Int(u8, Role, u64),
    /// `opaque<V>`.
    Opaque(Vec<u8>, Header),
    /// `T<V>`.
    List(Vec<Value>, Header),
    /// One after the other; an `optional<T>` and a `select`, too, which start with their tag.
    Struct(Name, Vec<Value>),
    /// Bytes without a length.
    Raw(Vec<u8>),
}

/// How a length header is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// As it has to be.
    #[default]
    Right,
    /// With this much more or less than the length.
    Off(i8),
    /// In more bytes than it takes.
    NotMinimal,
    /// With another length altogether.
    Says(u32),
    /// With the prefix 11, which no header has.
    Prefix11,
}

impl Value {
    /// Takes one encoding apart, if it is one of `shape` and no more than that.
    #[must_use]
    pub fn parse(shape: &Shape, bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let value = read(shape, &mut rest)?;
        rest.is_empty().then_some(value)
    }

    /// Puts it together.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// Appends it to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Int(width, _, value) => {
                out.extend(value.to_be_bytes().iter().skip(8 - usize::from(*width)));
            }
            Self::Opaque(bytes, header) => {
                header.write(bytes.len(), out);
                out.extend_from_slice(bytes);
            }
            Self::List(items, header) => {
                let mut inside = Vec::new();
                items.iter().for_each(|item| item.write(&mut inside));
                header.write(inside.len(), out);
                out.extend_from_slice(&inside);
            }
            Self::Struct(_, fields) => fields.iter().for_each(|field| field.write(out)),
            Self::Raw(bytes) => out.extend_from_slice(bytes),
        }
    }

    /// A right `opaque<V>`.
    #[must_use]
    pub fn opaque(bytes: &[u8]) -> Self {
        Self::Opaque(bytes.to_vec(), Header::Right)
    }

    /// A field of a struct.
    #[must_use]
    pub fn field(&self, at: usize) -> Option<&Self> {
        match self {
            Self::Struct(_, fields) | Self::List(fields, _) => fields.get(at),
            _ => None,
        }
    }

    /// A field of a struct, to be changed.
    pub fn field_mut(&mut self, at: usize) -> Option<&mut Self> {
        match self {
            Self::Struct(_, fields) | Self::List(fields, _) => fields.get_mut(at),
            _ => None,
        }
    }

    /// An integer's value.
    #[must_use]
    pub fn int(&self) -> Option<u64> {
        match self {
            Self::Int(_, _, value) => Some(*value),
            _ => None,
        }
    }

    /// An `opaque<V>`'s bytes.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Opaque(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// How many fields it has, itself and those inside included.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Struct(_, fields) | Self::List(fields, _) => {
                1 + fields.iter().map(Self::count).sum::<usize>()
            }
            _ => 1,
        }
    }

    /// The field of this number, counted from the outside in.
    #[must_use]
    pub fn nth(&self, at: &mut usize) -> Option<&Self> {
        if *at == 0 {
            return Some(self);
        }
        *at -= 1;
        match self {
            Self::Struct(_, fields) | Self::List(fields, _) => {
                fields.iter().find_map(|field| field.nth(at))
            }
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn nth_mut(&mut self, at: &mut usize) -> Option<&mut Self> {
        if *at == 0 {
            return Some(self);
        }
        *at -= 1;
        match self {
            Self::Struct(_, fields) | Self::List(fields, _) => {
                fields.iter_mut().find_map(|field| field.nth_mut(at))
            }
            _ => None,
        }
    }

    /// Whether another field could stand in its place and be read.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(width, role, _), Self::Int(other_width, other_role, _)) => {
                width == other_width && role == other_role
            }
            (Self::Struct(name, fields), Self::Struct(other_name, others)) => {
                name == other_name && fields.len() == others.len() && !fields.is_empty()
            }
            (Self::List(..), Self::List(..)) | (Self::Opaque(..), Self::Opaque(..)) => true,
            _ => false,
        }
    }
}

impl Header {
    fn write(self, length: usize, out: &mut Vec<u8>) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        match self {
            Self::Right => write_length(length, out),
            Self::Off(by) => write_length(length.saturating_add_signed(i32::from(by)), out),
            Self::Says(says) => write_length(says, out),
            Self::NotMinimal if length < 0x40 => {
                out.extend_from_slice(&[0x40, length.to_be_bytes()[3]]);
            }
            Self::NotMinimal => out.extend_from_slice(&(length | 0x8000_0000).to_be_bytes()),
            Self::Prefix11 => out.extend_from_slice(&(length | 0xc000_0000).to_be_bytes()),
        }
    }
}

fn write_length(length: u32, out: &mut Vec<u8>) {
    let [_, _, high, low] = length.to_be_bytes();
    match length {
        0..=0x3f => out.push(low),
        0x40..=0x3fff => out.extend_from_slice(&[high | 0x40, low]),
        _ => out.extend_from_slice(&((length & 0x3fff_ffff) | 0x8000_0000).to_be_bytes()),
    }
}

fn read(shape: &Shape, rest: &mut &[u8]) -> Option<Value> {
    Some(match shape {
        Shape::Int(width, role) => Value::Int(*width, *role, int(*width, rest)?),
        Shape::Opaque => Value::Opaque(opaque(rest)?.to_vec(), Header::Right),
        Shape::Inside(shape) => {
            let inside = opaque(rest)?;
            match Value::parse(shape, inside) {
                Some(value) => Value::List(vec![value], Header::Right),
                None => Value::Opaque(inside.to_vec(), Header::Right),
            }
        }
        Shape::List(shape) => {
            let mut inside = opaque(rest)?;
            let mut items = Vec::new();
            while !inside.is_empty() {
                items.push(read(shape, &mut inside)?);
            }
            Value::List(items, Header::Right)
        }
        Shape::Struct(name, shapes) => {
            let fields = shapes.iter().map(|shape| read(shape, rest));
            Value::Struct(*name, fields.collect::<Option<_>>()?)
        }
        Shape::Optional(shape) => {
            let tag = int(1, rest)?;
            let mut fields = vec![Value::Int(1, Role::Tag, tag)];
            if tag == 1 {
                fields.push(read(shape, rest)?);
            }
            Value::Struct(Name::Other, fields)
        }
        Shape::Select(width, role, shapes) => {
            let tag = int(*width, rest)?;
            let shape = shapes.iter().find(|(value, _)| *value == tag);
            let body = read(shape.map_or(&Shape::Opaque, |(_, shape)| shape), rest)?;
            Value::Struct(Name::Other, vec![Value::Int(*width, *role, tag), body])
        }
        Shape::Counted(shape) => {
            let count = int(4, rest)?;
            let mut fields = vec![Value::Int(4, Role::Number, count)];
            for _ in 0..count {
                fields.push(read(shape, rest)?);
            }
            Value::Struct(Name::Other, fields)
        }
        Shape::Authenticated => Value::Struct(Name::Other, authenticated(rest)?),
        Shape::Public => {
            let mut fields = authenticated(rest)?;
            if fields.first().and_then(sender_tag) == Some(1) {
                fields.push(read(&Shape::Opaque, rest)?);
            }
            Value::Struct(Name::Other, fields)
        }
        Shape::Rest => Value::Raw(std::mem::take(rest).to_vec()),
    })
}

fn authenticated(rest: &mut &[u8]) -> Option<Vec<Value>> {
    let content = read(&FRAMED_CONTENT, rest)?;
    let is_commit = content_tag(&content) == Some(3);
    let mut fields = vec![content, read(&Shape::Opaque, rest)?];
    if is_commit {
        fields.push(read(&Shape::Opaque, rest)?);
    }
    Some(fields)
}

/// The type of the sender of a FramedContent.
#[must_use]
pub fn sender_tag(framed: &Value) -> Option<u64> {
    framed.field(2)?.field(0)?.int()
}

/// The leaf or the number of the sender of a FramedContent.
#[must_use]
pub fn sender_index(framed: &Value) -> Option<u64> {
    framed.field(2)?.field(1)?.int()
}

/// The type of a FramedContent.
#[must_use]
pub fn content_tag(framed: &Value) -> Option<u64> {
    framed.field(4)?.field(0)?.int()
}

fn take<'a>(length: usize, rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn int(width: u8, rest: &mut &[u8]) -> Option<u64> {
    let bytes = take(usize::from(width), rest)?;
    Some(bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

fn opaque<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let first = *rest.first()?;
    let length = match first >> 6 {
        0 => int(1, rest)?,
        1 => int(2, rest)? & 0x3fff,
        2 => int(4, rest)? & 0x3fff_ffff,
        _ => return None,
    };
    take(usize::try_from(length).ok()?, rest)
}
