//! Application data in a GroupContext, and proposals to change it (MLS extensions draft, "Attaching
//! Application Data to MLS Messages" and "Updating Application Data in the GroupContext").

use std::fmt;

use super::{ExtensionType, KnownExtension};
use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_newtype, codec_struct,
};

/// `ComponentID`: a part of an application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u16);
codec_newtype!(ComponentId);

impl ComponentId {
    /// `app_components`: which components a client supports, or a group requires.
    pub const APP_COMPONENTS: Self = Self(1);
    /// `safe_aad`: which components put data into the authenticated data of messages.
    pub const SAFE_AAD: Self = Self(2);
    /// `last_resort_key_package`, in key packages.
    pub const LAST_RESORT_KEY_PACKAGE: Self = Self(4);
}

impl fmt::Debug for ComponentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComponentId(0x{:04x})", self.0)
    }
}

/// `ComponentData`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ComponentData {
    /// Whose data it is.
    pub component_id: ComponentId,
    /// The data; the engine doesn't look inside.
    pub data: Vec<u8>,
}
codec_struct!(ComponentData { component_id, data });

/// `app_data_dictionary`: the data of each component, sorted by component.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AppDataDictionary(Vec<ComponentData>);

impl AppDataDictionary {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The data of a component.
    #[must_use]
    pub fn get(&self, component_id: ComponentId) -> Option<&[u8]> {
        let at = self.place(component_id).ok()?;
        self.0.get(at).map(|component| component.data.as_slice())
    }

    /// Sets the data of a component.
    pub fn set(&mut self, component_id: ComponentId, data: Vec<u8>) {
        match self.place(component_id) {
            Ok(at) => {
                if let Some(component) = self.0.get_mut(at) {
                    component.data = data;
                }
            }
            Err(at) => self.0.insert(at, ComponentData { component_id, data }),
        }
    }

    /// Removes a component; whether it was there.
    pub fn remove(&mut self, component_id: ComponentId) -> bool {
        let place = self.place(component_id);
        place.map(|at| self.0.remove(at)).is_ok()
    }

    /// All components, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, ComponentData> {
        self.0.iter()
    }

    fn place(&self, component_id: ComponentId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&component_id, |component| component.component_id)
    }
}

impl<'a> IntoIterator for &'a AppDataDictionary {
    type Item = &'a ComponentData;
    type IntoIter = std::slice::Iter<'a, ComponentData>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Encode for AppDataDictionary {
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(out)
    }
}

impl Decode for AppDataDictionary {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let components: Vec<ComponentData> = reader.read()?;
        if components.is_sorted_by(|one, next| one.component_id < next.component_id) {
            Ok(Self(components))
        } else {
            Err(DecodeError::InvalidValue("order of components"))
        }
    }
}

impl KnownExtension for AppDataDictionary {
    const TYPE: ExtensionType = ExtensionType::APP_DATA_DICTIONARY;
}

/// `AppDataUpdate`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AppDataUpdate {
    /// Whose data it changes.
    pub component_id: ComponentId,
    /// How.
    pub operation: AppDataUpdateOperation,
}
codec_struct!(AppDataUpdate { component_id, operation });

/// `AppDataUpdateOperation` with what it selects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AppDataUpdateOperation {
    /// An update in the component's own format.
    Update(Vec<u8>),
    /// The component's data goes.
    Remove,
}

const UPDATE: u8 = 1;
const REMOVE: u8 = 2;

impl Encode for AppDataUpdateOperation {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::Update(update) => update.encoded_len(),
            Self::Remove => 0,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::Update(update) => {
                UPDATE.encode(out)?;
                update.encode(out)
            }
            Self::Remove => REMOVE.encode(out),
        }
    }
}

impl Decode for AppDataUpdateOperation {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            UPDATE => reader.read().map(Self::Update),
            REMOVE => Ok(Self::Remove),
            _ => Err(DecodeError::InvalidValue("AppDataUpdateOperation")),
        }
    }
}
