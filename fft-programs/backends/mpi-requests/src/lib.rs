//! Messages of MPI that own their points while they are under way. Programs that call MPI without the runtime
//! send and receive by them.
//!
//! 1. [`Exchange::begin`] begins to receive and to send messages, by `MPI_Irecv` and `MPI_Isend`.
//! 2. [`Exchange::test`] makes progress, by `MPI_Testall`.
//! 3. [`Exchange::wait`] waits for all messages, by `MPI_Waitall`, and returns them.
//!
//! The safe requests of the crate `mpi` borrow their memory until a scope ends. A program that uses the
//! memory of one message again for the next one cannot have them. Here the exchange owns the memory, and
//! gives it back.
//!
//! *Drop.* An exchange that is dropped waits for its messages. An exchange that is forgotten leaks its
//! memory, so MPI may still write to it.
//!
//! *Errors.* An error of MPI itself ends the job. The types are neither `Send` nor `Sync`: MPI belongs to the
//! thread that initialized it.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::rc::Rc;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw as _;
use num_complex::Complex;

/// Points for another rank, or from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The other rank.
    pub rank: usize,
    /// Points. A message that is received fills all of them.
    pub points: Vec<Complex<f64>>,
}

/// A message with more numbers than MPI counts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} points are past what a message of MPI takes")]
pub struct TooLong(pub usize);

/// Messages under way.
#[derive(Debug)]
pub struct Exchange {
    /// Requests, first of the received messages. Completed ones are null.
    requests: Vec<ffi::MPI_Request>,
    received: Vec<Message>,
    sent: Vec<Message>,
    /// Whether all messages are known to be complete.
    is_complete: bool,
    /// MPI belongs to the thread that initialized it.
    not_send: PhantomData<Rc<()>>,
}

impl Exchange {
    /// Begins to receive and to send messages. The sender and the receiver of a message name the same tag and
    /// number of points.
    ///
    /// # Errors
    ///
    /// [`TooLong`], before any message has begun.
    pub fn begin(
        world: &SimpleCommunicator,
        tag: u8,
        received: Vec<Message>,
        sent: Vec<Message>,
    ) -> Result<Self, TooLong> {
        let all = || received.iter().chain(&sent).map(|message| message.points.len());
        let counts = all().map(|points| c_int::try_from(2 * points).map_err(|_| TooLong(points)));
        let counts = counts.collect::<Result<Vec<_>, _>>()?;
        let requests = Vec::with_capacity(counts.len());
        let mut begun = Self { requests, received, sent, is_complete: false, not_send: PhantomData };
        let (comm, tag) = (world.as_raw(), c_int::from(tag));
        let (of_received, of_sent) = counts.split_at(begun.received.len());
        for (message, &count) in begun.received.iter_mut().zip(of_received) {
            let mut request = null();
            // SAFETY: the points have room for `count` numbers. The exchange owns them, and lends
            // none before the request is complete. A move of the vector does not move its points.
            unsafe {
                let (points, of) = (message.points.as_mut_ptr().cast(), ffi::RSMPI_DOUBLE);
                ffi::MPI_Irecv(points, count, of, message.rank as c_int, tag, comm, &raw mut request);
            }
            begun.requests.push(request);
        }
        for (message, &count) in begun.sent.iter().zip(of_sent) {
            let mut request = null();
            // SAFETY: as above. MPI only reads these points.
            unsafe {
                let (points, of) = (message.points.as_ptr().cast(), ffi::RSMPI_DOUBLE);
                ffi::MPI_Isend(points, count, of, message.rank as c_int, tag, comm, &raw mut request);
            }
            begun.requests.push(request);
        }
        Ok(begun)
    }

    /// Makes progress. Returns whether all messages are complete.
    pub fn test(&mut self) -> bool {
        if !self.is_complete {
            let mut is_complete = 0;
            // SAFETY: the count is the number of requests, each of them begun or null. The result has memory.
            unsafe {
                let (count, requests) = (self.requests.len() as c_int, self.requests.as_mut_ptr());
                ffi::MPI_Testall(count, requests, &raw mut is_complete, ffi::RSMPI_STATUSES_IGNORE);
            }
            self.is_complete = is_complete != 0;
        }
        self.is_complete
    }

    /// Waits for all messages. Returns the received ones and the sent ones, in the order in which they were
    /// given.
    pub fn wait(mut self) -> [Vec<Message>; 2] {
        self.complete();
        [std::mem::take(&mut self.received), std::mem::take(&mut self.sent)]
    }

    fn complete(&mut self) {
        if !self.is_complete {
            // SAFETY: as in `test`.
            unsafe {
                let (count, requests) = (self.requests.len() as c_int, self.requests.as_mut_ptr());
                ffi::MPI_Waitall(count, requests, ffi::RSMPI_STATUSES_IGNORE);
            }
            self.is_complete = true;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.complete();
    }
}

fn null() -> ffi::MPI_Request {
    // SAFETY: the constant is set when the library is loaded.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}
