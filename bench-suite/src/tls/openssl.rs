//! OpenSSL's process: `cgka-bench tls` starts it.
#![forbid(unsafe_code)]

use std::io;

fn main() -> io::Result<()> {
    tls_api::worker::serve(&tls_openssl::Openssl, io::stdin().lock(), io::stdout().lock())
}
