//! The bytes between two peers, as they would go through a socket: records with their headers.

/// The flights of a full handshake with server authentication (RFC 8446 section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flight {
    /// `ClientHello`.
    Hello,
    /// `ServerHello` to the server's `Finished`.
    Answer,
    /// The client's `Finished`.
    Finish,
    /// What the server sends after it: nothing, as it issues no tickets.
    After,
}

impl Flight {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Hello, Self::Answer, Self::Finish, Self::After];
}

/// The flights of one handshake. It is kept from one handshake to the next for its memory.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    flights: [Vec<u8>; Flight::ALL.len()],
}

impl Wire {
    /// Empties the flights, for a stack to write into, in order.
    pub fn begin(&mut self) -> &mut [Vec<u8>; Flight::ALL.len()] {
        self.flights.iter_mut().for_each(Vec::clear);
        &mut self.flights
    }

    /// What was sent in a flight.
    #[must_use]
    pub fn flight(&self, flight: Flight) -> &[u8] {
        &self.flights[flight as usize]
    }

    /// How many bytes that were, flight by flight.
    #[must_use]
    pub fn lengths(&self) -> [usize; Flight::ALL.len()] {
        self.flights.each_ref().map(Vec::len)
    }
}

impl From<[Vec<u8>; Flight::ALL.len()]> for Wire {
    fn from(flights: [Vec<u8>; Flight::ALL.len()]) -> Self {
        Self { flights }
    }
}

impl From<Wire> for [Vec<u8>; Flight::ALL.len()] {
    fn from(wire: Wire) -> Self {
        wire.flights
    }
}
