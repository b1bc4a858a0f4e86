//! The limit of open files, which limits connections.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Open files of a process other than its connections: standard streams, pipes, the listening socket, sets
/// of sockets. With a reserve.
const OTHERS: usize = 32;

/// Raises the soft limit of open files to the hard limit. Returns the limit.
pub fn raise() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let soft = limit.current;
    limit.current = limit.maximum;
    // A process may raise its soft limit, so this fails only where a sandbox forbids it.
    let limit = setrlimit(Resource::Nofile, limit).map_or(soft, |()| limit.maximum);
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Returns the number of connections that a limit of open files allows.
pub fn connections(limit: usize) -> usize {
    limit.saturating_sub(OTHERS)
}
