//! Equivalents of the calls of rustfft, realfft, FFTW and `SciPy`. [`distributed`] has the calls of FFTW-MPI,
//! heFFTe and mpi4py-fft. Programs in [C and Fortran](c) need no other calls, and [Python](python)
//! has a wheel.
//!
//! A transform is a [`Problem`](crate::Problem), and a [`Planner`](crate::Planner) makes a plan of it. The
//! default scaling is `SciPy`'s. For libraries that never scale, the inverse has
//! [`Norm::Forward`](crate::Norm::Forward). Calls return errors where other libraries panic. They need no
//! scratch, because a plan keeps its own.
//!
//! # From rustfft
//!
//! | rustfft | here |
//! |---|---|
//! | `FftPlanner::new()` | `Planner::new()` |
//! | `planner.plan_fft_forward(n)` | `planner.plan::<f64>(&Problem::complex(&[n]))?` |
//! | `planner.plan_fft_inverse(n)`, which does not scale | `Problem::complex(&[n]).direction(Direction::Inverse).norm(Norm::Forward)` |
//! | `fft.process(&mut points)` | `forward.process(&mut points)?` |
//! | `fft.process(&mut points)` of several contiguous transforms | `Problem::complex(&[n]).batch(points.len() / n)` |
//! | `fft.get_inplace_scratch_len()` | `forward.scratch_len()` |
//! | `fft.process_with_scratch(&mut points, &mut scratch)` | `forward.process_with_scratch(&mut points, &mut scratch)?` |
//! | `fft.process_outofplace_with_scratch(..)`, `process_immutable_with_scratch(..)` | `forward.process_out_of_place(&points, &mut output)?` |
//!
//! ```
//! use earth_fft::{Complex, Direction, Norm, Planner, Problem};
//!
//! let n = 6;
//! let mut points = vec![Complex::new(1.0, 2.0); n];
//! let planner = Planner::new();
//! let forward = planner.plan::<f64>(&Problem::complex(&[n]))?;
//! forward.process(&mut points)?;
//! let problem = Problem::complex(&[n]).direction(Direction::Inverse).norm(Norm::Forward);
//! planner.plan::<f64>(&problem)?.process(&mut points)?;
//! assert!((points[5] - Complex::new(6.0, 12.0)).norm() < 1e-12);
//!
//! let mut scratch = vec![Complex::default(); forward.scratch_len()];
//! forward.process_with_scratch(&mut points, &mut scratch)?;
//! assert!((points[0] - Complex::new(36.0, 72.0)).norm() < 1e-12);
//! let mut output = vec![Complex::default(); n];
//! forward.process_out_of_place(&points, &mut output)?;
//! assert!((output[3] - points[0]).norm() < 1e-12);
//!
//! let mut points = vec![Complex::new(1.0, 2.0); 5 * n];
//! let problem = Problem::complex(&[n]).batch(points.len() / n);
//! planner.plan::<f64>(&problem)?.process(&mut points)?;
//! assert_eq!(points[4 * n], Complex::new(6.0, 12.0));
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! # From realfft
//!
//! | realfft | here |
//! |---|---|
//! | `RealFftPlanner::<f64>::new()` | `Planner::new()` |
//! | `planner.plan_fft_forward(n)` | `planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n]))?` |
//! | `planner.plan_fft_inverse(n)`, which does not scale | `Problem::complex_to_real(&[n]).norm(Norm::Forward)` |
//! | `r2c.make_input_vec()`, `r2c.make_output_vec()` | `vec![0.0; n]`, `vec![Complex::default(); n / 2 + 1]` |
//! | `r2c.process(&mut numbers, &mut spectrum)` | `forward.process(&numbers, &mut spectrum)?` |
//! | `c2r.process(&mut spectrum, &mut numbers)` | `inverse.process(&mut spectrum, &mut numbers)?` |
//!
//! ```
//! use earth_fft::{Complex, Norm, Planner, Problem};
//!
//! let n = 7;
//! let planner = Planner::new();
//! let forward = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n]))?;
//! let problem = Problem::complex_to_real(&[n]).norm(Norm::Forward);
//! let inverse = planner.plan_complex_to_real::<f64>(&problem)?;
//! let (mut numbers, mut spectrum) = (vec![0.0; n], vec![Complex::default(); n / 2 + 1]);
//! numbers[2] = 1.0;
//! forward.process(&numbers, &mut spectrum)?;
//! assert!((spectrum[3].norm() - 1.0).abs() < 1e-12);
//! inverse.process(&mut spectrum, &mut numbers)?;
//! assert!((numbers[2] - 7.0).abs() < 1e-12 && numbers[3].abs() < 1e-12);
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! # From FFTW
//!
//! | FFTW | here |
//! |---|---|
//! | `fftw_plan_dft_1d(n, x, x, FFTW_FORWARD, FFTW_ESTIMATE)` | `planner.plan::<f64>(&Problem::complex(&[n]))?` |
//! | `fftwf_plan_dft_2d(rows, cols, ..)` | `planner.plan::<f32>(&Problem::complex(&[rows, cols]))?` |
//! | `fftw_plan_dft_3d(i, j, k, ..)` | `Problem::complex(&[i, j, k])` |
//! | `FFTW_BACKWARD` | `.direction(Direction::Inverse).norm(Norm::Forward)` |
//! | `fftw_execute(plan)`, `fftw_execute_dft(plan, x, x)` | `plan.process(&mut x)?` |
//! | `fftw_execute_dft(plan, x, y)` | `plan.process_out_of_place(&x, &mut y)?` |
//! | `fftw_plan_many_dft(.., howmany, .., istride, idist, .., ostride, odist, ..)` | `.batch(howmany).input(Layout { strides: vec![istride], distance: idist })`, `.output(Layout { strides: vec![ostride], distance: odist })` |
//! | `fftw_plan_dft_r2c_2d(rows, cols, ..)` | `planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[rows, cols]))?` |
//! | `fftw_plan_dft_c2r_2d(rows, cols, ..)` | `Problem::complex_to_real(&[rows, cols]).norm(Norm::Forward)` |
//! | the same in place, rows of `2 * (cols / 2 + 1)` numbers | `Problem::real_to_complex(&[rows, cols]).padded()`, `in_place.process_padded(&mut data)?` |
//! | `fftw_plan_with_nthreads(2)` | `Planner::new().nodes(NonZeroUsize::new(2).unwrap())` |
//! | `FFTW_MEASURE`, `fftw_set_timelimit(10)` | `Planner::new().effort(Effort::Measure).time_limit(Duration::from_secs(10))` |
//! | `fftw_export_wisdom_to_string()` | `wisdom.to_string()` |
//! | `fftw_import_wisdom_from_string(text)` | `Planner::new().wisdom(text.parse::<Wisdom>().unwrap())` |
//! | FFTW itself, with `FFTW_MEASURE` | `Planner::new().kernel(Kernel::Fftw).effort(Effort::Measure)` |
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::time::Duration;
//!
//! use earth_fft::{Complex, Direction, Effort, Kernel, Layout, Norm, Planner, Problem, Wisdom};
//!
//! let (n, rows, cols) = (6, 2, 3);
//! let planner = Planner::new();
//! let mut x = vec![Complex::from(1.0); n];
//! let mut y = x.clone();
//! let plan = planner.plan::<f64>(&Problem::complex(&[n]))?;
//! plan.process_out_of_place(&x, &mut y)?;
//! plan.process(&mut x)?;
//! assert_eq!((x[0], &x), (Complex::from(6.0), &y));
//!
//! let mut x = vec![Complex::from(1.0_f32); n];
//! planner.plan::<f32>(&Problem::complex(&[rows, cols]))?.process(&mut x)?;
//! let there = Problem::complex(&[rows, cols]);
//! let back = there.direction(Direction::Inverse).norm(Norm::Forward);
//! planner.plan::<f32>(&back)?.process(&mut x)?;
//! assert!((x[5] - Complex::from(6.0)).norm() < 1e-5);
//! let (i, j, k) = (1, 2, 3);
//! assert_eq!(Problem::complex(&[i, j, k]).lengths(), [1, 2, 3]);
//!
//! // Two columns into two rows.
//! let (howmany, istride, idist, ostride, odist) = (2, 2, 1, 1, 3);
//! let many = Problem::complex(&[3])
//!     .batch(howmany).input(Layout { strides: vec![istride], distance: idist })
//!     .output(Layout { strides: vec![ostride], distance: odist });
//! planner.plan::<f32>(&many)?.process_out_of_place(&x.clone(), &mut x)?;
//! assert!((x[3] - Complex::from(18.0)).norm() < 1e-4 && x[4].norm() < 1e-4);
//!
//! let mut half = vec![Complex::default(); rows * (cols / 2 + 1)];
//! let real = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[rows, cols]))?;
//! real.process(&[1.0; 6], &mut half)?;
//! let mut numbers = [0.0; 6];
//! let problem = Problem::complex_to_real(&[rows, cols]).norm(Norm::Forward);
//! planner.plan_complex_to_real::<f64>(&problem)?.process(&mut half, &mut numbers)?;
//! assert!((numbers[5] - 6.0).abs() < 1e-12);
//! let problem = Problem::real_to_complex(&[rows, cols]).padded();
//! let in_place = planner.plan_real_to_complex::<f64>(&problem)?;
//! let mut data = vec![1.0; rows * 2 * (cols / 2 + 1)];
//! in_place.process_padded(&mut data)?;
//! assert_eq!(data[0], 6.0);
//!
//! let shared = Planner::new().nodes(NonZeroUsize::new(2).unwrap());
//! assert_eq!(shared.plan::<f64>(&Problem::complex(&[8, 8]))?.nodes(), Some(2));
//! let wisdom = Wisdom::new();
//! let measuring = Planner::new().effort(Effort::Measure).time_limit(Duration::from_secs(10));
//! measuring.wisdom(wisdom.clone()).plan::<f64>(&Problem::complex(&[30]))?;
//! let text = wisdom.to_string();
//! let wise = Planner::new().wisdom(text.parse::<Wisdom>().unwrap());
//! assert!(!wise.plan::<f64>(&Problem::complex(&[30]))?.measured().is_empty());
//! let fftw = Planner::new().kernel(Kernel::Fftw).effort(Effort::Measure);
//! # drop(fftw);
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! # From `SciPy`
//!
//! The array `x` has `rows` rows and `cols` columns; a series has `n` points.
//!
//! | `scipy.fft` | here |
//! |---|---|
//! | `fft(series)` | `planner.plan::<f64>(&Problem::complex(&[n]))?.process(&mut series)?` |
//! | `ifft(series)` | `Problem::complex(&[n]).direction(Direction::Inverse)` |
//! | `fft(series, norm="ortho")` | `Problem::complex(&[n]).norm(Norm::Ortho)` |
//! | `fft2(x)`, `fftn(x)` | `Problem::complex(&[rows, cols])` |
//! | `fft(x)`, along rows | `Problem::complex(&[cols]).batch(rows)` |
//! | `fft(x, axis=0)`, along columns | `Problem::complex(&[rows]).batch(cols).layout(Layout { strides: vec![cols], distance: 1 })` |
//! | `rfft(series)` | `planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n]))?` |
//! | `irfft(spectrum, n)` | `planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[n]))?` |
//! | `rfft2(x)`, `irfft2(x, (rows, cols))` | `Problem::real_to_complex(&[rows, cols])`, `Problem::complex_to_real(&[rows, cols])` |
//! | `fft(series, 16)`, with zeros behind | `series.resize(16, Complex::default())` first |
//! | `workers=2`, of a matrix | `Planner::new().nodes(NonZeroUsize::new(2).unwrap())` |
//! | an array of any strides | `process_array` and `process_arrays` of a plan, with the feature `ndarray` |
//!
//! ```
//! use earth_fft::{Complex, Direction, Layout, Norm, Planner, Problem};
//!
//! let (n, rows, cols) = (8, 2, 4);
//! let planner = Planner::new();
//! let mut series = vec![Complex::from(1.0); n];
//! planner.plan::<f64>(&Problem::complex(&[n]))?.process(&mut series)?;
//! let back = Problem::complex(&[n]).direction(Direction::Inverse);
//! planner.plan::<f64>(&back)?.process(&mut series)?;
//! assert!((series[7] - Complex::from(1.0)).norm() < 1e-12);
//! let ortho = Problem::complex(&[n]).norm(Norm::Ortho);
//! planner.plan::<f64>(&ortho)?.process(&mut series)?;
//! assert!((series[0] - Complex::from(8.0_f64.sqrt())).norm() < 1e-12);
//! series.resize(16, Complex::default());
//!
//! for (problem, first_column) in [
//!     (Problem::complex(&[rows, cols]), [8.0, 0.0]),
//!     (Problem::complex(&[cols]).batch(rows), [4.0, 4.0]),
//!     (
//!         Problem::complex(&[rows]).batch(cols).layout(Layout { strides: vec![cols], distance: 1 }),
//!         [2.0, 0.0],
//!     ),
//! ] {
//!     let mut x = vec![Complex::from(1.0); 8];
//!     planner.plan::<f64>(&problem)?.process(&mut x)?;
//!     assert_eq!([x[0], x[4]], first_column.map(Complex::from));
//! }
//!
//! let mut spectrum = vec![Complex::default(); n / 2 + 1];
//! let rfft = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(&[n]))?;
//! rfft.process(&[1.0; 8], &mut spectrum)?;
//! let irfft = planner.plan_complex_to_real::<f64>(&Problem::complex_to_real(&[n]))?;
//! let mut numbers = vec![0.0; n];
//! irfft.process(&mut spectrum, &mut numbers)?;
//! assert_eq!(numbers, [1.0; 8]);
//! let mut half = vec![Complex::default(); 6];
//! let problem = Problem::real_to_complex(&[rows, cols]);
//! planner.plan_real_to_complex::<f64>(&problem)?.process(&numbers, &mut half)?;
//! assert_eq!((half[0], half[3]), (Complex::from(8.0), Complex::from(0.0)));
//! let problem = Problem::complex_to_real(&[rows, cols]);
//! planner.plan_complex_to_real::<f64>(&problem)?.process(&mut half, &mut numbers)?;
//! assert_eq!(numbers, [1.0; 8]);
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! `fftshift` is `points.rotate_right(n / 2)`. For `n` points at a spacing of `d`, the frequency of point `k`
//! is `k / (n d)`. From `k = n/2` on it is less by `1 / d`.

pub mod c;
pub mod distributed;
pub mod python;

#[cfg(test)]
mod tests {
    /// Doctests run the calls in a table's right column, in the code of its section or of an earlier one.
    #[test]
    fn calls_of_the_tables_are_run() {
        let text = include_str!("guide.rs").split("#[cfg(test)]").next().unwrap();
        let flat = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let lines = text.lines().filter_map(|line| line.strip_prefix("//!"));
        let code: String = lines.clone().filter(|line| !line.starts_with(" |")).map(flat).collect();
        let rows = lines.filter(|line| line.starts_with(" | ")).filter_map(|row| row.split(" | ").nth(2));
        let ours: Vec<_> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        assert!(ours.len() > 35, "{}", ours.len());
        for call in ours.iter().filter(|call| call.contains('(')) {
            assert!(code.contains(&flat(call)), "`{call}` is in no code");
        }
    }
}
