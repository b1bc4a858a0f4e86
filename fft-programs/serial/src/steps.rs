//! In which order passes go through an array: the tree of a plan.
//!
//! A *pass* transforms all lines of one dimension, and reads and writes what it is given once. Passes over what fits
//! into the second cache come right after one another: a batch of small transforms goes through all passes some
//! transforms at a time, and an array of three dimensions plane by plane through the passes of a plane. So large arrays
//! of one or two dimensions go through memory as often as they have dimensions, those of three with planes that fit
//! twice.

use std::fmt;

use crate::facts::PassFacts;

/// The bytes that are passed over again rather than others: a part of the second cache of every common processor, which
/// leaves room for tables and for what the result replaces.
pub(crate) const RESIDENT: usize = 256 << 10;

/// An axis of two arrays: so many elements, and the distances of neighbours in one and in the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Where something begins in two arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl At {
    /// The beginning of both.
    pub(crate) const BEGIN: Self = Self { from: 0, to: 0 };

    /// As far from here as the other is from the beginning.
    fn plus(self, other: Self) -> Self {
        Self { from: self.from + other.from, to: self.to + other.to }
    }

    /// So many steps along an axis further.
    pub(crate) fn along(self, axis: Axis, steps: usize) -> Self {
        Self { from: self.from + steps * axis.from, to: self.to + steps * axis.to }
    }
}

/// A pass, or passes that are made again and again.
pub(crate) enum Step<P> {
    Pass(P),
    Each {
        /// Where the first turn begins.
        begin: At,
        /// From turn to turn.
        axis: Axis,
        steps: Vec<Step<P>>,
    },
}

/// Plans the passes over dimensions, the outermost first, for each index of `loops`, whose elements have `bytes`.
///
/// The innermost dimension comes first in the order of passes. `pass` plans one of a dimension, given the axes along
/// which there are lines of it, and whether it is the innermost.
pub(crate) fn plan<P, E>(
    dimensions: &[Axis],
    loops: &[Axis],
    bytes: usize,
    pass: &mut impl FnMut(Axis, &[Axis], bool) -> Result<P, E>,
) -> Result<Vec<Step<P>>, E> {
    let Some((&outer, inner)) = dimensions.split_first() else { return Ok(Vec::new()) };
    if let Some((&over, rest)) = loops.split_first().filter(|_| !inner.is_empty()) {
        let each = dimensions.iter().chain(rest).map(|axis| axis.count).product::<usize>() * bytes;
        let most = (RESIDENT / each).max(1);
        if over.count > most {
            let (turns, left) = (over.count / most, over.count % most);
            let mut steps = Vec::new();
            for (begin, turns, together) in [(0, turns, most), (turns * most, 1, left)] {
                if together > 0 {
                    let within =
                        [&[Axis { count: together, ..over }][usize::from(together == 1)..], rest].concat();
                    let axis = Axis { count: turns, from: together * over.from, to: together * over.to };
                    let begin = At::BEGIN.along(over, begin);
                    steps.push(Step::Each { begin, axis, steps: plan(dimensions, &within, bytes, pass)? });
                }
            }
            return Ok(steps);
        }
    }
    let mut steps = plan(inner, &[loops, &[outer]].concat(), bytes, pass)?;
    steps.push(Step::Pass(pass(outer, &[loops, inner].concat(), inner.is_empty())?));
    Ok(steps)
}

/// Puts passes into the opposite order.
pub(crate) fn reverse<P>(steps: &mut [Step<P>]) {
    steps.reverse();
    for step in steps {
        if let Step::Each { steps, .. } = step {
            reverse(steps);
        }
    }
}

/// Makes the passes in order, each with where it begins.
pub(crate) fn walk<P, F: FnMut(&P, At)>(steps: &[Step<P>], at: At, make: &mut F) {
    for step in steps {
        match step {
            Step::Pass(pass) => make(pass, at),
            Step::Each { begin, axis, steps } => {
                for turn in 0..axis.count {
                    walk(steps, at.plus(*begin).along(*axis, turn), make);
                }
            }
        }
    }
}

/// The greatest of what passes need.
pub(crate) fn most<P>(steps: &[Step<P>], need: &impl Fn(&P) -> usize) -> usize {
    let of = |step: &Step<P>| match step {
        Step::Pass(pass) => need(pass),
        Step::Each { steps, .. } => most(steps, need),
    };
    steps.iter().map(of).max().unwrap_or(0)
}

/// What all passes do, in their order. `turns` are how often the steps are made, and `whole` how often they are before the
/// first of them comes to the same data again.
pub(crate) fn facts<P>(
    steps: &[Step<P>],
    [turns, whole]: [usize; 2],
    of: &impl Fn(&P) -> PassFacts,
) -> Vec<PassFacts> {
    let mut all = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let whole = if index == 0 { whole } else { 1 };
        match step {
            Step::Pass(pass) => {
                let facts = of(pass);
                let (lines, bytes) = (turns * facts.lines, turns * facts.bytes);
                all.push(PassFacts { lines, bytes, footprint: whole * facts.footprint, ..facts });
            }
            Step::Each { axis, steps, .. } => {
                all.extend(self::facts(steps, [turns * axis.count, whole * axis.count], of));
            }
        }
    }
    all
}

/// Writes one line a pass, those that are made again and again below the number of turns.
pub(crate) fn write<P: fmt::Display>(
    steps: &[Step<P>],
    depth: usize,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for step in steps {
        write!(f, "\n{:1$}", "", 2 * depth)?;
        match step {
            Step::Pass(pass) => write!(f, "{pass}")?,
            Step::Each { axis, steps, .. } => {
                let turns = axis.count;
                write!(f, "{turns} {}:", if turns == 1 { "time" } else { "times, one after another" })?;
                write(steps, depth + 1, f)?;
            }
        }
    }
    Ok(())
}
