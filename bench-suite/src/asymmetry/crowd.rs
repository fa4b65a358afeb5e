//! Several threads that work at the same time: some are timed, the others keep the machine busy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;

use super::{Pair, Role};
use crate::side_by_side::{Times, Work};

/// Threads that each play a role.
pub(super) struct Crowd {
    members: Vec<Member>,
    /// How many of the timed are still at it.
    running: Arc<AtomicUsize>,
    /// The role that is timed.
    timed: Role,
}

struct Member {
    role: Role,
    orders: Option<Sender<Order>>,
    answers: Receiver<Result<Times, String>>,
    thread: Option<JoinHandle<()>>,
}

struct Order {
    /// `None`: until the timed ones are done.
    repeats: Option<u32>,
    start: Arc<Barrier>,
}

impl Crowd {
    /// A thread for each of these roles, of which those that play `timed` are timed.
    ///
    /// # Errors
    ///
    /// If a role couldn't be made ready.
    pub(super) fn new(pair: &Pair, roles: &[Role], timed: Role) -> Result<Self, String> {
        let running = Arc::new(AtomicUsize::new(0));
        let mut members = Vec::new();
        for role in roles {
            members.push(Member::new(pair.clone(), *role, Arc::clone(&running))?);
        }
        for member in &members {
            member.answer()?;
        }
        Ok(Self { members, running, timed })
    }
}

impl Work for Crowd {
    /// The mean over the timed threads of what an operation took. What they prepare between operations
    /// isn't timed, but loads the machine as well.
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        let is_timed = |member: &&Member| member.role == self.timed;
        let timed = self.members.iter().filter(is_timed).count();
        self.running.store(timed, Ordering::SeqCst);
        let start = Arc::new(Barrier::new(self.members.len()));
        for member in &self.members {
            let repeats = is_timed(&member).then_some(repeats);
            member.order(Order { repeats, start: Arc::clone(&start) })?;
        }
        let mut sum = 0.0;
        let mut failed = None;
        for member in &self.members {
            match member.answer() {
                Ok(times) if is_timed(&member) => sum += times.whole_ns,
                Ok(_) => {}
                Err(why) => failed = Some(why),
            }
        }
        let whole_ns = sum / timed.max(1) as f64;
        failed.map_or(Ok(Times { whole_ns, parts_ns: Vec::new() }), Err)
    }
}

impl Member {
    fn new(pair: Pair, role: Role, running: Arc<AtomicUsize>) -> Result<Self, String> {
        let (orders, given) = channel::<Order>();
        let (answer, answers) = channel();
        let play = move || {
            let work = match (pair.make)(role) {
                Ok(Some(ready)) => Ok(ready.work),
                Ok(None) => Err("nobody plays that role".to_owned()),
                Err(why) => Err(why),
            };
            let mut work = match work {
                Ok(work) => work,
                // Whoever waits for the answer may be gone.
                Err(why) => return drop(answer.send(Err(why))),
            };
            if answer.send(Ok(Times::default())).is_err() {
                return;
            }
            for order in given {
                order.start.wait();
                let played = play(&mut *work, order.repeats, &running);
                if answer.send(played).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().spawn(play);
        let thread = thread.map_err(|why| format!("no thread: {why}"))?;
        Ok(Self { role, orders: Some(orders), answers, thread: Some(thread) })
    }

    fn order(&self, order: Order) -> Result<(), String> {
        let orders = self.orders.as_ref().ok_or("it was dismissed")?;
        orders.send(order).map_err(|_| GONE.into())
    }

    fn answer(&self) -> Result<Times, String> {
        self.answers.recv().map_err(|_| GONE.to_owned())?
    }
}

const GONE: &str = "a thread ended before its time";

/// A timed member goes on untimed until the last of the timed is done, so that none of them ever has
/// the machine to itself.
fn play(work: &mut dyn Work, repeats: Option<u32>, running: &AtomicUsize) -> Result<Times, String> {
    let timed = repeats.map(|repeats| {
        let times = work.turn(repeats);
        running.fetch_sub(1, Ordering::SeqCst);
        times
    });
    let mut idle = Ok(());
    while running.load(Ordering::SeqCst) > 0 {
        if let Err(why) = work.once() {
            idle = Err(why);
            break;
        }
    }
    timed.unwrap_or_else(|| idle.map(|()| Times::default()))
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for member in &mut self.members {
            member.orders = None;
        }
        for member in &mut self.members {
            if let Some(thread) = member.thread.take() {
                // One that panicked has said so.
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::Ready;
    use super::*;

    /// A pair whose sender takes 1 ms by its own clock, and whose receiver counts how often it works.
    fn pair(received: Arc<AtomicUsize>) -> Pair {
        struct Fixed;
        impl Work for Fixed {
            fn turn(&mut self, _: u32) -> Result<Times, String> {
                std::thread::sleep(std::time::Duration::from_millis(5));
                Ok(Times { whole_ns: 1e6, parts_ns: Vec::new() })
            }
        }
        let make = move |role| {
            let received = Arc::clone(&received);
            let count = move || {
                received.fetch_add(1, Ordering::SeqCst);
            };
            let work: Box<dyn Work> = match role {
                Role::Sender => Box::new(Fixed),
                Role::Receiver => Box::new(crate::side_by_side::Repeated(count)),
                Role::Refusing => return Err("it refuses to refuse".into()),
            };
            Ok(Some(Ready { work, wire_bytes: None, figures: Vec::new() }))
        };
        let make = Arc::new(make);
        Pair { name: "p".into(), sender: "s", receiver: "r", equal: false, at_least: 1, make }
    }

    #[test]
    fn those_who_are_not_timed_work_as_long_as_the_others() {
        let received = Arc::new(AtomicUsize::new(0));
        let pair = pair(Arc::clone(&received));
        let roles = [Role::Sender, Role::Receiver, Role::Receiver];
        let mut crowd = Crowd::new(&pair, &roles, Role::Sender).unwrap();
        assert_eq!(crowd.turn(1).unwrap().whole_ns, 1e6);
        let so_far = received.load(Ordering::SeqCst);
        assert!(so_far > 0);
        crowd.turn(1).unwrap();
        assert!(received.load(Ordering::SeqCst) > so_far);
    }

    #[test]
    fn a_role_that_cannot_be_played_is_said() {
        let pair = pair(Arc::new(AtomicUsize::new(0)));
        let why = Crowd::new(&pair, &[Role::Sender, Role::Refusing], Role::Sender).err();
        assert_eq!(why.as_deref(), Some("it refuses to refuse"));
    }
}
