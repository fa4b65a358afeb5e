//! The whole matrix, and handshakes that must not pass.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use tls_api::check::{Failure, check};
use tls_api::{
    Cell, Certificate, Chain, Chains, Description, Flight, Group, Handshake, Part, Prepared,
    TlsError, TlsStack, Wire,
};
use tls_rustls_aws_lc::stack;

const CELL: Cell = Cell { group: Group::X25519, certificate: Certificate::Ed25519 };

#[test]
fn every_cell_passes_its_checks() {
    let (stack, chains) = (stack(), Chains::make().unwrap());
    for cell in Cell::all() {
        let (chain, other) = chains.of(cell.certificate).unwrap();
        let mut checked = check(&stack, cell, chain, other).unwrap();
        for part in Part::ALL {
            assert!(checked.prepared.time_part(part, 2).unwrap() > 0.0, "{cell}: {part:?}");
        }
    }
}

/// With new chains, in new configurations: all but the length of an ECDSA signature.
#[test]
fn bytes_on_the_wire_reproduce() {
    let stack = stack();
    for cell in Cell::all() {
        let lengths = || {
            let chain = tls_api::make(cell.certificate).unwrap();
            let mut prepared = stack.prepare(cell, &chain).unwrap();
            prepared.handshake(&mut Wire::default()).unwrap().bytes
        };
        let (mut one, mut other) = (lengths(), lengths());
        if cell.certificate.length_varies() {
            let answer = Flight::Answer as usize;
            assert!(one[answer].abs_diff(other[answer]) <= 8);
            (one[answer], other[answer]) = (0, 0);
        }
        assert_eq!(one, other, "{cell}");
    }
}

/// Lengths by hand, for one cell (RFC 8446 sections 4 and 5).
#[test]
fn lengths_are_those_of_the_messages() {
    let chain = tls_api::make(CELL.certificate).unwrap();
    let mut wire = Wire::default();
    let mut prepared = stack().prepare(CELL, &chain).unwrap();
    let handshake = prepared.handshake(&mut wire).unwrap();
    let (record, header, tag) = (5, 4, 16 + 1);
    let server_hello = record + header + 2 + 32 + 33 + 2 + 1 + 2 + (4 + 2) + (4 + 4 + 32);
    let change_cipher_spec = record + 1;
    let encrypted_extensions = header + 2 + 4; // an empty server_name
    let certificate = header + 1 + 3 + 3 + chain.end_entity.len() + 2;
    let certificate_verify = header + 2 + 2 + 64;
    let finished = header + 32;
    // All in one record.
    let messages = encrypted_extensions + certificate + certificate_verify + finished;
    let sealed = record + messages + tag;
    assert_eq!(handshake.bytes[1], server_hello + change_cipher_spec + sealed);
    assert_eq!(handshake.bytes[2], change_cipher_spec + record + finished + tag);
}

/// A stack that does another cell than it is asked.
struct Other(Cell);

impl TlsStack for Other {
    fn describe(&self) -> Description {
        stack().describe()
    }

    fn prepare(&self, _: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        stack().prepare(self.0, chain)
    }
}

/// A stack that changes what is told of its handshakes.
struct Liar<F> {
    stack: Other,
    tell: F,
}

impl<F: Fn(&mut Handshake) + Copy + 'static> TlsStack for Liar<F> {
    fn describe(&self) -> Description {
        stack().describe()
    }

    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        let inner = self.stack.prepare(cell, chain)?;
        Ok(Box::new(Lying { inner, tell: self.tell }))
    }
}

struct Lying<F> {
    inner: Box<dyn Prepared>,
    tell: F,
}

impl<F: Fn(&mut Handshake)> Prepared for Lying<F> {
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        let mut handshake = self.inner.handshake(wire)?;
        (self.tell)(&mut handshake);
        Ok(handshake)
    }

    fn time_part(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        self.inner.time_part(part, count)
    }
}

/// Why a cell fails, of a chain of that algorithm.
fn failure(stack: &dyn TlsStack, cell: Cell, certificate: Certificate) -> String {
    let chain = tls_api::make(certificate).unwrap();
    let other = tls_api::make(certificate).unwrap();
    match check(stack, cell, &chain, &other).map(|checked| checked.sample) {
        Err(Failure::Wrong(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_group_fails_the_cell() {
    for group in Group::ALL.into_iter().filter(|group| *group != CELL.group) {
        let other = Cell { group, ..CELL };
        let why = failure(&Other(other), CELL, CELL.certificate);
        assert!(why.starts_with("the negotiated group is 0x"), "{why}");
    }
}

#[test]
fn another_certificate_fails_the_cell() {
    for certificate in Certificate::ALL.into_iter().filter(|other| *other != CELL.certificate) {
        let other = Cell { certificate, ..CELL };
        let why = failure(&Other(other), CELL, certificate);
        assert!(why.starts_with("the negotiated scheme is 0x"), "{why}");
    }
}

/// The bytes tell what the stack does not.
#[test]
fn a_lie_about_group_or_certificate_fails_the_cell() {
    let other = Cell { group: Group::Secp256r1, ..CELL };
    let tell = |told: &mut Handshake| told.negotiated.group = CELL.group.code();
    let why = failure(&Liar { stack: Other(other), tell }, CELL, CELL.certificate);
    assert_eq!(why, "the client's group: 0x0017 and not 0x001d alone");

    let other = Cell { certificate: Certificate::EcdsaP256, ..CELL };
    let tell = |told: &mut Handshake| told.negotiated.scheme = CELL.certificate.scheme();
    let why = failure(&Liar { stack: Other(other), tell }, CELL, Certificate::EcdsaP256);
    assert_eq!(why, "the client's signature scheme: 0x0403 and not 0x0807 alone");
}

#[test]
fn a_lie_about_lengths_fails_the_cell() {
    let tell = |told: &mut Handshake| told.bytes[1] -= 1;
    let why = failure(&Liar { stack: Other(CELL), tell }, CELL, CELL.certificate);
    assert_eq!(why, "the stack tells other lengths than were sent");
}

#[test]
fn a_client_that_verifies_nothing_fails_the_cell() {
    let tell = |told: &mut Handshake| told.negotiated.verified = false;
    let why = failure(&Liar { stack: Other(CELL), tell }, CELL, CELL.certificate);
    assert_eq!(why, "the client did not verify the chain");
}

/// A stack whose client trusts the issuer of whatever chain it is given first.
struct Credulous(Chain);

impl TlsStack for Credulous {
    fn describe(&self) -> Description {
        stack().describe()
    }

    fn prepare(&self, cell: Cell, _: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        stack().prepare(cell, &self.0)
    }
}

#[test]
fn a_client_that_accepts_a_strange_chain_fails_the_cell() {
    let stack = Credulous(tls_api::make(CELL.certificate).unwrap());
    let why = failure(&stack, CELL, CELL.certificate);
    assert_eq!(why, "the client accepts a chain of another issuer");
}
