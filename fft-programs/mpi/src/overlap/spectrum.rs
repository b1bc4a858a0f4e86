//! Comparison of spectra whose points have other places on each rank.
//!
//! NEW's spectrum is divided along y, and so are all transposed ones. Their orders differ. A spectrum in
//! natural order is divided along x. For these the ranks exchange the points of NEW's spectrum once.

use earth_console::Failure;
use earth_fft::Complex;
use earth_mpi_requests::{Exchange, Message};
use earth_papers::overlap::layout::{Rows, pack_output, unpack_output};
use earth_papers::overlap::{Layout, Size};

use crate::bench::memory;
use crate::ranks::{Ranks, Refused};

/// Tag of the messages of the one exchange.
const TAG: u8 = 0;

/// Where the points of a spectrum are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spectrum {
    /// Divided along y. A rank has the dimensions in this order, the slowest first: 0 is x.
    AlongY([usize; 3]),
    /// Divided along x, in the order x y z.
    AlongX,
}

/// NEW's spectrum.
pub(super) struct Reference {
    size: Size,
    layout: Layout,
    along_y: Vec<Complex<f64>>,
    along_x: Vec<Complex<f64>>,
    /// The greatest point of all ranks.
    greatest: f64,
}

impl Reference {
    /// Copies this rank's part of NEW's spectrum, and gets its part of the spectrum in natural order.
    pub(super) fn new(
        ranks: &Ranks,
        lengths: [usize; 3],
        layout: Layout,
        points: &[Complex<f64>],
    ) -> Result<Self, Refused> {
        let size = Size { lengths, ranks: ranks.count() };
        let (nx, ny) = (size.part(0, ranks.rank()), size.part(1, ranks.rank()));
        let all = lengths[0] * ny * lengths[2];
        let mut along_y = ranks.agree(memory(all))?;
        along_y.copy_from_slice(&points[..all]);
        let greatest = along_y.iter().map(|point| point.norm()).fold(f64::MIN_POSITIVE, f64::max);

        let blocks = |len: &dyn Fn(usize) -> usize| {
            let blocks = (0..ranks.count()).map(|rank| memory(len(rank)));
            ranks.agree(blocks.collect::<Result<Vec<_>, _>>())
        };
        let mut packed = blocks(&|rank| size.part(0, rank) * ny * lengths[2])?;
        let arrived = blocks(&|rank| nx * size.part(1, rank) * lengths[2])?;
        let rows = Rows::new(layout, lengths[2], ny, lengths[0]);
        pack_output(&size, &along_y, &rows, ny, packed.iter_mut().map(Vec::as_mut_slice));
        let messages = |blocks: Vec<Vec<_>>| {
            let messages = blocks.into_iter().enumerate();
            messages.map(|(rank, points)| Message { rank, points }).collect()
        };
        let exchange = Exchange::begin(ranks.world(), TAG, messages(arrived), messages(packed));
        let [arrived, _] = ranks.agree(exchange.map_err(Failure::work))?.wait();
        let mut along_x = ranks.agree(memory(nx * lengths[1] * lengths[2]))?;
        unpack_output(&size, arrived.iter().map(|message| &message.points[..]), &mut along_x, nx);
        Ok(Self { size, layout, along_y, along_x, greatest: ranks.greatest(greatest) })
    }

    /// Returns the greatest difference of a point from NEW's spectrum, relative to the greatest point. All
    /// ranks make this call, each with its own points.
    pub(super) fn difference(&self, ranks: &Ranks, spectrum: Spectrum, points: &[Complex<f64>]) -> f64 {
        let own = match spectrum {
            Spectrum::AlongX => greatest_of(self.along_x.iter().zip(points)),
            Spectrum::AlongY(order) => {
                let [nx, _, nz] = self.size.lengths;
                let lengths = [nx, self.size.part(1, ranks.rank()), nz];
                let [ours, theirs] = [self.layout.output(), order].map(|order| steps(order, lengths));
                let places = indices(lengths).map(|at| [place(ours, at), place(theirs, at)]);
                greatest_of(places.map(|[own, other]| (&self.along_y[own], &points[other])))
            }
        };
        ranks.greatest(own) / self.greatest
    }
}

/// Returns the greatest difference of two points. It is infinite if some point is not a number.
fn greatest_of<'a>(pairs: impl Iterator<Item = (&'a Complex<f64>, &'a Complex<f64>)>) -> f64 {
    let differences = pairs.map(|(one, other)| (one - other).norm());
    differences.map(|value| if value.is_nan() { f64::INFINITY } else { value }).fold(0.0, f64::max)
}

/// Returns the number of points from one index to the next of each dimension, in an order of dimensions.
fn steps(order: [usize; 3], lengths: [usize; 3]) -> [usize; 3] {
    let (mut steps, mut step) = ([0; 3], 1);
    for dimension in order.into_iter().rev() {
        steps[dimension] = step;
        step *= lengths[dimension];
    }
    steps
}

fn place(steps: [usize; 3], at: [usize; 3]) -> usize {
    steps.iter().zip(at).map(|(step, at)| step * at).sum()
}

/// Returns all indices of an array.
fn indices([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx).flat_map(move |x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_its_place_in_each_order() {
        let (lengths, at) = ([2, 3, 5], [1, 2, 4]);
        let place_in = |order| place(steps(order, lengths), at);
        assert_eq!([[0, 1, 2], [2, 1, 0], [1, 2, 0]].map(place_in), [29; 3]);
        let place_in = |order| place(steps(order, lengths), [1, 0, 2]);
        assert_eq!([[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]].map(place_in), [17, 13, 5, 7]);
        assert_eq!(
            indices(lengths).map(|at| place([15, 5, 1], at)).collect::<Vec<_>>(),
            (0..30).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_point_that_is_no_number_differs() {
        let [zero, none] = [0.0, f64::NAN].map(Complex::from);
        assert!(greatest_of([(&zero, &none), (&zero, &zero)].into_iter()).is_infinite());
        let one = Complex::new(0.0, 1.0);
        assert!((greatest_of([(&zero, &one), (&zero, &zero)].into_iter()) - 1.0).abs() < 1e-15);
    }
}
