//! Calls of the MPI library, the only `unsafe` code of this crate.
//!
//! *Invariants* that the `SAFETY` comments name:
//!
//! * **Thread.** MPI is initialized with the level FUNNELED, so all calls come from the thread that
//!   initialized it. Every method of this file checks the thread, and panics in another one. A drop in
//!   another thread makes no call and leaks.
//! * **Running.** A [`Communicator`] keeps the library initialized: it shares the [`Universe`], whose last
//!   handle finalizes the library.
//! * **Owned.** A request owns the memory that MPI reads or writes. The memory has a stable address while the
//!   handle moves. The request is dropped only after MPI has completed or canceled it; if that takes longer
//!   than [`PATIENCE`], the process aborts.

use std::ffi::{CStr, c_void};
use std::mem::ManuallyDrop;
use std::os::raw::{c_char, c_int};
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use earth::ranks::{Bulk, Landed};
use mpi::environment::Universe;
use mpi::ffi;

/// Time after which a rank that waits for a transfer or for other ranks gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(4);

/// Most bytes of one MPI message, which counts them by an `int`.
const PIECE: usize = 1 << 30;

/// The error of a call of MPI.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{call} failed: {text}")]
pub(crate) struct Failure {
    call: &'static str,
    text: String,
}

thread_local! {
    /// This thread. The standard library's handle costs two changes of a shared counter.
    static HERE: ThreadId = thread::current().id();
}

/// The MPI library, initialized in one thread.
pub(crate) struct Running {
    thread: ThreadId,
    /// `None` after a drop in another thread has leaked it.
    universe: Option<Universe>,
}

impl Running {
    pub(crate) fn new(universe: Universe) -> Arc<Self> {
        Arc::new(Running { thread: HERE.with(|here| *here), universe: Some(universe) })
    }

    fn is_here(&self) -> bool {
        HERE.with(|here| *here) == self.thread
    }

    /// Checks **Thread**.
    fn check(&self) {
        assert!(self.is_here(), "MPI is used in the thread that initialized it");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.universe.take());
        }
    }
}

/// All ranks of the job, with messages of their own.
pub(crate) struct Communicator {
    comm: ffi::MPI_Comm,
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    running: Arc<Running>,
}

// SAFETY: handles of MPI may be used in one thread only, which every method checks (Thread).
unsafe impl Send for Communicator {}

/// Memory of a transfer. Its bytes keep their address while the value moves.
pub(crate) enum Memory {
    Bytes(Vec<u8>),
    /// Rows without gaps.
    Bulk(Bulk),
    Landed(Landed),
}

/// A message that MPI sends or receives. It owns the memory of the message.
pub(crate) struct Transfer {
    memory: ManuallyDrop<Memory>,
    /// The requests of the pieces. Completed ones are null.
    first: ffi::MPI_Request,
    others: Vec<ffi::MPI_Request>,
    receives: bool,
    /// Number of bytes of the completed pieces.
    received: usize,
    comm: ffi::MPI_Comm,
    running: Arc<Running>,
}

// SAFETY: as for `Communicator`. The memory is `Send`.
unsafe impl Send for Transfer {}

/// A received message: its sender, and the number of its bytes.
pub(crate) struct Received {
    pub(crate) from: usize,
    pub(crate) length: usize,
}

/// Converts the result of a call of MPI.
fn checked(call: &'static str, code: c_int) -> Result<(), Failure> {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut text, mut length) = ([0 as c_char; 1024], 0);
    // SAFETY: an error string has at most `MPI_MAX_ERROR_STRING` characters, 256 or 512, and its zero.
    let text = unsafe {
        ffi::MPI_Error_string(code, text.as_mut_ptr(), &raw mut length);
        CStr::from_ptr(text.as_ptr())
    };
    Err(Failure { call, text: text.to_string_lossy().into_owned() })
}

fn null() -> ffi::MPI_Request {
    // SAFETY: the constant is set when the library is loaded.
    unsafe { ffi::RSMPI_REQUEST_NULL }
}

impl Communicator {
    /// Makes a communicator of all ranks whose errors are returned instead of ending the job.
    pub(crate) fn of_world(running: &Arc<Running>) -> Result<Self, Failure> {
        running.check();
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: Running. The variables are initialized by `MPI_Comm_dup`, or not used after its error.
        unsafe {
            let mut comm = ffi::RSMPI_COMM_NULL;
            checked("MPI_Comm_dup", ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, &raw mut comm))?;
            let running = Arc::clone(running);
            let returns = ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN);
            checked("MPI_Comm_set_errhandler", returns)?;
            checked("MPI_Comm_rank", ffi::MPI_Comm_rank(comm, &raw mut rank))?;
            checked("MPI_Comm_size", ffi::MPI_Comm_size(comm, &raw mut ranks))?;
            Ok(Communicator { comm, rank: rank as usize, ranks: ranks as usize, running })
        }
    }

    /// Begins to send memory to a rank. A `matched` transfer completes only after the receiver has begun to
    /// receive it.
    pub(crate) fn send(
        &self,
        to: usize,
        tag: c_int,
        memory: Memory,
        matched: bool,
    ) -> Result<Transfer, Failure> {
        let (call, send): (_, unsafe extern "C" fn(_, _, _, _, _, _, _) -> _) =
            if matched { ("MPI_Issend", ffi::MPI_Issend) } else { ("MPI_Isend", ffi::MPI_Isend) };
        let mut memory = memory;
        let (base, length) = memory.range();
        self.begin(memory, length, false, |from, count, request| {
            // SAFETY: Running. The bytes belong to the transfer (Owned), and MPI only reads them.
            let code = unsafe {
                let base = base.add(from).cast_const().cast::<c_void>();
                send(base, count, ffi::RSMPI_UINT8_T, to as c_int, tag, self.comm, request)
            };
            checked(call, code)
        })
    }

    /// Begins to receive a message that fills this memory, from a rank or, if `from` is `None`, from any
    /// rank. A message for memory of up to 2^30 bytes may be shorter.
    pub(crate) fn receive(
        &self,
        from: Option<usize>,
        tag: c_int,
        memory: Memory,
    ) -> Result<Transfer, Failure> {
        let mut memory = memory;
        let (base, length) = memory.range();
        self.begin(memory, length, true, |at, count, request| {
            // SAFETY: Running. The bytes belong to the transfer, and are not read before its end (Owned).
            let code = unsafe {
                let source = from.map_or(ffi::RSMPI_ANY_SOURCE, |from| from as c_int);
                let base = base.add(at).cast::<c_void>();
                ffi::MPI_Irecv(base, count, ffi::RSMPI_UINT8_T, source, tag, self.comm, request)
            };
            checked("MPI_Irecv", code)
        })
    }

    /// Begins the transfer of all pieces of `length` bytes.
    fn begin(
        &self,
        memory: Memory,
        length: usize,
        receives: bool,
        mut begin: impl FnMut(usize, c_int, *mut ffi::MPI_Request) -> Result<(), Failure>,
    ) -> Result<Transfer, Failure> {
        self.running.check();
        let mut transfer = Transfer {
            memory: ManuallyDrop::new(memory),
            first: null(),
            others: Vec::new(),
            receives,
            received: 0,
            comm: self.comm,
            running: Arc::clone(&self.running),
        };
        begin(0, length.min(PIECE) as c_int, &raw mut transfer.first)?;
        let mut from = PIECE;
        while from < length {
            let mut request = null();
            begin(from, (length - from).min(PIECE) as c_int, &raw mut request)?;
            transfer.others.push(request);
            from += PIECE;
        }
        Ok(transfer)
    }

    /// Whether the caller is in the thread of MPI.
    pub(crate) fn is_here(&self) -> bool {
        self.running.is_here()
    }

    /// Ends all processes of the job.
    pub(crate) fn abort(&self) -> ! {
        abort(self.comm)
    }
}

/// Ends all processes of the job.
fn abort(comm: ffi::MPI_Comm) -> ! {
    // SAFETY: the caller is in the thread of MPI (Thread), which is initialized (Running).
    unsafe { ffi::MPI_Abort(comm, 1) };
    std::process::abort()
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if self.running.is_here() {
            // SAFETY: Thread, Running. All transfers have ended, since the link drops them first.
            unsafe { ffi::MPI_Comm_free(&raw mut self.comm) };
        }
    }
}

impl Memory {
    /// Returns the address and the number of the bytes.
    fn range(&mut self) -> (*mut u8, usize) {
        match self {
            Memory::Bytes(bytes) => (bytes.as_mut_ptr(), bytes.len()),
            Memory::Bulk(bulk) => match bulk.contiguous() {
                Some(bytes) => (bytes.as_ptr().cast_mut(), bytes.len()),
                None => unreachable!("rows with gaps are gathered first"),
            },
            Memory::Landed(landed) => {
                let bytes = landed.bytes_mut().unwrap_or_else(|| unreachable!("it is no block yet"));
                (bytes.as_mut_ptr(), bytes.len())
            }
        }
    }
}

impl Transfer {
    /// Returns the message's sender and length if the transfer is complete. It is not tested again after
    /// that.
    pub(crate) fn test(&mut self) -> Result<Option<Received>, Failure> {
        self.running.check();
        while let Some(last) = self.others.last_mut() {
            let Some(status) = test(last)? else { return Ok(None) };
            self.received += self.length(&status)?;
            self.others.pop();
        }
        let Some(status) = test(&mut self.first)? else { return Ok(None) };
        self.received += self.length(&status)?;
        Ok(Some(Received { from: status.MPI_SOURCE as usize, length: self.received }))
    }

    /// Returns the number of bytes of a completed piece, if it was received.
    fn length(&self, status: &ffi::MPI_Status) -> Result<usize, Failure> {
        let mut length = 0;
        if self.receives {
            // SAFETY: a completed receive has a status.
            let code = unsafe { ffi::MPI_Get_count(status, ffi::RSMPI_UINT8_T, &raw mut length) };
            checked("MPI_Get_count", code)?;
        }
        Ok(length as usize)
    }

    fn is_over(&self) -> bool {
        self.first == null() && self.others.is_empty()
    }

    /// Returns the memory of a completed transfer.
    pub(crate) fn into_memory(self) -> Memory {
        assert!(self.is_over(), "a transfer gives back its memory after its end");
        let mut this = ManuallyDrop::new(self);
        // SAFETY: the memory is taken once, as the drop of `self` does not run. Its other fields are dropped
        // here.
        unsafe {
            std::ptr::drop_in_place(&raw mut this.others);
            std::ptr::drop_in_place(&raw mut this.running);
            ManuallyDrop::take(&mut this.memory)
        }
    }
}

/// Tests one request.
fn test(request: &mut ffi::MPI_Request) -> Result<Option<ffi::MPI_Status>, Failure> {
    let mut flag = 0;
    // SAFETY: the caller is in the thread of MPI (Thread), which is initialized (Running). All bits of a
    // status may be zero.
    let (code, status) = unsafe {
        let mut status = std::mem::zeroed::<ffi::MPI_Status>();
        (ffi::MPI_Test(request, &raw mut flag, &raw mut status), status)
    };
    checked("MPI_Test", code)?;
    Ok((flag != 0).then_some(status))
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if !self.is_over() && !self.end() {
            // MPI may still use the memory.
            return;
        }
        // SAFETY: the memory is dropped once, and MPI does not use it any more (Owned).
        unsafe { ManuallyDrop::drop(&mut self.memory) };
    }
}

impl Transfer {
    /// Cancels a receive, and waits for the end of the transfer. Returns whether it has ended.
    fn end(&mut self) -> bool {
        if !self.running.is_here() {
            return false;
        }
        let requests = std::iter::once(&mut self.first).chain(&mut self.others);
        let begun = Instant::now();
        for request in requests.filter(|request| **request != null()) {
            if self.receives {
                // SAFETY: Thread, Running, and the request is under way.
                unsafe { ffi::MPI_Cancel(request) };
            }
            while !matches!(test(request), Ok(Some(_)) | Err(_)) {
                if begun.elapsed() > PATIENCE {
                    eprintln!("earth-mpi: a transfer does not end, so the job is aborted");
                    abort(self.comm);
                }
                thread::yield_now();
            }
        }
        true
    }
}
