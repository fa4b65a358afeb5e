//! What a TLS stack does for the lab.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Cell, Chain, Flight, Part, Peer, TlsError, Wire};

/// A TLS library on a crypto library.
pub trait TlsStack {
    /// Who it is.
    fn describe(&self) -> Description;

    /// Makes everything that serves more than one connection: the server with the chain's end-entity
    /// certificate and key, the client that trusts the chain's issuer and expects the chain's name.
    ///
    /// # Errors
    ///
    /// [`TlsError::Unsupported`] for a cell that the library doesn't have: the library was asked, not
    /// a list. [`TlsError::Caller`] for a chain that can't be read.
    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError>;
}

/// A cell that is ready for handshakes.
pub trait Prepared {
    /// One full handshake between two new peers. All that they send goes through `wire`.
    ///
    /// # Errors
    ///
    /// [`TlsError::Refused`] if a peer doesn't accept the other, and [`TlsError::Stack`] if they don't
    /// come to an end.
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError>;

    /// So many of them, one after the other.
    ///
    /// # Errors
    ///
    /// As [`Self::handshake`].
    fn handshakes(&mut self, count: usize) -> Result<Vec<Handshake>, TlsError> {
        let mut wire = Wire::default();
        (0..count).map(|_| self.handshake(&mut wire)).collect()
    }

    /// The parts of the handshake's cryptography, each so often, through the library that the stack
    /// uses: nanoseconds for one.
    ///
    /// # Errors
    ///
    /// [`TlsError::Unsupported`] for a part that the library doesn't give out alone.
    fn time_part(&mut self, part: Part, count: u32) -> Result<f64, TlsError>;
}

/// A stack's description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Its name in the matrix.
    pub name: String,
    /// The TLS library, with its version.
    pub tls: String,
    /// The crypto library, with its version.
    pub crypto: String,
    /// Why its allocations can't be counted: `None` if they can.
    pub uncounted: Option<String>,
}

/// What came of a handshake, in the stack's own words but for the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// How long the peer whose flight it is worked for it: connection made or flight read, flight
    /// written.
    pub times: [Duration; Flight::ALL.len()],
    /// How many bytes each flight has on the wire.
    pub bytes: [usize; Flight::ALL.len()],
    /// What the peers agreed on.
    pub negotiated: Negotiated,
}

/// What the peers agreed on, as the stack tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Negotiated {
    /// The number of the group.
    pub group: u16,
    /// The number of the scheme that the server signed with.
    pub scheme: u16,
    /// Whether the client verified the server's chain and name.
    pub verified: bool,
    /// Whether a session was resumed.
    pub resumed: bool,
}

impl Handshake {
    /// The time of one peer.
    #[must_use]
    pub fn time(&self, peer: Peer) -> Duration {
        let [hello, answer, finish, after] = self.times;
        match peer {
            Peer::Client => hello + finish,
            Peer::Server => answer + after,
        }
    }

    /// The time of both.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// What one peer sent.
    #[must_use]
    pub fn sent(&self, peer: Peer) -> usize {
        let [hello, answer, finish, after] = self.bytes;
        match peer {
            Peer::Client => hello + finish,
            Peer::Server => answer + after,
        }
    }

    /// The length of the `ClientHello`, with the header of its record.
    #[must_use]
    pub fn client_hello(&self) -> usize {
        self.bytes[Flight::Hello as usize]
    }
}
