//! Work by several threads, some of which the system may refuse.

use std::sync::mpsc::channel;
use std::thread::{self, Builder};

/// The bytes of the stack of each thread.
const STACK: usize = earth::Machine::USUAL_STACK;

/// Calls `work` in `threads` threads at once, one of which is the calling thread. A thread that cannot be started is left
/// out: the others do its share.
pub(crate) fn share(threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().stack_size(STACK).spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

/// Calls `work` with each part, in a thread each. Gives the results in the order of the parts. Gives nothing, and has called
/// `work` for no part, if a thread cannot be started.
pub(crate) fn together<P: Send, R: Send>(parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Option<Vec<R>> {
    let work = &work;
    thread::scope(|scope| {
        let mut started = Vec::new();
        for part in parts {
            let (go, told) = channel();
            // The sender is dropped, and the thread ends, if a later thread cannot be started.
            let body = move || told.recv().ok().map(|()| work(part));
            started.push((go, Builder::new().stack_size(STACK).spawn_scoped(scope, body).ok()?));
        }
        let threads = started.into_iter().map(|(go, thread)| go.send(()).map(|()| thread).ok());
        let threads: Option<Vec<_>> = threads.collect();
        threads?.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, Mutex};

    use super::*;

    #[test]
    fn all_threads_are_at_work_at_once() {
        let (barrier, calls) = (Barrier::new(3), Mutex::new(0));
        share(3, || {
            barrier.wait();
            *calls.lock().expect("nobody panics") += 1;
        });
        assert_eq!(calls.into_inner().expect("nobody panics"), 3);
        let doubled = together(vec![1, 2, 3], |part| {
            barrier.wait();
            2 * part
        });
        assert_eq!(doubled, Some(vec![2, 4, 6]));
    }
}
