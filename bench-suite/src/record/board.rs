//! The run's rows as they fill up.

use bench_results::format::{
    Allocations, Block, Counts, Floor, Outcome, Primitive, Row, Statistics, Wire,
};

use engine_api::Operation;

use super::protocol::{Event, Fit, Group, Sampled, Seen};
use super::selection::is_wanted;
use crate::case::{Case, CaseId};
use crate::cases::{self, Visitor};
use crate::world::Tree;

/// All groups of a run, in the order of the tables.
pub(super) struct Board {
    pub(super) groups: Vec<Rows>,
    /// Step and cost of the clock.
    pub(super) clock: (u64, u64),
    /// What the primitives cost.
    pub(super) primitives: Vec<Primitive>,
    /// Whether a later worker measured them again: its floors are at prices that aren't kept.
    priced_again: bool,
}

/// The rows of one case and size, one per arm.
pub(super) struct Rows {
    id: CaseId,
    pub(super) case: String,
    pub(super) size: usize,
    pub(super) rows: Vec<State>,
}

/// One row.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) fit: Option<Fit>,
    absent: Option<String>,
    wrong: Option<String>,
    first_ns: Vec<u64>,
    blocks: Vec<Block>,
    allocations: Option<Allocations>,
    counts: Option<Counts>,
    floor: Option<Floor>,
}

impl Board {
    /// The rows whose name has one of `only` in it, if there is any, at these sizes, if there are
    /// any, and else at the sizes of the default run.
    pub(super) fn new(arms: usize, only: &[String], sizes: &[usize]) -> Self {
        struct Wanted<'a> {
            arms: usize,
            only: &'a [String],
            sizes: &'a [usize],
            groups: Vec<Rows>,
        }
        impl Visitor for Wanted<'_> {
            fn visit<C: Case>(&mut self, case: C) {
                let all: Vec<usize> = match self.sizes {
                    [] => case.sizes().to_vec(),
                    wanted => {
                        let all = case.sizes().iter().chain(case.large_sizes());
                        all.copied().filter(|size| wanted.contains(size)).collect()
                    }
                };
                for size in all {
                    let name = format!("{}/{size}", case.id());
                    if is_wanted(&name, self.only) {
                        self.groups.push(Rows {
                            id: case.id(),
                            case: case.id().to_string(),
                            size,
                            rows: vec![State::default(); self.arms],
                        });
                    }
                }
            }
        }
        let mut wanted = Wanted { arms, only, sizes, groups: Vec::new() };
        cases::visit_all(&mut wanted);
        Self { groups: wanted.groups, clock: (0, 0), primitives: Vec::new(), priced_again: false }
    }

    fn state(&mut self, case: &str, size: usize, arm: usize) -> Option<&mut State> {
        let mut groups = self.groups.iter_mut();
        groups.find(|group| group.case == case && group.size == size)?.rows.get_mut(arm)
    }

    /// Enters what a worker told.
    pub(super) fn enter(&mut self, event: Event) {
        match event {
            Event::Clock { step_ns, cost_ns } => self.clock = (step_ns, cost_ns),
            Event::Looked { case, size, arm, seen } => {
                if let Some(state) = self.state(&case, size, arm) {
                    match seen {
                        Seen::Fit(fit) => state.fit = Some(fit),
                        Seen::Absent(why) => state.absent = Some(why),
                        Seen::Over(why) => self.over(&case, size, arm, &why),
                        Seen::Wrong(why) => state.wrong = Some(why),
                    }
                }
            }
            Event::Sampled { case, size, arms } => {
                for sampled in arms {
                    if let Some(state) = self.state(&case, size, sampled.arm) {
                        state.take(sampled);
                    }
                }
            }
            Event::Allocated { case, size, arm, allocations } => {
                if let Some(state) = self.state(&case, size, arm) {
                    state.allocations = Some(allocations);
                }
            }
            Event::Primitives(primitives) => {
                self.priced_again = !self.primitives.is_empty();
                if !self.priced_again {
                    self.primitives = primitives;
                }
            }
            Event::Counted { case, size, arm, counts, floor } => {
                let floor = floor.filter(|_| !self.priced_again);
                if let Some(state) = self.state(&case, size, arm) {
                    (state.counts, state.floor) = (counts, floor);
                }
            }
            Event::Began { .. } | Event::Ended => {}
        }
    }

    /// A row whose engine took its process with it. One that was over its budget was ended for it.
    pub(super) fn died(&mut self, group: &Group, arm: usize, why: &str) {
        let state = self.state(&group.case, group.size, arm);
        if let Some(state) = state.filter(|state| state.absent.is_none()) {
            state.wrong.get_or_insert_with(|| why.to_owned());
        }
    }

    /// What is over its budget makes no row, and none of those that nobody has looked at yet and that
    /// would take as much.
    fn over(&mut self, case: &str, size: usize, arm: usize, why: &str) {
        let mut groups = self.groups.iter();
        let Some(id) = groups.find(|group| group.case == case).map(|group| group.id) else {
            return;
        };
        for group in &mut self.groups {
            let own = group.id == id && group.size == size;
            let shared = prepared_from(id).filter(|tree| prepared_from(group.id) == Some(*tree));
            let alike = group.id == id || shared.is_some();
            let Some(state) = group.rows.get_mut(arm) else { continue };
            if own {
                state.absent = Some(why.to_owned());
            } else if alike && group.size >= size && state.is_open() {
                state.absent = Some(format!("{case}/{size} was left out: {why}"));
            }
        }
    }

    /// Takes the seats of absent rows out.
    pub(super) fn spare(&self, left: &mut Vec<(Group, u64)>) {
        let is_absent = |group: &Group, arm: usize| {
            let mut groups = self.groups.iter();
            let rows = groups.find(|rows| rows.case == group.case && rows.size == group.size);
            rows.and_then(|rows| rows.rows.get(arm)).is_some_and(|state| state.absent.is_some())
        };
        for (group, _) in left.iter_mut() {
            let spared: Vec<_> =
                group.seats.iter().copied().filter(|seat| !is_absent(group, seat.arm)).collect();
            group.seats = spared;
        }
        left.retain(|(group, _)| !group.seats.is_empty());
    }

    /// Whether a row still takes part.
    pub(super) fn is_fit(&self, case: &str, size: usize, arm: usize) -> bool {
        let mut groups = self.groups.iter();
        let group = groups.find(|group| group.case == case && group.size == size);
        group.and_then(|group| group.rows.get(arm)).is_some_and(State::is_fit)
    }

    /// The file's rows, without statistics but for the first samples.
    pub(super) fn into_rows(self, names: &[String]) -> Vec<Row> {
        let rows = self.groups.into_iter().flat_map(|group| {
            let Rows { id, case, size, rows } = group;
            names.iter().zip(rows).map(move |(engine, state)| {
                let row = Row {
                    case: case.clone(),
                    operation: id.operation.name().into(),
                    size,
                    size_means: id.size_means().into(),
                    engine: engine.clone(),
                    outcome: Outcome::NotReached,
                    blocks: Vec::new(),
                    statistics: None,
                    allocations: None,
                    wire: None,
                    storage: None,
                    counts: None,
                    floor: None,
                };
                state.fill(row)
            })
        });
        rows.collect()
    }
}

impl State {
    pub(super) fn is_fit(&self) -> bool {
        self.fit.is_some() && self.wrong.is_none()
    }

    /// Whether nobody has looked at it yet.
    fn is_open(&self) -> bool {
        self.fit.is_none() && self.absent.is_none() && self.wrong.is_none()
    }

    fn take(&mut self, sampled: Sampled) {
        match sampled.fault {
            Some(why) => {
                self.wrong.get_or_insert(why);
            }
            None => {
                self.first_ns.extend(sampled.first_ns);
                self.blocks.extend(sampled.blocks);
            }
        }
    }

    fn fill(self, row: Row) -> Row {
        if let Some(reason) = self.wrong {
            return Row { outcome: Outcome::Wrong { reason }, ..row };
        }
        if let Some(reason) = self.absent {
            return Row { outcome: Outcome::Absent { reason }, ..row };
        }
        let measured = !self.blocks.is_empty();
        let storage = self.fit.as_ref().and_then(|fit| fit.storage).filter(|_| measured);
        let wire: Option<Wire> = self.fit.map(|fit| fit.wire);
        Row {
            outcome: if measured { Outcome::Measured } else { Outcome::NotReached },
            statistics: measured.then(|| only_first(self.first_ns)),
            blocks: self.blocks,
            allocations: self.allocations,
            wire,
            storage,
            counts: self.counts,
            floor: self.floor,
            ..row
        }
    }
}

/// The tree of the group that all samples of such a row start from, if it is one that rows share.
fn prepared_from(id: CaseId) -> Option<Tree> {
    match id.operation {
        Operation::CreateGroup | Operation::JoinWelcome => None,
        Operation::Send | Operation::IngestApp => Some(Tree::Cold),
        Operation::Commit | Operation::IngestCommit => id.tree,
    }
}

/// To be computed; the first samples are recorded.
fn only_first(first_ns: Vec<u64>) -> Statistics {
    Statistics {
        samples: 0,
        blocks: 0,
        processes: 0,
        preempted: 0,
        median_ns: 0.0,
        low_ns: 0.0,
        high_ns: 0.0,
        mad_ns: 0.0,
        min_ns: 0.0,
        p90_ns: None,
        p99_ns: None,
        cpu_median_ns: 0.0,
        first_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::protocol::Seat;

    fn looked(case: &str, size: usize, arm: usize, seen: Seen) -> Event {
        Event::Looked { case: case.into(), size, arm, seen }
    }

    #[test]
    fn what_is_over_its_budget_takes_those_with_it_that_would_take_as_much() {
        let only = ["send", "ingest_app", "commit/update/warm", "join_welcome"].map(String::from);
        let mut board = Board::new(2, &only, &[101, 1001, 10_001]);
        let why = "it took 130 s".to_owned();
        board.enter(looked("send", 101, 0, Seen::Absent("so".into())));
        board.enter(looked("send", 1001, 0, Seen::Over(why.clone())));
        let absent = |board: &Board| -> Vec<String> {
            let groups = board.groups.iter().filter(|group| group.rows[0].absent.is_some());
            groups.map(|group| format!("{}/{}", group.case, group.size)).collect()
        };
        let expected =
            ["send/101", "send/1001", "send/10001", "ingest_app/1001", "ingest_app/10001"];
        assert_eq!(absent(&board), expected);
        assert!(board.groups.iter().all(|group| group.rows[1].absent.is_none()));

        // The process ends with it, which is no fault of the engine's.
        let seats = |arms: &[usize]| -> Vec<Seat> {
            let seat =
                |arm: &usize| Seat { arm: *arm, turn: 0, operations: 0, rounds: 0, lead_in: false };
            arms.iter().map(seat).collect()
        };
        let group = |case: &str, size, arms: &[usize]| Group {
            case: case.into(),
            size,
            blocks: 0,
            seats: seats(arms),
        };
        board.died(&group("send", 1001, &[0, 1]), 0, "its process died");
        assert_eq!(board.groups.iter().filter(|group| group.rows[0].wrong.is_some()).count(), 0);
        let mut left = vec![
            (group("send", 10_001, &[0, 1]), 1),
            (group("ingest_app", 1001, &[0]), 2),
            (group("ingest_app", 101, &[0]), 3),
        ];
        board.spare(&mut left);
        let spared = [(group("send", 10_001, &[1]), 1), (group("ingest_app", 101, &[0]), 3)];
        assert_eq!(left, spared);

        // A join has a group of its own.
        board.enter(looked("join_welcome", 1001, 1, Seen::Over(why)));
        let open = board.groups.iter().filter(|group| group.rows[1].absent.is_none());
        assert_eq!(open.filter(|group| group.case != "join_welcome").count(), 9);
    }
}
