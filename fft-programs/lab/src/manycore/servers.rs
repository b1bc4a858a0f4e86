//! Servers of the machine: ports, banks, units and locks.

/// Ports, banks or units. Each serves its requests in FIFO order.
pub(super) struct FifoServers {
    /// Cycle at which each server becomes free.
    pub(super) free: Vec<u64>,
}

impl FifoServers {
    pub(super) fn new(number: usize) -> Self {
        Self { free: vec![0; number] }
    }

    /// Serves a request that arrives now and takes `cycles` cycles. Returns the cycle of its end.
    pub(super) fn serve(&mut self, which: usize, now: u64, cycles: u64) -> u64 {
        self.free[which] = self.free[which].max(now) + cycles;
        self.free[which]
    }
}
