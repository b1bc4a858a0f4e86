//! The figures and experiments of a simulation.

/// A figure of the paper, an experiment, or the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Receiver, its multithreaded phase over nodes.
    Fig6,
    /// Receiver, its multithreaded phase over N on 64 nodes.
    Fig7,
    /// Receiver, total time over nodes.
    Fig8,
    /// Receiver, total time over N.
    Fig9,
    /// Sender with blocks of 16 over nodes, N of 2^12 to 2^16.
    Fig10,
    /// Sender over nodes, N of 2^12, blocks of 4, 16 and 256.
    Fig11,
    /// Sender over nodes, N of 64, blocks of 16.
    Fig12,
    /// Sender and receiver over nodes, N of 2^14.
    Fig13,
    /// The absolute speed-up over nodes, N of 2^14.
    Speedup,
    /// The cost of work: the paper's and that of tuned code.
    Work,
    /// The three built-in profiles.
    Profiles,
    /// Network latency x 1/4 to x 16.
    Latency,
    /// The cost of an ask (the paper's token) x 1/4 to x 4.
    Tokens,
    /// Asks that cost nothing: the absolute speed-up over nodes, N of 2^14.
    FreeAsks,
    /// The speed of DUAL's synchronization units x 1/2 to x 4.
    SuSpeed,
    /// What handing over to these costs, and DUAL if it were free.
    HandOver,
    /// Where SPN and DUAL cross: over the cost of work.
    Crossover,
    /// The order of fibers: one queue, fibers first, newest first.
    Order,
    /// How many roots the receiver asks for at a time.
    Window,
    /// A watchdog that lets messages interrupt fibers in SPN.
    Watchdog,
    /// Points of 8 bytes.
    PointSize,
    /// Up to 2^36 points without data, on up to 1024 nodes.
    Large,
    /// The paper's statements, judged.
    Statements,
    /// Everything, within minutes.
    All,
}

impl Subject {
    /// All subjects.
    pub const ALL: [Self; 24] = [
        Self::Fig6,
        Self::Fig7,
        Self::Fig8,
        Self::Fig9,
        Self::Fig10,
        Self::Fig11,
        Self::Fig12,
        Self::Fig13,
        Self::Speedup,
        Self::Work,
        Self::Profiles,
        Self::Latency,
        Self::Tokens,
        Self::FreeAsks,
        Self::SuSpeed,
        Self::HandOver,
        Self::Crossover,
        Self::Order,
        Self::Window,
        Self::Watchdog,
        Self::PointSize,
        Self::Large,
        Self::Statements,
        Self::All,
    ];

    /// The name on the command line, and of the figure's files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fig6 => "fig6",
            Self::Fig7 => "fig7",
            Self::Fig8 => "fig8",
            Self::Fig9 => "fig9",
            Self::Fig10 => "fig10",
            Self::Fig11 => "fig11",
            Self::Fig12 => "fig12",
            Self::Fig13 => "fig13",
            Self::Speedup => "speedup",
            Self::Work => "work",
            Self::Profiles => "profiles",
            Self::Latency => "latency",
            Self::Tokens => "tokens",
            Self::FreeAsks => "free-asks",
            Self::SuSpeed => "su-speed",
            Self::HandOver => "hand-over",
            Self::Crossover => "crossover",
            Self::Order => "order",
            Self::Window => "window",
            Self::Watchdog => "watchdog",
            Self::PointSize => "point-size",
            Self::Large => "large",
            Self::Statements => "statements",
            Self::All => "all",
        }
    }
}
