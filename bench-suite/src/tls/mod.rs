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

use tls_api::{Cell, Chains, TlsError, TlsStack, check};

/// The stacks that are in this program, or beside it.
struct Stacks {
    present: Vec<Box<dyn TlsStack>>,
    /// Those that are not, and why.
    missing: Vec<(&'static str, String)>,
}

impl Stacks {
    /// All that this program was built with, of the names that are asked for: all if none is.
    fn find(names: &[String]) -> Result<Self, TlsError> {
        let mut stacks = Self::built()?;
        let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        stacks.present.retain(|stack| wanted(&stack.describe().name));
        stacks.missing.retain(|(name, _)| wanted(name));
        Ok(stacks)
    }

    fn built() -> Result<Self, TlsError> {
        let mut stacks = Self { present: in_process(), missing: Vec::new() };
        match tls_rustls_graviola::stack() {
            Ok(stack) => stacks.present.push(Box::new(stack)),
            Err(why) => stacks.missing.push(("rustls/graviola", why.to_string())),
        }
        stacks.worker("openssl", cfg!(feature = "tls-openssl"), "cgka-bench-tls-openssl")?;
        stacks.worker("boringssl", cfg!(feature = "tls-boringssl"), "cgka-bench-tls-boringssl")?;
        Ok(stacks)
    }

    /// Starts a stack whose program lies beside this one.
    fn worker(&mut self, name: &'static str, built: bool, program: &str) -> Result<(), TlsError> {
        if !built {
            self.missing.push((name, format!("built without the feature tls-{name}")));
            return Ok(());
        }
        let own = std::env::current_exe().map_err(TlsError::worker)?;
        // A test's program lies a folder deeper.
        let folders = own.ancestors().skip(1).take(2);
        match folders.map(|folder| folder.join(program)).find(|path| path.exists()) {
            Some(path) => self.present.push(Box::new(tls_api::worker::Remote::start(&path)?)),
            None => self.missing.push((name, format!("{program} is not beside this program"))),
        }
        Ok(())
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
