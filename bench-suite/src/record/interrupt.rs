//! Ctrl-C: the first one asks for an end, the second one is the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a run knows of the user's wish to stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Held while a file is written: the end waits for it.
    writing: Arc<Mutex<()>>,
}

impl Interrupt {
    /// Listens from now on.
    pub(super) fn listen() -> Result<Self, String> {
        let interrupt = Self::default();
        interrupt.start().map_err(|why| format!("can't listen for Ctrl-C: {why}"))?;
        Ok(interrupt)
    }

    #[cfg(unix)]
    fn start(&self) -> Result<(), std::io::Error> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        let own = self.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if own.asked.swap(true, Ordering::Relaxed) {
                    let _whole = own.hold();
                    std::process::exit(128 + signal);
                }
                eprintln!("stopping after the running block; once more to stop at once");
            }
        });
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
    fn start(&self) -> Result<(), std::io::Error> {
        Ok(())
    }

    /// Whether the user wants an end.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// As long as this is held, nothing ends the program at once.
    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
