//! The presentation language of RFC 9420, section 2, as data: what fields an encoding has.
//!
//! Written down a second time, and not taken from the engine: a mutation has to know where a field
//! is that the engine would refuse to read.

/// What an encoding looks like.
#[derive(Debug)]
pub enum Shape {
    /// An integer of so many bytes.
    Int(u8, Role),
    /// `opaque<V>`.
    Opaque,
    /// An `opaque<V>` that is the encoding of something.
    Inside(&'static Shape),
    /// `T<V>`.
    List(&'static Shape),
    /// One after the other.
    Struct(Name, &'static [&'static Shape]),
    /// `optional<T>`.
    Optional(&'static Shape),
    /// An integer that says what follows it; none of these, and it is an `opaque<V>`.
    Select(u8, Role, &'static [(u64, &'static Shape)]),
    /// A number of four bytes, and as many of these: not the RFC's, but that of stored states.
    Counted(&'static Shape),
    /// FramedContent and FramedContentAuthData.
    Authenticated,
    /// [`Shape::Authenticated`], and the membership tag of a member's.
    Public,
    /// All that is left.
    Rest,
}

/// What an integer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// It says what follows, or how something is to be read.
    Tag,
    /// A ProtocolVersion or a CipherSuite.
    Suite,
    /// An extension, proposal or credential type.
    Type,
    /// An epoch, a leaf or a generation: a place.
    Place,
    /// Another number.
    Number,
}

/// What a struct is: those that somebody signs, or that are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// One of the others.
    Other,
    /// `LeafNode`.
    LeafNode,
    /// `KeyPackage`.
    KeyPackage,
    /// `GroupContext`.
    GroupContext,
    /// `GroupInfo`.
    GroupInfo,
    /// `FramedContent`.
    FramedContent,
}

use Name::Other;
use Shape::{Counted, Inside, Int, List, Opaque, Optional, Select, Struct};

const U8: Shape = Int(1, Role::Number);
const NOTHING: Shape = Struct(Other, &[]);
const SUITE: Shape = Int(2, Role::Suite);
const TYPE: Shape = Int(2, Role::Type);
const LEAF: Shape = Int(4, Role::Place);
const EPOCH: Shape = Int(8, Role::Place);
const TYPES: Shape = List(&TYPE);

const CREDENTIAL: Shape = Select(2, Role::Type, &[(2, &List(&Opaque))]);

const CAPABILITIES: Shape =
    Struct(Other, &[&List(&SUITE), &List(&SUITE), &TYPES, &TYPES, &List(&TYPE)]);

const REQUIRED_CAPABILITIES: Shape = Inside(&Struct(Other, &[&TYPES, &TYPES, &TYPES]));
const EXTERNAL_PUB: Shape = Inside(&Opaque);
const EXTERNAL_SENDERS: Shape = Inside(&List(&Struct(Other, &[&Opaque, &CREDENTIAL])));
const DICTIONARY: Shape = Inside(&List(&Struct(Other, &[&TYPE, &Opaque])));

const EXTENSION: Shape = Select(
    2,
    Role::Type,
    &[(3, &REQUIRED_CAPABILITIES), (4, &EXTERNAL_PUB), (5, &EXTERNAL_SENDERS), (6, &DICTIONARY)],
);

/// One of a GroupInfo, which may be the tree.
const GROUP_INFO_EXTENSION: Shape =
    Select(2, Role::Type, &[(2, &Inside(&RATCHET_TREE)), (4, &EXTERNAL_PUB)]);

/// `Extension extensions<V>`.
pub const EXTENSIONS: Shape = List(&EXTENSION);

/// `LeafNode`.
pub const LEAF_NODE: Shape = Struct(
    Name::LeafNode,
    &[
        &Opaque,
        &Opaque,
        &CREDENTIAL,
        &CAPABILITIES,
        &Select(
            1,
            Role::Tag,
            &[
                (1, &Struct(Other, &[&Int(8, Role::Number), &Int(8, Role::Number)])),
                (2, &NOTHING),
                (3, &Opaque),
            ],
        ),
        &EXTENSIONS,
        &Opaque,
    ],
);

/// `KeyPackage`.
pub const KEY_PACKAGE: Shape =
    Struct(Name::KeyPackage, &[&SUITE, &SUITE, &Opaque, &LEAF_NODE, &EXTENSIONS, &Opaque]);

const PARENT_NODE: Shape = Struct(Other, &[&Opaque, &Opaque, &List(&LEAF)]);

/// `optional<Node> ratchet_tree<V>`.
pub const RATCHET_TREE: Shape =
    List(&Optional(&Select(1, Role::Tag, &[(1, &LEAF_NODE), (2, &PARENT_NODE)])));

const PSK: Shape = Struct(
    Other,
    &[
        &Select(
            1,
            Role::Tag,
            &[(1, &Opaque), (2, &Struct(Other, &[&Int(1, Role::Tag), &Opaque, &EPOCH]))],
        ),
        &Opaque,
    ],
);

const REINIT: Shape = Struct(Other, &[&Opaque, &SUITE, &SUITE, &EXTENSIONS]);

const APP_DATA_UPDATE_OPERATION: Shape = Select(1, Role::Tag, &[(1, &Opaque), (2, &NOTHING)]);

const PROPOSAL: Shape = Select(
    2,
    Role::Type,
    &[
        (1, &KEY_PACKAGE),
        (2, &LEAF_NODE),
        (3, &LEAF),
        (4, &PSK),
        (5, &REINIT),
        (6, &Opaque),
        (7, &EXTENSIONS),
        (8, &Struct(Other, &[&TYPE, &APP_DATA_UPDATE_OPERATION])),
        (10, &NOTHING),
    ],
);

const SEALED: Shape = Struct(Other, &[&Opaque, &Opaque]);

const UPDATE_PATH: Shape =
    Struct(Other, &[&LEAF_NODE, &List(&Struct(Other, &[&Opaque, &List(&SEALED)]))]);

const COMMIT: Shape = Struct(
    Other,
    &[&List(&Select(1, Role::Tag, &[(1, &PROPOSAL), (2, &Opaque)])), &Optional(&UPDATE_PATH)],
);

const SENDER: Shape = Select(1, Role::Tag, &[(1, &LEAF), (2, &LEAF), (3, &NOTHING), (4, &NOTHING)]);

/// `FramedContent`.
pub const FRAMED_CONTENT: Shape = Struct(
    Name::FramedContent,
    &[
        &Opaque,
        &EPOCH,
        &SENDER,
        &Opaque,
        &Select(1, Role::Tag, &[(1, &Opaque), (2, &PROPOSAL), (3, &COMMIT)]),
    ],
);

/// `GroupContext`.
pub const GROUP_CONTEXT: Shape =
    Struct(Name::GroupContext, &[&SUITE, &SUITE, &Opaque, &EPOCH, &Opaque, &Opaque, &EXTENSIONS]);

/// `GroupInfo`.
pub const GROUP_INFO: Shape = Struct(
    Name::GroupInfo,
    &[&GROUP_CONTEXT, &List(&GROUP_INFO_EXTENSION), &Opaque, &LEAF, &Opaque],
);

/// `GroupSecrets`.
pub const GROUP_SECRETS: Shape = Struct(Other, &[&Opaque, &Optional(&Opaque), &List(&PSK)]);

/// What is mutated of a Welcome by one who can seal it: the GroupSecrets and the GroupInfo.
pub const OPENED_WELCOME: Shape = Struct(Other, &[&GROUP_SECRETS, &GROUP_INFO]);

/// What is mutated of a PrivateMessage by one who can seal it: the content, the SenderData and the
/// padding.
pub const OPENED_PRIVATE: Shape = Struct(
    Other,
    &[&FRAMED_CONTENT, &Struct(Other, &[&LEAF, &LEAF, &Int(4, Role::Number)]), &Opaque],
);

const WELCOME: Shape =
    Struct(Other, &[&SUITE, &List(&Struct(Other, &[&Opaque, &SEALED])), &Opaque]);

const PRIVATE_MESSAGE: Shape =
    Struct(Other, &[&Opaque, &EPOCH, &Int(1, Role::Tag), &Opaque, &Opaque, &Opaque]);

/// `MLSMessage`.
pub const MLS_MESSAGE: Shape = Struct(
    Other,
    &[
        &SUITE,
        &Select(
            2,
            Role::Tag,
            &[
                (1, &Shape::Public),
                (2, &PRIVATE_MESSAGE),
                (3, &WELCOME),
                (4, &GROUP_INFO),
                (5, &KEY_PACKAGE),
            ],
        ),
    ],
);

const OPAQUE_BY_PLACE: Shape = Struct(Other, &[&LEAF, &Opaque]);
const OPAQUE_BY_EPOCH: Shape = Struct(Other, &[&EPOCH, &Opaque]);

const RATCHET: Shape =
    Struct(Other, &[&Opaque, &EPOCH, &List(&Struct(Other, &[&LEAF, &Opaque, &Opaque]))]);

const SECRET_TREE: Shape = Struct(
    Other,
    &[&U8, &List(&OPAQUE_BY_EPOCH), &List(&Struct(Other, &[&LEAF, &RATCHET, &RATCHET]))],
);

const EPOCH_SECRETS: Shape =
    Struct(Other, &[&Opaque, &Opaque, &Opaque, &Opaque, &Opaque, &Opaque, &Opaque, &Opaque]);

/// What the engine keeps of an epoch behind its GroupContext.
const STORED_EPOCH: Shape = Struct(
    Other,
    &[
        &RATCHET_TREE,
        &Opaque,
        &LEAF,
        &Opaque,
        &Counted(&OPAQUE_BY_PLACE),
        &EPOCH_SECRETS,
        &SECRET_TREE,
    ],
);

const PAST_EPOCH: Shape =
    Struct(Other, &[&EPOCH, &Opaque, &LEAF, &List(&LEAF), &PAST_MEMBERS, &Opaque, &SECRET_TREE]);

const PAST_MEMBERS: Shape = List(&Struct(Other, &[&LEAF, &Opaque, &CREDENTIAL]));

const STORED_PROPOSAL: Shape = Struct(Other, &[&Int(2, Role::Tag), &Shape::Authenticated]);

const STATUS: Shape = Select(1, Role::Tag, &[(0, &NOTHING), (1, &NOTHING), (2, &REINIT)]);

/// A stored group. Not the RFC's: if the engine's layout changes, this doesn't parse, and what is
/// stored is mutated without its structure.
pub const STORED_GROUP: Shape = Struct(
    Other,
    &[
        &U8,
        &GROUP_CONTEXT,
        &Opaque,
        &STORED_EPOCH,
        &Counted(&STORED_PROPOSAL),
        &Counted(&Struct(Other, &[&Opaque, &Opaque])),
        &Counted(&PAST_EPOCH),
        &Counted(&OPAQUE_BY_EPOCH),
        &STATUS,
    ],
);

const KEY_USE: Shape = Struct(Other, &[&EPOCH, &LEAF, &U8, &LEAF]);

/// A commit of one's own that was stored before it was accepted.
pub const STORED_COMMIT: Shape = Struct(
    Other,
    &[
        &U8,
        &Opaque,
        &Struct(
            Other,
            &[
                &Opaque,
                &Optional(&Opaque),
                &Optional(&Opaque),
                &Optional(&Opaque),
                &Optional(&KEY_USE),
            ],
        ),
        &Struct(
            Other,
            &[
                &LEAF,
                &U8,
                &List(&LEAF),
                &List(&LEAF),
                &List(&LEAF),
                &Optional(&EXTENSIONS),
                &List(&PSK),
                &Optional(&REINIT),
                &List(&Select(2, Role::Type, &[])),
                &U8,
            ],
        ),
        &Optional(&Opaque),
        &GROUP_CONTEXT,
        &STORED_EPOCH,
    ],
);

/// A stored key package: the suite, the key package, three private keys.
pub const STORED_KEY_PACKAGE: Shape =
    Struct(Other, &[&SUITE, &KEY_PACKAGE, &Opaque, &Opaque, &Opaque]);

/// Something that is only cut, flipped and extended.
pub const BYTES: Shape = Shape::Rest;
