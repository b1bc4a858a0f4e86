//! Programs that the chip simulates: PAR-R2, PAR-R4, PAR-R8 and their variants, element by element.
//!
//! [`RadixOrder`] determines the points and factors of each butterfly; the library's programs use the same
//! code. Element `e` of E does the butterflies `e`, `e + E` and so on of every stage, as published.
//!
//! *Without barriers* an element that ends a stage signals each element that takes a point from it in the
//! next stage, once. It begins a stage when all elements that it takes points from have signaled. From the
//! stage on whose points are `E` or more apart, butterflies stay on their element and no signal is sent.

use std::collections::BTreeSet;

use earth_kernels::{Butterfly, RadixOrder};
use serde::Serialize;

use super::chip::{Chip, POINT};
use super::code::{Step, butterfly, in_bursts};
use super::machine::Machine;
use super::operation::{Operation, Run};

/// Placement of the factors in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Factors {
    /// Contiguous, as in the long weight vector.
    Stacked,
    /// The first stages' factors in each element's own memory, as in PAR-R2LM.
    Local(u32),
    /// Each row in its own line, so that consecutive rows are in different banks.
    Spread,
    /// A number of copies in banks as far apart as possible; the elements are distributed over the copies.
    Copied(usize),
    /// Stacked, and kept in registers while an element's next butterfly takes the same row.
    Kept,
}

/// Synchronization between stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Waiting {
    /// An element waits for all other elements.
    Barriers,
    /// An element waits for the elements whose points it takes.
    Signals,
    /// An element does not wait, which is wrong.
    #[cfg(test)]
    Nothing,
}

/// Overlap of an element's butterflies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Pace {
    /// An operation waits only for its operands.
    Free,
    /// An element waits for all loads of a butterfly before it computes, and for its stores at the end.
    Bursts,
    /// As `Bursts`, and no element begins its next butterfly before all have ended theirs, at no cost. The
    /// model assumes all of this.
    InStep,
}

/// Program and its chip.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Program {
    /// Binary logarithm of the number of points.
    pub(crate) log: u32,
    pub(crate) radix: usize,
    pub(crate) factors: Factors,
    pub(crate) waiting: Waiting,
    pub(crate) pace: Pace,
    pub(crate) chip: Chip,
}

impl Program {
    /// Returns the published program of a radix.
    pub(crate) fn published(log: u32, radix: usize, chip: Chip) -> Self {
        Self { log, radix, factors: Factors::Stacked, waiting: Waiting::Barriers, pace: Pace::Free, chip }
    }

    pub(crate) fn points(&self) -> usize {
        1 << self.log
    }

    pub(crate) fn stages(&self) -> u32 {
        self.log / self.radix.trailing_zeros()
    }

    fn order(&self) -> RadixOrder {
        RadixOrder::new(self.points(), self.radix, 1).unwrap_or_else(|error| unreachable!("{error}"))
    }

    pub(crate) fn run(&self) -> Run {
        let code = if self.pace == Pace::Free { butterfly(self.radix) } else { in_bursts(self.radix) };
        let elements = self.chip.all();
        let plan = Plan { program: self, order: self.order(), code: &code, elements };
        let has_signals = self.waiting == Waiting::Signals;
        let takers = |element| if has_signals { plan.takers(element) } else { Vec::new() };
        let neighbours: Vec<_> = (0..elements).map(takers).collect();
        let mut awaited = vec![vec![0; self.stages() as usize]; elements];
        for takers in &neighbours {
            for (stage, takers) in takers.iter().enumerate() {
                for &taker in takers {
                    awaited[taker as usize][stage + 1] += 1;
                }
            }
        }
        let programs = (0..elements).zip(&neighbours).zip(&awaited);
        Machine::new(&self.chip, programs.map(|((e, takers), awaited)| plan.element(e, takers, awaited)))
            .run()
    }
}

#[derive(Clone, Copy)]
struct Plan<'a> {
    program: &'a Program,
    order: RadixOrder,
    code: &'a [Step],
    elements: usize,
}

impl<'a> Plan<'a> {
    fn butterflies(self, element: usize) -> impl Iterator<Item = usize> {
        (element..self.order.butterflies()).step_by(self.elements)
    }

    /// Returns the other elements that take points of an element, after each stage except the last.
    fn takers(self, element: usize) -> Vec<BTreeSet<u32>> {
        let of = |stage: u32| {
            let points = self.butterflies(element).flat_map(move |i| {
                let butterfly = self.order.butterfly(stage, i);
                (0..self.order.radix()).map(move |m| butterfly.point(m))
            });
            let takers = points.map(|point| self.order.taker(stage + 1, point).0 % self.elements);
            takers.filter(|&taker| taker != element).map(|taker| taker as u32).collect()
        };
        (0..self.order.stages() - 1).map(of).collect()
    }

    /// Returns the operations of an element.
    fn element(
        self,
        element: usize,
        takers: &'a [BTreeSet<u32>],
        awaited: &'a [u64],
    ) -> impl Iterator<Item = Operation> + 'a {
        let mut before = 0;
        (0..self.order.stages()).flat_map(move |stage| {
            let at = stage as usize;
            before += awaited[at];
            let wait = (awaited[at] > 0).then_some(Operation::Await { signals: before });
            let mut kept = None;
            let meet = (self.program.pace == Pace::InStep).then_some(Operation::Meet);
            let work = self.butterflies(element).flat_map(move |i| {
                let butterfly = self.order.butterfly(stage, i);
                let is_kept = self.program.factors == Factors::Kept
                    && kept.replace(butterfly.row) == Some(butterfly.row);
                self.code
                    .iter()
                    .filter_map(move |&step| self.operation(step, element, stage, butterfly, is_kept))
                    .chain(meet)
            });
            // An element with fewer butterflies than others joins all meetings.
            let missing = self.butterflies(0).count() - self.butterflies(element).count();
            let work = work.chain(meet.into_iter().flat_map(move |meet| std::iter::repeat_n(meet, missing)));
            let signals = takers.get(at).into_iter().flatten().map(|&to| Operation::Signal { to });
            let barrier = (self.program.waiting == Waiting::Barriers).then_some(Operation::Barrier);
            wait.into_iter().chain(work).chain(signals).chain(barrier).chain([Operation::End])
        })
    }

    /// Returns the operation of a butterfly's step, with its address; `None` for a factor that is already in
    /// its register.
    fn operation(
        self,
        step: Step,
        element: usize,
        stage: u32,
        butterfly: Butterfly,
        is_kept: bool,
    ) -> Option<Operation> {
        Some(match step {
            Step::Integer(counted) => Operation::Integer(self.program.chip.integers(counted)),
            Step::Point { m, to } => {
                Operation::Load { address: butterfly.point(m) as u64 * POINT, to, stage: stage as u8 }
            }
            Step::Factor { .. } if is_kept => return None,
            Step::Factor { m, to } => match self.program.factors {
                Factors::Local(stages) if stage < stages => Operation::LoadLocal { to },
                _ => Operation::Load { address: self.factor(element, butterfly.row, m), to, stage: 0 },
            },
            Step::Drain => Operation::Drain,
            Step::Float { from, to } => Operation::Float { from, to },
            Step::Store { m, from } => {
                Operation::Store { address: butterfly.point(m) as u64 * POINT, from, stage: stage as u8 + 1 }
            }
        })
    }

    /// Returns the address of factor `m` of a row. Factors start at the first line after the points.
    fn factor(self, element: usize, row: usize, m: usize) -> u64 {
        let (points, line, each) =
            (self.order.points() as u64 * POINT, self.program.chip.line, self.order.radix() as u64 - 1);
        let (first, row, m) = (points.next_multiple_of(line), row as u64, m as u64);
        match self.program.factors {
            Factors::Spread => first + row * (each * POINT).next_multiple_of(line) + m * POINT,
            Factors::Copied(copies) => {
                // Each copy starts `banks / copies` banks after the previous copy.
                let banks = self.program.chip.banks as u64;
                let length = (points.div_ceil(line)).next_multiple_of(banks) + banks / copies as u64;
                let copy = (element % copies) as u64;
                first + copy * length * line + (row * each + m) * POINT
            }
            _ => first + (row * each + m) * POINT,
        }
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
