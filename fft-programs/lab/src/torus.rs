//! The paper of Sabharwal, Garg, Garg, Gunnels and Sahoo: the transpose FFT on the torus of Blue Gene/L.
//!
//! What the paper measured on 65,536 nodes comes here from two parts. Computing and the least time of an exchange are the
//! [model's](crate::model::torus); which share of the peak an all-to-all reaches is simulated packet by packet.
//!
//! 1. [`cases`] says which tori and transforms; [`phases`] are the paper's partners, [`exchange`] runs an all-to-all in an order;
//! 2. [`program`] is the transform as a program of the runtime, on the same torus;
//! 3. [`results`] runs each exchange that the page asks for once, and has the times of transforms that come of shares and model;
//! 4. [`statements`] are judged by them; [`document`] and [`figures`] fill the page, which is written in `page.md`.

mod cases;
mod document;
mod exchange;
mod figures;
mod phases;
mod program;
mod results;
mod statements;

use earth::simulated::Profile;
use earth::{CancelToken, Error};
use earth_console::work::Progress;
use earth_report::document::Document;

/// The built-in profile of the paper's machine.
pub const PROFILE: &str = "bluegene-l";

/// Simulates what the report needs, and tells it.
///
/// # Errors
///
/// If it was cancelled, or the program of the runtime's own ended with an error.
pub fn report(profile: Profile, cancel: &CancelToken, progress: &impl Progress) -> Result<Document, Error> {
    let mut results = results::Results::new(profile);
    // The first page asks for the exchanges.
    document::document(&results);
    results.simulate(cancel, progress)?;
    let document = document::document(&results);
    debug_assert!(results.is_whole(), "the second page asks for no other exchanges");
    Ok(document)
}

/// The first figure alone, which needs no run.
pub fn pattern() -> Document {
    document::pattern()
}
