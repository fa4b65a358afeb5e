//! A worker as seen from the recorder: started, listened to, stopped, and its death explained.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use super::protocol::{Event, Job, MARK};

/// How often the recorder looks whether it was asked to stop.
const LOOK: Duration = Duration::from_millis(200);
/// How long a worker that was told to stop may go on.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a worker ended.
pub(super) enum End {
    /// With everything done, or as it was told.
    Well,
    /// In the turn of this engine, if it had one, for this reason.
    Died {
        /// The arm's name.
        turn: Option<String>,
        /// What is known.
        why: String,
    },
}

/// Runs a job in a fresh process and hands on what it tells.
pub(super) fn run(
    program: &Path,
    command: &str,
    job: &Job,
    interrupt: &Interrupt,
    mut each: impl FnMut(Event),
) -> Result<End, String> {
    let mut errors = tempfile::tempfile().map_err(|why| format!("no temporary file: {why}"))?;
    let mut child = start(program, command, &errors)?;
    let mut orders = child.stdin.take();
    let line = serde_json::to_string(job).map_err(|why| why.to_string())?;
    if let Some(orders) = &mut orders {
        // A worker that is dead already is found out below.
        let _ = writeln!(orders, "{line}");
    }
    let ended = listen(&mut child, &mut orders, interrupt, &mut each)?;
    drop(orders);
    let status = child.wait().map_err(|why| format!("lost a worker: {why}"))?;
    if ended && status.success() {
        return Ok(End::Well);
    }
    Ok(died(status, &mut errors))
}

fn start(program: &Path, command: &str, errors: &File) -> Result<Child, String> {
    let errors = errors.try_clone().map_err(|why| format!("no temporary file: {why}"))?;
    let mut worker = Command::new(program);
    worker.arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
    #[cfg(unix)]
    {
        // Out of reach of the terminal's Ctrl-C, which is for the recorder.
        std::os::unix::process::CommandExt::process_group(&mut worker, 0);
    }
    worker.spawn().map_err(|why| format!("can't start a worker: {why}"))
}

/// Whether the worker said that it is done.
fn listen(
    child: &mut Child,
    orders: &mut Option<ChildStdin>,
    interrupt: &Interrupt,
    each: &mut impl FnMut(Event),
) -> Result<bool, String> {
    let events = lines(child);
    let mut stopped: Option<Instant> = None;
    loop {
        match events.recv_timeout(LOOK) {
            Ok(Event::Ended) => return Ok(true),
            Ok(event) => each(event),
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match stopped {
            None if interrupt.is_asked() => {
                // The end of its input tells it.
                *orders = None;
                stopped = Some(Instant::now());
            }
            Some(since) if since.elapsed() > PATIENCE => {
                child.kill().map_err(|why| format!("can't stop a worker: {why}"))?;
                return Ok(false);
            }
            _ => {}
        }
    }
}

/// The worker's events, read by a thread of their own.
fn lines(child: &mut Child) -> Receiver<Event> {
    let (send, events) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line);
                if event.is_ok_and(|event| send.send(event).is_err()) {
                    return;
                }
            }
        });
    }
    events
}

fn died(status: ExitStatus, errors: &mut File) -> End {
    const TAIL: u64 = 20_000;
    let mut text = Vec::new();
    let length = errors.metadata().map_or(0, |about| about.len());
    if errors.seek(SeekFrom::Start(length.saturating_sub(TAIL))).is_ok() {
        let _ = errors.read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let turn = text.lines().rev().find_map(|line| line.strip_prefix(MARK)).map(String::from);
    let after = text.rsplit(MARK).next().unwrap_or_default();
    let skip = usize::from(turn.is_some());
    let words: Vec<_> = after.lines().skip(skip).filter(|line| !line.is_empty()).take(3).collect();
    let why = match words[..] {
        [] => format!("its process died: {status}"),
        _ => format!("its process died: {status}: {}", words.join(" ")),
    };
    End::Died { turn, why }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::record::protocol::Task;

    fn job() -> Job {
        Job {
            process: 0,
            seed: 1,
            pin: None,
            warm_up: 1,
            arms: Vec::new(),
            task: Task::Sample,
            groups: Vec::new(),
        }
    }

    /// A worker in a few lines of shell.
    fn end_of(script: &str) -> Result<(End, usize), String> {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let program = folder.path().join("worker");
        let write = || {
            std::fs::write(&program, format!("#!/bin/sh\nread job\n{script}\n"))?;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
        };
        write().map_err(|why| why.to_string())?;
        let mut events = 0;
        let end = run(&program, "any", &job(), &Interrupt::default(), |_| events += 1)?;
        Ok((end, events))
    }

    #[test]
    fn a_death_is_laid_at_the_door_of_whose_turn_it_was() -> Result<(), String> {
        let (end, events) = end_of(
            "echo '{\"Began\":{\"case\":\"send\",\"size\":2}}'
            echo '@turn first' >&2; echo '@turn second one' >&2
            echo 'out of luck' >&2
            kill -9 $$",
        )?;
        let End::Died { turn, why } = end else { return Err("it lives".into()) };
        assert_eq!((turn.as_deref(), events), (Some("second one"), 1));
        assert!(why.contains("signal: 9") && why.contains("out of luck"), "{why}");
        Ok(())
    }

    #[test]
    fn an_end_in_the_middle_is_a_death_too() -> Result<(), String> {
        let (end, _) = end_of("exit 0")?;
        assert!(matches!(end, End::Died { turn: None, .. }));
        let (end, _) = end_of("echo '\"Ended\"'")?;
        assert!(matches!(end, End::Well));
        Ok(())
    }
}
