//! Names of pre-shared keys (section 8.4).

use crate::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_struct,
};

/// `PreSharedKeyID`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PreSharedKeyId {
    /// Which key.
    pub psk: Psk,
    /// Fresh random bytes, `KDF.Nh` of them, for this one use.
    pub psk_nonce: Vec<u8>,
}
codec_struct!(PreSharedKeyId { psk, psk_nonce });

/// `PSKType` with what it selects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Psk {
    /// A key that the application provides.
    External {
        /// The application's name of it.
        psk_id: Vec<u8>,
    },
    /// The `resumption_psk` of an epoch of a group.
    Resumption {
        /// What it is used for.
        usage: ResumptionPskUsage,
        /// The group.
        psk_group_id: Vec<u8>,
        /// The epoch.
        psk_epoch: u64,
    },
}

/// `ResumptionPSKUsage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ResumptionPskUsage {
    /// `application`.
    Application = 1,
    /// `reinit`.
    Reinit = 2,
    /// `branch`.
    Branch = 3,
}

impl Encode for ResumptionPskUsage {
    fn encoded_len(&self) -> usize {
        1
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        (*self as u8).encode(out)
    }
}

impl Decode for ResumptionPskUsage {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            1 => Ok(Self::Application),
            2 => Ok(Self::Reinit),
            3 => Ok(Self::Branch),
            _ => Err(DecodeError::InvalidValue("ResumptionPSKUsage")),
        }
    }
}

const EXTERNAL: u8 = 1;
const RESUMPTION: u8 = 2;

impl Encode for Psk {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::External { psk_id } => psk_id.encoded_len(),
            Self::Resumption { psk_group_id, .. } => 1 + psk_group_id.encoded_len() + 8,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::External { psk_id } => {
                EXTERNAL.encode(out)?;
                psk_id.encode(out)
            }
            Self::Resumption { usage, psk_group_id, psk_epoch } => {
                RESUMPTION.encode(out)?;
                usage.encode(out)?;
                psk_group_id.encode(out)?;
                psk_epoch.encode(out)
            }
        }
    }
}

impl Decode for Psk {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            EXTERNAL => Ok(Self::External { psk_id: reader.read()? }),
            RESUMPTION => Ok(Self::Resumption {
                usage: reader.read()?,
                psk_group_id: reader.read()?,
                psk_epoch: reader.read()?,
            }),
            _ => Err(DecodeError::InvalidValue("PSKType")),
        }
    }
}
