//! Number of cores that a rank has for itself.
//!
//! Each rank reads the set of its allowed cores. The ranks of one computer join their sets.
//! So ranks that are bound to different cores have one each, and ranks that are bound to none share all.
//!
//! *Cost.* One reduction among the ranks of a computer, when they join the job.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

/// Number of cores that a set has room for.
const MOST: usize = 4096;

/// A set of cores, a bit each.
type Cores = [u64; MOST / 64];

/// Returns the number of cores for each rank on this computer, rounded down. `None` if the system does not
/// tell, on this rank or another. All ranks call it.
pub(crate) fn own(world: &SimpleCommunicator) -> Option<usize> {
    let here = world.split_shared(world.rank());
    let own = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| allowed(&status));
    let (mut all, mut known): (Cores, _) = ([0; MOST / 64], false);
    here.all_reduce_into(&own.unwrap_or([0; MOST / 64])[..], &mut all[..], SystemOperation::bitwise_or());
    here.all_reduce_into(&own.is_some(), &mut known, SystemOperation::logical_and());
    let cores: u32 = all.iter().map(|word| word.count_ones()).sum();
    known.then(|| cores as usize / here.size() as usize)
}

/// Reads the set of cores out of a process's status: the line `Cpus_allowed`, words of 32 bits in hexadecimal
/// digits, highest first.
fn allowed(status: &str) -> Option<Cores> {
    let words = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:"))?;
    let mut cores = [0; MOST / 64];
    for (number, word) in words.trim().rsplit(',').enumerate() {
        *cores.get_mut(number / 2)? |= u64::from(u32::from_str_radix(word, 16).ok()?) << (number % 2 * 32);
    }
    Some(cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(status: &str) -> Option<Vec<usize>> {
        let cores = allowed(status)?;
        Some((0..MOST).filter(|core| cores[core / 64] >> (core % 64) & 1 == 1).collect())
    }

    #[test]
    fn the_allowed_cores_are_read() {
        assert_eq!(numbers("Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n"), Some(vec![0, 1]));
        assert_eq!(numbers("Cpus_allowed:\t80000000,00000000,00000001\n"), Some(vec![0, 95]));
        assert_eq!(numbers("Cpus_allowed:\tno number\n"), None);
        assert_eq!(numbers("Name:\tx\n"), None);
        let many = vec!["0"; MOST / 32 + 1].join(",");
        assert_eq!(numbers(&format!("Cpus_allowed:\t{many}\n")), None);
    }

    #[test]
    fn this_process_may_run_somewhere() {
        // A container may limit the time of processors further.
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            let cores = numbers(&status).expect("the system writes hexadecimal numbers");
            assert!(cores.len() >= std::thread::available_parallelism().expect("it is known").get());
        }
    }
}
