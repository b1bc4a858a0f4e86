//! Simulated programs, their possible machines, and estimates of the cost of simulating them.

use std::fmt;

use serde::Serialize;

/// Most asks of a tree that is simulated: a single larger run would take a quarter of a minute.
const MAX_REQUESTS: usize = 1 << 22;

/// Program with its parameters other than N and P.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) enum Program {
    /// Row kernel on one node, the baseline of speed-ups.
    Row,
    /// Sender-initiated FFT in blocks of this number of points.
    Sender(usize),
    /// Receiver-initiated FFT, by a tree of asks.
    Tree,
    /// The tree with asks as tokens, which any idle node may take.
    Tokens,
    /// Receiver-initiated FFT with each point of each level computed once.
    Shared,
    /// `Tree` and `Shared` with this number of roots of a node in progress, instead of all.
    TreeBy(usize),
    SharedBy(usize),
    /// FFT of a square matrix in row blocks of this number of rows.
    Square(usize),
}

/// Function from a parameter to a program.
pub(super) type ByNumber = fn(usize) -> Program;

impl Program {
    /// Returns whether the program can transform `n` points on `p` nodes, within the limit of asks.
    pub(super) fn can(self, n: usize, p: usize) -> bool {
        match self {
            Self::Row => p == 1,
            // Rows of a block are numbered with 32 bits.
            Self::Sender(block) => block <= n && block < 1 << 32,
            Self::Tree | Self::Tokens | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => {
                p.is_power_of_two() && p <= n && self.requests(n, p) <= MAX_REQUESTS
            }
            Self::Square(_) => n.isqrt().pow(2) == n,
        }
    }

    /// Returns whether only the limit of asks prevents the run.
    pub(super) fn is_too_large(self, n: usize, p: usize) -> bool {
        matches!(self, Self::Tree) && p.is_power_of_two() && p <= n && self.requests(n, p) > MAX_REQUESTS
    }

    /// Returns the number of asks, the paper's tokens.
    fn requests(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row | Self::Sender(_) | Self::Square(_) => 0,
            Self::Tree | Self::Tokens | Self::TreeBy(_) => 2 * (p - 1) * n,
            Self::Shared | Self::SharedBy(_) => 2 * n * p.ilog2() as usize,
        }
    }

    /// Returns an estimate of the number of fibers, which determines the time of a simulation.
    pub(super) fn fibers(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row => 1,
            Self::Sender(block) => n / block * (2 * (n / block).ilog2() as usize + 3),
            Self::Tree | Self::Tokens | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => {
                n + self.requests(n, p) * 3 / 2
            }
            Self::Square(rows) => n.isqrt().div_ceil(rows).pow(2),
        }
    }

    /// Returns the points per thread if a node has several threads, or the rows per row block.
    pub(super) fn block(self) -> Option<usize> {
        match self {
            Self::Sender(block) | Self::Square(block) => Some(block),
            Self::Row | Self::Tree | Self::Tokens | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => {
                None
            }
        }
    }

    /// Returns the number of roots of a node in progress at a time, if not all are.
    pub(super) fn roots(self) -> Option<usize> {
        match self {
            Self::TreeBy(roots) | Self::SharedBy(roots) => Some(roots),
            Self::Row | Self::Sender(_) | Self::Tree | Self::Tokens | Self::Shared | Self::Square(_) => None,
        }
    }

    /// Returns the program's name in `--algorithm`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Row => "row kernel",
            Self::Sender(_) => "sender",
            Self::Tree | Self::TreeBy(_) => "receiver",
            Self::Tokens => "receiver-tokens",
            Self::Shared | Self::SharedBy(_) => "receiver-shared",
            Self::Square(_) => "square",
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sender(block) | Self::Square(block) => write!(f, "{}, B = {block}", self.name()),
            Self::Tree => f.write_str("receiver, tree"),
            Self::Tokens => f.write_str("receiver, by tokens"),
            Self::Shared => f.write_str("receiver, shared"),
            Self::TreeBy(roots) => write!(f, "receiver, tree, {roots} roots at a time"),
            Self::SharedBy(roots) => write!(f, "receiver, shared, {roots} roots at a time"),
            Self::Row => f.write_str("row kernel"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_run_where_they_can() {
        assert!(Program::Sender(16).can(64, 120) && !Program::Sender(128).can(64, 1));
        assert!(
            Program::Tree.can(1 << 15, 64) && !Program::Tree.can(64, 120) && !Program::Shared.can(32, 64)
        );
        assert!(!Program::Tree.can(1 << 16, 64) && Program::Tree.is_too_large(1 << 16, 64));
        assert!(Program::Shared.can(1 << 16, 64) && !Program::Tree.is_too_large(64, 120));
    }

    #[test]
    fn arrays_that_no_block_can_hold_are_not_run() {
        let sender = Program::Sender;
        assert!(!sender(1 << 32).can(1 << 36, 1) && sender(1 << 31).can(1 << 36, 1));
        assert!(Program::Square(7).can(1 << 34, 9) && !Program::Square(7).can(1 << 33, 9));
        assert!(Program::Row.can(1 << 36, 1) && !Program::Row.can(1 << 36, 2));
    }
}
