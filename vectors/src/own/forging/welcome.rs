//! GroupInfos and Welcomes by hand (section 12.4.3).

use burrow::Result;
use burrow::crypto::{
    HpkePublicKey, encrypt_with_label, expand_with_label, make_key_package_ref, sign_with_label,
};
use crypto_api::{HpkeCiphertext, Secret, SigningKey};

use super::bytes::{opaque, optional, struct_of, vector};
use super::commit::Made;
use super::group::Group;
use super::proposals::{Psk, psk_secret};
use crate::own::forge::{Draft, extensions};

type Hook<'h, T> = Box<dyn FnOnce(&mut T) + 'h>;

const RATCHET_TREE: u16 = 2;

/// `GroupInfo`, before it is signed.
pub(in super::super) struct Info {
    /// `GroupContext`, encoded.
    pub(in super::super) context: Vec<u8>,
    pub(in super::super) extensions: Vec<(u16, Vec<u8>)>,
    pub(in super::super) confirmation_tag: Vec<u8>,
    pub(in super::super) signer: u32,
    pub(in super::super) key: SigningKey,
    pub(in super::super) damage: fn(&mut Vec<u8>),
}

/// `GroupSecrets`, before they are encrypted.
pub(in super::super) struct Secrets {
    pub(in super::super) joiner_secret: Vec<u8>,
    pub(in super::super) path_secret: Option<Vec<u8>>,
    pub(in super::super) psks: Vec<Psk>,
    /// What follows them.
    pub(in super::super) trailing: Vec<u8>,
}

/// `Welcome`, before it is encoded.
pub(in super::super) struct Sealed {
    pub(in super::super) cipher_suite: u16,
    /// References to key packages, with the secrets for them.
    pub(in super::super) secrets: Vec<(Vec<u8>, HpkeCiphertext)>,
    pub(in super::super) encrypted_group_info: Vec<u8>,
}

/// A Welcome to be made.
pub(in super::super) struct Welcome<'a> {
    group: Group<'a>,
    joiner_secret: Secret,
    psks: Vec<Psk>,
    added: Vec<(Draft, Option<Secret>)>,
    signer: u32,
    /// Whether the tree is in it; how many blanks follow the tree.
    tree_inside: bool,
    blanks: usize,
    on_group: Hook<'a, Group<'a>>,
    on_info: Hook<'a, Info>,
    on_encoded_info: Hook<'a, Vec<u8>>,
    on_secrets: Hook<'a, Secrets>,
    on_sealed: Hook<'a, Sealed>,
    on_message: Hook<'a, Vec<u8>>,
}

/// A Welcome with the tree, the group that it opens, and what its GroupInfo says.
pub(in super::super) struct Welcomed<'a> {
    pub(in super::super) message: Vec<u8>,
    pub(in super::super) ratchet_tree: Vec<u8>,
    pub(in super::super) group: Group<'a>,
}

impl<'a> Made<'a> {
    /// The Welcome that goes with a commit.
    pub(in super::super) fn welcome(&self) -> Welcome<'a> {
        let added = self.added.iter().map(|(leaf, draft)| {
            let mut path = self.path.iter();
            let shared = path.find(|path| is_above(path.node, *leaf));
            (draft.clone(), shared.map(|path| path.path_secret.clone()))
        });
        Welcome {
            group: self.group.clone(),
            joiner_secret: self.joiner_secret.clone(),
            psks: self.psks.clone(),
            added: added.collect(),
            signer: self.committer,
            tree_inside: true,
            blanks: 0,
            on_group: Box::new(|_| ()),
            on_info: Box::new(|_| ()),
            on_encoded_info: Box::new(|_| ()),
            on_secrets: Box::new(|_| ()),
            on_sealed: Box::new(|_| ()),
            on_message: Box::new(|_| ()),
        }
    }
}

impl<'a> Welcome<'a> {
    /// The tree goes beside it.
    pub(in super::super) fn without_tree(mut self) -> Self {
        self.tree_inside = false;
        self
    }

    /// So many blanks follow the tree.
    pub(in super::super) fn trailing_blanks(mut self, blanks: usize) -> Self {
        self.blanks = blanks;
        self
    }

    /// The epoch, before its secrets are derived.
    pub(in super::super) fn group(mut self, hook: impl FnOnce(&mut Group<'a>) + 'a) -> Self {
        self.on_group = Box::new(hook);
        self
    }

    /// The GroupInfo, before it is signed.
    pub(in super::super) fn info(mut self, hook: impl FnOnce(&mut Info) + 'a) -> Self {
        self.on_info = Box::new(hook);
        self
    }

    /// The signed GroupInfo, before it is encrypted.
    pub(in super::super) fn encoded_info(mut self, hook: impl FnOnce(&mut Vec<u8>) + 'a) -> Self {
        self.on_encoded_info = Box::new(hook);
        self
    }

    /// The GroupSecrets of the first new member, before they are encrypted.
    pub(in super::super) fn secrets(mut self, hook: impl FnOnce(&mut Secrets) + 'a) -> Self {
        self.on_secrets = Box::new(hook);
        self
    }

    /// What is encrypted, before it is encoded.
    pub(in super::super) fn sealed(mut self, hook: impl FnOnce(&mut Sealed) + 'a) -> Self {
        self.on_sealed = Box::new(hook);
        self
    }

    /// The MLSMessage.
    pub(in super::super) fn message(mut self, hook: impl FnOnce(&mut Vec<u8>) + 'a) -> Self {
        self.on_message = Box::new(hook);
        self
    }

    pub(in super::super) fn make(self) -> Result<Welcomed<'a>> {
        let mut group = self.group;
        (self.on_group)(&mut group);
        let suite = group.suite;
        let psk_secret = psk_secret(suite, &self.psks)?;
        let welcome_secret = group.enter(&self.joiner_secret, &psk_secret)?;
        let ratchet_tree = group.tree.encoded(self.blanks)?;
        let key = group.signers.get(&self.signer).cloned();
        let mut info = Info {
            context: group.context()?,
            extensions: Vec::new(),
            confirmation_tag: group.confirmation_tag.clone(),
            signer: self.signer,
            key: key.ok_or(burrow::Error::Internal("no such signer"))?,
            damage: |_| (),
        };
        if self.tree_inside {
            info.extensions.push((RATCHET_TREE, ratchet_tree.clone()));
        }
        (self.on_info)(&mut info);
        let mut encrypted_group_info = info.encoded(&group)?;
        (self.on_encoded_info)(&mut encrypted_group_info);
        let expand =
            |label: &[u8], length| expand_with_label(suite, &welcome_secret, label, b"", length);
        let (key, nonce) = (expand(b"key", suite.aead_nk())?, expand(b"nonce", suite.aead_nn())?);
        suite.aead_seal(key.as_slice(), nonce.as_slice(), b"", &mut encrypted_group_info)?;

        let mut secrets = Vec::new();
        let mut on_secrets = Some(self.on_secrets);
        for (draft, path_secret) in &self.added {
            let mut plain = Secrets {
                joiner_secret: self.joiner_secret.as_slice().to_vec(),
                path_secret: path_secret.as_ref().map(|secret| secret.as_slice().to_vec()),
                psks: self.psks.clone(),
                trailing: Vec::new(),
            };
            if let Some(hook) = on_secrets.take() {
                hook(&mut plain);
            }
            let reference = make_key_package_ref(suite, &draft.encoded(suite)?)?;
            let key = HpkePublicKey::from(draft.init_key.clone());
            let (plain, info) = (plain.encoded()?, &encrypted_group_info);
            let sealed = encrypt_with_label(suite, &key, b"Welcome", info, &plain)?;
            secrets.push((reference.as_slice().to_vec(), sealed));
        }
        let cipher_suite = suite.cipher_suite().0;
        let mut sealed = Sealed { cipher_suite, secrets, encrypted_group_info };
        (self.on_sealed)(&mut sealed);
        let mut message = sealed.message()?;
        (self.on_message)(&mut message);
        Ok(Welcomed { message, ratchet_tree, group })
    }
}

impl Info {
    fn encoded(&self, group: &Group<'_>) -> Result<Vec<u8>> {
        let mut list = Vec::new();
        extensions(&self.extensions, &mut list)?;
        let content = struct_of(&[
            &self.context,
            &list,
            &opaque(&self.confirmation_tag)?,
            &self.signer.to_be_bytes(),
        ]);
        let signature = sign_with_label(group.suite, &self.key, b"GroupInfoTBS", &[&content])?;
        let mut signature = signature.as_slice().to_vec();
        (self.damage)(&mut signature);
        Ok(struct_of(&[&content, &opaque(&signature)?]))
    }
}

impl Secrets {
    fn encoded(&self) -> Result<Vec<u8>> {
        let path_secret = self.path_secret.as_ref().map(|secret| opaque(secret)).transpose()?;
        let psks: Vec<_> = self.psks.iter().map(Psk::encoded).collect::<Result<_>>()?;
        Ok(struct_of(&[
            &opaque(&self.joiner_secret)?,
            &optional(path_secret),
            &vector(&psks)?,
            &self.trailing,
        ]))
    }
}

impl Sealed {
    fn message(&self) -> Result<Vec<u8>> {
        const MLS10_WELCOME: [u8; 4] = [0, 1, 0, 3];
        let secrets = self.secrets.iter().map(|(reference, sealed)| {
            let parts = [reference, &sealed.kem_output, &sealed.ciphertext];
            Ok(parts.into_iter().map(|part| opaque(part)).collect::<Result<Vec<_>>>()?.concat())
        });
        let secrets: Vec<_> = secrets.collect::<Result<_>>()?;
        Ok(struct_of(&[
            &MLS10_WELCOME,
            &self.cipher_suite.to_be_bytes(),
            &vector(&secrets)?,
            &opaque(&self.encrypted_group_info)?,
        ]))
    }
}

/// Whether a node is on the way from a leaf to the root.
pub(in super::super) fn is_above(node: usize, leaf: u32) -> bool {
    node.abs_diff(2 * leaf as usize) < 1 << node.trailing_ones()
}
