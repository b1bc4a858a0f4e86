//! Performance model as a JSON file, readable by people.
//!
//! The conditions of the measurement come first, one field a line. Then come the functions in the order of
//! the groups, one point a line, sorted by length and rows. Numbers are written so that reading them gives
//! the same bits.
//!
//! The version (`schema`) is raised whenever an older program could misread the file. The reader refuses
//! newer files, and fields that this version does not know.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use earth_fft::computer::Computer;
use serde::{Deserialize, Serialize};

use crate::groups::{MeasuredRows, PerformanceModel};
use crate::partition::{Grouping, Point, Size, SpeedFunction};

/// Version of the file format.
pub const SCHEMA: u64 = 1;

/// Value of the field `format`.
const FORMAT: &str = "earth-fft performance model";

/// Size limit of a file, in bytes. For scale: 500 steps make 125,250 points a group, 20 MB.
const MOST_BYTES: u64 = 1 << 30;

/// Reason why a file gives no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The operating system could not read it.
    #[error("cannot read '{name}': {source}")]
    Unreadable {
        /// Name of the file.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is not a performance model.
    #[error("'{name}' is no performance model of earth-fft")]
    Foreign {
        /// Name of the file.
        name: String,
    },
    /// The file has a later version.
    #[error(
        "'{name}' was written by a newer earth-fft: its version is {found}, and the latest known here is \
         {SCHEMA}"
    )]
    Newer {
        /// Name of the file.
        name: String,
        /// Version of the file.
        found: u64,
    },
    /// The file begins as a performance model but is damaged.
    #[error("'{name}' is a damaged performance model: {why}")]
    Broken {
        /// Name of the file.
        name: String,
        /// Defect and its position.
        why: String,
    },
}

/// Whole content of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    schema: u64,
    kernel: MeasuredRows,
    groups: usize,
    threads: usize,
    computer: Computer,
    functions: Vec<Vec<Line>>,
}

/// Fields that identify a performance model and its version.
#[derive(Debug, Deserialize)]
struct Version {
    format: String,
    schema: u64,
}

/// Size and measurement of one point.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    length: usize,
    rows: usize,
    mean: f64,
    half_width: f64,
    repetitions: u32,
    normality: Option<f64>,
}

/// Writes the model as text.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(model: &PerformanceModel, sink: &mut dyn Write) -> io::Result<()> {
    let Grouping { groups, threads } = model.grouping();
    let head = Content {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        kernel: model.rows().clone(),
        groups,
        threads,
        computer: model.computer().clone(),
        functions: Vec::new(),
    };
    let head = serde_json::to_string_pretty(&head)?;
    let open = head.strip_suffix("]\n}").unwrap_or_else(|| unreachable!("the functions come last: {head}"));
    write!(sink, "{open}")?;
    for (group, function) in model.functions().iter().enumerate() {
        write!(sink, "{}\n    [", if group == 0 { "" } else { "," })?;
        for (at, (size, point)) in function.points().enumerate() {
            let Point { mean, half_width, repetitions, normality } = *point;
            let Size { length, rows } = size;
            let line = Line { length, rows, mean, half_width, repetitions, normality };
            let line = serde_json::to_string(&line)?;
            write!(sink, "{}\n      {line}", if at == 0 { "" } else { "," })?;
        }
        write!(sink, "\n    ]")?;
    }
    writeln!(sink, "\n  ]\n}}")
}

/// Reads the model in a file.
///
/// The function does not check that the model was measured on this computer: see
/// [`PerformanceModel::computer`].
///
/// # Errors
///
/// A file that is unreadable, not a performance model, newer, or damaged.
pub fn load(path: &Path) -> Result<PerformanceModel, LoadError> {
    let name = path.display().to_string();
    let unreadable = |source| LoadError::Unreadable { name: name.clone(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(LoadError::Foreign { name });
    }
    parse(&bytes, &name)
}

/// Reads the model in the text of a file called `name`.
///
/// # Errors
///
/// A text that is not a performance model, newer, or damaged.
pub fn parse(text: &[u8], name: &str) -> Result<PerformanceModel, LoadError> {
    let broken = |why: String| LoadError::Broken { name: name.to_owned(), why };
    let foreign = || LoadError::Foreign { name: name.to_owned() };
    match serde_json::from_slice::<Version>(text) {
        Ok(Version { format, .. }) if format != FORMAT => return Err(foreign()),
        Ok(Version { schema, .. }) if schema > SCHEMA => {
            return Err(LoadError::Newer { name: name.to_owned(), found: schema });
        }
        Ok(_) => {}
        // A truncated or edited file still has its format near the beginning.
        Err(error) => {
            let beginning = String::from_utf8_lossy(&text[..text.len().min(200)]);
            let ours = beginning.contains(FORMAT);
            return Err(if ours { broken(error.to_string()) } else { foreign() });
        }
    }
    let content: Content = serde_json::from_slice(text).map_err(|error| broken(error.to_string()))?;
    let Content { kernel, groups, threads, computer, functions, .. } = content;
    if functions.len() != groups {
        return Err(broken(format!("it has {} functions for {groups} groups", functions.len())));
    }
    let functions: Result<Vec<_>, _> = functions.into_iter().map(function).collect();
    PerformanceModel::of(kernel, threads, computer, functions.map_err(broken)?)
        .map_err(|error| broken(error.to_string()))
}

fn function(lines: Vec<Line>) -> Result<SpeedFunction, String> {
    let mut function = SpeedFunction::new();
    for Line { length, rows, mean, half_width, repetitions, normality } in lines {
        let size = Size { length, rows };
        let point = Point { mean, half_width, repetitions, normality };
        if function.insert(size, point).map_err(|error| error.to_string())?.is_some() {
            return Err(format!("{rows} rows of {length} points occur twice"));
        }
    }
    Ok(function)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
