//! Application data: from the application's bytes to a PrivateMessage and back (sections 6.1 and 6.3).
//!
//! What a PrivateMessage of application data stands for is never built as such: all of it is written
//! where it is signed, encrypted or handed over. Everything else goes the long way, by
//! [`super::SignedContent`] and [`PrivateMessageRef::unprotect`], to the same bytes and verdicts.

use crypto_api::SigningKey;
use zeroize::Zeroizing;

use super::{
    ContentType, EpochContext, Padding, PrivateMessageRef, Sender, SenderData, SenderKeys,
    WireFormat,
    authenticated_content::{LABEL, START, member_key, write_start},
    unsealed::{Clear, Unsealed},
};
use crate::{
    Error, PeerError, Result,
    codec::{Encode, EncodeError, Reader, encode_opaque, opaque_len},
    crypto::SignContent,
    schedule::{Consumed, KeyAndNonce, RatchetType, SecretTree, SenderDataSecret},
    types::LeafIndex,
};

const TYPE: ContentType = ContentType::Application;

/// Signs application data and encrypts it: the encoded MLSMessage, and the key that it took, to be
/// stored before the message is sent. If it fails, the tree is as it was.
///
/// # Errors
///
/// [`crate::CallerError::Invalid`] if all keys of the epoch are used up,
/// [`crate::CallerError::BadKey`] for a key of another suite.
pub fn protect_application(
    epoch: &EpochContext<'_>,
    signer: &SigningKey,
    own_leaf: LeafIndex,
    data: &Data<'_>,
    sender_data_secret: &SenderDataSecret,
    secret_tree: &mut SecretTree,
) -> Result<(Vec<u8>, Consumed)> {
    let suite = epoch.suite;
    let content_tbs = content_tbs(epoch, own_leaf, data.authenticated, data.data)?;
    let signature = content_tbs.sign(suite, signer)?;
    let generation = secret_tree.next_of_ours(own_leaf, RatchetType::Application)?;
    let clear =
        Clear { content_type: TYPE, authenticated_data: data.authenticated, padding: data.padding };
    let length = opaque_len(data.data) + opaque_len(&signature);
    let seal = |key: &mut KeyAndNonce| {
        Unsealed::write(epoch, &clear, length, |out| {
            encode_opaque(data.data, out)?;
            encode_opaque(&signature, out)
        })?
        .seal(suite, key, (own_leaf, generation), sender_data_secret)
    };
    let message =
        secret_tree.use_key(suite, own_leaf, RatchetType::Application, generation, seal)?;
    let ratchet_type = RatchetType::Application;
    Ok((message, Consumed { leaf: own_leaf, ratchet_type, generation }))
}

/// What is to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// Encrypted.
    pub data: &'a [u8],
    /// In the clear.
    pub authenticated: &'a [u8],
    /// How much it is padded.
    pub padding: Padding,
}

/// What was received.
#[derive(Debug)]
pub struct OpenedApplication {
    /// The member who has signed it.
    pub sender: LeafIndex,
    /// The data.
    pub data: Vec<u8>,
    /// The key that it used up.
    pub consumed: Consumed,
}

impl PrivateMessageRef<'_> {
    /// Decrypts application data, checks its signature, and uses its key up. `own_leaf` never sends
    /// what it could receive: it uses its keys up at once.
    ///
    /// # Errors
    ///
    /// As [`Self::unprotect`]; then the tree is as it was.
    pub fn open_application(
        &self,
        epoch: &EpochContext<'_>,
        own_leaf: LeafIndex,
        sender_data_secret: &SenderDataSecret,
        secret_tree: &mut SecretTree,
        senders: &dyn SenderKeys,
    ) -> Result<OpenedApplication> {
        let suite = epoch.suite;
        let SenderData { leaf_index, generation, reuse_guard } =
            self.sender_data(epoch, sender_data_secret)?;
        // Before any key is derived: a blank leaf has none.
        let sender_key = member_key(senders, leaf_index)?;
        if self.ciphertext().len() < suite.aead_nt() {
            return Err(PeerError::Undecryptable.into());
        }
        let open = |key: &mut KeyAndNonce| {
            key.guard(reuse_guard);
            let mut plaintext = Zeroizing::new(self.ciphertext().to_vec());
            let length = suite
                .aead_open_slice(key.key(), key.nonce(), self.aad(), &mut plaintext)
                .map_err(Error::of_peer(PeerError::Undecryptable))?;
            plaintext.truncate(length);
            let (data, signature) = private_message_content(&plaintext)?;
            let content_tbs = content_tbs(epoch, leaf_index, self.authenticated_data(), data)?;
            content_tbs.verify(suite, &sender_key, signature)?;
            if leaf_index == own_leaf {
                return Err(Error::invalid("9.1: a message of our own that we didn't send"));
            }
            // At its own size: the message may be mostly padding.
            Ok(data.to_vec())
        };
        let ratchet_type = RatchetType::Application;
        let data = secret_tree.use_key(suite, leaf_index, ratchet_type, generation, open)?;
        let consumed = Consumed { leaf: leaf_index, ratchet_type, generation };
        Ok(OpenedApplication { sender: leaf_index, data, consumed })
    }
}

/// The two parts of a PrivateMessageContent (section 6.3.1): the data and the signature.
fn private_message_content(plaintext: &[u8]) -> Result<(&[u8], &[u8])> {
    let mut reader = Reader::new(plaintext);
    let (data, signature) = (reader.opaque()?, reader.opaque()?);
    if reader.take_rest().iter().any(|byte| *byte != 0) {
        return Err(Error::invalid("6.3.1: padding that is not all zero"));
    }
    Ok((data, signature))
}

/// FramedContentTBS (section 6.1), where it is signed.
fn content_tbs(
    epoch: &EpochContext<'_>,
    sender: LeafIndex,
    authenticated_data: &[u8],
    data: &[u8],
) -> Result<SignContent> {
    let sender = Sender::Member(sender);
    let length = START
        + opaque_len(epoch.group_id)
        + epoch.epoch.encoded_len()
        + sender.encoded_len()
        + opaque_len(authenticated_data)
        + TYPE.encoded_len()
        + opaque_len(data)
        + epoch.group_context.len();
    let write = |out: &mut Vec<u8>| -> Result<(), EncodeError> {
        write_start(WireFormat::PrivateMessage, out);
        encode_opaque(epoch.group_id, out)?;
        epoch.epoch.encode(out)?;
        sender.encode(out)?;
        encode_opaque(authenticated_data, out)?;
        TYPE.encode(out)?;
        encode_opaque(data, out)?;
        out.extend_from_slice(epoch.group_context);
        Ok(())
    };
    Ok(SignContent::write(LABEL, length, write)?)
}
