//! `earth-lab tune`: searches for the parameters of the overlapping transform, with [`crate::tune`].

use std::time::Duration;

use earth_console::Failure;
use earth_console::failure::sizes;
use earth_console::io::atomic_output::Output;
use earth_console::output::print_message;
use earth_console::progress::Timed as Bar;
use earth_console::stop::Stop;
use earth_console::wisdom::WisdomFile;
use earth_fft::{Effort, Planner, Problem, Timed};
use earth_papers::overlap::{NAMES, Overlap3d, OverlapSettings, Parameters, Rounds};
use earth_report::document::Table;
use earth_report::numbers::seconds;
use serde::Serialize;

use super::args::Tune;
use super::output::print_answer;
use super::simulate::profile;
use crate::run_cache::RunFile;
use crate::tune::overlap::{OverlapCase, OverlapTiles, Site, TuneError};
use crate::tune::{Ended, Search, Technique, Techniques, Trial, Tuned, Tuning};

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    algorithm: &'static str,
    lengths: [usize; 3],
    nodes: usize,
    config: &'static str,
    simulated: Option<&'a str>,
    settings: OverlapSettings,
    search: Search,
    seed: u64,
    without: &'a [Technique],
    ended: &'static str,
    /// Number of points of the space.
    points: f64,
    proposed: usize,
    infeasible: usize,
    repeated: usize,
    usual: Cost,
    best: Option<Cost>,
    trials: Vec<Cost>,
}

/// A point and its cost.
#[derive(Clone, Serialize)]
struct Cost {
    parameters: Parameters,
    seconds: f64,
}

/// Searches, prints the best parameters, and writes them to the wisdom.
///
/// # Errors
///
/// Returns the errors of the arguments, of the files and of runs. The results before an error of a run are
/// written and printed first.
pub(super) fn run(planner: &Planner, args: &Tune, stop: &Stop) -> Result<(), Failure> {
    let output = args.output.as_ref().map(|path| Output::open(path, &stop.unfinished)).transpose()?;
    let open = |path| WisdomFile::open(path, &[], true, stop);
    let wisdom = args.wisdom.as_deref().map(open).transpose()?;
    let kept = args.runs.as_deref().map(RunFile::open).transpose().map_err(TuneError::Runs)?;
    let kept = kept.unwrap_or_default();
    let site = match &args.profile {
        None => Site::Threads(args.config),
        Some(name) => Site::Simulated(Box::new(profile(name, None)?), args.config),
    };
    let rounds = if args.pairwise { Rounds::Pairwise } else { Rounds::AllAtOnce };
    let settings = OverlapSettings { variant: args.variant, rounds, ..OverlapSettings::default() };
    let case = OverlapCase::new(args.lengths, args.nodes.get(), settings);
    let without = |technique| args.without.contains(&technique);
    let techniques = Techniques::without(&args.without);
    let whole = without(Technique::Skip);
    let mut tiles = OverlapTiles::new(case, site, whole, &stop.cancel, &kept);
    let usual = Cost { parameters: case.usual(), seconds: tiles.seconds(case.usual())? };
    let (space, start) = (case.space(without(Technique::Grid)), case.point(&case.usual()));
    let progress = Bar::steps("tuning", args.max_seconds);
    let tuning = Tuning::new(&space, &start, args.search).techniques(techniques);
    let tuned = tuning.seed(args.seed).limit(args.trials.get()).run(&mut tiles, &progress);
    progress.finish();

    let cost = |trial: &Trial| Cost { parameters: case.parameters(&trial.point), seconds: trial.cost };
    let best = tuned.best().map(cost);
    let trials: Vec<_> = tuned.trials.iter().map(cost).collect();
    if let Some(output) = output {
        output.commit(|sink| sink.write_all(table_of(&trials).as_bytes()))?;
    }
    if let (Some(file), Some(best)) = (wisdom, &best) {
        keep(planner, args, file, &settings, best, &usual)?;
    }
    let answer = Answer {
        schema: 1,
        algorithm: Overlap3d::NAME,
        lengths: args.lengths,
        nodes: args.nodes.get(),
        config: args.config.name(),
        simulated: args.profile.as_deref(),
        settings,
        search: args.search,
        seed: args.seed,
        without: &args.without,
        ended: tuned.ended.name(),
        points: space.points(),
        proposed: tuned.proposed,
        infeasible: tuned.infeasible,
        repeated: tuned.repeated,
        usual,
        best,
        trials,
    };
    print_answer(args.json, &answer, || text(&answer, &tuned))?;
    match tuned.ended {
        Ended::Failed(error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Records the best parameters in the wisdom, if they are faster than the usual ones.
fn keep(
    planner: &Planner,
    args: &Tune,
    file: WisdomFile,
    settings: &OverlapSettings,
    best: &Cost,
    usual: &Cost,
) -> Result<(), Failure> {
    if best.seconds >= usual.seconds {
        print_message("no parameters are faster than the usual ones, so the wisdom gets none");
        return Ok(());
    }
    let planner = planner.clone().algorithm(Overlap3d::NAME).nodes(args.nodes).config(args.config);
    let planner = planner.wisdom(file.wisdom().clone());
    let problem = Problem::complex(&args.lengths);
    let settings = OverlapSettings { parameters: Some(best.parameters), ..*settings };
    let solver = Overlap3d::new().settings(settings);
    let time = |cost: &Cost, what: &str| {
        let time = Duration::try_from_secs_f64(cost.seconds).unwrap_or_default();
        let what = format!("{} of {what} on {} nodes, tiles alone", Overlap3d::NAME, args.nodes);
        Timed { what, least: time, median: time, times: 1 }
    };
    let measured = vec![time(usual, "usual parameters"), time(best, "tuned parameters")];
    planner.record::<f64>(&problem, solver, Effort::Measure, measured);
    file.save()
}

/// Returns all points and their costs as CSV.
fn table_of(trials: &[Cost]) -> String {
    let mut lines = vec![format!("{},seconds", NAMES.join(","))];
    for Cost { parameters, seconds } in trials {
        let values = parameters.values().map(|value| value.to_string()).join(",");
        lines.push(format!("{values},{seconds}"));
    }
    lines.join("\n") + "\n"
}

fn text(answer: &Answer<'_>, tuned: &Tuned<TuneError>) -> String {
    let Answer { lengths, nodes, config, simulated, settings, search, usual, best, .. } = answer;
    let machine = simulated.unwrap_or("this computer");
    let mut about = vec![
        ("array", sizes(lengths)),
        ("program", format!("{}, {}", Overlap3d::NAME, settings.variant.name())),
        ("machine", format!("{machine}, {nodes} nodes, {config}")),
        ("search", format!("{}, {}", search.name(), answer.ended)),
        ("runs", format!("{} of {:.1e} points", tuned.trials.len(), answer.points)),
        (
            "proposed",
            format!("{}, {} not feasible, {} repeated", tuned.proposed, tuned.infeasible, tuned.repeated),
        ),
    ];
    if let Some(best) = best {
        about.push(("ratio to the usual", format!("{:.3}", best.seconds / usual.seconds)));
    }
    let names = ["", "tiles"].into_iter().chain(NAMES);
    let row = |name: &str, cost: &Cost| {
        let values = cost.parameters.values().map(|value| value.to_string());
        [name.to_owned(), seconds(cost.seconds)].into_iter().chain(values).collect::<Vec<_>>()
    };
    let rows = [("usual", Some(usual)), ("best", best.as_ref())];
    let rows = rows.into_iter().filter_map(|(name, cost)| Some(row(name, cost?)));
    format!("{}\n{}", Table::facts(about), Table::new(names).with(rows))
}
