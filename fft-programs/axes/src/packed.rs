//! Transforms of any rank in contiguous memory.
//!
//! 1. The last three axes, or fewer, are one batch of contiguous arrays.
//! 2. Of the other axes, each group of three, or fewer, is transformed in place, from the innermost group
//!    to the outermost. Its arrays interleave: their elements are as far apart as all inner axes together
//!    are long.
//!
//! A complex-to-real transform goes in the reverse order. *Cost.* The passes of a plan for each group.

use std::fmt;

use earth_fft::{
    ComplexToRealPlan, Elements, Layout, Operations, Plan, PlanError, Planner, Precision, Problem,
    RealToComplexPlan, TransformError,
};
use num_complex::Complex;

use crate::problem::AxesProblem;

/// Most dimensions of a [`Problem`].
const MOST: usize = 3;

/// A plan of any kind.
#[derive(Debug)]
pub(crate) enum AnyPlan<T: Precision> {
    Complex(Plan<T>),
    Forward(RealToComplexPlan<T>),
    Inverse(ComplexToRealPlan<T>),
}

/// Evaluates an expression for the plan of each kind.
macro_rules! each {
    ($any:expr, $plan:ident => $of:expr) => {
        match $any {
            AnyPlan::Complex($plan) => $of,
            AnyPlan::Forward($plan) => $of,
            AnyPlan::Inverse($plan) => $of,
        }
    };
}

/// Transforms, by the last axes of packed arrays and by groups of further axes.
#[derive(Debug)]
pub(crate) struct Packed<T: Precision> {
    /// `None` if no axis is transformed.
    last: Option<AnyPlan<T>>,
    further: Vec<Group<T>>,
}

/// Transform along some axes, of arrays that interleave.
#[derive(Debug)]
struct Group<T: Precision> {
    plan: Plan<T>,
    /// Points of one call.
    points: usize,
}

impl<T: Precision> AnyPlan<T> {
    /// Plans lengths, a batch and layouts of the kind of a problem. Without layouts, arrays are contiguous.
    pub(crate) fn new(
        planner: &Planner,
        problem: &AxesProblem,
        lengths: &[usize],
        batch: usize,
        layouts: Option<[Layout; 2]>,
    ) -> Result<Self, PlanError> {
        macro_rules! described {
            ($problem:expr) => {{
                let described = $problem.batch(batch).norm(problem.norm);
                match layouts {
                    Some([input, output]) => described.input(input).output(output),
                    None => described,
                }
            }};
        }
        Ok(match problem.elements {
            Elements::ComplexToComplex => {
                let complex = described!(Problem::complex(lengths));
                Self::Complex(planner.plan(&complex.direction(problem.direction))?)
            }
            Elements::RealToComplex => {
                Self::Forward(planner.plan_real_to_complex(&described!(Problem::real_to_complex(lengths)))?)
            }
            Elements::ComplexToReal => {
                Self::Inverse(planner.plan_complex_to_real(&described!(Problem::complex_to_real(lengths)))?)
            }
        })
    }

    pub(crate) fn operations(&self) -> Option<Operations> {
        each!(self, plan => plan.operations())
    }

    /// Returns the number of nodes that share a call, or 1.
    pub(crate) fn nodes(&self) -> usize {
        each!(self, plan => plan.nodes()).unwrap_or(1)
    }
}

impl<T: Precision> fmt::Display for AnyPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, plan => plan.fmt(f))
    }
}

impl<T: Precision> Packed<T> {
    /// Plans `count` packed arrays of these lengths.
    pub(crate) fn new(
        planner: &Planner,
        problem: &AxesProblem,
        lengths: &[usize],
        count: usize,
    ) -> Result<Self, PlanError> {
        let (outer, last) = lengths.split_at(lengths.len().saturating_sub(MOST));
        let product = |lengths: &[usize]| lengths.iter().product::<usize>();
        let mut further = Vec::new();
        let mut inner = match (last.split_last(), problem.elements) {
            (Some((last, before)), Elements::RealToComplex | Elements::ComplexToReal) => {
                product(before) * (last / 2 + 1)
            }
            _ => product(last),
        };
        for group in outer.rchunks(MOST) {
            let rows = Layout::rows(group, group[group.len() - 1]).strides;
            let strides = rows.into_iter().map(|stride| stride * inner).collect();
            let described = Problem::complex(group).batch(inner).layout(Layout { strides, distance: 1 });
            let plan = planner.plan(&described.norm(problem.norm).direction(problem.direction))?;
            inner *= product(group);
            further.push(Group { plan, points: inner });
        }
        let last = if last.is_empty() {
            None
        } else {
            Some(AnyPlan::new(planner, problem, last, count * product(outer), None)?)
        };
        Ok(Self { last, further })
    }

    fn interleaved(&self, points: &mut [Complex<T>]) -> Result<(), TransformError> {
        let mut each = self.further.iter();
        each.try_for_each(|group| {
            points.chunks_exact_mut(group.points).try_for_each(|points| group.plan.process(points))
        })
    }

    /// Transforms complex points in place.
    pub(crate) fn complex(&self, points: &mut [Complex<T>]) -> Result<(), TransformError> {
        if let Some(AnyPlan::Complex(plan)) = &self.last {
            plan.process(points)?;
        }
        self.interleaved(points)
    }

    /// Transforms real numbers to points.
    pub(crate) fn forward(&self, numbers: &[T], points: &mut [Complex<T>]) -> Result<(), TransformError> {
        if let Some(AnyPlan::Forward(plan)) = &self.last {
            plan.process(numbers, points)?;
        }
        self.interleaved(points)
    }

    /// Transforms points, which are scratch, to real numbers.
    pub(crate) fn inverse(&self, points: &mut [Complex<T>], numbers: &mut [T]) -> Result<(), TransformError> {
        self.interleaved(points)?;
        match &self.last {
            Some(AnyPlan::Inverse(plan)) => plan.process(points, numbers),
            _ => Ok(()),
        }
    }

    /// Returns the largest number of nodes that share a part of a call, or 1.
    pub(crate) fn nodes(&self) -> usize {
        let last = self.last.as_ref().map_or(1, AnyPlan::nodes);
        let further = self.further.iter().map(|group| group.plan.nodes().unwrap_or(1));
        further.fold(last, usize::max)
    }

    /// Returns the operations of a call on `count` arrays of `points` points each. See [`Plan::operations`].
    pub(crate) fn operations(&self, points: usize) -> Option<Operations> {
        let mut all = self.last.as_ref().map_or(Some(Operations::default()), AnyPlan::operations)?;
        for group in &self.further {
            let each = group.plan.operations()?;
            for _ in 0..points / group.points {
                all = all + each;
            }
        }
        Some(all)
    }
}

impl<T: Precision> fmt::Display for Packed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.last.as_ref().map_or(Ok(()), |plan| write!(f, "\n{plan}"))?;
        self.further.iter().try_for_each(|group| write!(f, "\n{}", group.plan))
    }
}
