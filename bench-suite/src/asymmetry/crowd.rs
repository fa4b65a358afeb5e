//! Several threads that work at the same time: some are timed, the others keep the machine busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::{Pair, Role, Unplayed};
use crate::engines;
use crate::side_by_side::{Times, Work};

/// Threads that each play a role.
pub(super) struct Crowd {
    members: Vec<Member>,
    /// The role that is timed.
    timed: Role,
}

struct Member {
    role: Role,
    orders: Option<Sender<Order>>,
    answers: Receiver<Result<Times, Unplayed>>,
    thread: Option<JoinHandle<()>>,
}

struct Order {
    /// `None`: until the timed ones are done.
    repeats: Option<u32>,
    turn: Arc<Turn>,
}

/// How far a turn has got: [`WAIT`] until everybody has an order, [`GO`] until the timed ones are done.
#[derive(Default)]
struct Turn(AtomicU8);

const WAIT: u8 = 0;
const GO: u8 = 1;
const OVER: u8 = 2;

impl Turn {
    fn is(&self, state: u8) -> bool {
        self.0.load(Ordering::SeqCst) == state
    }

    fn enter(&self, state: u8) {
        self.0.store(state, Ordering::SeqCst);
    }
}

impl Crowd {
    /// A thread for each of these roles, of which those that play `timed` are timed.
    ///
    /// # Errors
    ///
    /// If a role couldn't be made ready.
    pub(super) fn new(pair: &Pair, roles: &[Role], timed: Role) -> Result<Self, Unplayed> {
        let members = roles.iter().map(|role| Member::new(pair.clone(), *role));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        for member in &members {
            member.answers.recv().map_err(|_| Unplayed::Wrong(GONE.into()))??;
        }
        Ok(Self { members, timed })
    }

    fn order(&self, repeats: u32, turn: &Arc<Turn>) -> Result<(), String> {
        self.members.iter().try_for_each(|member| {
            let repeats = (member.role == self.timed).then_some(repeats);
            member.order(Order { repeats, turn: Arc::clone(turn) })
        })
    }
}

impl Work for Crowd {
    /// The mean over the timed threads of what an operation took. What they prepare between operations
    /// isn't timed, but loads the machine as well.
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        let turn = Arc::new(Turn::default());
        let ordered = self.order(repeats, &turn);
        turn.enter(if ordered.is_ok() { GO } else { OVER });
        ordered?;
        let (timed, others): (Vec<_>, Vec<_>) =
            self.members.iter().partition(|member| member.role == self.timed);
        // Of each before anything is made of them: nobody is to go on alone.
        let answers: Vec<_> = timed.iter().map(|member| member.answer()).collect();
        turn.enter(OVER);
        let idled: Vec<_> = others.iter().map(|member| member.answer()).collect();
        idled.into_iter().collect::<Result<Vec<_>, _>>()?;
        let times = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let sum: f64 = times.iter().map(|times| times.whole_ns).sum();
        Ok(Times { whole_ns: sum / times.len().max(1) as f64, parts_ns: Vec::new() })
    }
}

impl Member {
    fn new(pair: Pair, role: Role) -> Result<Self, Unplayed> {
        let (orders, given) = channel();
        let (answer, answers) = channel();
        let thread = std::thread::Builder::new().spawn(move || {
            engines::hold_this_thread();
            play(&pair, role, &given, &answer);
        });
        let thread = thread.map_err(|why| Unplayed::Wrong(format!("no thread: {why}")))?;
        Ok(Self { role, orders: Some(orders), answers, thread: Some(thread) })
    }

    fn order(&self, order: Order) -> Result<(), String> {
        let orders = self.orders.as_ref().ok_or("it was dismissed")?;
        orders.send(order).map_err(|_| GONE.into())
    }

    fn answer(&self) -> Result<Times, String> {
        match self.answers.recv() {
            Ok(answer) => answer.map_err(|(Unplayed::Absent(why) | Unplayed::Wrong(why))| why),
            Err(_) => Err(GONE.into()),
        }
    }
}

const GONE: &str = "a thread ended before its time";

/// Answers once when it is ready, and then once to each order: a timed member as soon as it has its
/// time. It goes on untimed until the turn is over, so that none of the others has the machine to
/// itself. Ends when nobody waits for an answer any more.
fn play(
    pair: &Pair,
    role: Role,
    given: &Receiver<Order>,
    answer: &Sender<Result<Times, Unplayed>>,
) -> Option<()> {
    let mut work = match (pair.make)(role) {
        Ok(Some(ready)) => ready.work,
        Ok(None) => {
            let why = "nobody plays that role".to_owned();
            return answer.send(Err(Unplayed::Absent(why))).ok();
        }
        Err(why) => return answer.send(Err(why)).ok(),
    };
    answer.send(Ok(Times::default())).ok()?;
    let mut idled = Ok(());
    for Order { repeats, turn } in given {
        while turn.is(WAIT) {
            std::thread::yield_now();
        }
        if let Some(repeats) = repeats {
            // One that failed after its last turn didn't load the machine as it should have.
            let took = idled.clone().and_then(|()| work.turn(repeats));
            answer.send(took.map_err(Unplayed::Wrong)).ok()?;
        }
        while turn.is(GO) && idled.is_ok() {
            idled = work.once();
        }
        if repeats.is_none() {
            let idled = idled.clone().map(|()| Times::default());
            answer.send(idled.map_err(Unplayed::Wrong)).ok()?;
        }
    }
    Some(())
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

    use std::sync::atomic::AtomicUsize;

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
                Role::Refusing => return Err(Unplayed::Wrong("it refuses to refuse".into())),
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
    fn a_member_that_panics_leaves_nobody_waiting() {
        struct Panics(u32);
        impl Work for Panics {
            fn turn(&mut self, _: u32) -> Result<Times, String> {
                self.0 += 1;
                assert!(self.0 < 2, "on purpose");
                Ok(Times::default())
            }
        }
        let make = |_| {
            let work = Box::new(Panics(0));
            Ok(Some(Ready { work, wire_bytes: None, figures: Vec::new() }))
        };
        let pair = Pair { make: Arc::new(make), ..pair(Arc::default()) };
        let roles = [Role::Sender, Role::Receiver];
        let mut crowd = Crowd::new(&pair, &roles, Role::Sender).unwrap();
        // The first turn may go well; from the second one on nobody is there.
        assert!(crowd.turn(1).and_then(|_| crowd.turn(1)).is_err());
        assert_eq!(crowd.turn(1).unwrap_err(), GONE);
    }

    #[test]
    fn a_role_that_cannot_be_played_is_said() {
        let pair = pair(Arc::new(AtomicUsize::new(0)));
        let why = Crowd::new(&pair, &[Role::Sender, Role::Refusing], Role::Sender).err();
        assert_eq!(why, Some(Unplayed::Wrong("it refuses to refuse".into())));
    }
}
