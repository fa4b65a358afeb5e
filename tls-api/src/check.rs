//! What must be true of a handshake before it is timed, and of each one that is.

use crate::hello::{ClientHello, NoHello, Number, ServerHello};
use crate::{Cell, Chain, Flight, Handshake, Peer, Prepared, TlsError, TlsStack, Wire};

/// TLS_AES_128_GCM_SHA256 (RFC 8446 appendix B.4).
pub const CIPHER_SUITE: u16 = 0x1301;

/// Why a cell of a stack can't be timed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The stack doesn't have it.
    #[error("{0}")]
    Absent(String),
    /// It failed, or did something else than it was asked.
    #[error("{0}")]
    Wrong(String),
}

impl From<TlsError> for Failure {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::Unsupported(why) => Self::Absent(why),
            other => Self::Wrong(other.to_string()),
        }
    }
}

impl From<NoHello> for Failure {
    fn from(error: NoHello) -> Self {
        wrong(error)
    }
}

fn wrong(why: impl std::fmt::Display) -> Failure {
    Failure::Wrong(why.to_string())
}

/// A cell that passed, and what its handshakes look like.
pub struct Checked {
    /// For more handshakes.
    pub prepared: Box<dyn Prepared>,
    /// One that was checked: later ones must have its lengths.
    pub sample: Handshake,
}

/// Prepares a cell and has it pass all checks: handshakes that do what was asked, one after another so
/// that a resumption would show, and two that must fail, with an issuer of the same name and another
/// key, and with another server's name.
///
/// `other` is a chain of the same algorithm and of the same names.
///
/// # Errors
///
/// [`Failure::Absent`] if the stack doesn't have the cell, [`Failure::Wrong`] for the first check that
/// failed.
pub fn check(
    stack: &dyn TlsStack,
    cell: Cell,
    chain: &Chain,
    other: &Chain,
) -> Result<Checked, Failure> {
    let mut prepared = stack.prepare(cell, chain)?;
    let mut wire = Wire::default();
    let mut sample = None;
    for _ in 0..3 {
        let handshake = prepared.handshake(&mut wire)?;
        seen(cell, &handshake, &wire)?;
        if let Some(before) = &sample {
            again(cell, before, &handshake)?;
        }
        sample = Some(handshake);
    }
    let strange = Chain { issuer: other.issuer.clone(), ..chain.clone() };
    refused(stack, cell, &strange, "a chain of another issuer")?;
    let misnamed = Chain { name: format!("not.{}", chain.name), ..chain.clone() };
    refused(stack, cell, &misnamed, "a certificate of another name")?;
    let sample = sample.ok_or_else(|| wrong("no handshake was done"))?;
    Ok(Checked { prepared, sample })
}

/// A client must not accept this.
fn refused(stack: &dyn TlsStack, cell: Cell, chain: &Chain, what: &str) -> Result<(), Failure> {
    match stack.prepare(cell, chain)?.handshake(&mut Wire::default()) {
        Err(TlsError::Refused { by: Peer::Client, .. }) => Ok(()),
        Err(other) => Err(wrong(format_args!("{what}: {other}"))),
        Ok(_) => Err(wrong(format_args!("the client accepts {what}"))),
    }
}

/// What a handshake tells, and what its bytes show.
///
/// # Errors
///
/// What is not as it was asked.
pub fn seen(cell: Cell, handshake: &Handshake, wire: &Wire) -> Result<(), Failure> {
    told(cell, handshake)?;
    if handshake.bytes != wire.lengths() {
        return Err(wrong("the stack tells other lengths than were sent"));
    }
    if !wire.flight(Flight::After).is_empty() {
        return Err(wrong("the server sends something after the handshake"));
    }
    let (group, scheme) = (cell.group.code(), cell.certificate.scheme());
    let client = ClientHello::read(wire.flight(Flight::Hello))?;
    // BoringSSL offers all three suites of TLS 1.3 whatever it is told.
    if !client.cipher_suites.contains(&CIPHER_SUITE) {
        return Err(wrong("the client doesn't offer TLS_AES_128_GCM_SHA256"));
    }
    only("group", &client.groups, group)?;
    only("key share", &client.key_shares, group)?;
    only("signature scheme", &client.schemes, scheme)?;
    let server = ServerHello::read(wire.flight(Flight::Answer))?;
    if server.retry {
        return Err(wrong("the server asks for another ClientHello"));
    }
    if client.pre_shared_key || server.pre_shared_key {
        return Err(wrong("a pre_shared_key is in a hello: a resumption"));
    }
    is("the server's cipher suite", server.cipher_suite, CIPHER_SUITE)?;
    is("the server's group", server.group.unwrap_or_default(), group)
}

/// What a handshake tells of itself.
///
/// # Errors
///
/// What is not as it was asked.
pub fn told(cell: Cell, handshake: &Handshake) -> Result<(), Failure> {
    let negotiated = &handshake.negotiated;
    if negotiated.resumed {
        return Err(wrong("the handshake is a resumption"));
    }
    if !negotiated.verified {
        return Err(wrong("the client did not verify the chain"));
    }
    is("the negotiated group", negotiated.group, cell.group.code())?;
    is("the negotiated scheme", negotiated.scheme, cell.certificate.scheme())
}

/// That a handshake is like one that was checked: what it tells, and its lengths. An ECDSA signature
/// in it may have another.
///
/// # Errors
///
/// What differs.
pub fn again(cell: Cell, before: &Handshake, handshake: &Handshake) -> Result<(), Failure> {
    /// Between the shortest signature to be met with and the longest.
    const DIFFERENCE: usize = 8;
    told(cell, handshake)?;
    for (flight, (one, other)) in before.bytes.iter().zip(&handshake.bytes).enumerate() {
        let varies = cell.certificate.length_varies() && flight == Flight::Answer as usize;
        if one.abs_diff(*other) > if varies { DIFFERENCE } else { 0 } {
            return Err(wrong(format_args!("flight {flight} has {one} bytes, then {other}")));
        }
    }
    Ok(())
}

fn only(what: &str, offered: &[u16], asked: u16) -> Result<(), Failure> {
    if offered == [asked] {
        return Ok(());
    }
    let offered: Vec<_> = offered.iter().map(|number| Number(*number).to_string()).collect();
    let asked = Number(asked);
    Err(wrong(format_args!("the client's {what}: {} and not {asked} alone", offered.join(", "))))
}

fn is(what: &str, seen: u16, asked: u16) -> Result<(), Failure> {
    if seen == asked {
        return Ok(());
    }
    Err(wrong(format_args!("{what} is {} and not {}", Number(seen), Number(asked))))
}
