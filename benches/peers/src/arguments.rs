//! The command line.

use std::time::Duration;

use earth_benches::wavefront::calibrate;

use crate::engines::Load;
use crate::measures::{MEASURES, Measure};

/// Text of `--help`.
pub const HELP: &str = "\
Compares earth with its peers. Each figure is the median of a separate process.

peers [--rounds R] [--work N] [--tiny] [MEASURE..]
    Compares the engines of these measures over R rounds. Default: all measures, 11 rounds, about ten minutes.
peers --child MEASURE ENGINE [--work N] [--tiny]
    Runs one engine in this process and prints its figure.
peers --list
    Prints the measures and their engines.

--work N  sets the rounds of work of a tile and of a traced fiber. Default: the rounds that take 85 ns here.
--tiny    runs very small programs, to check that all of them work. The figures are meaningless.
";

/// The requested action.
pub enum Request {
    /// Print [`HELP`].
    Help,
    /// Print the names of measures and engines.
    List,
    /// Run one engine in this process.
    Child {
        /// The engine.
        run: fn(Load) -> f64,
        /// Amount of its work.
        load: Load,
    },
    /// Compare engines.
    Table {
        /// The measures.
        measures: Vec<&'static Measure>,
        /// Number of rounds.
        rounds: usize,
        /// Amount of the engines' work.
        load: Load,
    },
}

/// Reads the arguments that follow the program's name.
///
/// # Errors
///
/// If an argument is wrong: a sentence that names it.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Request, String> {
    let mut arguments = arguments.into_iter();
    let (mut rounds, mut work, mut tiny, mut child, mut list) = (11, None, false, false, false);
    let mut names = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(Request::Help),
            "--list" => list = true,
            "--child" => child = true,
            "--tiny" => tiny = true,
            "--rounds" => rounds = at_least_one("--rounds", arguments.next())? as usize,
            "--work" => work = Some(at_least_one("--work", arguments.next())?),
            option if option.starts_with('-') => {
                return Err(format!("there is no option {option}; see --help"));
            }
            _ => names.push(argument),
        }
    }
    let load = || Load { tiny, work: work.unwrap_or_else(|| calibrate(Duration::from_nanos(85))) };
    match (child, names.as_slice()) {
        _ if list => Ok(Request::List),
        (true, [measure, engine]) => {
            let measure = named(measure)?;
            let &(_, run) = measure.engines.iter().find(|(name, _)| name == engine).ok_or_else(|| {
                format!("measure {} has no engine \"{engine}\"; --list has the names", measure.name)
            })?;
            Ok(Request::Child { run, load: load() })
        }
        (true, _) => Err("--child takes the name of a measure and the name of an engine".into()),
        (false, []) => Ok(Request::Table { measures: MEASURES.iter().collect(), rounds, load: load() }),
        (false, names) => {
            let measures = names.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
            Ok(Request::Table { measures, rounds, load: load() })
        }
    }
}

fn named(name: &str) -> Result<&'static Measure, String> {
    let found = MEASURES.iter().find(|measure| measure.name == name);
    found.ok_or_else(|| format!("there is no measure \"{name}\"; --list has the names"))
}

fn at_least_one(option: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{option} takes a number"))?;
    let number = value.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{option} takes a whole number above 0, not \"{value}\""))
}
