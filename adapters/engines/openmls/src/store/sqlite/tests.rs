//! A client that is lost after any operation goes on from its file.

use engine_api::{AppBytes, CgkaEngine as _, Change, Ingested};
use openmls_rust_crypto::RustCrypto;

use super::*;

type Client = OpenMls<RustCrypto, Sqlite>;
type Done = Result<(), EngineError>;

/// What another process makes of a copy of the file: the keys and the groups are read from it. What
/// they are called, and which commits are staged, is the caller's.
fn crashed(client: Client) -> Result<Client, EngineError> {
    let provider = client.provider.fork()?;
    let public = client.signer.to_public_vec();
    let scheme = client.profile.suite.signature_algorithm();
    let signer = SignatureKeyPair::read(provider.storage(), &public, scheme);
    let signer = signer.ok_or_else(|| EngineError::storage("no signature key"))?;
    let mut groups = HashMap::new();
    for (id, Group { mls, staged }) in &client.groups {
        let again = provider.load(id)?;
        assert_eq!(mls.epoch(), again.epoch());
        assert_eq!(mls.epoch_authenticator().as_slice(), again.epoch_authenticator().as_slice());
        assert_eq!(mls.pending_commit().is_some(), again.pending_commit().is_some());
        groups.insert(id.clone(), Group { mls: again, staged: *staged });
    }
    Ok(OpenMls {
        stages: provider.random_number()?,
        provider,
        signer: Signing::new(signer),
        identity: client.identity.clone(),
        unused: client.unused.clone(),
        profile: client.profile.clone(),
        groups,
    })
}

fn crash(clients: &mut Vec<Client>) -> Done {
    let before = std::mem::take(clients);
    *clients = before.into_iter().map(crashed).collect::<Result<_, _>>()?;
    Ok(())
}

fn reads(clients: &mut Vec<Client>, by: usize, group: &GroupId, message: &AppBytes) -> Done {
    let read = clients[by].ingest_app(group, message)?.applied();
    assert_eq!(read.map(|read| read.payload).as_deref(), Some(&b"hello"[..]), "a key used twice");
    crash(clients)?;
    assert_eq!(clients[by].ingest_app(group, message)?, Ingested::Duplicate);
    Ok(())
}

#[test]
fn a_client_goes_on_from_its_file() -> Done {
    let mut clients = vec![Client::new_client("a")?, Client::new_client("b")?];
    let key_packages = [clients[1].publish_key_package()?];
    crash(&mut clients)?;
    let founded = clients[0].create_group(&key_packages)?;
    let group = founded.group;
    crash(&mut clients)?;
    let welcome = founded.welcomes.for_invitee(0);
    clients[1].join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
    crash(&mut clients)?;
    for round in 0..4 {
        for from in [0, 1, 0] {
            let message = clients[from].send(&group, b"hello")?;
            crash(&mut clients)?;
            reads(&mut clients, 1 - from, &group, &message)?;
        }
        let by = round % 2;
        let staged = clients[by].stage_commit(&group, &Change::Update)?;
        crash(&mut clients)?;
        let late = clients[by].send(&group, b"hello")?;
        let commit = staged.commit().clone();
        clients[by].merge_staged(staged.published())?;
        clients[1 - by].ingest_commit(&group, &commit)?;
        crash(&mut clients)?;
        reads(&mut clients, 1 - by, &group, &late)?;
    }
    let [a, b] = [0, 1].map(|index| clients[index].epoch_authenticator(&group));
    assert_eq!(a?, b?);
    Ok(())
}
