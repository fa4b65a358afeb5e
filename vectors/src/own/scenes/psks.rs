//! PSKs that a Welcome names (sections 8.4 and 12.4.3.1).

use super::setting::Stage;
use super::spec::{SOME, Spec, bad};
use super::welcomes::JOINING;
use crate::own::Reason;
use crate::own::forging::{Change, Made, Psk};
use burrow::Result;

pub(super) fn two_psks(stage: &Stage<'_>) -> Result<Vec<Psk>> {
    let (id, secret) = stage.psks[1].clone();
    let nonce = stage.nonce(stage.suite().kdf_nh())?;
    Ok(vec![stage.psk()?, Psk::external(&id, nonce, secret)?])
}

pub(super) fn welcome_with_psks<'a>(stage: &Stage<'a>, psks: Vec<Psk>) -> Result<Made<'a>> {
    let mut commit = stage.commit()?.with(Change::Add(stage.us.draft.clone()));
    for psk in psks {
        commit = commit.with(Change::Psk(psk));
    }
    commit.make()
}

pub(super) fn specs() -> Vec<Spec> {
    vec![
        bad(
            ("psk-missing", "psk"),
            "the GroupSecrets don't name the PSK that was used",
            (34, "8.4"),
            Reason::Decryption,
            |stage| {
                let psks = vec![stage.psk()?];
                let welcome = welcome_with_psks(stage, psks)?.welcome();
                welcome.secrets(|secrets| secrets.psks.clear()).make()?.try_into()
            },
        ),
        bad(
            ("psk-unknown", "psk"),
            "the PSK is one that the client doesn't have",
            (34, "8.4"),
            Reason::Psk,
            |stage| {
                let nonce = stage.nonce(stage.suite().kdf_nh())?;
                let psk = Psk::external(b"unknown", nonce, stage.psks[0].1.clone())?;
                welcome_with_psks(stage, vec![psk])?.welcome().make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("psk-nonce-other", "psk"),
            "the psk_nonce is another one than the commit's",
            (34, "8.4"),
            Reason::Decryption,
            |stage| {
                let psks = vec![stage.psk()?];
                let welcome = welcome_with_psks(stage, psks)?.welcome();
                welcome.secrets(|secrets| secrets.psks[0].nonce[0] ^= 1).make()?.try_into()
            },
        ),
        bad(
            ("psks-swapped", "two-psks"),
            "the GroupSecrets have the PSKs in another order than the commit",
            (34, "8.4"),
            Reason::Decryption,
            |stage| {
                let psks = two_psks(stage)?;
                let welcome = welcome_with_psks(stage, psks)?.welcome();
                welcome.secrets(|secrets| secrets.psks.reverse()).make()?.try_into()
            },
        ),
        bad(
            ("psks-for-two-successions", "psk"),
            "two resumption PSKs, for a reinitialisation and for a branch",
            (37, JOINING),
            Reason::Rule,
            |stage| {
                let psks = vec![stage.resumption(2)?, stage.resumption(3)?];
                welcome_with_psks(stage, psks)?.welcome().make()?.try_into()
            },
        ),
    ]
}
