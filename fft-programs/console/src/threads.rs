//! Work by several threads, where the system may refuse some of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::thread::{self, Builder};

use earth_fft::computer::usable_cores;
use parking_lot::Mutex;

use crate::terminal::work::Progress;

/// Stack size of each thread, in bytes.
const STACK: usize = earth::Machine::USUAL_STACK;

/// Calls `work` in `threads` threads at once, including the calling thread. If a thread cannot be started,
/// the others do its share.
pub fn share(threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().stack_size(STACK).spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

/// Does each run once, on as many threads as there are usable cores, in descending order of `effort`. The
/// results do not depend on the threads.
///
/// # Errors
///
/// The first error of a run, which ends all runs.
pub fn each_once<K: Ord + Send, V: Send, E: Send, O: Ord>(
    runs: impl IntoIterator<Item = K>,
    effort: impl Fn(&K) -> O,
    progress: &impl Progress,
    run: impl Fn(&K) -> Result<V, E> + Sync,
) -> Result<BTreeMap<K, V>, E> {
    let mut order: Vec<_> = runs.into_iter().collect();
    order.sort_by_key(|run| Reverse(effort(run)));
    progress.begin(order.len() as u64);
    let threads = usable_cores().min(order.len());
    let (left, done) = (Mutex::new(order.into_iter()), Mutex::new(Ok(BTreeMap::new())));
    share(threads, || {
        let next = || left.lock().next();
        while let Some(of) = next() {
            let result = run(&of);
            progress.done(1);
            let mut done = done.lock();
            match (done.as_mut(), result) {
                (Ok(done), Ok(result)) => drop(done.insert(of, result)),
                (Ok(_), Err(error)) => *done = Err(error),
                (Err(_), _) => break,
            }
        }
    });
    done.into_inner()
}

/// Calls `work` with each part, in a thread each, and returns the results in the order of the parts.
///
/// Returns `None`, without any call of `work`, if a thread cannot be started.
pub fn together<P: Send, R: Send>(parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Option<Vec<R>> {
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
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn all_threads_are_at_work_at_once() {
        let (barrier, calls) = (Barrier::new(3), Mutex::new(0));
        share(3, || {
            barrier.wait();
            *calls.lock() += 1;
        });
        assert_eq!(calls.into_inner(), 3);
        let doubled = together(vec![1, 2, 3], |part| {
            barrier.wait();
            2 * part
        });
        assert_eq!(doubled, Some(vec![2, 4, 6]));
    }
    #[test]
    fn runs_are_done_once_and_an_error_ends_them() {
        let double =
            |from: u32| each_once(from..9, |_| 0, &(), |&run| if run > 1 { Ok(2 * run) } else { Err(run) });
        assert_eq!(double(7), Ok([(7, 14), (8, 16)].into()));
        assert_eq!(double(1), Err(1));
    }
}
