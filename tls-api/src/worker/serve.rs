//! The worker's side.

use std::io::{self, BufRead, Write};

use zeroize::Zeroizing;

use super::{Answer, Reply, Request};
use crate::{Prepared, TlsError, TlsStack, Wire};

/// Does what the lines of `requests` ask of a stack, until they end.
///
/// # Errors
///
/// If the streams fail. What goes wrong with the stack is an answer.
pub fn serve(
    stack: &dyn TlsStack,
    requests: impl BufRead,
    mut answers: impl Write,
) -> io::Result<()> {
    let mut server = Server { stack, cells: Vec::new() };
    for line in requests.lines() {
        // A request can hold a private key.
        let line = Zeroizing::new(line?);
        let reply = match serde_json::from_str(&line) {
            Ok(request) => server.answer(request),
            Err(why) => Err(TlsError::worker(format_args!("not understood: {why}"))),
        };
        serde_json::to_writer(&mut answers, &reply)?;
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
    Ok(())
}

struct Server<'a> {
    stack: &'a dyn TlsStack,
    /// By the numbers that the other side knows them by.
    cells: Vec<Option<Box<dyn Prepared>>>,
}

impl Server<'_> {
    fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Describe => Ok(Answer::Described(self.stack.describe())),
            Request::Prepare { cell, chain } => {
                self.cells.push(Some(self.stack.prepare(cell, &chain)?));
                Ok(Answer::Prepared(self.cells.len() - 1))
            }
            Request::Handshake { prepared } => {
                let mut wire = Wire::default();
                let handshake = self.cell(prepared)?.handshake(&mut wire)?;
                Ok(Answer::Done { handshake, wire: wire.into() })
            }
            Request::Handshakes { prepared, count } => {
                self.cell(prepared)?.handshakes(count).map(Answer::AllDone)
            }
            Request::TimePart { prepared, part, count } => {
                self.cell(prepared)?.time_part(part, count).map(Answer::Timed)
            }
            Request::Release { prepared } => {
                if let Some(cell) = self.cells.get_mut(prepared) {
                    *cell = None;
                }
                Ok(Answer::Released)
            }
        }
    }

    fn cell(&mut self, number: usize) -> Result<&mut Box<dyn Prepared>, TlsError> {
        let cell = self.cells.get_mut(number).and_then(Option::as_mut);
        cell.ok_or_else(|| TlsError::worker(format_args!("no cell {number}")))
    }
}
