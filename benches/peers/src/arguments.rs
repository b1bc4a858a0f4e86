//! What the command line asks for.

use std::time::Duration;

use earth_benches::wavefront::calibrate;

use crate::engines::Load;
use crate::measures::{MEASURES, Measure};

/// What `--help` prints.
pub const HELP: &str = "\
Earth beside its peers: each figure is the median of a process of its own.

peers [--rounds R] [--work N] [--tiny] [MEASURE..]
    Compares the engines of these measures, or of all, over R rounds (11). All take some ten minutes.
peers --child MEASURE ENGINE [--work N] [--tiny]
    Runs one engine in this process and prints its figure.
peers --list
    Prints the measures and their engines.

--work N  the rounds of work of a tile, and of a traced fiber; without it as many as take 85 ns here
--tiny    programs so small that the figures mean nothing, to see that all of them work
";

/// What to do.
pub enum Request {
    /// Print [`HELP`].
    Help,
    /// Print the names of measures and engines.
    List,
    /// Run one engine in this process.
    Child {
        /// The engine.
        run: fn(Load) -> f64,
        /// How much it does.
        load: Load,
    },
    /// Compare engines.
    Table {
        /// Of these measures.
        measures: Vec<&'static Measure>,
        /// So many times.
        rounds: usize,
        /// How much they do.
        load: Load,
    },
}

/// Reads the arguments that follow the program's name.
///
/// # Errors
///
/// If they are wrong: a sentence that says what.
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
        (true, _) => Err("--child takes the name of a measure and that of an engine".into()),
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
