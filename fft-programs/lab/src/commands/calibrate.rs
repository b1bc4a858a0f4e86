//! `earth-lab calibrate`: measures the cost of operations on this computer as a profile for the simulated
//! machine, and checks how well the profile predicts the programs' times.

use earth::simulated::Profile;
use earth_console::Failure;
use earth_console::io::atomic_output::Output;
use earth_console::output::print_message;
use earth_console::progress::Timed;
use earth_console::stop::Stop;
use earth_fft::computer::usable_cores;
use earth_report::document::Table;
use earth_report::numbers::seconds;
use serde::Serialize;

use super::args::Calibrate;
use super::output::print_answer;
use super::rates;
use crate::calibrate::{POINTS, Row, predicted};
use crate::run_cache::SimulateError;

/// Comment at the top of a profile's file.
const EXPLAINED: &str = "\
# Costs of operations on this computer, measured by earth-lab calibrate for earth-lab simulate --profile.
#
# clock_mhz is the clock that counts the costs: all costs are in cycles of a tenth of a nanosecond.
# [spn] has the costs of a node with one thread, [dual] the costs of a node with two threads.
# hand_over is the time of an operation from the first thread to the second, and of an enabled fiber back.
# [network] has the latency of a message between two nodes, without the costs of sending and receiving it.
# [work.kernels] has the cost per unit of a kernel's work; flop is the cost of a flop outside the named kernels.
# [policy] is the order in which nodes process waiting work: the default policy of machines.

";

#[derive(Debug, Serialize)]
struct Answer<'a> {
    schema: u32,
    points: usize,
    profile: &'a Profile,
    rows: &'a [Row],
}

/// Measures the cost of operations here, and prints the profile or writes it.
///
/// # Errors
///
/// Returns the errors of the machine and of writing the profile.
pub(super) fn run(args: &Calibrate, stop: &Stop) -> Result<(), Failure> {
    if args.rates.is_some() || args.check.is_some() {
        return rates::run(args, stop);
    }
    let output = args.output.as_ref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let progress = Timed::steps("calibrating", None);
    let (profile, rows) = predicted(&stop.cancel, &progress).map_err(SimulateError::Machine)?;
    drop(progress);
    if let Some(output) = output {
        output.commit(|sink| write!(sink, "{EXPLAINED}{}", profile.to_toml()))?;
    }
    if usable_cores() < 2 {
        print_message(
            "warning: one core runs both nodes in turn, so messages between nodes cost less than between two cores",
        );
    }
    let row = |&Row { program, config, nodes, measured_s, predicted_s, ratio }: &Row| {
        let [measured, predicted] = [measured_s, predicted_s].map(seconds);
        [
            program.to_owned(),
            config.to_string(),
            nodes.to_string(),
            measured,
            predicted,
            format!("{ratio:.2}"),
        ]
    };
    let names = ["program", "machine", "nodes", "measured", "predicted", "predicted/measured"];
    let answer = Answer { schema: 1, points: POINTS, profile: &profile, rows: &rows };
    print_answer(args.json, &answer, || Table::new(names).with(rows.iter().map(row)).to_string())
}
