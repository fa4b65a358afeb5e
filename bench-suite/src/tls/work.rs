//! A cell's handshakes as what is timed, and what they had in common.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tls_api::{Handshake, Peer, Prepared, check};

use super::Ready;
use crate::side_by_side::{Entry, Figure, Times, Work};

/// A packet that goes through most networks whole.
pub(super) const PACKET: usize = 1400;

/// The figure of its length.
pub(super) const CLIENT_HELLO: &str = "ClientHello";

/// Handshakes that were done, kept beside the entry that does them.
#[derive(Default)]
pub(super) struct Done {
    asked: u64,
    /// How many had so many bytes from the client and from the server.
    bytes: BTreeMap<(usize, usize), u64>,
    client_hello: usize,
}

/// A cell that is timed, with what its parts are timed through.
pub(super) struct Timed {
    pub(super) entry: Entry,
    pub(super) prepared: Rc<RefCell<Box<dyn Prepared>>>,
    pub(super) done: Rc<RefCell<Done>>,
}

/// An entry of that name.
pub(super) fn timed(name: String, ready: Ready) -> Timed {
    let prepared = Rc::new(RefCell::new(ready.checked.prepared));
    let done = Rc::new(RefCell::new(Done::default()));
    let work = Handshakes {
        cell: ready.cell,
        sample: ready.checked.sample,
        prepared: Rc::clone(&prepared),
        done: Rc::clone(&done),
    };
    let entry = Entry { name, work: Box::new(work), figures: Vec::new() };
    Timed { entry, prepared, done }
}

struct Handshakes {
    cell: tls_api::Cell,
    sample: Handshake,
    prepared: Rc<RefCell<Box<dyn Prepared>>>,
    done: Rc<RefCell<Done>>,
}

impl Work for Handshakes {
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        let asked = repeats as usize;
        self.done.borrow_mut().asked += u64::from(repeats);
        let handshakes = self.prepared.borrow_mut().handshakes(asked);
        let handshakes = handshakes.map_err(|why| why.to_string())?;
        if handshakes.len() != asked {
            return Err(format!("{} handshakes of {asked}", handshakes.len()));
        }
        let mut done = self.done.borrow_mut();
        for handshake in &handshakes {
            check::again(self.cell, &self.sample, handshake).map_err(|why| why.to_string())?;
            done.add(handshake);
        }
        Ok(times(&handshakes))
    }
}

/// Averages over a turn.
fn times(handshakes: &[Handshake]) -> Times {
    let count = handshakes.len().max(1) as f64;
    let average = |time: &dyn Fn(&Handshake) -> std::time::Duration| {
        handshakes.iter().map(|handshake| time(handshake).as_nanos() as f64).sum::<f64>() / count
    };
    let peer = |peer: Peer| average(&|handshake| handshake.time(peer));
    Times {
        whole_ns: average(&Handshake::total),
        parts_ns: vec![("client", peer(Peer::Client)), ("server", peer(Peer::Server))],
    }
}

impl Done {
    fn add(&mut self, handshake: &Handshake) {
        let sent = (handshake.sent(Peer::Client), handshake.sent(Peer::Server));
        *self.bytes.entry(sent).or_default() += 1;
        self.client_hello = handshake.client_hello();
    }

    /// The most frequent bytes: they differ only by an ECDSA signature.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let most = self.bytes.iter().max_by_key(|(_, times)| **times);
        let (client, server) = most.map_or((0, 0), |(sent, _)| *sent);
        let servers = || self.bytes.keys().map(|(_, server)| *server);
        let mut figures = vec![
            bytes("client sends", client),
            bytes("server sends", server),
            bytes(CLIENT_HELLO, self.client_hello),
            count("ClientHello in one packet", u64::from(self.client_hello <= PACKET)),
            count("handshakes", self.asked),
            count("succeeded", self.bytes.values().sum()),
        ];
        if let (Some(least), Some(greatest)) = (servers().min(), servers().max())
            && least != greatest
        {
            figures.push(bytes("server sends at least", least));
            figures.push(bytes("at most", greatest));
        }
        figures
    }
}

fn bytes(name: &str, value: usize) -> Figure {
    Figure { name: name.into(), value: value as f64, unit: "B".into() }
}

fn count(name: &str, value: u64) -> Figure {
    Figure { name: name.into(), value: value as f64, unit: String::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use tls_api::{Cell, Certificate, Group, Negotiated, Part, TlsError, Wire, check::Checked};

    use super::*;

    const CELL: Cell = Cell { group: Group::X25519, certificate: Certificate::EcdsaP256 };

    /// Does one handshake after the other, from a list.
    struct Listed(Vec<Result<Handshake, TlsError>>);

    impl Prepared for Listed {
        fn handshake(&mut self, _: &mut Wire) -> Result<Handshake, TlsError> {
            self.0.remove(0)
        }

        fn time_part(&mut self, _: Part, _: u32) -> Result<f64, TlsError> {
            Err(TlsError::Unsupported("no parts".into()))
        }
    }

    fn handshake(server_sends: usize) -> Handshake {
        Handshake {
            times: [1, 2, 3, 4].map(Duration::from_nanos),
            bytes: [1500, server_sends, 74, 0],
            negotiated: Negotiated {
                group: CELL.group.code(),
                scheme: CELL.certificate.scheme(),
                verified: true,
                resumed: false,
            },
        }
    }

    fn entry(handshakes: Vec<Result<Handshake, TlsError>>) -> Timed {
        let checked = Checked { prepared: Box::new(Listed(handshakes)), sample: handshake(700) };
        timed("listed".into(), Ready { stack: "listed".into(), cell: CELL, checked })
    }

    #[test]
    fn a_turn_is_the_average_and_bytes_the_most_frequent() {
        let mut listed = entry([700, 701, 701, 702].map(|sent| Ok(handshake(sent))).into());
        let times = listed.entry.work.turn(4).unwrap();
        assert_eq!(times.parts_ns, [("client", 4.0), ("server", 6.0)]);
        let figures = listed.done.borrow().figures();
        let figures: Vec<_> =
            figures.iter().map(|figure| (figure.name.as_str(), figure.value as u64)).collect();
        let expected = [
            ("client sends", 1574),
            ("server sends", 701),
            ("ClientHello", 1500),
            ("ClientHello in one packet", 0),
            ("handshakes", 4),
            ("succeeded", 4),
            ("server sends at least", 700),
            ("at most", 702),
        ];
        assert_eq!(figures, expected);
    }

    /// Also in the middle of a turn.
    #[test]
    fn a_handshake_that_is_not_as_checked_ends_the_turn() {
        let mut resumed = handshake(700);
        resumed.negotiated.resumed = true;
        let mut grouped = handshake(700);
        grouped.negotiated.group = Group::Secp256r1.code();
        let failures = [
            (Ok(resumed), "the handshake is a resumption"),
            (Ok(grouped), "the negotiated group is 0x0017 and not 0x001d"),
            (Ok(handshake(800)), "flight 1 has 700 bytes, then 800"),
            (Err(TlsError::refused(Peer::Client, "no")), "the client refused: no"),
        ];
        for (second, why) in failures {
            let mut listed = entry(vec![Ok(handshake(700)), second]);
            assert_eq!(listed.entry.work.turn(2), Err(why.to_owned()));
        }
    }
}
