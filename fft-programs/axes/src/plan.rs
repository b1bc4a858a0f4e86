//! Plans of transforms along axes.

mod calls;

use std::cmp::Reverse;
use std::fmt;

use earth_fft::{Elements, Layout, Operations, PlanError, Planner, Precision};
use earth_serial::elements_are_disjoint;

use crate::axis::{Axis, Extent, Places, joined};
use crate::error::AxesError;
use crate::packed::{AnyPlan, Packed};
use crate::parts::{Part, parts};
use crate::problem::{AxesProblem, Memory};

/// Fewest points of a call of a plan along the innermost repeated axis. With fewer, the longest axis becomes
/// the batch.
const FEW: usize = 256;

/// Fewest real numbers along a strided axis that are transposed by copies.
const LONG: usize = 64;

/// Plan of an [`AxesProblem`]. Any number of threads may call it at once.
#[derive(Debug)]
pub struct AxesPlan<T: Precision> {
    problem: AxesProblem,
    extents: [Extent; 2],
    method: Method<T>,
}

#[derive(Debug)]
enum Method<T: Precision> {
    /// Nothing is transformed or moved.
    Nothing,
    /// One plan transforms the arrays where they are, once for each place along the looped axes.
    Direct(Box<Direct<T>>),
    /// Parts are copied.
    Copied {
        /// Positions of the first elements, from the lowest addresses.
        origins: [usize; 2],
        parts: Vec<(Part, Packed<T>)>,
    },
}

/// Parts, and the plans of a part.
type Parts<T> = [(Part, Packed<T>)];

#[derive(Debug)]
struct Direct<T: Precision> {
    plan: AnyPlan<T>,
    looped: Vec<Axis>,
    /// Positions of the first call in the input and in the output.
    origins: [usize; 2],
    /// Elements of the input and of the output of a call.
    spans: [usize; 2],
}

impl<T: Precision> Direct<T> {
    /// Calls `work` with the ranges of each call in the input and in the output.
    fn each<E>(
        &self,
        mut work: impl FnMut([std::ops::Range<usize>; 2]) -> Result<(), E>,
    ) -> Result<(), AxesError>
    where
        AxesError: From<E>,
    {
        for place in Places::new(&self.looped) {
            let range = |array: usize| {
                let start = self.origins[array].wrapping_add_signed(place[array]);
                start..start + self.spans[array]
            };
            work([range(0), range(1)])?;
        }
        Ok(())
    }
}

impl<T: Precision> AxesPlan<T> {
    /// Plans a problem by the settings of a planner.
    ///
    /// # Errors
    ///
    /// A transformed axis without elements, output elements that overlap, arrays larger than the address
    /// space, and the errors of the planner.
    pub fn new(planner: &Planner, problem: &AxesProblem) -> Result<Self, AxesError> {
        if problem.transformed.iter().any(|axis| axis.length == 0) {
            return Err(AxesError::NoElements);
        }
        let extents = problem.extents()?;
        let plan = |method| Ok(Self { problem: problem.clone(), extents, method });
        if extents[1].span == 0 {
            return plan(Method::Nothing);
        }
        if !are_disjoint(&problem.axes_of(1), 1) {
            return Err(AxesError::Overlap);
        }
        let transformed = problem.useful();
        let (repeated, moved) = joined(&problem.repeated);
        let origins = [0, 1].map(|array| extents[array].origin.wrapping_add_signed(moved[array]));
        let same_layout = problem.has_one_layout(&transformed, &repeated);
        if transformed.is_empty() && problem.memory == Memory::Same && same_layout {
            return plan(Method::Nothing);
        }
        let is_direct = problem.can_be_direct(&transformed) && !problem.transposes(&transformed, &repeated);
        if is_direct && (problem.memory == Memory::Separate || same_layout) {
            match direct(planner, problem, &transformed, &repeated, origins) {
                Ok(direct) => return plan(Method::Direct(Box::new(direct))),
                // Its layouts need copies.
                Err(PlanError::Problem(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let whole = problem.memory.needs_whole(same_layout);
        let lengths: Vec<_> = transformed.iter().map(|axis| axis.length).collect();
        let mut planned = Vec::new();
        for part in parts(&repeated, &transformed, problem.lasts(&transformed), whole) {
            let packed = Packed::new(planner, problem, &lengths, part.count)?;
            planned.push((part, packed));
        }
        plan(Method::Copied { origins, parts: planned })
    }

    /// Returns the problem.
    pub fn problem(&self) -> &AxesProblem {
        &self.problem
    }

    /// Returns the extents of the input and of the output.
    pub fn extents(&self) -> [Extent; 2] {
        self.extents
    }

    /// Returns the extent of the array of a call in place: in points, or in real numbers for real transforms.
    pub fn extent_in_place(&self) -> Extent {
        Extent::in_place(self.extents_in_units())
    }

    /// Returns the extents in points, or in real numbers for real transforms.
    fn extents_in_units(&self) -> [Extent; 2] {
        let twice = |Extent { origin, span }: Extent| Extent {
            origin: origin.saturating_mul(2),
            span: span.saturating_mul(2),
        };
        let [input, output] = self.extents;
        match self.problem.elements {
            Elements::ComplexToComplex => [input, output],
            Elements::RealToComplex => [input, twice(output)],
            Elements::ComplexToReal => [twice(input), output],
        }
    }

    /// Returns whether calls copy parts of the arrays.
    pub fn copies(&self) -> bool {
        matches!(self.method, Method::Copied { .. })
    }

    /// Returns the largest number of nodes that share a part of a call, or 1 if the calling thread does all
    /// of it.
    pub fn nodes(&self) -> usize {
        match &self.method {
            Method::Nothing => 1,
            Method::Direct(direct) => direct.plan.nodes(),
            Method::Copied { parts, .. } => parts.iter().map(|(_, packed)| packed.nodes()).max().unwrap_or(1),
        }
    }

    /// Returns the operations of a call, if they are known. See
    /// [`Plan::operations`](earth_fft::Plan::operations).
    pub fn operations(&self) -> Option<Operations> {
        let times = |each: Operations, axes: &[Axis]| {
            Places::new(axes).fold(Operations::default(), |all, _| all + each)
        };
        match &self.method {
            Method::Nothing => Some(Operations::default()),
            Method::Direct(direct) => Some(times(direct.plan.operations()?, &direct.looped)),
            Method::Copied { parts, .. } => {
                parts.iter().try_fold(Operations::default(), |all, (part, packed)| {
                    let points = part.lens[usize::from(self.problem.elements == Elements::RealToComplex)];
                    Some(all + times(packed.operations(points)?, &part.looped))
                })
            }
        }
    }
}

/// Returns whether the elements of an array (0 is the input, 1 the output) have different addresses.
pub(crate) fn are_disjoint(axes: &[Axis], array: usize) -> bool {
    let long = axes.iter().filter(|axis| axis.length > 1);
    let (lengths, strides): (Vec<_>, Vec<_>) =
        long.map(|axis| (axis.length, axis.strides()[array].unsigned_abs())).unzip();
    strides.iter().all(|stride| *stride > 0) && elements_are_disjoint(&lengths, &strides)
}

/// Plans transforms of arrays where they are.
fn direct<T: Precision>(
    planner: &Planner,
    problem: &AxesProblem,
    transformed: &[Axis],
    repeated: &[Axis],
    origins: [usize; 2],
) -> Result<Direct<T>, PlanError> {
    let points: usize = transformed.iter().map(|axis| axis.length).product();
    let fits = |axis: &&Axis| axis.input > 0 && axis.output > 0;
    // Repeated axes have the largest strides first.
    let batch = repeated
        .iter()
        .rev()
        .find(|axis| fits(axis) && axis.length.saturating_mul(points) >= FEW)
        .or_else(|| repeated.iter().filter(fits).max_by_key(|axis| axis.length))
        .copied();
    let mut looped = repeated.to_vec();
    if let Some(at) = batch.and_then(|batch| repeated.iter().position(|axis| *axis == batch)) {
        looped.remove(at);
    }
    let batch = batch.unwrap_or(Axis::new(1, 1, 1));
    let lengths: Vec<_> = transformed.iter().map(|axis| axis.length).collect();
    let layout = |array: usize| {
        let stride = |axis: &Axis| axis.strides()[array].unsigned_abs();
        Layout { strides: transformed.iter().map(stride).collect(), distance: stride(&batch) }
    };
    let layouts = [layout(0), layout(1)];
    let spans = [0, 1].map(|array| {
        let lasts = problem.lasts(transformed);
        let reach = |axis: &Axis, length: usize| (length - 1) * axis.strides()[array].unsigned_abs();
        let (last, before) = transformed
            .split_last()
            .map_or((0, &[][..]), |(last, before)| (reach(last, lasts[array]), before));
        1 + last
            + reach(&batch, batch.length)
            + before.iter().map(|axis| reach(axis, axis.length)).sum::<usize>()
    });
    let plan = AnyPlan::new(planner, problem, &lengths, batch.length, Some(layouts))?;
    Ok(Direct { plan, looped, origins, spans })
}

impl AxesProblem {
    /// Returns the transformed axes that change anything, the largest strides first. The last axis of a real
    /// transform stays the last.
    fn useful(&self) -> Vec<Axis> {
        let is_real = self.elements != Elements::ComplexToComplex;
        let (before, last) = match self.transformed.split_last() {
            Some((last, before)) if is_real => (before, Some(*last)),
            None if is_real => (&[][..], Some(Axis::new(1, 1, 1))),
            _ => (&self.transformed[..], None),
        };
        let mut axes: Vec<_> = before.iter().copied().filter(|axis| axis.length != 1).collect();
        axes.sort_by_key(|axis| Reverse((axis.input.unsigned_abs(), axis.output.unsigned_abs())));
        axes.extend(last);
        axes
    }

    /// Returns whether the input and the output have the same place in one array.
    fn has_one_layout(&self, transformed: &[Axis], repeated: &[Axis]) -> bool {
        let all = |axes: &[Axis], factors: [isize; 2]| {
            axes.iter().all(|axis| factors[0].checked_mul(axis.input) == factors[1].checked_mul(axis.output))
        };
        let factors = match self.elements {
            Elements::ComplexToComplex => return all(transformed, [1, 1]) && all(repeated, [1, 1]),
            Elements::RealToComplex => [1, 2],
            Elements::ComplexToReal => [2, 1],
        };
        let Some((last, before)) = transformed.split_last() else { return false };
        let last_fits = last.length == 1 || last.input == 1 && last.output == 1;
        last_fits && all(before, factors) && all(repeated, factors)
    }

    /// Returns whether copies that transpose are faster than a plan for the strides of real numbers. They are
    /// if one long axis is transformed, and a repeated axis of the input has a smaller stride.
    ///
    /// By copies, 512 columns of 2048 real numbers take 0.4 times as long, and of 512 numbers 0.6 times
    /// (`f64`, AVX-512). Columns of 30 numbers take 1.1 times as long.
    fn transposes(&self, transformed: &[Axis], repeated: &[Axis]) -> bool {
        let [axis] = transformed else { return false };
        self.elements == Elements::RealToComplex
            && self.memory == Memory::Separate
            && axis.length >= LONG
            && repeated.iter().any(|other| other.input.unsigned_abs() < axis.input.unsigned_abs())
    }

    /// Returns whether one plan may transform the arrays where they are, by the transformed axes alone.
    fn can_be_direct(&self, transformed: &[Axis]) -> bool {
        let is_scratch = self.elements == Elements::ComplexToReal && self.memory == Memory::Separate;
        self.memory != Memory::Overlapping
            && !self.copied
            && !self.keeps_input
            && (1..=3).contains(&transformed.len())
            && transformed.iter().all(|axis| axis.length == 1 || axis.input > 0 && axis.output > 0)
            && (!is_scratch || are_disjoint(&self.axes_of(0), 0))
    }
}

/// Writes the plans of the library that a call uses.
impl<T: Precision> fmt::Display for AxesPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.method {
            Method::Nothing => write!(f, "nothing to transform"),
            Method::Direct(direct) => {
                write!(f, "{} times {}", Places::new(&direct.looped).count(), direct.plan)
            }
            Method::Copied { parts, .. } => parts.iter().try_for_each(|(part, packed)| {
                let times = Places::new(&part.looped).count();
                writeln!(f, "{times} times by copies of {} elements: {packed}", part.lens[0])
            }),
        }
    }
}
