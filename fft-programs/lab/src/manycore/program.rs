//! The programs that the chip plays: PAR-R2, PAR-R4, PAR-R8 and what is changed in them, element by element.
//!
//! Which points and factors a butterfly takes is [`RadixOrder`]'s, the same code by which the library's programs transform.
//! Element `e` of E does the butterflies `e`, `e + E` and so on of every stage, as published.
//!
//! *Without barriers* an element that ends a stage signals those that take a point from it in the next one, each once, and begins a stage
//! when all those that it takes points from have signalled. Where butterflies keep to their element, from the stage on whose points are
//! `E` or more apart, nobody signals.

use std::collections::BTreeSet;

use earth_kernels::{Butterfly, RadixOrder};

use super::chip::{Chip, POINT};
use super::code::{Step, butterfly, in_bursts};
use super::machine::Machine;
use super::operation::{Operation, Run};

/// Where factors lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Factors {
    /// One after another, as the long weight vector has them.
    Stacked,
    /// Those of the first stages in the memory of each element, as in PAR-R2LM.
    Near(u32),
    /// Each row in a line of its own, so that rows that follow each other are in different banks.
    Spread,
    /// So many copies, the elements dealt to them, in banks as far apart as can be.
    Copied(usize),
    /// Stacked, and kept in registers as long as an element's next butterfly takes the same row.
    Kept,
}

/// What elements wait for between stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Waiting {
    /// For all others.
    Barriers,
    /// For those whose points they take.
    Signals,
    /// For nobody, which is wrong.
    #[cfg(test)]
    Nothing,
}

/// How an element's butterflies follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pace {
    /// An operation waits for its operands alone.
    Free,
    /// An element waits for all loads of a butterfly before it computes, and for its stores after that.
    Bursts,
    /// As in bursts, and no element begins its next butterfly before all have ended theirs, at no cost. The model takes all of this
    /// for granted.
    InStep,
}

/// A program and its chip.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Program {
    /// The logarithm of the points, to base 2.
    pub(crate) log: u32,
    pub(crate) radix: usize,
    pub(crate) factors: Factors,
    pub(crate) waiting: Waiting,
    pub(crate) pace: Pace,
    pub(crate) chip: Chip,
}

impl Program {
    /// The published program of a radix.
    pub(crate) fn published(log: u32, radix: usize, chip: Chip) -> Self {
        Self { log, radix, factors: Factors::Stacked, waiting: Waiting::Barriers, pace: Pace::Free, chip }
    }

    /// Its points.
    pub(crate) fn points(&self) -> usize {
        1 << self.log
    }

    /// Its stages.
    pub(crate) fn stages(&self) -> u32 {
        self.log / self.radix.trailing_zeros()
    }

    /// Who takes which points.
    fn order(&self) -> RadixOrder {
        RadixOrder::new(self.points(), self.radix, 1).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// The operations that it comes to, by which the largest are run first.
    pub(crate) fn effort(&self) -> u64 {
        u64::from(self.log) << self.log
    }

    /// Plays it.
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

    /// The other elements that take points of an element, after each stage but the last.
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

    /// What an element does.
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
            // Who has a butterfly less than others meets them all the same.
            let missing = self.butterflies(0).count() - self.butterflies(element).count();
            let work = work.chain(meet.into_iter().flat_map(move |meet| std::iter::repeat_n(meet, missing)));
            let signals = takers.get(at).into_iter().flatten().map(|&to| Operation::Signal { to });
            let barrier = (self.program.waiting == Waiting::Barriers).then_some(Operation::Barrier);
            wait.into_iter().chain(work).chain(signals).chain(barrier).chain([Operation::End])
        })
    }

    /// A step of a butterfly, with its addresses; nothing for a factor that is in its register.
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
                Factors::Near(stages) if stage < stages => Operation::LoadNear { to },
                _ => Operation::Load { address: self.factor(element, butterfly.row, m), to, stage: 0 },
            },
            Step::Drain => Operation::Drain,
            Step::Float { from, to } => Operation::Float { from, to },
            Step::Store { m, from } => {
                Operation::Store { address: butterfly.point(m) as u64 * POINT, from, stage: stage as u8 + 1 }
            }
        })
    }

    /// Where factor `m` of a row lies: behind the points, at the beginning of a line.
    fn factor(self, element: usize, row: usize, m: usize) -> u64 {
        let (points, line, each) =
            (self.order.points() as u64 * POINT, self.program.chip.line, self.order.radix() as u64 - 1);
        let (first, row, m) = (points.next_multiple_of(line), row as u64, m as u64);
        match self.program.factors {
            Factors::Spread => first + row * (each * POINT).next_multiple_of(line) + m * POINT,
            Factors::Copied(copies) => {
                // A copy begins as many banks behind the one before as there are for each.
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
