//! The samples of a group: block after block, in each of which every engine has its turn.

use bench_results::format::Block;
use bench_results::statistics::Random;
use engine_api::EngineError;

use super::{Worker, guarded, row, tell};
use crate::case::{Case, Row, Sample};
use crate::record::clock;
use crate::record::order;
use crate::record::protocol::{Event, Group, Sampled, Seat};
use crate::record::spin::spin;

/// An engine that takes part.
struct Player<C: Case> {
    seat: Seat,
    row: Option<Row<C>>,
    sampled: Sampled,
}

pub(super) fn group<C: Case>(worker: &Worker, case: C, group: &Group) -> Result<(), String> {
    let name = format!("{}/{}/{}", group.case, group.size, worker.job.process);
    let mut random = Random::new(worker.job.seed, &name);
    let mut players = seated(worker, case, group, &mut random);
    let blocks = usize::try_from(group.blocks).unwrap_or(usize::MAX);
    for (number, order) in (0..).zip(order::orders(players.len(), blocks, &mut random)) {
        if worker.is_stopped() {
            break;
        }
        one_block(worker, &mut players, &order, number);
    }
    let arms = players.into_iter().map(|player| player.sampled).collect();
    tell(&Event::Sampled { case: group.case.clone(), size: group.size, arms })
}

/// The group's players, prepared in an order that is drawn in each process: where an engine's data
/// lie in memory depends on who came before.
fn seated<C: Case>(worker: &Worker, case: C, group: &Group, random: &mut Random) -> Vec<Player<C>> {
    let mut building: Vec<_> = group.seats.iter().copied().enumerate().collect();
    random.shuffle(&mut building);
    let mut players: Vec<_> = building
        .into_iter()
        .map(|(place, seat)| {
            let mut player = Player::new(worker, case, seat, group.size);
            player.warm_up(worker);
            (place, player)
        })
        .collect();
    players.sort_by_key(|(place, _)| *place);
    players.into_iter().map(|(_, player)| player).collect()
}

/// Makes all inputs of the block, takes all its samples, then looks at all outputs and drops them.
///
/// Inputs are made in the order of the turns, so that all are equally old when they are used: made
/// always in the same order, those made last are the ones still in the caches, and one engine
/// measures 10 % faster than itself.
fn one_block<C: Case>(worker: &Worker, players: &mut [Player<C>], order: &[usize], number: u32) {
    let mut pools: Vec<_> = players.iter().map(|_| None).collect();
    for place in order {
        pools[*place] = players[*place].pool(worker);
    }
    for place in order {
        let player = &mut players[*place];
        if let Some(pool) = &mut pools[*place] {
            worker.mark(player.seat.arm);
            player.turn(pool, worker.job.process, number);
        }
    }
    for place in order {
        let player = &mut players[*place];
        worker.mark(player.seat.arm);
        player.look_at(pools[*place].take().into_iter().flatten().flatten());
    }
}

impl<C: Case> Player<C> {
    fn new(worker: &Worker, case: C, seat: Seat, size: usize) -> Self {
        let mut sampled =
            Sampled { arm: seat.arm, first_ns: None, blocks: Vec::new(), fault: None };
        let row = row(worker, case, seat.arm, size).map_err(|why| {
            sampled.fault = Some(why.to_string());
        });
        Self { seat, row: row.ok(), sampled }
    }

    /// Takes no further part.
    fn give_up(&mut self, fault: impl Into<String>) {
        self.row = None;
        self.sampled.fault.get_or_insert(fault.into());
    }

    /// The first sample is a single operation. Building the fixture has warmed part of the caches.
    fn warm_up(&mut self, worker: &Worker) {
        for number in 0..worker.job.warm_up.max(1) {
            worker.mark(self.seat.arm);
            let operations = if number == 0 { 1 } else { self.seat.operations };
            let Some(mut samples) = self.samples(operations) else {
                return;
            };
            let taken = self.take(&mut samples);
            if number == 0 {
                self.sampled.first_ns = taken;
            }
            self.look_at(samples.into_iter());
        }
    }

    /// The inputs of a block, those of the operation that leads in first; none if this engine takes no part any more.
    fn pool(&mut self, worker: &Worker) -> Option<Vec<Vec<Sample<C>>>> {
        worker.mark(self.seat.arm);
        let Seat { turn, operations, lead_in, .. } = self.seat;
        let timed = (0..turn).map(|_| operations);
        let lead_in = lead_in.then_some(1);
        lead_in.into_iter().chain(timed).map(|operations| self.samples(operations)).collect()
    }

    /// The inputs of one timed sample.
    fn samples(&mut self, operations: u32) -> Option<Vec<Sample<C>>> {
        let row = self.row.as_ref()?;
        match guarded(|| (0..operations).map(|_| row.sample()).collect()) {
            Ok(samples) => Some(samples),
            Err(why) => {
                self.give_up(why.to_string());
                None
            }
        }
    }

    fn turn(&mut self, pool: &mut [Vec<Sample<C>>], process: u32, number: u32) {
        let mut block = Block {
            process,
            block: number,
            operations: self.seat.operations,
            wall_ns: Vec::with_capacity(pool.len()),
            cpu_ns: Vec::with_capacity(pool.len()),
            switches: Vec::with_capacity(pool.len()),
        };
        let Seat { rounds, lead_in, .. } = self.seat;
        let end = guarded(|| {
            let (untimed, timed_ones) = pool.split_at_mut(usize::from(lead_in).min(pool.len()));
            untimed.iter_mut().flatten().for_each(Sample::run);
            for samples in timed_ones {
                let taken = timed(samples, rounds);
                block.wall_ns.push(taken.wall_ns);
                block.cpu_ns.push(taken.cpu_ns);
                block.switches.push(taken.switches);
            }
            Ok(())
        });
        match end {
            Ok(()) => self.sampled.blocks.push(block),
            Err(why) => self.give_up(why.to_string()),
        }
    }

    /// One sample outside of the blocks.
    fn take(&mut self, samples: &mut [Sample<C>]) -> Option<u64> {
        match guarded(|| Ok::<_, EngineError>(timed(samples, self.seat.rounds))) {
            Ok(taken) => Some(taken.wall_ns),
            Err(why) => {
                self.give_up(why.to_string());
                None
            }
        }
    }

    fn look_at(&mut self, samples: impl Iterator<Item = Sample<C>>) {
        let end = guarded(|| {
            for sample in samples {
                sample.spot_check().map_err(EngineError::internal)?;
            }
            Ok(())
        });
        if let Err(why) = end {
            self.give_up(format!("a sample was wrong: {why}"));
        }
    }
}

#[inline(never)]
fn timed<C: Case>(samples: &mut [Sample<C>], rounds: u64) -> clock::Taken {
    clock::timed(|| {
        for sample in samples {
            sample.run();
        }
        if rounds > 0 {
            spin(rounds);
        }
    })
}
