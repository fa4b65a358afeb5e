//! BoringSSL's process: `cgka-bench tls` starts it.
#![forbid(unsafe_code)]

use std::io;

fn main() -> io::Result<()> {
    tls_api::worker::serve(&tls_boringssl::Boringssl, io::stdin().lock(), io::stdout().lock())
}
