//! PFFT on ranks of unequal speed: the distributions of rows and columns that are fastest by the speed
//! function of each rank.
//!
//! The paper's groups of threads have rows of one memory. Here each rank of a job has its rows in a memory of
//! its own ([`earth_fft::distributed`]), and the paper's search decides how many:
//!
//! 1. Each rank has a [`TimeFunction`] of its rows, and one of its columns.
//! 2. [`partition`] distributes the rows and the columns by these functions: POPTA if they differ little,
//!    HPOPTA otherwise.
//! 3. A distributed plan transforms the rows in the first distribution and the columns in the second.
//!
//! *When it loses.* The functions contain no time of the exchange. On a slow network the exchange may take
//! longer with unequal parts, because the largest part decides it.

use earth_fft::distributed::Shares;

use crate::partition::{PartitionError, TimeFunction, partition};

/// Returns the fastest shares of the ranks for a matrix of these rows and columns.
///
/// `by_rows` and `by_columns` have a function for each rank: its time for a number of rows, or of columns.
/// Ranks get multiples of `granularity` rows and columns, and one rank the remainder.
///
/// ```
/// use earth_fft::distributed::Order;
/// use earth_fft::{Planner, Problem};
/// use earth_papers::partition::TimeFunction;
/// use earth_papers::ranks::fastest_shares;
///
/// // The second rank takes three times as long.
/// let times = |pace: f64| TimeFunction::new((1..=8).map(|eighth| (8 * eighth, pace * eighth as f64)));
/// let functions = [times(1.0)?, times(3.0)?];
/// let shares = fastest_shares([64, 64], [&functions, &functions], 8)?;
/// assert_eq!((shares.of(0), shares.of(1)), (&[48, 16][..], &[48, 16][..]));
/// let problem = Problem::complex(&[64, 64]);
/// let plan = Planner::new().plan_distributed_by_shares::<f64>(&problem, &shares, Order::Natural)?;
/// assert_eq!(plan.local_input(1).ranges(), [48..64, 0..64]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of [`partition`].
pub fn fastest_shares(
    [rows, cols]: [usize; 2],
    [by_rows, by_columns]: [&[TimeFunction]; 2],
    granularity: usize,
) -> Result<Shares, PartitionError> {
    let rows = partition(by_rows, rows, granularity)?.rows;
    let cols = partition(by_columns, cols, granularity)?.rows;
    Ok(Shares::new(rows, cols))
}

#[cfg(test)]
mod tests {
    use earth::Machine;
    use earth::simulated::Profile;
    use earth_fft::distributed::Order;
    use earth_fft::{Planner, Problem};

    use super::*;
    use crate::partition::{balanced, flops};

    /// With one of four ranks slowed to a third, the fastest shares leave it a third of the others' rows.
    #[test]
    fn a_rank_of_a_third_of_the_speed_gets_a_third_of_the_rows() {
        let (side, paces) = (960, [1000, 1000, 1000, 3000]);
        let function = |pace: u32| {
            let times = (1..=48).map(|step| (20 * step, f64::from(pace) * flops(20 * step, side)));
            TimeFunction::new(times).expect("the times are positive")
        };
        let functions = paces.map(function);
        let shares = fastest_shares([side; 2], [&functions, &functions], 20).expect("there are shares");
        let slow = shares.of(0)[3];
        assert!((80..=100).contains(&slow), "{shares:?}");

        let profile = Profile::named("manna50").expect("the profile exists");
        let elapsed = |shares: Shares| {
            let plan = Planner::new().phantom().plan_distributed_by_shares::<f64>(
                &Problem::complex(&[side, side]),
                &shares.paces(paces.to_vec()),
                Order::Transposed,
            );
            let mut machine = Machine::simulated(&profile).nodes(4);
            let run = plan.expect("it is planned").run_phantom_on(&mut machine).expect("it runs");
            run.elapsed.as_secs_f64()
        };
        let equal = elapsed(Shares::new(balanced(side, 4), balanced(side, 4)));
        let gain = equal / elapsed(shares);
        // Without an exchange it would be 3/4 over 3/10 = 2.5.
        assert!((1.8..2.6).contains(&gain), "{gain}");
    }
}
