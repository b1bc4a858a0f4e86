//! Times of real runs: transforms that took turns in one job of `earth-fft-mpi overlap`.

use earth::Config;
use earth_papers::overlap::{Parameters, Rounds, Times, Variant};
use earth_report::spread::Spread;
use serde::{Deserialize, Serialize};

/// Number of the form of [`Measured`] as JSON. A change of any field raises it.
pub const SCHEMA: u32 = 1;

/// A job. Its fields are its names in JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name and version of the MPI library.
    pub mpi: String,
    /// Network between the ranks, such as `shared memory` or `TCP, 10 Gbit/s`.
    pub network: String,
    /// Processor of rank 0.
    pub processor: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Threads of a rank.
    pub config: Config,
    /// How the programs of the runtime exchange a tile.
    pub exchange: Rounds,
    /// Number of rounds, which is odd.
    pub rounds: usize,
    /// Arrays.
    pub rows: Vec<Row>,
}

/// Form of a report, which is read before its other fields.
#[derive(Deserialize)]
struct Form {
    schema: u32,
}

impl Measured {
    /// Parses a report.
    ///
    /// # Errors
    ///
    /// A sentence if the text is not such a report.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let of_json = |why: serde_json::Error| why.to_string();
        let Form { schema } = serde_json::from_str(text).map_err(of_json)?;
        if schema != SCHEMA {
            return Err(format!("its schema is {schema}, not {SCHEMA}"));
        }
        let report: Self = serde_json::from_str(text).map_err(of_json)?;
        let is_empty = report.ranks == 0 || report.rows.is_empty();
        if is_empty { Err("it has no ranks or no rows".to_owned()) } else { Ok(report) }
    }
}

/// An array of a job. Times are in seconds, and each is the slowest rank's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Lengths Nx, Ny and Nz.
    pub lengths: [usize; 3],
    /// Searches for parameters.
    pub tuned: Vec<Search>,
    /// Transforms that took turns.
    pub transforms: Vec<Transform>,
    /// NEW over itself, round by round.
    pub null: Spread,
}

/// A search for the parameters of a variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Variant.
    pub variant: Variant,
    /// The best parameters.
    pub parameters: Parameters,
    /// Number of points that ran.
    pub runs: usize,
    /// Time of the search.
    pub time: f64,
}

/// A transform that took turns with others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Program.
    pub program: Program,
    /// Time of planning. A search for parameters is not part of it.
    pub planning: f64,
    /// Time of a transform.
    pub time: Spread,
    /// Time over NEW's, round by round.
    pub ratio: Spread,
    /// Greatest difference of a point from NEW's spectrum, relative to the greatest point.
    pub error: f64,
    /// Parts of the time, if the program counts them.
    pub parts: Option<Parts>,
}

/// Programs that take turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// NEW with its tuned parameters.
    New,
    /// NEW-0 with the parameters of NEW.
    New0,
    /// NEW whose parts are whole tiles.
    NewUntiled,
    /// NEW in the order of points that the paper does not choose: z x y instead of x z y, or the opposite.
    NewOtherLayout,
    /// TH with its tuned parameters.
    Th,
    /// TH-0 with the parameters of TH.
    Th0,
    /// The program by arrivals alone, with the parameters of NEW.
    Dataflow,
    /// The distributed plan of `earth-fft`, its spectrum in transposed order.
    Slab,
    /// The distributed plan of `earth-fft`, its spectrum in natural order.
    SlabNatural,
    /// FFTW-MPI by `FFTW_MEASURE`, in transposed order.
    FftwMeasure,
    /// FFTW-MPI by `FFTW_MEASURE`, in natural order.
    FftwMeasureNatural,
    /// FFTW-MPI by `FFTW_PATIENT`, in transposed order.
    FftwPatient,
    /// FFTW-MPI by `FFTW_PATIENT`, in natural order.
    FftwPatientNatural,
    /// FFTW-MPI by `FFTW_EXHAUSTIVE`, in transposed order.
    FftwExhaustive,
    /// NEW's algorithm by `MPI_Isend`, `MPI_Irecv` and `MPI_Test` without a runtime, with NEW's parameters.
    Isend,
    /// That program without overlap.
    Isend0,
}

impl Program {
    /// All programs.
    pub const ALL: [Self; 16] = [
        Self::New,
        Self::New0,
        Self::NewUntiled,
        Self::NewOtherLayout,
        Self::Th,
        Self::Th0,
        Self::Dataflow,
        Self::Slab,
        Self::SlabNatural,
        Self::FftwMeasure,
        Self::FftwMeasureNatural,
        Self::FftwPatient,
        Self::FftwPatientNatural,
        Self::FftwExhaustive,
        Self::Isend,
        Self::Isend0,
    ];

    /// Returns the name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::New0 => "NEW-0",
            Self::NewUntiled => "NEW, whole tiles",
            Self::NewOtherLayout => "NEW, other layout",
            Self::Th => "TH",
            Self::Th0 => "TH-0",
            Self::Dataflow => "Dataflow",
            Self::Slab => "slabs, transposed",
            Self::SlabNatural => "slabs, natural",
            Self::FftwMeasure => "FFTW_MEASURE, transposed",
            Self::FftwMeasureNatural => "FFTW_MEASURE, natural",
            Self::FftwPatient => "FFTW_PATIENT, transposed",
            Self::FftwPatientNatural => "FFTW_PATIENT, natural",
            Self::FftwExhaustive => "FFTW_EXHAUSTIVE, transposed",
            Self::Isend => "Isend",
            Self::Isend0 => "Isend-0",
        }
    }
}

/// Median of each part of a program's time, of the slowest rank in each.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// `FFTz`.
    pub along_z: f64,
    /// Transpose.
    pub transpose: f64,
    /// `FFTy`.
    pub along_y: f64,
    /// Pack.
    pub pack: f64,
    /// Unpack.
    pub unpack: f64,
    /// `FFTx`.
    pub along_x: f64,
    /// Ialltoall.
    pub exchange: f64,
    /// Wait.
    pub wait: f64,
    /// Test.
    pub polls: f64,
}

impl Parts {
    /// Number of parts.
    pub const COUNT: usize = 9;

    /// Makes parts of their values, in the order of the fields.
    pub fn of(values: [f64; Self::COUNT]) -> Self {
        let [along_z, transpose, along_y, pack, unpack, along_x, exchange, wait, polls] = values;
        Self { along_z, transpose, along_y, pack, unpack, along_x, exchange, wait, polls }
    }

    /// Returns the values in seconds of a rank's times, in the order of the fields.
    pub fn values_of(times: &Times) -> [f64; Self::COUNT] {
        let Times { along_z, transpose, along_y, pack, unpack, along_x, exchange, wait, polls, .. } = *times;
        [along_z, transpose, along_y, pack, unpack, along_x, exchange, wait, polls]
            .map(|nanoseconds| nanoseconds as f64 * 1e-9)
    }

    /// Returns the time of work before the tiles.
    pub fn fixed(&self) -> f64 {
        self.along_z + self.transpose
    }

    /// Returns the time of work that a tile's exchange can overlap with.
    pub fn overlappable(&self) -> f64 {
        self.along_y + self.pack + self.unpack + self.along_x
    }

    /// Returns the time of waiting and polling.
    pub fn wait_and_test(&self) -> f64 {
        self.wait + self.polls
    }

    /// Returns the time of the exchange over the time of the work that it can overlap with, if these are the
    /// parts of NEW-0.
    pub fn balance(&self) -> f64 {
        self.wait_and_test() / self.overlappable()
    }

    /// Returns the speed-up of perfect overlap over these parts, if they are NEW-0's: the longer one of
    /// exchange and work hides the other one.
    pub fn perfect_gain(&self) -> f64 {
        let (fixed, work, exchange) = (self.fixed(), self.overlappable(), self.wait_and_test());
        (fixed + work + exchange) / (fixed + work.max(exchange))
    }
}
