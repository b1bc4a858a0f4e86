//! Order of the passes over an array: the tree of a plan.
//!
//! A *pass* transforms all lines of one dimension, and reads and writes its data once. Passes over data that
//! fits into the L2 cache run in direct succession. A batch of small transforms goes through all passes a few
//! transforms at a time. An array of three dimensions goes through the passes of a plane plane by plane. So
//! large arrays of one or two dimensions go through memory once per dimension, and arrays of three dimensions
//! twice if a plane fits into the cache.

use std::fmt;

use crate::facts::PassFacts;

/// Size of the data that stays in the cache between passes, in bytes. It is a part of the L2 cache of common
/// processors and leaves room for tables and for the data that the results replace.
pub(crate) const RESIDENT: usize = 256 << 10;

/// Axis of two arrays: the number of elements, and the strides in both arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Position in two arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl At {
    /// Start of both arrays.
    pub(crate) const BEGIN: Self = Self { from: 0, to: 0 };

    /// Adds the offsets of `other`.
    fn plus(self, other: Self) -> Self {
        Self { from: self.from + other.from, to: self.to + other.to }
    }

    /// Returns the position `steps` steps along an axis.
    pub(crate) fn along(self, axis: Axis, steps: usize) -> Self {
        Self { from: self.from + steps * axis.from, to: self.to + steps * axis.to }
    }
}

/// Pass, or a sequence of passes that is repeated.
pub(crate) enum Step<P> {
    Pass(P),
    Each {
        /// Start of the first repetition.
        begin: At,
        /// Number of repetitions, and the strides between them.
        axis: Axis,
        steps: Vec<Step<P>>,
    },
}

/// Plans the passes over `dimensions`, the outermost first, for each index of `loops`. An element has `bytes`
/// bytes.
///
/// The innermost dimension is the first pass. `pass` plans the pass of a dimension from the axes with lines
/// and from whether the dimension is the innermost one.
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

/// Reverses the order of the passes.
pub(crate) fn reverse<P>(steps: &mut [Step<P>]) {
    steps.reverse();
    for step in steps {
        if let Step::Each { steps, .. } = step {
            reverse(steps);
        }
    }
}

/// Runs the passes in order, each with its start position.
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

/// Returns the largest need of any pass.
pub(crate) fn most<P>(steps: &[Step<P>], need: &impl Fn(&P) -> usize) -> usize {
    let of = |step: &Step<P>| match step {
        Step::Pass(pass) => need(pass),
        Step::Each { steps, .. } => most(steps, need),
    };
    steps.iter().map(of).max().unwrap_or(0)
}

/// Returns the facts of all passes, in order. `turns` is how often the steps run. `whole` is how often they
/// run before the first of them accesses the same data again.
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

/// Writes one line for each pass; repeated passes are indented below the number of repetitions.
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
