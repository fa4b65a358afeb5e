//! The other side: a stack that is in a worker.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use zeroize::Zeroizing;

use super::{Answer, Reply, Request};
use crate::{Cell, Chain, Description, Handshake, Part, Prepared, TlsError, TlsStack, Wire};

/// A stack in a worker. The worker ends with it and its cells.
pub struct Remote {
    connection: Rc<RefCell<Connection>>,
    description: Description,
}

impl Remote {
    /// Starts a program that [`super::serve`]s.
    ///
    /// # Errors
    ///
    /// [`TlsError::Worker`] if it can't be started, or doesn't answer.
    pub fn start(program: &Path) -> Result<Self, TlsError> {
        let failed = |why| TlsError::worker(format_args!("{}: {why}", program.display()));
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let (requests, answers) = streams.ok_or_else(|| TlsError::worker("no pipes"))?;
        let answers = BufReader::new(answers);
        let mut connection = Connection { child, requests: Some(requests), answers };
        match connection.ask(&Request::Describe)? {
            Answer::Described(description) => {
                Ok(Self { connection: Rc::new(RefCell::new(connection)), description })
            }
            other => Err(unexpected(&other)),
        }
    }
}

impl TlsStack for Remote {
    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        let request = Request::Prepare { cell, chain: chain.clone() };
        match self.connection.borrow_mut().ask(&request)? {
            Answer::Prepared(number) => {
                Ok(Box::new(RemoteCell { connection: Rc::clone(&self.connection), number }))
            }
            other => Err(unexpected(&other)),
        }
    }
}

struct RemoteCell {
    connection: Rc<RefCell<Connection>>,
    number: usize,
}

impl RemoteCell {
    fn ask(&self, request: &Request) -> Reply {
        self.connection.borrow_mut().ask(request)
    }
}

impl Prepared for RemoteCell {
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        match self.ask(&Request::Handshake { prepared: self.number })? {
            Answer::Done { handshake, wire: sent } => {
                *wire = sent.into();
                Ok(handshake)
            }
            other => Err(unexpected(&other)),
        }
    }

    fn handshakes(&mut self, count: usize) -> Result<Vec<Handshake>, TlsError> {
        match self.ask(&Request::Handshakes { prepared: self.number, count })? {
            Answer::AllDone(handshakes) if handshakes.len() == count => Ok(handshakes),
            other => Err(unexpected(&other)),
        }
    }

    fn time_part(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        match self.ask(&Request::TimePart { prepared: self.number, part, count })? {
            Answer::Timed(time) => Ok(time),
            other => Err(unexpected(&other)),
        }
    }
}

impl Drop for RemoteCell {
    fn drop(&mut self) {
        // A worker that has ended holds no cells.
        let _ = self.ask(&Request::Release { prepared: self.number });
    }
}

struct Connection {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Connection {
    fn ask(&mut self, request: &Request) -> Reply {
        let ended = || TlsError::worker("it has ended");
        let requests = self.requests.as_mut().ok_or_else(ended)?;
        // A request can hold a private key.
        let mut line = Zeroizing::new(serde_json::to_vec(request).map_err(TlsError::worker)?);
        line.push(b'\n');
        requests.write_all(&line).and_then(|()| requests.flush()).map_err(|_| ended())?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer) {
            Ok(0) | Err(_) => Err(ended()),
            Ok(_) => serde_json::from_str::<Reply>(&answer).map_err(TlsError::worker)?,
        }
    }
}

impl Drop for Connection {
    /// Its input ends, and so does it.
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.wait();
    }
}

fn unexpected(answer: &Answer) -> TlsError {
    let kind = match answer {
        Answer::Described(_) => "a description",
        Answer::Prepared(_) => "a cell",
        Answer::Done { .. } => "a handshake",
        Answer::AllDone(_) => "another number of handshakes",
        Answer::Timed(_) => "a time",
        Answer::Released => "a release",
    };
    TlsError::worker(format_args!("it answers with {kind}"))
}
