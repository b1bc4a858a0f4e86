//! `earth-lab simulate2d`: what cannot be measured of the study of Khokhriakov, Manumachu and Lastovetsky, by
//! [`crate::simulate2d`].

use earth_console::Failure;
use earth_console::folder::{create, write, write_all, write_page};
use earth_console::io::aside::Output;
use earth_console::output::{print, print_json};
use earth_console::progress::Progress;
use earth_console::stop::Stop;

use super::args::Simulate2d;
use crate::simulate2d::{Extent, Report};

/// The name of the page in the directory.
const PAGE: &str = "simulate2d.html";

/// Simulates the study of matrices, and prints or writes the document.
///
/// # Errors
///
/// Why that cannot be.
pub(super) fn run(args: &Simulate2d, stop: &Stop) -> Result<(), Failure> {
    // What cannot be written is known before any work.
    if let Some(directory) = &args.output {
        create(directory)?;
        drop(Output::open(&directory.join(PAGE), &stop.unfinished)?);
    }
    if let Some(page) = &args.page {
        drop(Output::open(page, &stop.unfinished)?);
    }
    let progress = Progress::endless("simulating");
    let extent = Extent { seeds: args.seeds as usize, sizes: args.sizes as usize };
    let report = Report::simulated(command(extent), extent)?;
    drop(progress);
    let document = report.document();
    if let Some(directory) = &args.output {
        write_all(document.plots(), directory, stop)?;
        write(&directory.join(PAGE), document.page().as_bytes(), stop)?;
    }
    if let Some(page) = &args.page {
        write_page(&document, page, stop)?;
    }
    if args.json { print_json(&report.answer()) } else { print(document) }
}

/// The command as a reader would type it: what was not the default.
fn command(extent: Extent) -> String {
    let mut words = vec!["earth-lab simulate2d".to_owned()];
    let usual = Extent::default();
    for (name, given, usual) in
        [("--seeds", extent.seeds, usual.seeds), ("--sizes", extent.sizes, usual.sizes)]
    {
        if given != usual {
            words.push(format!("{name} {given}"));
        }
    }
    words.push("--page docs/pfft-paper/simulated.md".to_owned());
    words.join(" ")
}
