//! What stands in the clear: `ClientHello` and `ServerHello` (RFC 8446 section 4.1).

use std::fmt;

/// Bytes that are no hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {0} in the bytes")]
pub struct NoHello(&'static str);

const EXTENSION_SUPPORTED_GROUPS: u16 = 10;
const EXTENSION_SIGNATURE_ALGORITHMS: u16 = 13;
const EXTENSION_PRE_SHARED_KEY: u16 = 41;
const EXTENSION_KEY_SHARE: u16 = 51;

/// The `random` that makes a `ServerHello` a HelloRetryRequest (RFC 8446 section 4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// What a client offered, without what is there to keep servers tolerant (RFC 8701).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientHello {
    /// Its cipher suites.
    pub cipher_suites: Vec<u16>,
    /// Its `supported_groups`.
    pub groups: Vec<u16>,
    /// The groups of its `key_share`.
    pub key_shares: Vec<u16>,
    /// Its `signature_algorithms`.
    pub schemes: Vec<u16>,
    /// Whether it offers to resume.
    pub pre_shared_key: bool,
}

/// What a server chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerHello {
    /// The cipher suite.
    pub cipher_suite: u16,
    /// The group of its `key_share`.
    pub group: Option<u16>,
    /// Whether it resumes.
    pub pre_shared_key: bool,
    /// Whether it asks for another `ClientHello` instead.
    pub retry: bool,
}

impl ClientHello {
    /// Reads it from the first record of a flight.
    ///
    /// # Errors
    ///
    /// If it isn't there, or not whole.
    pub fn read(flight: &[u8]) -> Result<Self, NoHello> {
        Self::parse(flight).ok_or(NoHello("ClientHello"))
    }

    fn parse(flight: &[u8]) -> Option<Self> {
        let mut body = Reader(message(flight, 1)?);
        body.take(2 + 32)?; // legacy_version, random
        body.vector8()?; // legacy_session_id
        let mut hello =
            Self { cipher_suites: numbers(body.vector16()?.0)?, ..ClientHello::default() };
        body.vector8()?; // legacy_compression_methods
        let mut extensions = body.vector16()?;
        while !extensions.0.is_empty() {
            let kind = extensions.u16()?;
            let mut content = extensions.vector16()?;
            match kind {
                EXTENSION_SUPPORTED_GROUPS => hello.groups = numbers(content.vector16()?.0)?,
                EXTENSION_SIGNATURE_ALGORITHMS => hello.schemes = numbers(content.vector16()?.0)?,
                EXTENSION_PRE_SHARED_KEY => hello.pre_shared_key = true,
                EXTENSION_KEY_SHARE => hello.key_shares = key_shares(content.vector16()?)?,
                _ => {}
            }
        }
        Some(hello)
    }
}

impl ServerHello {
    /// Reads it from the first record of a flight.
    ///
    /// # Errors
    ///
    /// If it isn't there, or not whole.
    pub fn read(flight: &[u8]) -> Result<Self, NoHello> {
        Self::parse(flight).ok_or(NoHello("ServerHello"))
    }

    fn parse(flight: &[u8]) -> Option<Self> {
        let mut body = Reader(message(flight, 2)?);
        body.take(2)?; // legacy_version
        let retry = body.take(32)? == RETRY;
        body.vector8()?; // legacy_session_id_echo
        let mut hello = Self { cipher_suite: body.u16()?, retry, ..ServerHello::default() };
        body.take(1)?; // legacy_compression_method
        let mut extensions = body.vector16()?;
        while !extensions.0.is_empty() {
            let kind = extensions.u16()?;
            let mut content = extensions.vector16()?;
            match kind {
                EXTENSION_KEY_SHARE => hello.group = Some(content.u16()?),
                EXTENSION_PRE_SHARED_KEY => hello.pre_shared_key = true,
                _ => {}
            }
        }
        Some(hello)
    }
}

/// The body of the handshake message of that type that begins the flight. It must be whole in its
/// record (RFC 8446 section 5.1), as a hello of one group is.
fn message(flight: &[u8], kind: u8) -> Option<&[u8]> {
    const HANDSHAKE: u8 = 22;
    let mut flight = Reader(flight);
    let header = flight.take(3)?;
    let mut record = flight.vector16()?;
    if header[0] != HANDSHAKE || record.take(1)? != [kind] {
        return None;
    }
    let length = record.take(3)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    record.take(length)
}

fn key_shares(mut entries: Reader<'_>) -> Option<Vec<u16>> {
    let mut groups = Vec::new();
    while !entries.0.is_empty() {
        groups.push(entries.u16()?);
        entries.vector16()?;
    }
    groups.retain(|group| !is_grease(*group));
    Some(groups)
}

/// A list of numbers, without those of RFC 8701.
fn numbers(bytes: &[u8]) -> Option<Vec<u16>> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    Some(pairs.iter().map(|pair| u16::from_be_bytes(*pair)).filter(|n| !is_grease(*n)).collect())
}

fn is_grease(number: u16) -> bool {
    let [high, low] = number.to_be_bytes();
    high == low && low & 0x0f == 0x0a
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn vector8(&mut self) -> Option<&'a [u8]> {
        let length = self.take(1)?.first().copied()?;
        self.take(usize::from(length))
    }

    fn vector16(&mut self) -> Option<Self> {
        let length = self.u16()?;
        self.take(usize::from(length)).map(Reader)
    }
}

/// A group or scheme as it stands in RFCs.
pub(crate) struct Number(pub(crate) u16);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:04x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hello of parts, in a record.
    fn record(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        let length = u16::try_from(body.len()).unwrap();
        let mut record = vec![22, 3, 3];
        record.extend((length + 4).to_be_bytes());
        record.extend([kind, 0]);
        record.extend(length.to_be_bytes());
        record.extend(body);
        record
    }

    fn client() -> Vec<u8> {
        let extensions: &[&[u8]] = &[
            &[0, 10, 0, 6, 0, 4, 0x1a, 0x1a, 0, 0x1d],
            &[0, 13, 0, 4, 0, 2, 8, 7],
            &[0, 51, 0, 9, 0, 7, 0, 0x1d, 0, 3, 1, 2, 3],
        ];
        let extensions = extensions.concat();
        let length = u16::try_from(extensions.len()).unwrap().to_be_bytes();
        record(1, &[&[3, 3], &[9; 32], &[0], &[0, 2, 0x13, 1], &[1, 0], &length, &extensions])
    }

    #[test]
    fn a_client_hello_is_read_without_grease() {
        let hello = ClientHello::read(&client()).unwrap();
        let expected = ClientHello {
            cipher_suites: vec![0x1301],
            groups: vec![0x1d],
            key_shares: vec![0x1d],
            schemes: vec![0x0807],
            pre_shared_key: false,
        };
        assert_eq!(hello, expected);
    }

    #[test]
    fn a_server_hello_tells_a_retry_and_a_resumption() {
        let extensions = [0, 51, 0, 2, 0x11, 0xec, 0, 41, 0, 2, 0, 0];
        let length = [0, 12];
        let parts: [&[u8]; 6] = [&[3, 3], &RETRY, &[0], &[0x13, 1, 0], &length, &extensions];
        let hello = ServerHello::read(&record(2, &parts)).unwrap();
        assert!(hello.retry && hello.pre_shared_key);
        assert_eq!((hello.group, hello.cipher_suite), (Some(0x11ec), 0x1301));
    }

    /// Whatever is missing at its end, or changed, a hello is read or refused.
    #[test]
    fn damaged_hellos_are_refused_without_a_panic() {
        let whole = client();
        for length in 0..whole.len() {
            assert!(ClientHello::read(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for value in 0..=255 {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = (ClientHello::read(&damaged), ServerHello::read(&damaged));
            }
        }
        assert!(ServerHello::read(&whole).is_err());
    }
}
