//! `earth-lab simulate2d`: simulates the part of the study of Khokhriakov, Manumachu and Lastovetsky that
//! cannot be measured here, with [`crate::pfft::simulate2d`].

use earth_console::Failure;
use earth_console::progress::Progress;
use earth_console::stop::Stop;

use super::args::Simulate2d;
use super::output::Files;
use crate::pfft::simulate2d::{Extent, Report};

/// Simulates the study of matrices, and prints or writes the document.
///
/// # Errors
///
/// Returns the errors of the simulation and of writing.
pub(super) fn run(args: &Simulate2d, stop: &Stop) -> Result<(), Failure> {
    let files = Files::open(args.output.as_deref(), "simulate2d", args.page.as_deref(), stop)?;
    let progress = Progress::endless("simulating");
    let extent = Extent { seeds: args.seeds as usize, sizes: args.sizes as usize };
    let report = Report::simulated(command(extent), extent)?;
    drop(progress);
    files.write(&report.document(), Ok(Vec::new()), args.json.then(|| report.answer()).as_ref())
}

/// Reconstructs the command line: options that differ from their defaults.
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
