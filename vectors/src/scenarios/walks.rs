//! Pinned walks of a scenario: data with nothing left to choose, so that a failure can be replayed
//! from its data alone.

use std::collections::BTreeSet;

use super::data::{Action, Name, Order, Profile, Scenario, Step};

/// A scenario with more orders than this restarts its actors in the first and the last only.
const ORDERS_WITH_RESTARTS: usize = 8;

impl Scenario {
    /// Every walk of it in one profile: each order of delivery, and of each again one with every
    /// restart.
    #[must_use]
    pub fn walks(&self, profile: Profile) -> Vec<Self> {
        let mut plain = self.clone();
        plain.restarts = false;
        plain.steps.retain(|step| step.only.is_none_or(|only| only == profile));
        plain.steps.iter_mut().for_each(|step| step.only = None);
        let orders = in_every_order(plain);
        let last = orders.len().saturating_sub(1);
        let mut walks = orders.clone();
        if self.restarts {
            for (place, walk) in orders.iter().enumerate() {
                if orders.len() <= ORDERS_WITH_RESTARTS || place == 0 || place == last {
                    walks.extend(with_restarts(walk));
                }
            }
        }
        walks
    }

    /// The walk up to a step, that one included.
    #[must_use]
    pub fn until(&self, step: usize) -> Self {
        let mut cut = self.clone();
        cut.steps.truncate(step + 1);
        cut
    }
}

/// Deliveries in `every` order become one delivery for each receiver, in an order that is given.
fn in_every_order(scenario: Scenario) -> Vec<Scenario> {
    let open = scenario
        .steps
        .iter()
        .position(|step| matches!(&step.action, Action::Deliver { order: Order::Every, .. }));
    let Some(place) = open else {
        return vec![scenario];
    };
    let Action::Deliver { what, to, .. } = scenario.steps[place].action.clone() else {
        return vec![scenario];
    };
    let mut walks = Vec::new();
    for orders in choices(&permutations(&what), to.len()) {
        let last = to.len().saturating_sub(1);
        let steps = to.iter().zip(orders).enumerate().map(|(number, (receiver, what))| {
            let mut step = scenario.steps[place].clone();
            let (to, order) = (vec![receiver.clone()], Order::Given);
            step.action = Action::Deliver { what, to, order, faults: None };
            step.then = step.then.filter(|_| number == last);
            step
        });
        let mut walk = scenario.clone();
        walk.steps.splice(place..=place, steps.collect::<Vec<_>>());
        // What the camps say holds when all have everything.
        walks.extend(in_every_order(walk));
    }
    walks
}

fn permutations(names: &[Name]) -> Vec<Vec<Name>> {
    if names.len() < 2 {
        return vec![names.to_vec()];
    }
    let mut all = Vec::new();
    for first in 0..names.len() {
        let mut rest = names.to_vec();
        let head = rest.remove(first);
        all.extend(
            permutations(&rest)
                .into_iter()
                .map(|tail| std::iter::once(head.clone()).chain(tail).collect()),
        );
    }
    all
}

/// Every list of `count` of these.
fn choices(of: &[Vec<Name>], count: usize) -> Vec<Vec<Vec<Name>>> {
    let mut lists: Vec<Vec<Vec<Name>>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = |list: &Vec<Vec<Name>>, one: &Vec<Name>| {
            let mut list = list.clone();
            list.push(one.clone());
            list
        };
        lists = lists.iter().flat_map(|list| of.iter().map(move |one| longer(list, one))).collect();
    }
    lists
}

/// One walk for each actor that is in a group, and each boundary between two steps.
fn with_restarts(walk: &Scenario) -> Vec<Scenario> {
    let mut seated = BTreeSet::new();
    let mut walks = Vec::new();
    for (place, step) in walk.steps.iter().enumerate() {
        for actor in &seated {
            let mut again = walk.clone();
            let who = vec![String::clone(actor)];
            again.steps.insert(place, plain(Action::Restart { who }));
            walks.push(again);
        }
        match &step.action {
            Action::Create { by, .. } => drop(seated.insert(by.clone())),
            Action::Join { who, .. } => seated.extend(who.iter().cloned()),
            _ => {}
        }
    }
    walks.retain(|walk| !walk.restarts_insider());
    walks
}

fn plain(action: Action) -> Step {
    Step { action, only: None, expect: None, note: None, then: None }
}

impl Scenario {
    fn restarts_insider(&self) -> bool {
        let is_insider =
            |name: &Name| self.cast.get(name).is_some_and(|part| *part == super::Part::Insider);
        self.steps.iter().any(
            |step| matches!(&step.action, Action::Restart { who } if who.iter().any(is_insider)),
        )
    }
}
