//! What a new member gets (section 12.4.3.1).

use crypto_api::{CipherSuite, HpkeCiphertext, Secret};

use super::PreSharedKeyId;
use crate::{codec_newtype, codec_struct};

/// `Welcome`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The group's cipher suite.
    pub cipher_suite: CipherSuite,
    /// One for each new member that this Welcome is for.
    pub secrets: Vec<EncryptedGroupSecrets>,
    /// The GroupInfo, under a key that comes from the joiner secret.
    pub encrypted_group_info: Vec<u8>,
}
codec_struct!(Welcome { cipher_suite, secrets, encrypted_group_info });

/// `EncryptedGroupSecrets`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptedGroupSecrets {
    /// The KeyPackageRef of the new member's key package.
    pub new_member: Vec<u8>,
    /// The GroupSecrets, sealed to the key package's `init_key`.
    pub encrypted_group_secrets: HpkeCiphertext,
}
codec_struct!(EncryptedGroupSecrets { new_member, encrypted_group_secrets });

/// `GroupSecrets`. Encode it into a buffer that is wiped.
#[derive(Debug, Clone)]
pub struct GroupSecrets {
    /// The joiner secret.
    pub joiner_secret: Secret,
    /// The path secret of the lowest node that the committer's path and the new member's have in
    /// common, if the commit had a path.
    pub path_secret: Option<PathSecret>,
    /// The commit's PSKs, in order.
    pub psks: Vec<PreSharedKeyId>,
}
codec_struct!(GroupSecrets { joiner_secret, path_secret, psks });

/// `PathSecret`.
#[derive(Debug, Clone)]
pub struct PathSecret(pub Secret);
codec_newtype!(PathSecret);
