//! A program with a name and sizes, whose results are checked.
//!
//! Each file of this crate has threaded functions, a plain version of the same computation, and an
//! implementation of [`Program`] that joins the two. A crate outside implements the same trait.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use earth::{Machine, Run};

/// A size of a program, such as the number of rows of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Size {
    /// Its name. It consists of lower-case letters and `-`.
    pub name: &'static str,
    /// The default. With all defaults, a run takes some milliseconds.
    pub usual: u64,
    /// A size for tests. With all small sizes, a run takes less than a millisecond.
    pub small: u64,
    /// The smallest valid size.
    pub least: u64,
    /// The largest valid size.
    pub most: u64,
}

impl Size {
    /// Makes a size of at least 1.
    pub const fn new(name: &'static str, usual: u64, small: u64) -> Self {
        Size { name, usual, small, least: 1, most: u64::MAX }
    }

    /// Sets the smallest and the largest valid size.
    #[must_use]
    pub const fn within(self, least: u64, most: u64) -> Self {
        Size { least, most, ..self }
    }

    /// Checks that a value of this size of a program is valid.
    ///
    /// # Errors
    ///
    /// [`ProgramError::OutOfRange`].
    pub fn check(&self, program: &str, given: u64) -> Result<(), ProgramError> {
        let &Size { name: size, least, most, .. } = self;
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(ProgramError::OutOfRange { program: program.to_owned(), size, given, least, most })
    }
}

/// The machines on which a program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machines {
    /// Every machine.
    All,
    /// Machines whose nodes share memory: no ranks, and no machine that passes its events through bytes.
    SharedMemory,
    /// Machines in real time, because threads outside of the run start functions: threads and ranks.
    RealTime,
}

/// The error of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The number of sizes differs from the program's.
    #[error("`{program}` has {expected} sizes, not {given}")]
    SizeCount {
        /// The program's name.
        program: String,
        /// Number of sizes of the program.
        expected: usize,
        /// Number of sizes that were given.
        given: usize,
    },
    /// A size is outside of its range.
    #[error("`{size}` of `{program}` is {given}, but it must be {}", Range { least: *.least, most: *.most })]
    OutOfRange {
        /// The program's name.
        program: String,
        /// The size's name.
        size: &'static str,
        /// The size that was given.
        given: u64,
        /// The smallest valid size.
        least: u64,
        /// The largest valid size.
        most: u64,
    },
    /// The result, or a count of the run, is wrong.
    #[error("the result is wrong: {0}")]
    Wrong(String),
    /// The run ended with an error.
    #[error(transparent)]
    Machine(#[from] earth::Error),
    /// Another error.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

/// Displays a range of sizes.
struct Range {
    least: u64,
    most: u64,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            u64::MAX => write!(f, "at least {}", self.least),
            most => write!(f, "between {} and {most}", self.least),
        }
    }
}

/// A program that tables, tests and experiments run by its name.
///
/// ```
/// use earth::{Eu, Machine, NodeId, Reply, Work, threaded};
/// use earth_programs::{Instance, Program, ProgramError, Size};
///
/// /// Squares a number on the last node.
/// struct Square;
///
/// #[threaded]
/// impl Square {
///     fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
///         eu.invoke(NodeId::new(eu.nodes() - 1), Product::call(n, n, out));
///     }
/// }
///
/// struct Product;
///
/// #[threaded]
/// impl Product {
///     fn start(a: u64, b: u64, out: Reply<u64>, eu: &mut Eu<Self>) {
///         eu.work(Work::Cycles(1));
///         eu.put(out, a * b);
///     }
/// }
///
/// struct Squares;
///
/// impl Program for Squares {
///     fn name(&self) -> &'static str {
///         "squares"
///     }
///
///     fn title(&self) -> &'static str {
///         "a square on another node"
///     }
///
///     fn sizes(&self) -> &'static [Size] {
///         const { &[Size::new("n", 1_000, 3).within(0, 1 << 31)] }
///     }
///
///     fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
///         let n = sizes[0];
///         Ok(Instance::new(
///             move || (0..n).map(|_| n).sum(),
///             move |machine| machine.run(|out| Square::call(n, out)),
///             |square| format!("the square is {square}"),
///         ))
///     }
/// }
///
/// let run = Squares.at(&[12])?.run(&mut Machine::threads(2))?;
/// assert_eq!(run.value, "the square is 144");
/// assert_eq!(run.counters.fibers, 2);
/// assert!(Squares.at(&[u64::MAX]).is_err());
/// # Ok::<(), ProgramError>(())
/// ```
pub trait Program: Sync {
    /// Returns the name by which tables and experiments choose the program.
    fn name(&self) -> &'static str;

    /// Returns a description of a few words.
    fn title(&self) -> &'static str;

    /// Returns the sizes, in the order in which [`instance`](Program::instance) receives them.
    fn sizes(&self) -> &'static [Size];

    /// Returns the program at given sizes. [`at`](Program::at) has checked their number and their ranges.
    ///
    /// # Errors
    ///
    /// Sizes that do not fit each other, or input that cannot be made.
    fn instance(&self, sizes: &[u64]) -> Result<Instance, ProgramError>;

    /// Returns the machines on which the program runs. The default is [`Machines::All`].
    fn machines(&self) -> Machines {
        Machines::All
    }

    /// Returns the program at given sizes, one for each of [`sizes`](Program::sizes). Runs the plain version
    /// once.
    ///
    /// # Errors
    ///
    /// [`ProgramError::SizeCount`], [`ProgramError::OutOfRange`], and errors of
    /// [`instance`](Program::instance).
    fn at(&self, sizes: &[u64]) -> Result<Instance, ProgramError> {
        let own = self.sizes();
        if own.len() != sizes.len() {
            let program = self.name().to_owned();
            return Err(ProgramError::SizeCount { program, expected: own.len(), given: sizes.len() });
        }
        for (size, &given) in own.iter().zip(sizes) {
            size.check(self.name(), given)?;
        }
        self.instance(sizes)
    }

    /// Returns the default sizes.
    fn usual(&self) -> Vec<u64> {
        self.sizes().iter().map(|size| size.usual).collect()
    }

    /// Returns the sizes for tests.
    fn small(&self) -> Vec<u64> {
        self.sizes().iter().map(|size| size.small).collect()
    }
}

/// A run of an instance whose value is a description of the result.
type Checked = Result<Run<String>, ProgramError>;

/// A program at given sizes, with its expected result.
pub struct Instance {
    plain: Duration,
    run: Box<dyn Fn(&mut Machine) -> Checked>,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("plain", &self.plain).finish_non_exhaustive()
    }
}

impl Instance {
    /// Makes an instance of three functions:
    ///
    /// * `plain` computes the expected result without a machine. It is called once, at once.
    /// * `run` runs the program on a machine.
    /// * `describe` describes a result in a few words.
    pub fn new<V, E>(
        plain: impl FnOnce() -> V,
        run: impl Fn(&mut Machine) -> Result<Run<V>, E> + 'static,
        describe: impl Fn(&V) -> String + 'static,
    ) -> Self
    where
        V: PartialEq + 'static,
        E: Into<ProgramError>,
    {
        let began = Instant::now();
        let expected = plain();
        let plain = began.elapsed();
        let checked = move |machine: &mut Machine| {
            let run = run(machine).map_err(Into::into)?;
            if run.value == expected {
                return Ok(run.map(|value| describe(&value)));
            }
            let (found, expected) = (describe(&run.value), describe(&expected));
            Err(ProgramError::Wrong(if found == expected {
                format!("{found}, but it differs from that of the plain version")
            } else {
                format!("{found}; expected: {expected}")
            }))
        };
        Instance { plain, run: Box::new(checked) }
    }

    /// Returns the time that the plain version took.
    pub fn plain(&self) -> Duration {
        self.plain
    }

    /// Runs the program, and compares the result with the plain version's. The value of the run is a
    /// description of the result.
    ///
    /// # Errors
    ///
    /// [`ProgramError::Wrong`], and errors of the run.
    pub fn run(&self, machine: &mut Machine) -> Result<Run<String>, ProgramError> {
        (self.run)(machine)
    }

    /// Runs the program twice on a machine that ends then, and returns the second run. The first one starts
    /// the threads and touches the memory. Threads of a machine that is kept would take time from others.
    ///
    /// # Errors
    ///
    /// As of [`run`](Self::run).
    pub fn run_warm(&self, mut machine: Machine) -> Result<Run<String>, ProgramError> {
        self.run(&mut machine)?;
        self.run(&mut machine)
    }
}
