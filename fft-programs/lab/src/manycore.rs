//! The paper of Chen and Gao: FFTs by stages on a many-core whose memory programs manage, and a model of them.
//!
//! 1. [`chip`] is the Cyclops-64 as data, [`code`] the butterfly's code, [`program`] the [operations](operation) of all elements, by
//!    the index arithmetic of the library's own programs; [`machine`] plays them, event by event.
//! 2. [`results`] does each run that the page asks for once, beside the [model](crate::model::manycore).
//! 3. [`statements`] are judged by them; [`document`] and [`figures`] fill the page, which is written in `page.md`.

pub(crate) mod chip;
pub(crate) mod code;
mod document;
mod figures;
mod machine;
mod operation;
pub(crate) mod program;
mod results;
mod statements;

use earth::CancelToken;
use earth_console::work::Progress;
use earth_report::document::Document;

/// Simulates what the report needs, and tells it. Nothing if that was cancelled.
pub fn report(cancel: &CancelToken, progress: &impl Progress) -> Option<Document> {
    results::Results::reported(document::document, cancel, progress)
}

/// The times of stages alone, of 2^10 points, which takes a second. Nothing if that was cancelled.
pub fn stages(cancel: &CancelToken, progress: &impl Progress) -> Option<Document> {
    results::Results::reported(document::stages, cancel, progress)
}
