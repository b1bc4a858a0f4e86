//! The figures and experiments of a simulation.

/// Defines the subjects with their names.
macro_rules! subjects {
    ($($(#[$what:meta])* $subject:ident = $name:literal,)*) => {
        /// A figure of the paper, an experiment, or the statements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Subject { $($(#[$what])* $subject,)* }

        impl Subject {
            /// All subjects.
            pub const ALL: &[Self] = &[$(Self::$subject),*];

            /// The name on the command line, and of the figure's files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$subject => $name),* }
            }
        }
    };
}

subjects! {
    /// Receiver, its multithreaded phase over nodes.
    Fig6 = "fig6",
    /// Receiver, its multithreaded phase over N on 64 nodes.
    Fig7 = "fig7",
    /// Receiver, total time over nodes.
    Fig8 = "fig8",
    /// Receiver, total time over N.
    Fig9 = "fig9",
    /// Sender with blocks of 16 over nodes, N of 2^12 to 2^16.
    Fig10 = "fig10",
    /// Sender over nodes, N of 2^12, blocks of 4, 16 and 256.
    Fig11 = "fig11",
    /// Sender over nodes, N of 64, blocks of 16.
    Fig12 = "fig12",
    /// Sender and receiver over nodes, N of 2^14.
    Fig13 = "fig13",
    /// The absolute speed-up over nodes, N of 2^14.
    Speedup = "speedup",
    /// The cost of work: the paper's and that of tuned code.
    Work = "work",
    /// The three built-in profiles.
    Profiles = "profiles",
    /// Network latency x 1/4 to x 16.
    Latency = "latency",
    /// The cost of an ask (the paper's token) x 1/4 to x 4.
    Tokens = "tokens",
    /// Asks that cost nothing: the absolute speed-up over nodes, N of 2^14.
    FreeAsks = "free-asks",
    /// The speed of DUAL's synchronization units x 1/2 to x 4.
    SuSpeed = "su-speed",
    /// What handing over to these costs, and DUAL if it were free.
    HandOver = "hand-over",
    /// Where SPN and DUAL cross: over the cost of work.
    Crossover = "crossover",
    /// The order of fibers: one queue, fibers first, newest first.
    Order = "order",
    /// How many roots the receiver asks for at a time.
    Window = "window",
    /// A watchdog that lets messages interrupt fibers in SPN.
    Watchdog = "watchdog",
    /// Points of 8 bytes.
    PointSize = "point-size",
    /// Up to 2^36 points without data, on up to 1024 nodes.
    Large = "large",
    /// The paper's statements, judged.
    Statements = "statements",
    /// Everything, within minutes.
    All = "all",
}
