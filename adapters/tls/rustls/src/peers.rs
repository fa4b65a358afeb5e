//! A client and a server, flight by flight.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, Error, HandshakeKind, ServerConfig,
    ServerConnection, SideData,
};
use tls_api::{Flight, Handshake, Negotiated, Peer, TlsError, Wire};

use crate::verifier::Keeping;

/// What all handshakes of a cell share.
pub(crate) struct Peers {
    pub(crate) client: Arc<ClientConfig>,
    pub(crate) server: Arc<ServerConfig>,
    pub(crate) name: ServerName<'static>,
    pub(crate) verifier: Arc<Keeping>,
}

impl Peers {
    /// A full handshake (RFC 8446 section 2). Each flight's time begins with what its sender reads.
    pub(crate) fn handshake(&self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        self.verifier.take();
        let [hello, answer, finish, after] = wire.begin();
        let mut times = [Duration::ZERO; Flight::ALL.len()];

        let start = Instant::now();
        let client = ClientConnection::new(Arc::clone(&self.client), self.name.clone());
        let mut client = client.map_err(TlsError::stack)?;
        write(&mut client, hello)?;
        times[0] = start.elapsed();

        let start = Instant::now();
        let server = ServerConnection::new(Arc::clone(&self.server));
        let mut server = server.map_err(TlsError::stack)?;
        read(&mut server, hello, Peer::Server)?;
        write(&mut server, answer)?;
        times[1] = start.elapsed();

        let start = Instant::now();
        read(&mut client, answer, Peer::Client)?;
        write(&mut client, finish)?;
        times[2] = start.elapsed();

        let start = Instant::now();
        read(&mut server, finish, Peer::Server)?;
        write(&mut server, after)?;
        times[3] = start.elapsed();

        if client.is_handshaking() || server.is_handshaking() {
            return Err(TlsError::stack("four flights were not enough"));
        }
        let negotiated = self.negotiated(&client, &server)?;
        Ok(Handshake { times, bytes: wire.lengths(), negotiated })
    }

    fn negotiated(
        &self,
        client: &ClientConnection,
        server: &ServerConnection,
    ) -> Result<Negotiated, TlsError> {
        let full = Some(HandshakeKind::Full);
        let verified = self.verifier.take();
        let group = client.negotiated_key_exchange_group().map(|group| group.name());
        if group != server.negotiated_key_exchange_group().map(|group| group.name()) {
            return Err(TlsError::stack("the peers tell different groups"));
        }
        Ok(Negotiated {
            group: group.map(u16::from).unwrap_or_default(),
            scheme: verified.scheme,
            verified: verified.chain,
            resumed: client.handshake_kind() != full || server.handshake_kind() != full,
        })
    }
}

/// Has a peer read a flight to its end.
fn read<S: SideData>(
    peer: &mut ConnectionCommon<S>,
    mut flight: &[u8],
    who: Peer,
) -> Result<(), TlsError> {
    while !flight.is_empty() {
        peer.read_tls(&mut flight).map_err(TlsError::stack)?;
        peer.process_new_packets().map_err(|why| refused(who, &why))?;
    }
    Ok(())
}

/// Has a peer write all it has to say.
fn write<S: SideData>(
    peer: &mut ConnectionCommon<S>,
    flight: &mut Vec<u8>,
) -> Result<(), TlsError> {
    while peer.wants_write() {
        peer.write_tls(flight).map_err(TlsError::stack)?;
    }
    Ok(())
}

fn refused(who: Peer, why: &Error) -> TlsError {
    match why {
        Error::General(_) | Error::FailedToGetRandomBytes | Error::EncryptError => {
            TlsError::stack(why)
        }
        _ => TlsError::refused(who, why),
    }
}
