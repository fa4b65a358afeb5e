//! One end of a connection in memory, for libraries that read and write a stream.

use std::io::{self, ErrorKind, Read, Write};

/// Gives what was received, and keeps what is sent.
#[derive(Debug, Default)]
pub struct Pipe {
    incoming: Vec<u8>,
    read: usize,
    sent: Vec<u8>,
}

impl Pipe {
    /// Puts a flight where it is read next, in place of the one before.
    pub fn receive(&mut self, flight: &[u8]) {
        self.incoming.clear();
        self.incoming.extend_from_slice(flight);
        self.read = 0;
    }

    /// What was sent, in exchange for an empty buffer.
    pub fn swap_sent(&mut self, flight: &mut Vec<u8>) {
        std::mem::swap(flight, &mut self.sent);
    }
}

impl Read for Pipe {
    /// Whoever reads on must wait for the other peer.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.incoming.get(self.read..).unwrap_or_default();
        if rest.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = rest.read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

impl Write for Pipe {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.sent.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
