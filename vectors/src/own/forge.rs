//! Key packages by hand: encoded field by field, so that each can be wrong, and signed as they are.

use burrow::Result;
use burrow::codec::{Encode, encode_opaque};
use burrow::crypto::sign_with_label;
use crypto_api::{SigningKey, Suite};

/// From when to when the good ones are valid, in seconds since the Unix epoch: long enough for
/// engines with a clock.
pub(super) const LIFETIME: (u64, u64) = (1_700_000_000, 4_000_000_000);

/// How a length is written.
#[derive(Clone, Copy)]
pub(super) enum Header {
    /// As short as it can be.
    Minimal,
    /// In the next longer form.
    Longer,
    /// In the form that there isn't: with the prefix 11.
    Invalid,
}

/// `LeafNodeSource`.
#[derive(Clone)]
pub(super) enum Source {
    KeyPackage(u64, u64),
    Update,
    /// With its parent_hash.
    Commit(Vec<u8>),
    Unknown,
}

/// A leaf node, and who signs it.
#[derive(Clone)]
pub(super) struct Leaf {
    pub(super) signer: SigningKey,
    pub(super) encryption_key: Vec<u8>,
    pub(super) signature_key: Vec<u8>,
    pub(super) credential_type: u16,
    pub(super) name: &'static [u8],
    pub(super) versions: Vec<u16>,
    pub(super) cipher_suites: Vec<u16>,
    pub(super) extension_types: Vec<u16>,
    pub(super) proposal_types: Vec<u16>,
    pub(super) credential_types: Vec<u16>,
    pub(super) source: Source,
    pub(super) extensions: Vec<(u16, Vec<u8>)>,
    /// The group_id and leaf_index that are signed with it, unless it is a key package's.
    pub(super) place: (Vec<u8>, u32),
    pub(super) damage: fn(&mut Vec<u8>),
}

/// A key package, and what is done to its signature in the end.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) version: u16,
    pub(super) cipher_suite: u16,
    pub(super) init_key: Vec<u8>,
    pub(super) init_key_header: Header,
    pub(super) leaf: Leaf,
    pub(super) extensions: Vec<(u16, Vec<u8>)>,
    pub(super) signer: SigningKey,
    pub(super) damage: fn(&mut Vec<u8>),
}

impl Draft {
    /// A good one.
    pub(super) fn new(suite: &dyn Suite, name: &'static [u8]) -> Result<Self> {
        let number = suite.cipher_suite().0;
        let signer = suite.generate_signing_key()?;
        let (from, to) = LIFETIME;
        Ok(Self {
            version: 1,
            cipher_suite: number,
            init_key: suite.generate_key_pair()?.public().to_vec(),
            init_key_header: Header::Minimal,
            leaf: Leaf {
                encryption_key: suite.generate_key_pair()?.public().to_vec(),
                signature_key: signer.public().to_vec(),
                signer: signer.clone(),
                credential_type: 1,
                name,
                versions: vec![1],
                cipher_suites: vec![number],
                extension_types: Vec::new(),
                proposal_types: Vec::new(),
                credential_types: vec![1],
                source: Source::KeyPackage(from, to),
                extensions: Vec::new(),
                place: (b"group".to_vec(), 1),
                damage: |_| (),
            },
            extensions: Vec::new(),
            signer,
            damage: |_| (),
        })
    }

    /// The MLSMessage with it.
    pub(super) fn message(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        const MLS10_KEY_PACKAGE: [u8; 4] = [0, 1, 0, 5];
        Ok([&MLS10_KEY_PACKAGE[..], &self.encoded(suite)?].concat())
    }

    /// The KeyPackage.
    pub(super) fn encoded(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        self.version.encode(&mut content)?;
        self.cipher_suite.encode(&mut content)?;
        opaque(&self.init_key, self.init_key_header, &mut content)?;
        content.extend(self.leaf.encoded(suite)?);
        extensions(&self.extensions, &mut content)?;
        let signature = sign_with_label(suite, &self.signer, b"KeyPackageTBS", &[&content])?;
        let mut signature = signature.as_slice().to_vec();
        (self.damage)(&mut signature);
        encode_opaque(&signature, &mut content)?;
        Ok(content)
    }
}

impl Leaf {
    /// The LeafNode, signed.
    pub(super) fn encoded(&self, suite: &dyn Suite) -> Result<Vec<u8>> {
        let mut content = Vec::new();
        encode_opaque(&self.encryption_key, &mut content)?;
        encode_opaque(&self.signature_key, &mut content)?;
        self.credential_type.encode(&mut content)?;
        encode_opaque(self.name, &mut content)?;
        for list in [
            &self.versions,
            &self.cipher_suites,
            &self.extension_types,
            &self.proposal_types,
            &self.credential_types,
        ] {
            list.encode(&mut content)?;
        }
        let mut place = Vec::new();
        match &self.source {
            Source::KeyPackage(from, to) => {
                1_u8.encode(&mut content)?;
                from.encode(&mut content)?;
                to.encode(&mut content)?;
            }
            Source::Update => 2_u8.encode(&mut content)?,
            Source::Commit(parent_hash) => {
                3_u8.encode(&mut content)?;
                encode_opaque(parent_hash, &mut content)?;
            }
            Source::Unknown => 4_u8.encode(&mut content)?,
        }
        if let Source::Update | Source::Commit(_) = self.source {
            encode_opaque(&self.place.0, &mut place)?;
            self.place.1.encode(&mut place)?;
        }
        extensions(&self.extensions, &mut content)?;
        let signature = sign_with_label(suite, &self.signer, b"LeafNodeTBS", &[&content, &place])?;
        let mut signature = signature.as_slice().to_vec();
        (self.damage)(&mut signature);
        encode_opaque(&signature, &mut content)?;
        Ok(content)
    }
}

/// A list of extensions.
pub(super) fn extensions(list: &[(u16, Vec<u8>)], out: &mut Vec<u8>) -> Result<()> {
    let mut encoded = Vec::new();
    for (extension_type, data) in list {
        extension_type.encode(&mut encoded)?;
        encode_opaque(data, &mut encoded)?;
    }
    Ok(encode_opaque(&encoded, out)?)
}

fn opaque(bytes: &[u8], header: Header, out: &mut Vec<u8>) -> Result<()> {
    let mut minimal = Vec::new();
    encode_opaque(bytes, &mut minimal)?;
    let length = bytes.len() as u64;
    match (header, minimal.len() - bytes.len()) {
        (Header::Minimal, _) => out.extend(minimal),
        (Header::Longer, 1) => {
            out.extend((0x4000 | length as u16).to_be_bytes());
            out.extend(bytes);
        }
        (Header::Longer, _) => {
            out.extend((0x8000_0000 | length as u32).to_be_bytes());
            out.extend(bytes);
        }
        (Header::Invalid, _) => {
            out.extend((0xc000_0000_0000_0000 | length).to_be_bytes());
            out.extend(bytes);
        }
    }
    Ok(())
}
