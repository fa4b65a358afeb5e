//! In which order the engines of a block have their turns.
//!
//! Williams' designs: over a cycle of blocks each engine has each place equally often, and follows
//! each other engine equally often, so that neither a drift nor what an engine leaves in the caches
//! favours anybody. For two engines that is ABBA. Which engine plays which part, and the order of
//! the blocks in each cycle, is drawn.

use bench_results::statistics::Random;

/// For tables.
pub(super) const WORDS: &str = "Williams design, parts and blocks drawn anew for each row and process; before each turn one \
     operation that isn't timed, unless all of the row's take over 10 ms";

/// How many blocks make a balanced cycle.
pub(super) fn cycle(engines: usize) -> usize {
    if engines.is_multiple_of(2) { engines } else { 2 * engines }
}

/// The orders of `blocks` blocks.
pub(super) fn orders(engines: usize, blocks: usize, random: &mut Random) -> Vec<Vec<usize>> {
    if engines < 2 {
        return vec![vec![0; engines]; blocks];
    }
    let mut parts: Vec<usize> = (0..engines).collect();
    random.shuffle(&mut parts);
    let mut orders = Vec::with_capacity(blocks + cycle(engines));
    while orders.len() < blocks {
        let mut rows = williams(engines);
        random.shuffle(&mut rows);
        orders.extend(rows);
    }
    orders.truncate(blocks);
    for order in &mut orders {
        for place in order.iter_mut() {
            *place = parts[*place];
        }
    }
    orders
}

/// The design itself. An odd number of engines needs the mirrored half too.
fn williams(engines: usize) -> Vec<Vec<usize>> {
    let first: Vec<usize> = (0..engines)
        .map(|place| if place % 2 == 0 { place / 2 } else { engines - place.div_ceil(2) })
        .collect();
    let shifted = |by: usize| first.iter().map(|part| (part + by) % engines).collect::<Vec<_>>();
    let mut rows: Vec<_> = (0..engines).map(shifted).collect();
    if engines % 2 == 1 {
        let mirrored: Vec<_> =
            rows.iter().map(|row| row.iter().rev().copied().collect::<Vec<_>>()).collect();
        rows.extend(mirrored);
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_cycle_is_balanced_by_place_and_by_predecessor() {
        for engines in 2..=12 {
            let blocks = cycle(engines);
            let orders = orders(engines, blocks, &mut Random::new(9, "order"));
            let mut places = BTreeMap::new();
            let mut follows = BTreeMap::new();
            for order in &orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..engines).collect::<Vec<_>>());
                for (place, engine) in order.iter().enumerate() {
                    *places.entry((place, *engine)).or_insert(0) += 1;
                }
                for pair in order.windows(2) {
                    *follows.entry((pair[0], pair[1])).or_insert(0) += 1;
                }
            }
            assert_eq!(places.len(), engines * engines);
            assert!(places.values().all(|times| *times == blocks / engines), "{engines}");
            assert_eq!(follows.len(), engines * (engines - 1));
            assert!(follows.values().all(|times| *times == blocks / engines), "{engines}");
        }
    }

    #[test]
    fn two_engines_alternate_as_abba() {
        let orders = orders(2, 8, &mut Random::new(1, "abba"));
        for pair in orders.chunks(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn the_seed_decides() {
        let draw = |seed| orders(5, 40, &mut Random::new(seed, "row"));
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
