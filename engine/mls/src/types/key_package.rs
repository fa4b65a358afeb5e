//! Key packages (section 10).

use std::{collections::HashSet, ops::Deref, sync::Arc};

use crypto_api::{CipherSuite, SigningKey, Suite};

use super::{
    Extensions, LeafIndex, LeafNode, LeafNodeUse, ProtocolVersion, VerifiedLeafNode,
    leaf_node::LeafNodeContent, signed::SignedStruct,
};
use crate::{
    CallerError, Error, PeerError, Result, codec_newtype, codec_struct,
    crypto::{HashReference, HpkePublicKey, SignContent, make_key_package_ref, sign_with_label},
    parallel,
};

const LABEL: &[u8] = b"KeyPackageTBS";

/// A KeyPackage without its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPackageContent {
    /// The version that it is for.
    pub version: ProtocolVersion,
    /// The cipher suite that it is for.
    pub cipher_suite: CipherSuite,
    /// What a Welcome is sealed to.
    pub init_key: HpkePublicKey,
    /// What an Add puts into the tree.
    pub leaf_node: LeafNode,
    /// More about the key package.
    pub extensions: Extensions,
}
codec_struct!(KeyPackageContent { version, cipher_suite, init_key, leaf_node, extensions });

impl KeyPackageContent {
    /// A key package for `leaf_node`, with the leaf and the package signed by `signer`. The leaf's
    /// source has to be `key_package`.
    ///
    /// # Errors
    ///
    /// If it is too long to encode, or the key is of another suite.
    pub fn sign(
        suite: &dyn Suite,
        signer: &SigningKey,
        init_key: HpkePublicKey,
        leaf_node: LeafNodeContent,
        extensions: Extensions,
    ) -> Result<VerifiedKeyPackage> {
        let leaf_node = leaf_node.sign(suite, signer, b"", LeafIndex(0))?;
        if !leaf_node.lists_suite(suite) {
            return Err(CallerError::Invalid(
                "11.1: the leaf's capabilities lack the version or the cipher suite",
            )
            .into());
        }
        // Section 10 binds who makes it, and 10.1 doesn't ask it of a received one: key packages with
        // GREASE extensions that nothing lists are in use, and in the working group's own vectors.
        let capabilities = &leaf_node.capabilities;
        if !extensions.types().all(|t| capabilities.has_extension(t)) {
            return Err(CallerError::Invalid(
                "10: a key package's capabilities lack one of its own extensions",
            )
            .into());
        }
        let content = Self {
            version: ProtocolVersion::MLS10,
            cipher_suite: suite.cipher_suite(),
            init_key,
            leaf_node,
            extensions,
        };
        let key_package = KeyPackage(SignedStruct::sign(content, |content| {
            sign_with_label(suite, signer, LABEL, &[content])
        })?);
        // Ours has to pass what others' has to, so that a bad one isn't published.
        key_package.check(suite).map_err(Error::into_callers)?;
        Ok(VerifiedKeyPackage(Arc::new(key_package)))
    }
}

/// `KeyPackage`, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPackage(SignedStruct<KeyPackageContent>);
codec_newtype!(KeyPackage);

impl KeyPackage {
    /// The encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Its KeyPackageRef.
    ///
    /// # Errors
    ///
    /// If it is too long to encode.
    pub fn reference(&self, suite: &dyn Suite) -> Result<HashReference> {
        make_key_package_ref(suite, self.as_bytes())
    }

    /// Checks it as section 10.1 says. Its lifetime is for the caller to check.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't valid.
    pub fn verify(self, suite: &dyn Suite) -> Result<VerifiedKeyPackage> {
        Self::verify_all(suite, std::slice::from_ref(&self))?;
        Ok(VerifiedKeyPackage(Arc::new(self)))
    }

    /// Checks many, with one batch of signatures, without saying which of them isn't valid.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if one of them isn't valid.
    pub fn verify_batch(suite: &dyn Suite, packages: Vec<Self>) -> Result<Vec<VerifiedKeyPackage>> {
        Self::verify_all(suite, &packages)?;
        let verified = packages.into_iter().map(Arc::new);
        Ok(verified.map(VerifiedKeyPackage).collect())
    }

    fn verify_all(suite: &dyn Suite, packages: &[Self]) -> Result<()> {
        let mut distinct: Vec<&Self> = packages.iter().collect();
        // One that is repeated is verified once: a commit may repeat it thousands of times.
        if packages.len() > 1 {
            let mut seen = HashSet::with_capacity(packages.len());
            distinct.retain(|package| seen.insert(package.0.as_bytes()));
        }
        parallel::check_all(distinct.iter(), |package| package.check(suite))?;
        let contents: Vec<_> =
            distinct.iter().map(|package| package.sign_contents()).collect::<Result<_>>()?;
        let mut signed = Vec::with_capacity(2 * distinct.len());
        for (package, [of_leaf, of_package]) in distinct.iter().zip(&contents) {
            let of_leaf = package.leaf_node.signed(suite, of_leaf)?;
            signed.push(of_leaf);
            signed.push(crypto_api::Signed {
                message: of_package.as_slice(),
                signature: package.0.signature().as_slice(),
                ..of_leaf
            });
        }
        parallel::verify_batch(suite, &signed).map_err(Error::of_peer(PeerError::BadSignature))
    }

    fn sign_contents(&self) -> Result<[SignContent; 2]> {
        Ok([
            self.leaf_node.sign_content(b"", LeafIndex(0))?,
            SignContent::new(LABEL, &[self.0.signed_bytes()])?,
        ])
    }

    /// All but the signatures.
    fn check(&self, suite: &dyn Suite) -> Result<()> {
        if self.version != ProtocolVersion::MLS10 || self.cipher_suite != suite.cipher_suite() {
            return Err(Error::invalid(
                "10.1: a key package's version or cipher suite is not the group's",
            ));
        }
        self.leaf_node.check(suite, LeafNodeUse::KeyPackage)?;
        if self.init_key == self.leaf_node.encryption_key {
            return Err(Error::invalid(
                "10.1: a key package's init_key is its leaf's encryption_key",
            ));
        }
        suite.check_public_key(self.init_key.as_slice()).map_err(Error::of_peer(PeerError::BadKey))
    }
}

impl Deref for KeyPackage {
    type Target = KeyPackageContent;

    fn deref(&self) -> &KeyPackageContent {
        &self.0
    }
}

/// A KeyPackage that was verified, or that is our own. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedKeyPackage(Arc<KeyPackage>);

impl VerifiedKeyPackage {
    /// Its leaf, to be put into a tree.
    #[must_use]
    pub fn leaf(&self) -> VerifiedLeafNode {
        VerifiedLeafNode::trusted(self.0.leaf_node.clone())
    }
}

impl Deref for VerifiedKeyPackage {
    type Target = KeyPackage;

    fn deref(&self) -> &KeyPackage {
        &self.0
    }
}
