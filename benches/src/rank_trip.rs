//! A signal to another rank and one back, by Unix sockets: the overhead of the machine of ranks over sockets.
//!
//! Earth runs the program of [`round_trip`](crate::round_trip) on two ranks, each in a thread of its own,
//! joined by the link of the tests. The peer is a pair of sockets between two threads; each thread polls
//! until a message is there. All threads are pinned to cores.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use earth::Machine;
use earth_test_support::sockets::Sockets;

/// Bytes of a peer's message: the size of a signal with its length.
const MESSAGE: usize = 64;

/// Number of messages for another rank that are queued before one is refused.
const ROOM: usize = 64;

/// Pins the calling thread to the first core or the last.
fn bind(first: bool) {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let core = if first { cores.first() } else { cores.last() };
    core.map(|core| core_affinity::set_for_current(*core));
}

fn rank(directory: &Path, rank: usize) -> Machine {
    bind(rank == 0);
    Machine::ranks(Sockets::join(directory, rank, 2, ROOM).expect("the directory takes sockets"))
}

/// Runs `run` on rank 0 of two ranks, in a thread of its own.
///
/// # Panics
///
/// If there is no directory for the sockets, or if a run fails.
pub fn with_ranks<R: Send>(run: impl FnOnce(&mut Machine) -> R + Send) -> R {
    let directory = tempfile::tempdir().expect("there is room for a directory");
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            let mut machine = rank(directory.path(), 1);
            while machine.serve().expect("the run ends well").is_some() {}
        });
        let running = scope.spawn(|| run(&mut rank(directory.path(), 0)));
        let result = running.join().expect("the runs end well");
        serving.join().expect("the runs end well");
        result
    })
}

fn send(socket: &mut UnixStream, message: &[u8; MESSAGE]) {
    socket.write_all(message).expect("a socket takes one message");
}

fn receive(socket: &mut UnixStream, message: &mut [u8; MESSAGE]) {
    let mut came = 0;
    while came < MESSAGE {
        match socket.read(&mut message[came..]) {
            Ok(more) => came += more,
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Measures the trips by sockets alone. The threads start before the clock.
///
/// # Panics
///
/// If there are no sockets.
pub fn by_sockets(rounds: u64) -> Duration {
    let (mut here, mut there) = UnixStream::pair().expect("there are sockets");
    for socket in [&here, &there] {
        socket.set_nonblocking(true).expect("a socket need not block");
    }
    std::thread::scope(|scope| {
        scope.spawn(move || {
            bind(false);
            let mut message = [0; MESSAGE];
            // One more, so that the other side knows that this one is ready.
            for round in 0..=rounds {
                send(&mut there, &message);
                if round < rounds {
                    receive(&mut there, &mut message);
                }
            }
        });
        let asking = scope.spawn(move || {
            bind(true);
            let mut message = [0; MESSAGE];
            receive(&mut here, &mut message);
            let started = Instant::now();
            for _ in 0..rounds {
                send(&mut here, &message);
                receive(&mut here, &mut message);
            }
            started.elapsed()
        });
        asking.join().expect("the asking thread ends")
    })
}
