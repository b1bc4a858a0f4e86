//! `--trace FILE`: the trace of a run as a file. The extension selects the format: `.json` for Perfetto and
//! `chrome://tracing`, `.svg` for a picture.

use std::path::Path;

use earth::records::Records;
use earth_trace::Trace;

use crate::failure::Failure;
use crate::io::atomic_output::Output;
use crate::stop::Stop;
use crate::terminal::stderr::print_message;

/// Format of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Chrome,
    Svg,
}

impl Form {
    fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("json") => Ok(Form::Chrome),
            Some("svg") => Ok(Form::Svg),
            _ => Err(Failure::UnknownTraceFormat { name: path.display().to_string() }),
        }
    }
}

/// Open file for a trace. Like all outputs it is opened before any work, as a temporary file.
#[derive(Debug)]
pub struct TraceFile {
    form: Form,
    output: Output,
}

impl TraceFile {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// An extension other than the two, or a file that cannot be written.
    pub fn open(path: &Path, stop: &Stop) -> Result<Self, Failure> {
        let form = Form::of(path)?;
        Ok(Self { form, output: Output::open(path, &stop.unfinished)? })
    }

    /// Writes the trace of a run, and prints its critical path on standard error.
    pub fn write(self, records: &Records) -> Result<(), Failure> {
        let trace = Trace::of(records);
        self.output.commit(|sink| match self.form {
            Form::Chrome => trace.write_chrome(sink),
            Form::Svg => trace.write_svg(sink),
        })?;
        print_message(format_args!("{}", trace.critical_path()));
        Ok(())
    }
}

/// Opens the file of `--trace`, if it was given.
pub fn open(path: Option<&Path>, stop: &Stop) -> Result<Option<TraceFile>, Failure> {
    path.map(|path| TraceFile::open(path, stop)).transpose()
}
