//! Arrays that are distributed over the ranks of a job, and the equivalents of the calls of FFTW-MPI, heFFTe
//! and mpi4py-fft.
//!
//! A *rank* is a node of a [`Machine`](earth::Machine): a process of an MPI job, by the crate `earth-mpi`, a
//! thread, or a simulated node. Each rank has a part of the input and keeps a part of the output. Every
//! process plans the same problem, and makes the same calls with the arrays of its own ranks.
//!
//! # A program for ranks
//!
//! This function runs in each process. Here one process has both ranks:
//!
//! ```
//! use earth::Machine;
//! use earth_fft::distributed::Order;
//! use earth_fft::{Complex, Direction, Planner, Problem, TransformError};
//!
//! /// Removes all but the lowest frequencies of a picture that is distributed by rows.
//! fn smooth(machine: &mut Machine, picture: &mut Vec<Complex<f64>>) -> Result<(), TransformError> {
//!     let (planner, ranks) = (Planner::new(), machine.node_count());
//!     let problem = Problem::complex(&[48, 32]);
//!     let there = planner.plan_distributed(&problem, ranks, Order::Transposed)?;
//!     let back = problem.direction(Direction::Inverse);
//!     let back = planner.plan_distributed(&back, ranks, Order::Transposed)?;
//!     there.process_slab(machine, picture)?;
//!     let mut rest = &mut picture[..];
//!     for rank in machine.own_nodes() {
//!         let (own, others) = rest.split_at_mut(there.local_len(rank));
//!         let part = there.local_output(rank);
//!         // The spectrum is distributed by columns.
//!         let [rows, cols] = part.ranges() else { unreachable!("a picture has two dimensions") };
//!         let frequencies = (0..part.len()).map(|at| at % cols.len() + cols.start);
//!         for (point, frequency) in own.iter_mut().zip(frequencies) {
//!             if frequency.min(32 - frequency) > 4 {
//!                 *point = Complex::from(0.0);
//!             }
//!         }
//!         assert_eq!(rows.len(), 48);
//!         rest = others;
//!     }
//!     back.process_slab(machine, picture)?;
//!     Ok(())
//! }
//!
//! // Rank 0 has rows 0 to 23, rank 1 the others.
//! let mut picture = vec![Complex::from(1.0); 48 * 32];
//! smooth(&mut Machine::threads(2), &mut picture)?;
//! assert!(picture.iter().all(|point| (point - Complex::from(1.0)).norm() < 1e-12));
//! # Ok::<(), TransformError>(())
//! ```
//!
//! As a rank of an MPI job, a process has one rank, or `k` with `machine.nodes(k)`:
//!
//! ```text
//! let mut machine = earth_mpi::Mpi::join()?.machine()?;
//! smooth(&mut machine, &mut own_rows)?;
//! ```
//!
//! [`scatter`](crate::distributed::DistributedPlan::scatter) and
//! [`gather`](crate::distributed::DistributedPlan::gather) deal an array of rank 0 to the ranks, and collect
//! it there. If the whole array of complex points is on rank 0 before and after the transform,
//! [`Order::Root`](crate::distributed::Order::Root) does the same in one call, and in less time: rank 0
//! calls `process_slab` with its array, the others with an empty slice.
//!
//! # Measured plans
//!
//! Planning by rules takes milliseconds. A planner with an [`effort`](crate::Planner::effort) or a
//! [`wisdom`](crate::Planner::wisdom) takes the kernel that is fastest for one rank's share. Measurements of
//! ranks may differ, so all of them take the wisdom of rank 0:
//!
//! ```
//! use earth::Machine;
//! use earth_fft::distributed::{DistributedPlan, Order};
//! use earth_fft::{Effort, Planner, Problem, TransformError, Wisdom};
//!
//! /// Plans by the wisdom of rank 0, and adds to it what was not known.
//! fn planned(machine: &mut Machine, wisdom: &Wisdom) -> Result<DistributedPlan<f64>, TransformError> {
//!     let (problem, ranks) = (Problem::complex(&[12, 10]), machine.node_count());
//!     let planner = Planner::new().wisdom(wisdom.clone());
//!     wisdom.share(machine)?;
//!     // All ranks measure at the same time, as they will transform later.
//!     let measuring = planner.clone().effort(Effort::Measure);
//!     measuring.plan_distributed::<f64>(&problem, ranks, Order::Natural)?;
//!     wisdom.share(machine)?;
//!     Ok(planner.plan_distributed(&problem, ranks, Order::Natural)?)
//! }
//!
//! let wisdom = Wisdom::new();
//! planned(&mut Machine::threads(2), &wisdom)?;
//! assert_eq!(wisdom.len(), 1);
//! # Ok::<(), TransformError>(())
//! ```
//!
//! # Parts
//!
//! | problem | input | output, transposed | output, natural | exchanges |
//! |---|---|---|---|---|
//! | `[n0, n1]`, `[n0, n1, n2]` | range of dimension 0 | range of dimension 1 | as the input | 1; natural 2 |
//! | `[n0, n1, n2]` on more ranks than `n0` or `n1` | ranges of dimensions 0 and 1 | ranges of dimensions 1 and 2 | as the input | 2; natural 3 |
//! | `[n]`, a matrix `[a, b]` with `a b = n` | range of dimension 0: consecutive points | range of dimension 1 of `[b, a]` | range of dimension 0 of `[b, a]`: consecutive points | 2; natural 3 |
//! | real numbers `[.., n]`, their spectra `[.., n/2 + 1]`, of 2 or 3 dimensions | as above | as above | as above | as above |
//! | real numbers `[n]`, their spectrum `[n/2 + 1]` | consecutive numbers | consecutive points | the same | 3 |
//!
//! With `Order::Root` rank 0 has all ranges before and after, and the other ranks have empty ranges. That
//! takes one exchange more than natural order.
//!
//! The inverse of transposed order takes its input where the forward transform has left it. All parts are in
//! row-major order of their own lengths, also in transposed order: no element of a part is transposed
//! locally. Some ranks have no points if there are more ranks than rows.
//!
//! # Growth
//!
//! `earth-lab simulate distributed` runs such plans on 1 to 1,024 simulated ranks, on a network of
//! measured rates. Its page, `docs/distributed-growth.md`, has their times beside a closed form.
//! [`DistributedPlan::run_phantom_on`](crate::distributed::DistributedPlan::run_phantom_on) predicts the time
//! of a plan on a machine of your own:
//!
//! ```
//! use earth::Machine;
//! use earth::simulated::Profile;
//! use earth_fft::distributed::Order;
//! use earth_fft::{Planner, Problem, TransformError};
//!
//! let profile = Profile::named("manna50").expect("a built-in profile");
//! let planner = Planner::new().phantom();
//! let plan = planner.plan_distributed::<f64>(&Problem::complex(&[4096, 4096]), 16, Order::Transposed)?;
//! let run = plan.run_phantom_on(&mut Machine::simulated(&profile).nodes(16))?;
//! assert!(run.elapsed.as_secs_f64() > 1.0);
//! # Ok::<(), TransformError>(())
//! ```
//!
//! # Compared
//!
//! `mpirun -n 2 earth-fft-mpi bench 1024x1024 128x128x128` transforms the same points with this crate,
//! FFTW-MPI and heFFTe in one job. It compares the spectra, and then the times.
//!
//! # From FFTW-MPI
//!
//! | FFTW-MPI | here |
//! |---|---|
//! | `fftw_mpi_init()` | `earth_mpi::Mpi::join()?` |
//! | `fftw_mpi_local_size_2d(n0, n1, comm, &local_n0, &local_0_start)` | `plan.local_input(rank).ranges()[0]`, with `plan.local_len(rank)` points |
//! | `fftw_mpi_local_size_2d_transposed(..)` | also `plan.local_output(rank).ranges()[1]` |
//! | `fftw_mpi_plan_dft_2d(n0, n1, x, x, comm, FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT)` | `planner.plan_distributed::<f64>(&Problem::complex(&[n0, n1]), ranks, Order::Transposed)?`; columns stay columns |
//! | the same without the flag | `Order::Natural` |
//! | `FFTW_BACKWARD` with `FFTW_MPI_TRANSPOSED_IN` | `.direction(Direction::Inverse).norm(Norm::Forward)`, `Order::Transposed` |
//! | `fftw_mpi_plan_dft_1d(n, .., FFTW_MPI_SCRAMBLED_OUT)` | `Problem::complex(&[n])`, `Order::Transposed` |
//! | `fftw_mpi_plan_dft_r2c_3d(..)`, which pads rows | `planner.plan_distributed_real_to_complex::<f64>(..)`, from an array without padding |
//! | `fftw_mpi_plan_many_dft(.., howmany, ..)`, with tuples of points | `.batch(howmany)`, array after array |
//! | `fftw_mpi_broadcast_wisdom(comm)` | `wisdom.share(&mut machine)?` |
//! | `fftw_execute(plan)` | `plan.process_slab(&mut machine, &mut points)?` |
//! | `fftw_mpi_execute_dft(plan, x, y)` | `plan.process_slab_out_of_place(&mut machine, &x, &mut y)?` |
//!
//! # From heFFTe
//!
//! | heFFTe | here |
//! |---|---|
//! | `fft3d<backend::fftw>(inbox, outbox, comm)`, with boxes of the caller | `planner.plan_distributed::<f64>(&problem, ranks, order)?`; the plan decides the boxes |
//! | `box3d` | `Part::ranges` |
//! | `fft3d_r2c` | `planner.plan_distributed_real_to_complex::<f64>(..)` |
//! | `plan_options::use_pencils` | chosen from the lengths and the number of ranks |
//! | `fft.size_inbox()`, `fft.size_outbox()` | `plan.local_input(rank).len()`, `plan.local_output(rank).len()` |
//! | `fft.size_workspace()` | `plan.tile_bytes(rank)`, which the plan keeps |
//! | `fft.forward(x, y, scale::full)` | `.norm(Norm::Forward)`, `plan.process_slab_out_of_place(..)` |
//!
//! # From mpi4py-fft
//!
//! | mpi4py-fft | here |
//! |---|---|
//! | `PFFT(comm, [n0, n1, n2], dtype=complex)` | `planner.plan_distributed::<f64>(&Problem::complex(&[n0, n1, n2]), ranks, Order::Transposed)?` |
//! | `dtype=float` | `planner.plan_distributed_real_to_complex::<f64>(..)` |
//! | `newDistArray(fft, False).global_shape`, `local_slice()` | `plan.problem().lengths()`, `plan.local_input(rank).ranges()` |
//! | `fft.forward(u, u_hat)`, which divides | `.norm(Norm::Forward)` |
//! | `fft.backward(u_hat, u)` | `.direction(Direction::Inverse)` with the same norm |
