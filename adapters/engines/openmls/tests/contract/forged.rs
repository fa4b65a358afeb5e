//! Key packages that are signed as they should be and yet are no good.

use engine_api::KeyPackageBytes;
use openmls::credentials::{BasicCredential, CredentialWithKey};
use openmls::framing::MlsMessageOut;
use openmls::key_packages::KeyPackage;
use openmls::prelude::tls_codec::{Serialize as _, VLBytes};
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;
use openmls_traits::signatures::Signer as _;
use openmls_traits::types::Ciphersuite;

const SUITE: Ciphersuite = Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519;

// Where things are. `MLSMessage`: version, wire format. `KeyPackage`: version, suite, init key,
// leaf node, extensions (none: one byte), signature. `LeafNode`: encryption key, .., signature. A
// key has one byte of length before it, a signature two.
const KEY_PACKAGE_AT: usize = 4;
const SUITE_AT: usize = KEY_PACKAGE_AT + 2;
const INIT_KEY_AT: usize = SUITE_AT + 2 + 1;
const LEAF_AT: usize = INIT_KEY_AT + 32;
const ENCRYPTION_KEY_AT: usize = LEAF_AT + 1;
const SIGNATURE_LEN: usize = 2 + 64;

/// With this init key. All zeros pass every check and can't be sealed to.
pub(crate) fn with_init_key(key: [u8; 32]) -> KeyPackageBytes {
    forged(|bytes| bytes[INIT_KEY_AT..][..32].copy_from_slice(&key))
}

/// With this encryption key in the leaf: the same, but it is first sealed to after the join.
pub(crate) fn with_encryption_key(key: [u8; 32]) -> KeyPackageBytes {
    forged(|bytes| bytes[ENCRYPTION_KEY_AT..][..32].copy_from_slice(&key))
}

/// For another suite with the same signature scheme.
pub(crate) fn with_suite(suite: u16) -> KeyPackageBytes {
    forged(|bytes| bytes[SUITE_AT..][..2].copy_from_slice(&suite.to_be_bytes()))
}

fn forged(change: impl FnOnce(&mut [u8])) -> KeyPackageBytes {
    let provider = OpenMlsRustCrypto::default();
    let signer = SignatureKeyPair::new(SUITE.signature_algorithm()).unwrap();
    let credential = CredentialWithKey {
        credential: BasicCredential::new(b"mallory".to_vec()).into(),
        signature_key: signer.public().into(),
    };
    let bundle = KeyPackage::builder().build(SUITE, &provider, &signer, credential).unwrap();
    let message = MlsMessageOut::from(bundle.key_package().clone());
    let mut bytes = message.to_bytes().unwrap();
    change(&mut bytes);

    let signature_at = bytes.len() - SIGNATURE_LEN;
    let leaf_signature_at = signature_at - 1 - SIGNATURE_LEN;
    let leaf = signed(&signer, b"LeafNodeTBS", &bytes[LEAF_AT..leaf_signature_at]);
    bytes[leaf_signature_at..][..SIGNATURE_LEN].copy_from_slice(&leaf);
    let whole = signed(&signer, b"KeyPackageTBS", &bytes[KEY_PACKAGE_AT..signature_at]);
    bytes[signature_at..].copy_from_slice(&whole);
    KeyPackageBytes::new(bytes)
}

/// RFC 9420 section 5.1.2: `SignWithLabel`, as a vector.
fn signed(signer: &SignatureKeyPair, label: &[u8], content: &[u8]) -> Vec<u8> {
    let vector = |bytes: Vec<u8>| VLBytes::new(bytes).tls_serialize_detached().unwrap();
    let label = vector([b"MLS 1.0 ", label].concat());
    let content = vector(content.to_vec());
    vector(signer.sign(&[label, content].concat()).unwrap())
}
