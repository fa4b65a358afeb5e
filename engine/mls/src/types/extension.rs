//! Extensions (section 13.4): kept as bytes, read when asked for.

use std::fmt;

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_newtype, codec_struct,
};

/// `ExtensionType`; values that this engine doesn't know are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionType(pub u16);
codec_newtype!(ExtensionType);

impl ExtensionType {
    /// `application_id`, in leaf nodes.
    pub const APPLICATION_ID: Self = Self(1);
    /// `ratchet_tree`, in group infos.
    pub const RATCHET_TREE: Self = Self(2);
    /// `required_capabilities`, in group contexts.
    pub const REQUIRED_CAPABILITIES: Self = Self(3);
    /// `external_pub`, in group infos.
    pub const EXTERNAL_PUB: Self = Self(4);
    /// `external_senders`, in group contexts.
    pub const EXTERNAL_SENDERS: Self = Self(5);
    /// `app_data_dictionary` of the MLS extensions draft.
    pub const APP_DATA_DICTIONARY: Self = Self(6);
    /// `last_resort`, in key packages: the number that earlier drafts of the MLS extensions gave it
    /// and that is in use.
    pub const LAST_RESORT: Self = Self(0x000a);

    /// Whether every client has it, so that capabilities don't list it (section 7.2).
    #[must_use]
    pub const fn is_default(self) -> bool {
        matches!(self.0, 1..=5)
    }
}

impl fmt::Debug for ExtensionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtensionType(0x{:04x})", self.0)
    }
}

/// `Extension`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Extension {
    /// Its type.
    pub extension_type: ExtensionType,
    /// Its content, encoded.
    pub extension_data: Vec<u8>,
}
codec_struct!(Extension { extension_type, extension_data });

/// An extension whose content the engine can read.
pub trait KnownExtension: Encode + Decode {
    /// Its type.
    const TYPE: ExtensionType;
}

/// `Extension extensions<V>`, no type twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Extensions(Vec<Extension>);

impl Extensions {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The list of these.
    ///
    /// # Errors
    ///
    /// [`DecodeError::InvalidValue`] if a type is there twice (section 13.4).
    pub fn from_vec(extensions: Vec<Extension>) -> Result<Self, DecodeError> {
        let mut types: Vec<_> = extensions.iter().map(|e| e.extension_type).collect();
        types.sort_unstable();
        if types.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(DecodeError::InvalidValue("list with an extension type twice"));
        }
        Ok(Self(extensions))
    }

    /// Adds one, or replaces the one of its type.
    pub fn insert(&mut self, extension: Extension) {
        let same_type = |e: &&mut Extension| e.extension_type == extension.extension_type;
        match self.0.iter_mut().find(same_type) {
            Some(old) => *old = extension,
            None => self.0.push(extension),
        }
    }

    /// Adds one that the engine can write, or replaces the one of its type.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if it is too long.
    pub fn put<T: KnownExtension>(&mut self, extension: &T) -> Result<(), EncodeError> {
        self.insert(Extension { extension_type: T::TYPE, extension_data: extension.to_bytes()? });
        Ok(())
    }

    /// The content of the extension of this type.
    #[must_use]
    pub fn data(&self, extension_type: ExtensionType) -> Option<&[u8]> {
        self.iter()
            .find(|extension| extension.extension_type == extension_type)
            .map(|extension| &*extension.extension_data)
    }

    /// The extension of this type, read.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if its content isn't what its type says, or more.
    pub fn find<T: KnownExtension>(&self) -> Result<Option<T>, DecodeError> {
        self.data(T::TYPE).map(T::decode_exact).transpose()
    }

    /// All of them, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Extension> {
        self.0.iter()
    }

    /// Their types, in order.
    pub fn types(&self) -> impl Iterator<Item = ExtensionType> + '_ {
        self.iter().map(|extension| extension.extension_type)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Extensions {
    type Item = &'a Extension;
    type IntoIter = std::slice::Iter<'a, Extension>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Encode for Extensions {
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(out)
    }
}

impl Decode for Extensions {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::from_vec(reader.read()?)
    }
}
