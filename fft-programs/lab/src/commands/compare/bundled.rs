//! Subjects of a comparison without a file: the bundled series and the bundled picture.

use earth_console::bricks::bricks;
use earth_console::series::{FIRST_YEAR, sunspots, sunspots_of};
use earth_console::signal::Samples;
use earth_fft::Shape;

use crate::compare::Subject;

/// Rows, and columns, of the picture.
const SIDE: usize = 256;

/// Length of the zero-padded series in the comparison, in points. The papers' measurements over block sizes
/// use this size.
const COMPARED: usize = 4096;

/// Returns the series as a subject of a comparison.
pub(super) fn sunspots_subject() -> Subject<f64> {
    let years = sunspots().samples.count();
    Subject {
        name: format!("yearly sunspot numbers, {FIRST_YEAR} to {}", FIRST_YEAR + years - 1),
        unit: "year",
        given: years,
        shape: Shape::Line(COMPARED),
        samples: sunspots_of(COMPARED),
        notes: Vec::new(),
    }
}

/// Returns the picture as a subject of a comparison.
pub(super) fn bricks_subject() -> Subject<f64> {
    let signal = bricks();
    let Samples::F64(values) = signal.samples else { unreachable!("pictures are read in double precision") };
    let samples = values.into_points().expect("there is memory for a small picture");
    let (name, given, notes) = ("a brick wall".to_owned(), samples.len(), Vec::new());
    let shape = Shape::Matrix { rows: SIDE, cols: SIDE };
    Subject { name, unit: "pixel", given, shape, samples, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_whole() {
        let series = sunspots_subject();
        assert_eq!((series.given, series.samples.len()), (309, COMPARED));
        assert_eq!(series.name, "yearly sunspot numbers, 1700 to 2008");
    }

    #[test]
    fn the_picture_is_whole() {
        let picture = bricks_subject();
        assert_eq!((picture.given, picture.shape), (65536, Shape::Matrix { rows: 256, cols: 256 }));
    }
}
