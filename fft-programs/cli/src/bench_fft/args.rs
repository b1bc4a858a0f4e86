//! Options of `bench-fft`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use earth_console::args::{Precision, at_least_one, positive};
use earth_fft::Kernel;

use super::instructions::Instructions;
use super::peers::{ROUNDS, Who};

/// Arguments that configure the measurement.
const MEASURING: [&str; 12] = [
    "words",
    "peers",
    "isa",
    "precision",
    "real",
    "out_of_place",
    "gap",
    "large_pages",
    "threads",
    "rounds",
    "peer_wisdom",
    "max_seconds",
];

/// `earth-fft bench-fft`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct BenchFft {
    /// Classes or sizes, like 4096, 1000x1024 or 100*64 [default: short]
    ///
    /// short: some series, matrices and cubes, about a minute.
    ///
    /// series: 64 to 2^14 points by one thread, ten seconds.
    ///
    /// series-middle: 2^16 and 2^18 points, ten seconds.
    ///
    /// series-mixed: factors 2, 3, 5 and 7, up to 10^5 points, a minute.
    ///
    /// series-prime: prime numbers of points, up to 10^5, a minute.
    ///
    /// series-long: 2^20 to 2^24 points, ten minutes.
    ///
    /// matrices-small: 256 to 768 rows, twenty seconds.
    ///
    /// matrices-middle: 1000 to 2560 rows, three minutes.
    ///
    /// matrices-large: 3072 to 10000 rows, half an hour.
    ///
    /// cubes: 128 to 512 planes, fifteen minutes.
    ///
    /// batches: 2000 to 10^5 series of 16 to 1024 points, a minute.
    ///
    /// images: real images of 321x481 to 2000x3008, two minutes.
    ///
    /// filters: real images to the spectrum and back, a minute.
    ///
    /// convolutions: real series to the spectrum and back, two minutes.
    ///
    /// cold: plan and first call of fresh processes, ten minutes; cold:64x64.
    ///
    /// growth: series of 2^6 to 2^26 points, half an hour.
    ///
    /// images:, filters: and convolutions: take any size, like filters:64x64.
    #[arg(value_name = "CLASS|SIZE")]
    pub(crate) words: Vec<String>,

    /// Peer: mkl, fftw, rustfft, scipy or a path [default: libraries found]
    ///
    /// May be given several times, and replaces the default.
    ///
    /// A path names a library with FFTW's interface.
    ///
    /// The code of a library runs when it is loaded; python3 runs scipy.
    #[arg(long = "peer", value_name = "PEER", value_parser = peer)]
    pub(crate) peers: Vec<Who>,

    /// Use no wider vector instructions, and let peers use none
    ///
    /// A build of FFTW with wider ones takes no part.
    #[arg(long, value_name = "SET", value_enum)]
    pub(crate) isa: Option<Instructions>,

    /// Precision of the points
    #[arg(long, value_enum, default_value_t)]
    pub(crate) precision: Precision,

    /// Real numbers to half a spectrum; in place their rows are padded
    ///
    /// The classes images, filters and convolutions always have them.
    #[arg(long, conflicts_with = "gap")]
    pub(crate) real: bool,

    /// From one array to another instead of in place
    #[arg(long)]
    pub(crate) out_of_place: bool,

    /// Points between the rows of a matrix
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u16), default_value_t = 0)]
    pub(crate) gap: u16,

    /// Ask the system for large pages for the arrays
    #[arg(long)]
    pub(crate) large_pages: bool,

    /// Most threads of a transform [default: usable cores]
    #[arg(long, value_name = "T", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Rounds of each size: an odd number, at least 11
    #[arg(long, value_name = "R", value_parser = odd, default_value_t = ROUNDS)]
    pub(crate) rounds: usize,

    /// Time limit of FFTW's planning, in seconds a plan
    #[arg(long, value_name = "S", value_parser = positive, default_value_t = 60.0)]
    pub(crate) plan_seconds: f64,

    /// Keep FFTW's plans in this file, and use the plans in it
    ///
    /// They are FFTW's wisdom, for one processor and one --plan-seconds.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) peer_wisdom: Option<PathBuf>,

    /// Begin no further size after this time, in seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub(crate) max_seconds: Option<f64>,

    /// Show a report that --json printed earlier, without measuring
    ///
    /// May be given several times. Reports of the same conditions become one.
    #[arg(long = "from", value_name = "REPORT.json", conflicts_with_all = MEASURING)]
    pub(crate) reports: Vec<PathBuf>,

    /// Also write a page with plots
    #[arg(short, long = "out", value_name = "OUT.html")]
    pub(crate) output: Option<PathBuf>,

    /// Also write the page as Markdown, with its plots beside it
    #[arg(long, value_name = "OUT.md")]
    pub(crate) page: Option<PathBuf>,

    /// Print the rows as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) fn peer(name: &str) -> Result<Who, String> {
    match name.parse() {
        _ if name == "scipy" => Ok(Who::Scipy),
        Ok(Kernel::Earth) => Err("earth cannot be a peer, since peers are compared with it".to_owned()),
        Ok(kernel) => Ok(Who::Kernel(kernel)),
        Err(_) => {
            Err("peers are mkl, fftw, fftw2, rustfft, scipy, or the path of a library with a / in it"
                .to_owned())
        }
    }
}

fn odd(number: &str) -> Result<usize, String> {
    let rounds = number.parse().ok().filter(|rounds: &usize| *rounds >= ROUNDS && !rounds.is_multiple_of(2));
    rounds.ok_or_else(|| format!("it must be an odd number of at least {ROUNDS}"))
}
