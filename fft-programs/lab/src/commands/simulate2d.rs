//! `earth-lab simulate2d`: what cannot be measured of the study of Khokhriakov, Manumachu and Lastovetsky, by
//! [`crate::pfft::simulate2d`].

use earth_console::Failure;
use earth_console::progress::Progress;
use earth_console::stop::Stop;

use super::args::Simulate2d;
use super::told::Files;
use crate::pfft::simulate2d::{Extent, Report};

/// Simulates the study of matrices, and prints or writes the document.
///
/// # Errors
///
/// Why that cannot be.
pub(super) fn run(args: &Simulate2d, stop: &Stop) -> Result<(), Failure> {
    let files = Files::open(args.output.as_deref(), "simulate2d", args.page.as_deref(), stop)?;
    let progress = Progress::endless("simulating");
    let extent = Extent { seeds: args.seeds as usize, sizes: args.sizes as usize };
    let report = Report::simulated(command(extent), extent)?;
    drop(progress);
    files.tell(&report.document(), Ok(Vec::new()), args.json.then(|| report.answer()).as_ref())
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
