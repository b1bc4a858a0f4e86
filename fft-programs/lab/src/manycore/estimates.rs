//! Parameters of the chip: which are published, and the estimates, each halved and doubled.
//!
//! The paper gives no value of the request's size `S_r`, of the crossbar's delay D, of the parts of `T_C`, of
//! `T_B`, of a load from own memory, or of the number of loads that an element may have under way.

use earth_report::statements::{Change, Parameter, Status};

use super::chip::{ANY_LOADS, Chip};
use super::code::integer_operations;

/// Estimate of the chip.
struct Estimate {
    name: &'static str,
    /// Value with its unit.
    shown: fn(&Chip) -> String,
    /// Place in a chip; `None` if the chip is a variant that fixes the value.
    place: fn(&mut Chip) -> Option<Place<'_>>,
}

/// Number in a chip.
enum Place<'a> {
    Cycles(&'a mut u64),
    Count(&'a mut usize),
}

const ESTIMATES: [Estimate; 7] = [
    Estimate {
        name: "S_r",
        shown: |chip| format!("{} bytes of a request without data", chip.request),
        place: |chip| Some(Place::Cycles(&mut chip.request)),
    },
    Estimate {
        name: "D",
        shown: |chip| format!("{} cycles through the crossbar, one way", chip.delay),
        place: |chip| Some(Place::Cycles(&mut chip.delay)),
    },
    Estimate {
        name: "floating-point latency",
        shown: |chip| format!("{} cycles to the result (`T_C`)", chip.latency),
        place: |chip| Some(Place::Cycles(&mut chip.latency)),
    },
    Estimate {
        name: "integer operations",
        shown: |chip| {
            let of = [2, 4, 8].map(|radix| chip.integers(integer_operations(radix)));
            format!("{}, {} and {} in a butterfly of radix 2, 4 and 8 (`T_C`)", of[0], of[1], of[2])
        },
        place: |chip| Some(Place::Cycles(&mut chip.integer)),
    },
    Estimate {
        name: "own-memory load",
        shown: |chip| format!("{} cycles", chip.local),
        place: |chip| Some(Place::Cycles(&mut chip.local)),
    },
    Estimate {
        name: "T_B",
        shown: |chip| format!("{}% of a counter in a bank", chip.barrier),
        place: |chip| Some(Place::Cycles(&mut chip.barrier)),
    },
    Estimate {
        name: "outstanding loads",
        shown: |chip| format!("{} loads of an element", chip.loads),
        place: |chip| (chip.loads == ANY_LOADS).then_some(Place::Count(&mut chip.loads)),
    },
];

/// Yields all changes of the estimates.
pub(crate) fn changes() -> impl Iterator<Item = Change> {
    ESTIMATES.iter().flat_map(|estimate| Change::both(estimate.name))
}

/// Changes a chip.
pub(crate) fn change(chip: &mut Chip, change: &Change) {
    let estimate = ESTIMATES.iter().find(|estimate| estimate.name == change.parameter);
    match estimate.and_then(|estimate| (estimate.place)(chip)) {
        Some(Place::Cycles(value)) if change.doubled => *value *= 2,
        Some(Place::Cycles(value)) => *value /= 2,
        Some(Place::Count(value)) if change.doubled => *value *= 2,
        Some(Place::Count(value)) => *value /= 2,
        None => {}
    }
}

/// Lists the published parameters and the estimates.
pub(crate) fn parameters() -> Vec<Parameter> {
    let chip = Chip::c64(64);
    let published = [
        ("C", format!("{} of 80 cores", chip.cores)),
        ("P", format!("{} elements a core, with one floating-point unit", chip.elements)),
        ("M", format!("{} banks", chip.banks)),
        ("W", format!("{} bytes a line", chip.line)),
        ("B", format!("{} bytes a cycle of a bank", chip.width)),
        ("B_in and B_out", format!("{} bytes a cycle of a port", chip.width)),
        ("clock", "500 MHz".to_owned()),
    ];
    let published = published.into_iter().map(|(name, value)| (name, Status::Published, value, [false; 2]));
    let estimates = ESTIMATES.iter().map(|of| (of.name, Status::Estimate, (of.shown)(&chip), [true; 2]));
    let all = published.chain(estimates);
    all.map(|(name, status, value, changed)| Parameter { name: name.to_owned(), status, value, changed })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_changes_one_number_of_the_chip() {
        let chip = Chip::c64(4);
        let changed = |of: &Change| {
            let mut changed = chip.clone();
            change(&mut changed, of);
            changed
        };
        let all: Vec<_> = changes().map(|of| changed(&of)).collect();
        assert_eq!(all.len(), 14);
        for (at, one) in all.iter().enumerate() {
            assert!(*one != chip && !all[..at].contains(one), "{one:?}");
        }
        let doubled = Change { parameter: "D".to_owned(), doubled: true };
        assert_eq!(changed(&doubled), Chip { delay: 28, ..chip.clone() });
        let halved = Change { parameter: "outstanding loads".to_owned(), doubled: false };
        assert_eq!(changed(&halved), Chip { loads: 8, ..chip.clone() });
        // A variant with few loads stays as it is.
        let mut few = Chip { loads: 2, ..chip };
        change(&mut few, &halved);
        assert_eq!(few.loads, 2);
    }
}
