//! Options of `earth-lab tune`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use earth_console::args::{CONFIGS, Choice, Named, at_least_one, choices, positive};
use earth_fft::Config;
use earth_papers::overlap::Variant;

use crate::tune::{Search, Technique};

/// `earth-lab tune`.
#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// Lengths of the array, like 64x64x64
    #[arg(value_name = "XxYxZ", value_parser = lengths)]
    pub lengths: [usize; 3],

    /// Number of nodes; each has a part of x
    #[arg(long, value_name = "P", value_parser = at_least_one)]
    pub nodes: NonZeroUsize,

    /// One thread a node, or two
    #[arg(long, value_parser = choices(&CONFIGS), default_value = "spn")]
    pub config: Config,

    /// Simulate a machine: a built-in profile, or a .toml file
    ///
    /// Without it, this computer runs the transform.
    #[arg(long, value_name = "PROFILE", conflicts_with = "wisdom")]
    pub profile: Option<String>,

    /// Variant of the program
    #[arg(long, value_parser = choices(&VARIANTS), default_value = "new")]
    pub variant: Variant,

    /// Exchange a tile in rounds of one block each [default: all at once]
    #[arg(long)]
    pub pairwise: bool,

    /// How points are proposed
    #[arg(long, value_parser = choices(&SEARCHES), default_value = "nelder-mead")]
    pub search: Search,

    /// Techniques that the search leaves out
    #[arg(long, value_name = "TECHNIQUE", value_parser = choices(&TECHNIQUES), value_delimiter = ',')]
    pub without: Vec<Technique>,

    /// Most runs
    #[arg(long, value_name = "N", value_parser = at_least_one, default_value = "200")]
    pub trials: NonZeroUsize,

    /// Start no further run after this many seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub max_seconds: Option<f64>,

    /// Seed of the points that are drawn
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,

    /// Write all points and their times to this file
    #[arg(short, long = "out", value_name = "OUT.csv")]
    pub output: Option<PathBuf>,

    /// Keep finished runs in this file, and take up the runs that it has
    ///
    /// A search that was interrupted goes on when it is started again.
    #[arg(long, value_name = "FILE")]
    pub runs: Option<PathBuf>,

    /// Save the parameters to this file, for transform --wisdom
    ///
    /// transform uses them with --algorithm overlap3d and the same --nodes.
    #[arg(long, value_name = "FILE")]
    pub wisdom: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

const VARIANTS: [Choice<Variant>; 5] = [
    Choice(Variant::New, "The paper's program"),
    Choice(Variant::New0, "The same without overlap"),
    Choice(Variant::Th, "After Hoefler: overlap before the exchange alone"),
    Choice(Variant::Th0, "The same without overlap"),
    Choice(Variant::Dataflow, "Ordered by arrivals alone"),
];

const SEARCHES: [Choice<Search>; 3] = [
    Choice(Search::NelderMead, "A simplex that moves and shrinks"),
    Choice(Search::Random, "Random points"),
    Choice(Search::Tpe, "Points drawn from densities of the best ones"),
];

const TECHNIQUES: [Choice<Technique>; 5] = [
    Choice(Technique::Penalty, "A point that is not feasible costs infinity, without a run"),
    Choice(Technique::History, "A point does not run twice"),
    Choice(Technique::Skip, "Phases that no parameter changes do not run"),
    Choice(Technique::Grid, "Powers of two and the ends instead of all integers"),
    Choice(Technique::Start, "The simplex begins around the usual point, not at random"),
];

impl Named for Technique {
    fn named(&self) -> &'static str {
        self.name()
    }
}

impl Named for Search {
    fn named(&self) -> &'static str {
        self.name()
    }
}

/// Parses lengths such as 64x64x64.
///
/// # Errors
///
/// One sentence that states this rule.
fn lengths(text: &str) -> Result<[usize; 3], String> {
    let parsed: Option<Vec<usize>> =
        text.split('x').map(|length| Some(length.parse::<NonZeroUsize>().ok()?.get())).collect();
    let lengths = parsed.and_then(|lengths| <[usize; 3]>::try_from(lengths).ok());
    lengths.ok_or_else(|| "it must be three lengths like 64x64x64".to_owned())
}
