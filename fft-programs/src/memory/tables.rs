//! The memory of the tables of a plan.

use earth_codelets::smooth_part;
use earth_kernels::Real;
use earth_memory::{SPARE, check_available};
use num_complex::Complex;

use super::is_there;
use crate::planner::PlanError;

/// The most points of tables and scratch that planning takes for each point of a line, measured for both own
/// kernels. `TABLES_OF_CHIRPS` is for lengths with a prime factor above 13, which go through chirps.
const TABLES: u64 = 4;
const TABLES_OF_CHIRPS: u64 = 18;

/// Bytes of tables from which the memory of the computer is checked, and not the address space alone.
pub(crate) const LARGE: u64 = 1 << 26;

/// Checks that there is memory for the tables of lines of these lengths, before they are allocated.
pub(crate) fn fits<T: Real>(lengths: &[usize]) -> Result<(), PlanError> {
    // For the largest tables, the memory of the computer is checked, too, at two points for each point of a
    // line.
    let points = lengths.iter().fold(0_usize, |points, length| points.saturating_add(*length));
    let least = (points as u64).saturating_mul(2 * size_of::<Complex<T>>() as u64);
    if least >= LARGE {
        is_there(least)?;
    }
    let needed = looked_for::<T>(lengths);
    if needed < SPARE { Ok(()) } else { Ok(check_available(needed, "tables of the plan")?) }
}

/// Returns the bytes of address space that are checked before the tables of lines of these lengths are made.
pub(crate) fn looked_for<T: Real>(lengths: &[usize]) -> u64 {
    let points = lengths.iter().fold(0_u64, |points, &length| {
        let tables = if smooth_part(length) == length { TABLES } else { TABLES_OF_CHIRPS };
        points.saturating_add((length as u64).saturating_mul(tables))
    });
    points.saturating_mul(size_of::<Complex<T>>() as u64)
}
