//! The programs that are simulated, the machines on which they can run, and about how long that takes.

use std::fmt;

/// A tree of more asks than this is not simulated: a single run would take a quarter of a minute.
const MOST_ASKS: usize = 1 << 22;

/// A program, with what it is told beside N and P.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// The row kernel on one node: what speed-ups are against.
    Row,
    /// The sender-initiated FFT in blocks of so many points.
    Sender(usize),
    /// The receiver-initiated FFT, by a tree of asks.
    Tree,
    /// The receiver-initiated FFT with each point of each level computed once.
    Shared,
    /// Both with so many roots of a node under way, and not all.
    TreeBy(usize),
    SharedBy(usize),
    /// The FFT of a square matrix in row blocks of so many rows.
    Square(usize),
}

/// A program by the number that it is told.
pub(super) type ByNumber = fn(usize) -> Program;

impl Program {
    /// Whether it can transform `n` points on `p` nodes, and within the budget.
    pub(super) fn can(self, n: usize, p: usize) -> bool {
        match self {
            Self::Row => p == 1,
            // A row of a block has 32 bits.
            Self::Sender(block) => block <= n && block < 1 << 32,
            Self::Tree | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => {
                p.is_power_of_two() && p <= n && self.asks(n, p) <= MOST_ASKS
            }
            Self::Square(_) => n.isqrt().pow(2) == n,
        }
    }

    /// Whether it is only the budget that it breaks.
    pub(super) fn is_too_large(self, n: usize, p: usize) -> bool {
        matches!(self, Self::Tree) && p.is_power_of_two() && p <= n && self.asks(n, p) > MOST_ASKS
    }

    /// How often it asks, the paper's tokens.
    fn asks(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row | Self::Sender(_) | Self::Square(_) => 0,
            Self::Tree | Self::TreeBy(_) => 2 * (p - 1) * n,
            Self::Shared | Self::SharedBy(_) => 2 * n * p.ilog2() as usize,
        }
    }

    /// About how many fibers it has, which is how long a simulation takes.
    pub(super) fn fibers(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row => 1,
            Self::Sender(block) => n / block * (2 * (n / block).ilog2() as usize + 3),
            Self::Tree | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => n + self.asks(n, p) * 3 / 2,
            Self::Square(rows) => n.isqrt().div_ceil(rows).pow(2),
        }
    }

    /// The points a thread, where there are threads of several; the rows of a row block.
    pub(super) fn block(self) -> Option<usize> {
        match self {
            Self::Sender(block) | Self::Square(block) => Some(block),
            Self::Row | Self::Tree | Self::Shared | Self::TreeBy(_) | Self::SharedBy(_) => None,
        }
    }

    /// The roots of a node that are under way at a time, if these are not all.
    pub(super) fn roots(self) -> Option<usize> {
        match self {
            Self::TreeBy(roots) | Self::SharedBy(roots) => Some(roots),
            Self::Row | Self::Sender(_) | Self::Tree | Self::Shared | Self::Square(_) => None,
        }
    }

    /// The name that `--algorithm` knows it by.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Row => "row kernel",
            Self::Sender(_) => "sender",
            Self::Tree | Self::TreeBy(_) => "receiver",
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
    fn what_no_block_can_hold_is_not_run() {
        let sender = Program::Sender;
        assert!(!sender(1 << 32).can(1 << 36, 1) && sender(1 << 31).can(1 << 36, 1));
        assert!(Program::Square(7).can(1 << 34, 9) && !Program::Square(7).can(1 << 33, 9));
        assert!(Program::Row.can(1 << 36, 1) && !Program::Row.can(1 << 36, 2));
    }
}
