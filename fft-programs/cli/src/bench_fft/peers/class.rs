//! Classes of sizes with their target ratios.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Class of sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Series of 2^6 to 2^14 points, by one thread.
    Series,
    /// Squares that fit, or almost fit, into the L2 cache.
    MatricesSmall,
    /// Squares of 1000 to 2560 rows.
    MatricesMiddle,
    /// Squares of 3072 to 10000 rows.
    MatricesLarge,
    /// Series of 2^16 and 2^18 points.
    SeriesMiddle,
    /// Series of 2^20 to 2^24 points.
    SeriesLong,
    /// Series of up to 10^5 points, whose number has the prime factors 2, 3, 5 and 7.
    SeriesMixed,
    /// Series of up to 10^5 points, a prime number.
    SeriesPrime,
    /// 2^20 or more points in series of 16 to 1024 points.
    Batches,
    /// Cubes of 128 to 512 planes.
    Cubes,
    /// Real images of 321 x 481 to 2000 x 3008 numbers.
    Images,
    /// Filters of real images: to the spectrum and back.
    Filters,
    /// Convolutions of real series of up to 2^20 numbers: to the spectrum and back.
    Convolutions,
    /// Plan and first call of a fresh process.
    Cold,
    /// Series of 2^6 to 2^26 points.
    Growth,
    /// Sizes named on the command line.
    Named,
}

/// Target ratios of a class: the time of the better peer over ours.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Target {
    /// Target of each size.
    pub(crate) each: f64,
    /// Target of the geometric mean of all sizes.
    pub(crate) mean: f64,
}

/// Names of classes, the classes that they stand for, and their approximate times.
pub(super) const NAMES: [(&str, &[Class], &str); 16] = [
    ("short", &[], "a minute"),
    ("series", &[Class::Series], "ten seconds"),
    ("series-middle", &[Class::SeriesMiddle], "ten seconds"),
    ("series-mixed", &[Class::SeriesMixed], "a minute"),
    ("series-prime", &[Class::SeriesPrime], "a minute"),
    ("series-long", &[Class::SeriesLong], "ten minutes"),
    ("matrices-small", &[Class::MatricesSmall], "twenty seconds"),
    ("matrices-middle", &[Class::MatricesMiddle], "three minutes"),
    ("matrices-large", &[Class::MatricesLarge], "half an hour"),
    ("cubes", &[Class::Cubes], "fifteen minutes"),
    ("batches", &[Class::Batches], "a minute"),
    ("images", &[Class::Images], "two minutes"),
    ("filters", &[Class::Filters], "a minute"),
    ("convolutions", &[Class::Convolutions], "two minutes"),
    ("cold", &[Class::Cold], "ten minutes"),
    ("growth", &[Class::Growth], "half an hour"),
];

/// Powers of 3, 5 and 7, and products of small primes.
const MIXED: [usize; 24] = [
    81, 243, 729, 2187, 6561, 19_683, 59_049, 125, 625, 3125, 15_625, 78_125, 343, 2401, 16_807, 60, 210,
    360, 1000, 2520, 5040, 10_080, 30_000, 100_000,
];

/// Prime numbers near powers of two, and the greatest one below 10^5.
const PRIMES: [usize; 12] = [67, 127, 257, 509, 1021, 2053, 4099, 8191, 16_381, 32_771, 65_537, 99_991];

/// Rows and columns of images as cameras and data sets have them. 683 is a prime number, and others have the
/// factors 13, 23, 31, 37, 47, 73, 89 and 107.
const IMAGES: [[usize; 2]; 9] = [
    [321, 481],
    [375, 500],
    [511, 511],
    [683, 1023],
    [720, 1280],
    [1001, 1001],
    [1080, 1920],
    [1365, 2047],
    [2000, 3008],
];

impl Class {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        let named = NAMES.into_iter().find(|(_, classes, _)| classes.contains(&self));
        named.map_or("named", |(name, ..)| name)
    }

    /// Returns the target ratios with these vector instructions of our kernels, if there are any.
    pub(crate) fn reach(self, simd: &str) -> Option<Target> {
        // Mean and each, with AVX2 and with AVX-512.
        let by_set = match self {
            Self::Series => [[1.1, 0.97], [1.15, 1.0]],
            Self::SeriesMiddle => [[1.2, 1.05], [1.5, 1.3]],
            Self::SeriesLong => [[1.5, 1.3], [2.0, 1.7]],
            Self::MatricesSmall | Self::MatricesMiddle | Self::MatricesLarge | Self::Cubes => {
                [[1.5, 1.25], [1.8, 1.35]]
            }
            Self::SeriesMixed | Self::SeriesPrime => [[1.2, 0.9], [1.3, 1.0]],
            Self::Batches | Self::Cold | Self::Images | Self::Filters | Self::Convolutions => {
                [[1.2, 0.95], [1.3, 1.0]]
            }
            Self::Growth | Self::Named => return None,
        };
        let [mean, each] = match simd {
            "avx512" => by_set[1],
            "avx512vl" | "avx2" => by_set[0],
            _ => return None,
        };
        Some(Target { each, mean })
    }

    /// Whether every contestant has one thread, the caller's.
    pub(crate) fn is_by_one_thread(self) -> bool {
        self == Self::Series
    }

    /// Whether each time is a fresh process's plan and first call.
    pub(crate) fn is_cold(self) -> bool {
        self == Self::Cold
    }

    /// Whether the numbers are real, with or without the option.
    pub(crate) fn is_real(self) -> bool {
        self == Self::Images || self.is_filter()
    }

    /// Whether a call is a filter: a real transform, the product with a spectrum, and the transform back.
    pub(crate) fn is_filter(self) -> bool {
        matches!(self, Self::Filters | Self::Convolutions)
    }

    /// Returns the class of this name, if it does not measure what sizes without a class do. Any size may be
    /// one of such a class.
    pub(super) fn of_any_size(name: &str) -> Option<Self> {
        let classes = [Self::Cold, Self::Images, Self::Filters, Self::Convolutions];
        classes.into_iter().find(|class| class.name() == name)
    }

    /// Returns the sizes, if the class has no batches.
    pub(super) fn sizes(self) -> Vec<Vec<usize>> {
        let powers = |exponents: std::ops::RangeInclusive<u32>| exponents.map(|k| vec![1 << k]).collect();
        let squares = |sides: &[usize]| -> Vec<_> { sides.iter().map(|&side| vec![side, side]).collect() };
        let pairs = |sides: &[[usize; 2]]| -> Vec<_> { sides.iter().map(|sides| sides.to_vec()).collect() };
        match self {
            Self::Series => powers(6..=14),
            Self::SeriesMiddle => vec![vec![1 << 16], vec![1 << 18]],
            Self::SeriesMixed => MIXED.map(|n| vec![n]).into(),
            Self::SeriesPrime => PRIMES.map(|n| vec![n]).into(),
            Self::SeriesLong => [1 << 20, 1_000_000, 1 << 22, 10_000_000, 1 << 24].map(|n| vec![n]).into(),
            Self::Cubes => [128, 192, 256, 384, 512].map(|side| vec![side; 3]).into(),
            Self::Images => pairs(&IMAGES),
            Self::Filters => pairs(&[[375, 500], [512, 512], [1000, 1000], [1001, 1001], [1080, 1920]]),
            Self::Convolutions => [1000, 4096, 10_000, 1 << 16, 100_000, 1 << 20].map(|n| vec![n]).into(),
            Self::Cold => {
                let series = [1 << 10, 1 << 12, 1 << 16, 1 << 18, 786_432, 1 << 20, 1 << 21, 6_000_000];
                let cubes = [64, 128, 160].map(|side| vec![side; 3]);
                let series = series.into_iter().map(|n| vec![n]);
                series.chain(squares(&[256, 512, 1024, 1344, 2048])).chain(cubes).collect()
            }
            Self::Growth => powers(6..=26),
            Self::MatricesSmall => squares(&[256, 512, 768]),
            Self::MatricesMiddle => squares(&[1000, 1024, 1536, 2000, 2048, 2187, 2560]),
            Self::MatricesLarge => squares(&[3072, 3600, 4096, 4608, 5000, 5040, 6000, 6144, 8192, 10_000]),
            Self::Batches | Self::Named => Vec::new(),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<'de> Deserialize<'de> for Class {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let classes = NAMES.iter().flat_map(|(_, classes, _)| *classes).chain(&[Self::Named]);
        let found = classes.copied().find(|class| class.name() == name);
        found.ok_or_else(|| D::Error::custom(format_args!("no class is called {name:?}")))
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
