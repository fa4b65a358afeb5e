//! Storing a commit of ours that has been sent and not been accepted yet: without it, a client that
//! stops in between couldn't follow its own commit.

use zeroize::Zeroizing;

use super::{
    CommitMessages, Group, StagedCommit,
    state::{LAYOUT, Parts, Restoring, write_parts},
    transition::{Changes, Transition},
};
use crate::{
    CallerError, Error, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
};

impl StagedCommit {
    /// All of the commit, to be stored before it is sent; it holds secrets. Once it is merged, the
    /// group is to be written and this to be deleted.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn write(&self) -> Result<Zeroizing<Vec<u8>>> {
        let transition = &self.transition;
        let next = transition.next.as_ref();
        let next = next.ok_or(Error::Internal("a commit of ours that removes us"))?;
        let signer = transition.signer.as_ref().map(|signer| signer.private());
        let mut parts: Parts<'_> = vec![
            Box::new(LAYOUT),
            Box::new(transition.base),
            Box::new(&self.messages),
            Box::new(&transition.changes),
            Box::new(u8::from(signer.is_some())),
        ];
        if let Some(signer) = signer {
            parts.push(Box::new(signer));
        }
        parts.push(Box::new(&next.context));
        next.parts(&mut parts);
        write_parts(&parts)
    }
}

impl Group {
    /// A staged commit as it was written, for the same epoch of the same group.
    ///
    /// # Errors
    ///
    /// [`CallerError::Outdated`] if the group is in another epoch,
    /// [`crate::PeerError::Malformed`] if this isn't what [`StagedCommit::write`] wrote.
    pub fn restore_staged(&self, written: &[u8]) -> Result<StagedCommit> {
        let mut reader = Reader::new(written);
        if reader.read::<u8>()? != LAYOUT {
            return Err(CallerError::Invalid("a stored commit of another layout").into());
        }
        let base = self.epoch.interim_transcript_hash;
        if !base.matches(reader.opaque()?) {
            return Err(CallerError::Outdated.into());
        }
        let messages = reader.read()?;
        let changes = reader.read()?;
        let has_signer = read_flag(&mut reader)?;
        let mut restoring = Restoring {
            client: self.client(),
            suite: self.suite()?,
            reader,
            // Nobody has sent anything in an epoch that nobody is in.
            uses: &[],
        };
        let signer = has_signer.then(|| restoring.signing_key()).transpose()?;
        let context = restoring.reader.read()?;
        let next = restoring.epoch(context)?;
        restoring.reader.finish()?;
        Ok(StagedCommit {
            messages,
            transition: Transition { base, next: Some(next), signer, changes },
        })
    }
}

fn read_flag(reader: &mut Reader<'_>) -> Result<bool, DecodeError> {
    match reader.read::<u8>()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(DecodeError::InvalidValue("stored flag")),
    }
}

crate::codec_struct!(CommitMessages { message, welcome, ratchet_tree, group_info, key_use });

impl Changes {
    fn parts(&self) -> Parts<'_> {
        vec![
            Box::new(self.committer),
            Box::new(u8::from(self.joins)),
            Box::new(&self.added),
            Box::new(&self.updated),
            Box::new(&self.removed),
            Box::new(&self.extensions),
            Box::new(&self.psks),
            Box::new(&self.reinit),
            Box::new(&self.custom),
            Box::new(u8::from(self.has_path)),
        ]
    }
}

impl Encode for Changes {
    fn encoded_len(&self) -> usize {
        self.parts().iter().map(|part| part.encoded_len()).sum()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.parts().iter().try_for_each(|part| part.encode(out))
    }
}

impl Decode for Changes {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            committer: reader.read()?,
            joins: read_flag(reader)?,
            added: reader.read()?,
            updated: reader.read()?,
            removed: reader.read()?,
            extensions: reader.read()?,
            psks: reader.read()?,
            reinit: reader.read()?,
            custom: reader.read()?,
            has_path: read_flag(reader)?,
        })
    }
}
