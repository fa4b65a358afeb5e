//! What is known of engines that differ. `docs/peer-findings.md` has the same in words.

/// What a deviation looks like: one that looks otherwise is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// What is bad is accepted.
    Accepted,
    /// What is good is refused, or what is bad as if it were somebody else's fault.
    Refused,
    /// What is bad is refused, and what is good after it isn't accepted.
    Broken,
}

impl Shows {
    /// By the words of [`super::Outcome::Differs`].
    #[must_use]
    pub fn of(why: &str) -> Self {
        match why {
            "accepted" => Self::Accepted,
            _ if why.starts_with("after \"") => Self::Broken,
            _ => Self::Refused,
        }
    }
}

/// See [`DEVIATIONS`].
pub type Deviation = (&'static str, &'static str, &'static str, &'static str, &'static str, Shows);

/// The engine's name or what stands before its slash, the file, the case, the section of RFC 9420,
/// what happens and what that looks like. An engine that changes its mind fails the tests, whichever
/// way.
pub const DEVIATIONS: [Deviation; 47] = [
    (
        "openmls",
        "key-packages.json",
        "grease-extension",
        "13.5",
        "a leaf's extensions of unknown type are refused if they are GREASE",
        Shows::Refused,
    ),
    (
        "openmls",
        "key-packages.json",
        "encryption-key-short",
        "5.1.1",
        "a leaf's key is looked at when it is encrypted to",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "key-packages.json",
        "default-extension-not-listed",
        "7.2",
        "application_id has to be listed in capabilities, which the RFC forbids",
        Shows::Refused,
    ),
    (
        "mls-rs",
        "key-packages.json",
        "encryption-key-short",
        "5.1.1",
        "a leaf's key is looked at when it is encrypted to",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "key-packages.json",
        "version-not-listed",
        "11.1",
        "capabilities may lack the group's version",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "key-packages.json",
        "cipher-suite-not-listed",
        "11.1",
        "capabilities may lack the group's cipher suite",
        Shows::Accepted,
    ),
    (
        "mls-rs/rustcrypto",
        "key-packages.json",
        "init-key-zero",
        "5.1.1",
        "the Diffie-Hellman result is not looked at",
        Shows::Accepted,
    ),
    (
        "openmls",
        "welcomes.json",
        "path-secret-of-blank-node",
        "12.4.3.1",
        "a path_secret for a blank node is accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "welcomes.json",
        "unmerged-blank",
        "12.4.3.1",
        "an unmerged leaf that is blank is accepted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "group-cipher-suite",
        "12.4.3.1",
        "the GroupContext's cipher_suite is not compared with the Welcome's",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "unmerged-twice",
        "7.1",
        "an unmerged leaf may be listed twice",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "info-trailing",
        "12.4.3.1",
        "bytes behind the GroupInfo are passed over",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "secrets-trailing",
        "12.4.3.1",
        "bytes behind the GroupSecrets are passed over",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "tree-trailing",
        "12.4.3.3",
        "bytes behind the tree are passed over",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "welcomes.json",
        "required-capabilities-trailing",
        "11.1",
        "bytes behind the required_capabilities are passed over",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "add-lacks-required",
        "7.3",
        "a new leaf is not compared with the required_capabilities that the same commit sets",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "path-leaf-lacks-required",
        "7.3",
        "the committer's leaf is not compared with the required_capabilities that the same commit sets",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "remove-twice",
        "12.2",
        "two Removes of one leaf are accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "update-twice",
        "12.2",
        "two Updates of one leaf are accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "reference-twice",
        "12.2",
        "one Update by reference twice is accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "extensions-twice",
        "12.2",
        "two GroupContextExtensions are accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "reinit-and-remove",
        "12.2",
        "a ReInit with other proposals is accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "reinit-and-psk",
        "12.2",
        "a ReInit with other proposals is accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "reinit-twice",
        "12.2",
        "two ReInits are accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "reinit-to-version-before",
        "12.1.5",
        "a ReInit to an earlier version is accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "external-signature-key-of-member",
        "7.3",
        "who joins externally may have a member's signature_key without removing it",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "path-leaf-signature-key-of-member",
        "7.3",
        "a committer's new signature_key may be another member's",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "update-signature-key-of-member",
        "7.3",
        "an Update's signature_key may be another member's",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "path-keys-same",
        "12.4.2",
        "keys of the committer's last path are accepted; merging fails in the middle, and the group can't go on",
        Shows::Broken,
    ),
    (
        "openmls",
        "commits.json",
        "path-ciphertext-more",
        "7.6",
        "more ciphertexts than the resolution has nodes are accepted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "path-ciphertext-for-others-missing",
        "7.6",
        "ciphertexts for others are not counted",
        Shows::Accepted,
    ),
    (
        "openmls",
        "commits.json",
        "path-ciphertext-for-new",
        "7.6",
        "a ciphertext for a new leaf is accepted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "path-ciphertext-more",
        "7.6",
        "more ciphertexts than the resolution has nodes are accepted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "path-ciphertext-for-others-missing",
        "7.6",
        "ciphertexts for others are not counted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "path-ciphertext-for-new",
        "7.6",
        "a ciphertext for a new leaf is accepted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "path-keys-same",
        "12.4.2",
        "keys of the committer's last path are accepted",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "path-key-of-new-leaf",
        "12.4.2",
        "a path may have the key of a leaf that the same commit adds",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "update-same-encryption-key",
        "7.3",
        "an Update may keep its encryption_key",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "external-senders-trailing",
        "12.1.8.1",
        "bytes behind the external_senders are passed over",
        Shows::Accepted,
    ),
    (
        "mls-rs",
        "commits.json",
        "confirmation-tag-wrong",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "confirmation-tag-zero",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "confirmation-tag-empty",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "confirmation-tag-truncated",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "confirmation-tag-longer",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "private-confirmation-tag-empty",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "psk-other",
        "12.4.2",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
    (
        "mls-rs",
        "commits.json",
        "init-secret-other",
        "8",
        "its private keys are replaced before the confirmation tag is compared, and the next good commit doesn't open",
        Shows::Broken,
    ),
];

/// What is not given to an engine, and why.
pub const NOT_GIVEN: [(&str, &str, &str, &str); 1] = [(
    "openmls",
    "welcomes.json",
    "unmerged-outside",
    "the way from a leaf beyond the tree to the root is walked without an end, and kept in memory",
)];

/// The deviation that is known of an engine in a case.
#[must_use]
pub fn of(engine: &str, file: &str, case: &str) -> Option<&'static Deviation> {
    DEVIATIONS.iter().find(|(name, of_file, of_case, ..)| {
        is_named(engine, name) && *of_file == file && *of_case == case
    })
}

/// Why a case is not given to an engine, if it isn't.
#[must_use]
pub fn not_given(engine: &str, file: &str, case: &str) -> Option<&'static str> {
    let mut known = NOT_GIVEN.iter();
    let known = known.find(|(name, of_file, of_case, _)| {
        is_named(engine, name) && *of_file == file && *of_case == case
    });
    known.map(|(.., why)| *why)
}

fn is_named(engine: &str, name: &str) -> bool {
    engine == name || engine.split('/').next() == Some(name)
}
