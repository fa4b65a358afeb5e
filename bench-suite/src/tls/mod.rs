//! Full TLS 1.3 handshakes, both peers in memory: stack x key-exchange group x certificate, so that the
//! price of hybrid key exchange and of post-quantum certificates stands where most traffic pays it.
//!
//! A stack's cell is checked ([`tls_api::check`]) before it is timed, and each timed handshake is
//! looked at again. A stack that doesn't have a cell is in its row with the reason.

pub mod command;
mod counted;
mod matrix;
mod phases;
mod price;
mod work;

pub use counted::{COUNT, count_allocations};

use bench_results::format::Demerit;
use tls_api::{Cell, Chains, TlsStack, check};

use crate::side_by_side::wrong;

/// The stacks that are in this program, or beside it.
struct Stacks {
    present: Vec<Box<dyn TlsStack>>,
    /// Those that are not, and why.
    missing: Vec<(&'static str, String)>,
    /// Those that should be and don't start.
    broken: Vec<Demerit>,
}

impl Stacks {
    /// All that this program was built with, of the names that are asked for: all if none is.
    fn find(names: &[String]) -> Result<Self, String> {
        let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let mut stacks = Self { present: in_process(), missing: Vec::new(), broken: Vec::new() };
        let mut known: Vec<_> = stacks.present.iter().map(|stack| stack.describe().name).collect();
        stacks.present.retain(|stack| wanted(&stack.describe().name));
        let others = ["rustls/graviola", "openssl", "boringssl"];
        known.extend(others.map(String::from));
        if let Some(stranger) = names.iter().find(|name| !known.contains(name)) {
            return Err(format!("no stack is called {stranger}; there are {}", known.join(", ")));
        }
        for name in others.into_iter().filter(|name| wanted(name)) {
            match name {
                "openssl" => stacks.worker(name, cfg!(feature = "tls-openssl")),
                "boringssl" => stacks.worker(name, cfg!(feature = "tls-boringssl")),
                _ => match tls_rustls_graviola::stack() {
                    Ok(stack) => stacks.present.push(Box::new(stack)),
                    Err(why) => stacks.missing.push((name, why.to_string())),
                },
            }
        }
        Ok(stacks)
    }

    /// Starts a stack whose program lies beside this one.
    fn worker(&mut self, name: &'static str, built: bool) {
        if !built {
            self.missing.push((name, format!("built without the feature tls-{name}")));
            return;
        }
        let program = format!("cgka-bench-tls-{name}");
        let own = std::env::current_exe().unwrap_or_default();
        // A test's program lies a folder deeper.
        let folders = own.ancestors().skip(1).take(2);
        match folders.map(|folder| folder.join(&program)).find(|path| path.exists()) {
            Some(path) => match tls_api::worker::Remote::start(&path) {
                Ok(remote) => self.present.push(Box::new(remote)),
                Err(why) => {
                    self.broken.push(wrong("every cell", name, &why.to_string()));
                    self.missing.push((name, why.to_string()));
                }
            },
            None => self.missing.push((name, format!("{program} is not beside this program"))),
        }
    }
}

/// The stacks that share this process.
fn in_process() -> Vec<Box<dyn TlsStack>> {
    vec![Box::new(tls_rustls_aws_lc::stack()), Box::new(tls_rustls_ring::stack())]
}

/// A cell of one stack that passed its checks.
struct Ready {
    stack: String,
    cell: Cell,
    checked: check::Checked,
}

/// Checks a cell of a stack.
fn ready(stack: &dyn TlsStack, cell: Cell, chains: &Chains) -> Result<Ready, check::Failure> {
    let (chain, other) = chains.of(cell.certificate)?;
    let checked = check::check(stack, cell, chain, other)?;
    Ok(Ready { stack: stack.describe().name, cell, checked })
}
