//! Distributions of the rows of a matrix that are worth measuring.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fft::kernel::Kernel;
use earth_fft::solver::{Measuring, Request, Solver, Way};
use earth_fftw::Effort;

use super::decide::{Rows, decide};
use crate::groups::{Groups, Pad, Partition, PerformanceModel, Shares};
use crate::partition::Grouping;

/// The exact ways to share a matrix that differ from even shares of rows as they are.
///
/// * Distributions by the speed functions that are `known`, with rows as they are, or padded where that is faster.
/// * Even shares of rows with a padded leading dimension.
/// * The patient try each padding by the speed functions, and even shares through chirps.
///
/// `solver` makes the solver by such shares. The kernel is the one of the speed functions unless one was asked for.
pub(super) fn ways(
    known: &[PerformanceModel],
    solver: impl Fn(Shares) -> Arc<dyn Solver>,
    request: &Request<'_>,
    measuring: &Measuring<'_>,
) -> Vec<Way> {
    let Measuring { effort, nodes, kernel, kernels, precision: (precision, point) } = *measuring;
    let [rows, cols] = *request.problem.lengths() else { return Vec::new() };
    let sides = [rows, cols];
    if request.problem.is_real() || !request.problem.is_one_array() {
        return Vec::new();
    }
    let patient = effort == Effort::Patient;
    let paddings = |few: &[Pad], more: &[Pad]| [few, if patient { more } else { &[] }].concat();
    let mut asked = Vec::new();
    let mut measured = BTreeMap::<_, Vec<_>>::new();
    for model in known {
        let Grouping { groups, threads } = model.grouping();
        let of = model.rows().kernel.confirmed_by(kernel);
        if !matches!(of, Kernel::Recorded(_)) {
            measured.entry((of, groups, threads)).or_default().push(model.clone());
        }
    }
    for ((of, groups, threads), models) in measured {
        for pad in paddings(&[Pad::Auto, Pad::None], &[Pad::Stride, Pad::Chirp]) {
            let speeds = models.clone().into();
            let by_speed = Groups { partition: Partition::Fpm, pad, speeds, ..Groups::default() };
            asked.push((of.clone(), by_speed, Grouping { groups, threads }));
        }
    }
    for of in kernels {
        for groups in nodes.iter().map(|nodes| nodes.get()) {
            for pad in paddings(&[Pad::Stride], &[Pad::Chirp]) {
                let evenly = Groups { pad, ..Groups::default() };
                asked.push((of.clone(), evenly, Grouping { groups, threads: 1 }));
            }
        }
    }
    let mut ways = Vec::new();
    for (of, asked, grouping) in asked {
        let nodes = NonZeroUsize::new(grouping.groups.saturating_mul(grouping.threads));
        let Some(nodes) = nodes.filter(|&nodes| request.nodes.is_none_or(|asked| asked == nodes)) else {
            continue;
        };
        let of_kernel = Rows { kernel: &of, precision, point };
        // Speed functions may be of another precision, or tell nothing of these sides.
        let Ok(decided) = decide(&asked, grouping, sides, of_kernel) else { continue };
        let differs = differs(&decided.shares, sides);
        let way = Way { solver: Some(solver(decided.shares)), nodes, kernel: of };
        if differs && kernel.is_none_or(|asked| *asked == way.kernel) && !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// Whether shares differ from even ones of rows as they are.
fn differs(shares: &Shares, [rows, cols]: [usize; 2]) -> bool {
    let uneven = |rows: &Vec<usize>| rows.iter().max() > rows.iter().min().map(|least| least + 1).as_ref();
    let padded =
        [cols, rows].iter().zip(&shares.strides).any(|(len, of)| of.iter().any(|stride| stride > len));
    shares.distribution.iter().any(uneven)
        || padded
        || shares.chirps.iter().flatten().any(|&length| length > 0)
}

#[cfg(test)]
mod tests {
    use earth::Config;

    use super::super::decide::tests::{model, uneven};
    use super::*;
    use crate::matrix::solver::Grouped;
    use earth_fft::Problem;
    use earth_fft::kernel::RowOptions;

    fn found(
        sides: [usize; 2],
        nodes: usize,
        effort: Effort,
        kernel: Option<&Kernel>,
        speeds: &[PerformanceModel],
    ) -> Vec<Way> {
        let problem = Problem::complex(&sides);
        let options = &RowOptions::new(Kernel::Earth, effort, problem.to());
        let nodes = NonZeroUsize::new(nodes);
        let request = Request { problem: &problem, options, phantom: false, nodes, config: Config::Spn };
        let kernels =
            kernel.map_or_else(|| vec![Kernel::Earth, Kernel::RustFft], |kernel| vec![kernel.clone()]);
        let nodes: Vec<_> = nodes.into_iter().collect();
        let precision = ("f64", 16);
        let measuring = Measuring { effort, nodes: &nodes, kernel, kernels: &kernels, precision };
        ways(speeds, |shares| Arc::new(Grouped::new().shares(shares)), &request, &measuring)
    }

    /// Group 1 is three times as slow as group 0, so that of 64 rows it gets 16, and of 128 rows 32.
    #[test]
    fn matrices_are_shared_by_strides_and_by_speed_functions() {
        let models = [Pad::None, Pad::Stride].map(|pad| {
            model(pad, &[64, 128], |group, rows, length| {
                uneven(group, rows, length) / if pad == Pad::None { 1.0 } else { 2.0 }
            })
        });
        let told = |sides, nodes, effort, kernel: Kernel, speeds: &[PerformanceModel]| -> Vec<String> {
            found(sides, nodes, effort, Some(&kernel), speeds).iter().map(Way::to_string).collect()
        };
        // Rows of 64 and of 128 points are an even number of cache lines, those of 12 and 20 an odd one.
        let strided = "grouped on 2 nodes, 2 groups of 1: 32 + 32 rows, 64 + 64 columns, padded to 132/132 and 68/68, rows by rustfft";
        assert_eq!(told([64, 128], 2, Effort::Measure, Kernel::RustFft, &[]), [strided]);
        assert_eq!(told([12, 20], 2, Effort::Measure, Kernel::RustFft, &[]), [""; 0]);
        let patient = told([12, 20], 2, Effort::Patient, Kernel::RustFft, &[]);
        assert_eq!(
            patient,
            [
                "grouped on 2 nodes, 2 groups of 1: 6 + 6 rows, 10 + 10 columns, through 40/40 and 24/24, rows by rustfft"
            ]
        );
        let measured = told([64, 128], 2, Effort::Measure, Kernel::RustFft, &models);
        let uneven = "grouped on 2 nodes, 2 groups of 1: 48 + 16 rows, 96 + 32 columns, ";
        assert_eq!(
            measured,
            [
                format!("{uneven}padded to 132/132 and 68/68, rows by rustfft"),
                format!("{uneven}rows by rustfft"),
                strided.to_owned()
            ]
        );
        // Without the functions of a padding none is taken to be faster, nor is there anything of chirps.
        let patient = told([64, 128], 2, Effort::Patient, Kernel::RustFft, &models[..1]);
        assert_eq!(patient.len(), 4, "{patient:?}");
        assert!(patient[0] == measured[1] && patient[1] == measured[0], "{patient:?}");
        // Neither other nodes, nor another kernel, nor lengths of which nothing is known.
        for (sides, nodes, kernel) in
            [([64, 128], 3, Kernel::RustFft), ([64, 128], 2, Kernel::Earth), ([12, 20], 2, Kernel::RustFft)]
        {
            let found = told(sides, nodes, Effort::Measure, kernel, &models);
            assert!(
                !found.iter().any(|told| told.contains("48 + 16") || told.contains("96 + 32")),
                "{found:?}"
            );
        }
        // A kernel that is not fixed is that of the speed functions.
        let found = found([64, 128], 2, Effort::Measure, None, &models);
        assert_eq!(found.iter().filter(|found| found.kernel == Kernel::RustFft).count(), 3);
        assert_eq!(found.len(), 4);
    }
}
