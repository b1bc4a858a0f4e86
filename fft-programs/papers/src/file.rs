//! A performance model as a file.
//!
//! JSON, for people too: what the model holds for comes first, a field a line, then the functions in the
//! order of the groups, a point a line, by length and rows. Numbers are written so that reading them gives
//! the same bits. It has a version (`schema`), which is raised whenever an older program could misread it: a
//! newer file is refused, and so are fields that this version does not know.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use earth_fft::computer::Computer;
use serde::{Deserialize, Serialize};

use crate::groups::{MeasuredRows, PerformanceModel};
use crate::partition::{Grouping, Point, Size, SpeedFunction};

/// The version of the file.
pub const SCHEMA: u64 = 1;

/// The value of the field `format`.
const FORMAT: &str = "earth-fft performance model";

/// No file of more bytes is read: 500 steps make 125,250 points a group, 20 MB.
const MOST_BYTES: u64 = 1 << 30;

/// Why a file gives no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The operating system did not let it be read.
    #[error("cannot read '{name}': {source}")]
    Unreadable {
        /// The file's name.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is no performance model.
    #[error("'{name}' is no performance model of earth-fft")]
    Foreign {
        /// The file's name.
        name: String,
    },
    /// The file has a later version.
    #[error(
        "'{name}' was written by a newer earth-fft: its version is {found}, and the latest known here is \
         {SCHEMA}"
    )]
    Newer {
        /// The file's name.
        name: String,
        /// Its version.
        found: u64,
    },
    /// A performance model once, but damaged.
    #[error("'{name}' is a damaged performance model: {why}")]
    Broken {
        /// The file's name.
        name: String,
        /// The defect, and where it is.
        why: String,
    },
}

/// All of it.
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

/// The fields that say whether a file is a performance model, and of which version.
#[derive(Debug, Deserialize)]
struct Version {
    format: String,
    schema: u64,
}

/// A point with its size.
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

/// The model in a file. Whether it was measured on this computer is for the caller to ask:
/// [`PerformanceModel::computer`].
///
/// # Errors
///
/// A file that cannot be read, that is something else, newer, or damaged.
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

/// The model in the text of a file of some name.
///
/// # Errors
///
/// A text that is something else, newer, or damaged.
pub fn parse(text: &[u8], name: &str) -> Result<PerformanceModel, LoadError> {
    let broken = |why: String| LoadError::Broken { name: name.to_owned(), why };
    let foreign = || LoadError::Foreign { name: name.to_owned() };
    match serde_json::from_slice::<Version>(text) {
        Ok(Version { format, .. }) if format != FORMAT => return Err(foreign()),
        Ok(Version { schema, .. }) if schema > SCHEMA => {
            return Err(LoadError::Newer { name: name.to_owned(), found: schema });
        }
        Ok(_) => {}
        // A file that was cut off or edited still says at its beginning what it was.
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
