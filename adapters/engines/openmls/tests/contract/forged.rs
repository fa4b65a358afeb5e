//! Key packages that are signed as they should be and yet can't be used.

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

/// `MLSMessage`: version and wire format. Then the key package: version, suite, init key, ..
const HEADER: usize = 4;
const SUITE_AT: usize = HEADER + 2;
const INIT_KEY_AT: usize = SUITE_AT + 2 + 1;
/// The signature is the last field: two bytes of length, then 64.
const SIGNATURE: usize = 2 + 64;

/// With this init key. All zeros pass every check and can't be sealed to.
pub(crate) fn with_init_key(key: [u8; 32]) -> KeyPackageBytes {
    forged(|bytes| bytes[INIT_KEY_AT..INIT_KEY_AT + 32].copy_from_slice(&key))
}

/// For another suite with the same signature scheme.
pub(crate) fn with_suite(suite: u16) -> KeyPackageBytes {
    forged(|bytes| bytes[SUITE_AT..SUITE_AT + 2].copy_from_slice(&suite.to_be_bytes()))
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
    bytes.truncate(bytes.len() - SIGNATURE);
    // RFC 9420 section 5.1.2: SignWithLabel.
    let label = VLBytes::new(b"MLS 1.0 KeyPackageTBS".to_vec());
    let content = VLBytes::new(bytes[HEADER..].to_vec());
    let mut to_be_signed = label.tls_serialize_detached().unwrap();
    to_be_signed.extend(content.tls_serialize_detached().unwrap());
    let signature = VLBytes::new(signer.sign(&to_be_signed).unwrap());
    bytes.extend(signature.tls_serialize_detached().unwrap());
    KeyPackageBytes::new(bytes)
}
