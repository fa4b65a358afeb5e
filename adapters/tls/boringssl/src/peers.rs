//! A client and a server, flight by flight.

use std::time::{Duration, Instant};

use boring::ssl::{ErrorCode, Ssl, SslContext, SslStream};
use tls_api::{Certificate, Flight, Handshake, Negotiated, Peer, Pipe, TlsError, Wire};

use crate::scheme;

/// What all handshakes of a cell share.
pub(crate) struct Peers {
    pub(crate) client: SslContext,
    pub(crate) server: SslContext,
    pub(crate) name: String,
}

impl Peers {
    /// A full handshake (RFC 8446 section 2). Each flight's time begins with what its sender reads.
    pub(crate) fn handshake(&self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        let flights = wire.begin();
        let mut times = [Duration::ZERO; Flight::ALL.len()];

        let start = Instant::now();
        let mut client = self.client()?;
        let done = step(&mut client, Peer::Client)?;
        times[0] = start.elapsed();
        expect(done, false)?;
        client.get_mut().swap_sent(&mut flights[0]);

        let start = Instant::now();
        let mut server = self.server(&flights[0])?;
        let done = step(&mut server, Peer::Server)?;
        times[1] = start.elapsed();
        expect(done, false)?;
        server.get_mut().swap_sent(&mut flights[1]);

        client.get_mut().receive(&flights[1]);
        let start = Instant::now();
        let done = step(&mut client, Peer::Client)?;
        times[2] = start.elapsed();
        expect(done, true)?;
        client.get_mut().swap_sent(&mut flights[2]);

        server.get_mut().receive(&flights[2]);
        let start = Instant::now();
        let done = step(&mut server, Peer::Server)?;
        times[3] = start.elapsed();
        expect(done, true)?;
        server.get_mut().swap_sent(&mut flights[3]);

        let negotiated = negotiated(&client, &server)?;
        Ok(Handshake { times, bytes: wire.lengths(), negotiated })
    }

    fn client(&self) -> Result<SslStream<Pipe>, TlsError> {
        let mut ssl = Ssl::new(&self.client).map_err(TlsError::stack)?;
        ssl.set_hostname(&self.name).map_err(TlsError::stack)?;
        ssl.param_mut().set_host(&self.name).map_err(TlsError::stack)?;
        SslStream::new(ssl, Pipe::default()).map_err(TlsError::stack)
    }

    fn server(&self, hello: &[u8]) -> Result<SslStream<Pipe>, TlsError> {
        let ssl = Ssl::new(&self.server).map_err(TlsError::stack)?;
        let mut pipe = Pipe::default();
        pipe.receive(hello);
        SslStream::new(ssl, pipe).map_err(TlsError::stack)
    }
}

/// Has a peer do what it can with what it received. Whether it is done.
fn step(peer: &mut SslStream<Pipe>, who: Peer) -> Result<bool, TlsError> {
    let result = match who {
        Peer::Client => peer.connect(),
        Peer::Server => peer.accept(),
    };
    match result {
        Ok(()) => Ok(true),
        Err(why) if why.code() == ErrorCode::WANT_READ => Ok(false),
        Err(why) if why.ssl_error().is_some() => Err(TlsError::refused(who, why)),
        Err(why) => Err(TlsError::stack(why)),
    }
}

fn expect(done: bool, expected: bool) -> Result<(), TlsError> {
    match (done, expected) {
        (true, false) => Err(TlsError::stack("a peer is done too early")),
        (false, true) => Err(TlsError::stack("four flights were not enough")),
        _ => Ok(()),
    }
}

fn negotiated(client: &SslStream<Pipe>, server: &SslStream<Pipe>) -> Result<Negotiated, TlsError> {
    let (client, server) = (client.ssl(), server.ssl());
    let group = client.curve();
    if group != server.curve() {
        return Err(TlsError::stack("the peers tell different groups"));
    }
    let signed = client.peer_signature_algorithm();
    let known = Certificate::ALL.into_iter().find(|known| Some(scheme(*known)) == signed);
    Ok(Negotiated {
        group: group.unwrap_or_default(),
        scheme: known.map(Certificate::scheme).unwrap_or_default(),
        verified: client.verify_result().is_ok() && client.peer_certificate().is_some(),
        resumed: client.session_reused() || server.session_reused(),
    })
}
