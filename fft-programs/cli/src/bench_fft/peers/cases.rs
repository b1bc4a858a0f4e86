//! Measured sizes by name, and classes of sizes with their target ratios.

use std::fmt;

use earth_console::failure::sizes;
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

/// One size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Case {
    /// Class whose targets it has.
    pub(crate) class: Class,
    /// Points; rows and columns; or planes, rows and columns.
    pub(crate) lengths: Vec<usize>,
    /// Number of such transforms.
    pub(crate) batch: usize,
}

/// Invalid class or size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoCase {
    /// The word is neither a class nor a size.
    #[error(
        "no class or size is called {0:?}: classes are {classes}, a size is like 4096, 1000x1024, 64x64x64 or 1000*64",
        classes = NAMES.map(|(name, ..)| name).join(", ")
    )]
    Unknown(String),
    /// The size has fewer than two points.
    #[error("a size has 2 points at least, since a transform of one point takes no operations: {0}")]
    TooSmall(String),
    /// The number of points needs more than 48 bits.
    #[error("{0} are more points than any memory holds")]
    TooLarge(String),
}

/// Names of classes, the classes that they stand for, and their approximate times.
const NAMES: [(&str, &[Class], &str); 13] = [
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
    ("cold", &[Class::Cold], "ten minutes"),
    ("growth", &[Class::Growth], "half an hour"),
];

/// Some quick sizes of each class, and a long series.
const SHORT: [(Class, &[usize]); 9] = [
    (Class::Series, &[64]),
    (Class::Series, &[1024]),
    (Class::Series, &[16384]),
    (Class::SeriesMiddle, &[1 << 16]),
    (Class::SeriesLong, &[1 << 20]),
    (Class::MatricesSmall, &[256, 256]),
    (Class::MatricesSmall, &[512, 512]),
    (Class::MatricesMiddle, &[1000, 1000]),
    (Class::Cubes, &[128, 128, 128]),
];

/// Powers of 3, 5 and 7, and products of small primes.
const MIXED: [usize; 24] = [
    81, 243, 729, 2187, 6561, 19_683, 59_049, 125, 625, 3125, 15_625, 78_125, 343, 2401, 16_807, 60, 210,
    360, 1000, 2520, 5040, 10_080, 30_000, 100_000,
];

/// Prime numbers near powers of two, and the greatest one below 10^5.
const PRIMES: [usize; 12] = [67, 127, 257, 509, 1021, 2053, 4099, 8191, 16_381, 32_771, 65_537, 99_991];

/// Bits of the largest number of points.
const BITS: u32 = 48;

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
            Self::Batches | Self::Cold => [[1.2, 0.95], [1.3, 1.0]],
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

    /// Returns the cases.
    fn cases(self) -> Vec<Case> {
        if self == Self::Batches {
            let sizes = [(100_000, 16), (100_000, 32), (100_000, 64), (100_000, 100), (20_000, 128)];
            let longer = [(10_000, 243), (10_000, 256), (5000, 500), (4000, 512), (2000, 1024)];
            let case = |(batch, n)| Case { class: self, lengths: vec![n], batch };
            return sizes.into_iter().chain(longer).map(case).collect();
        }
        self.sizes().into_iter().map(|lengths| Case { class: self, lengths, batch: 1 }).collect()
    }

    /// Returns the sizes, if the class has no batches.
    fn sizes(self) -> Vec<Vec<usize>> {
        let powers = |exponents: std::ops::RangeInclusive<u32>| exponents.map(|k| vec![1 << k]).collect();
        let squares = |sides: &[usize]| -> Vec<_> { sides.iter().map(|&side| vec![side, side]).collect() };
        match self {
            Self::Series => powers(6..=14),
            Self::SeriesMiddle => vec![vec![1 << 16], vec![1 << 18]],
            Self::SeriesMixed => MIXED.map(|n| vec![n]).into(),
            Self::SeriesPrime => PRIMES.map(|n| vec![n]).into(),
            Self::SeriesLong => [1 << 20, 1_000_000, 1 << 22, 10_000_000, 1 << 24].map(|n| vec![n]).into(),
            Self::Cubes => [128, 192, 256, 384, 512].map(|side| vec![side; 3]).into(),
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

impl Case {
    /// Returns the cases that the words name, each once, in the order of the words; the short ones without
    /// words.
    pub(crate) fn all<W: AsRef<str>>(words: &[W]) -> Result<Vec<Self>, NoCase> {
        let mut cases: Vec<Self> = Vec::new();
        let none = words.is_empty().then_some("short");
        for word in none.into_iter().chain(words.iter().map(AsRef::as_ref)) {
            for case in Self::named(word)? {
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
        Ok(cases)
    }

    fn named(word: &str) -> Result<Vec<Self>, NoCase> {
        let of = |class: Class, lengths: Vec<usize>| Self { class, lengths, batch: 1 };
        if word == "short" {
            return Ok(SHORT.into_iter().map(|(class, lengths)| of(class, lengths.to_vec())).collect());
        }
        if let Some((_, classes, _)) = NAMES.into_iter().find(|(name, ..)| *name == word) {
            return Ok(classes.iter().flat_map(|class| class.cases()).collect());
        }
        let (class, size) = match word.strip_prefix("cold:") {
            Some(size) => (Class::Cold, size),
            None => (Class::Named, word),
        };
        let (batch, size) = size.split_once('*').unwrap_or(("1", size));
        let batch = batch.parse().map_err(|_| NoCase::Unknown(word.to_owned()))?;
        let lengths: Result<Vec<usize>, _> = size.split('x').map(str::parse).collect();
        let Ok(lengths @ ([_] | [_, _] | [_, _, _])) = lengths.as_deref() else {
            return Err(NoCase::Unknown(word.to_owned()));
        };
        if batch != 1 && lengths.len() > 1 {
            return Err(NoCase::Unknown(word.to_owned()));
        }
        match lengths.iter().try_fold(batch, |points: usize, length| points.checked_mul(*length)) {
            Some(0 | 1) => Err(NoCase::TooSmall(word.to_owned())),
            Some(points) if points >> BITS == 0 => Ok(vec![Self { batch, ..of(class, lengths.to_vec()) }]),
            _ => Err(NoCase::TooLarge(word.to_owned())),
        }
    }

    /// Returns the number of points of all transforms.
    pub(crate) fn points(&self) -> usize {
        self.batch * self.lengths.iter().product::<usize>()
    }

    /// Returns the number of rows and the points of a row. A series is one row; the rows of all planes count,
    /// and each series of a batch.
    pub(crate) fn sides(&self) -> [usize; 2] {
        let cols = self.lengths.last().copied().unwrap_or(1);
        [self.points() / cols, cols]
    }
}

/// Writes `4096`, `1000 x 1024`, `64 x 64 x 64` or `1000 of 64`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&size(self.batch, &self.lengths))
    }
}

/// Returns the size of a number of transforms, for people.
pub(super) fn size(batch: usize, lengths: &[usize]) -> String {
    let of = if batch == 1 { String::new() } else { format!("{batch} of ") };
    of + &sizes(lengths)
}

/// Returns a sentence on the approximate time of each class among the words.
pub(crate) fn durations<W: AsRef<str>>(words: &[W]) -> Vec<String> {
    let named = |word: &W| NAMES.into_iter().find(|(name, ..)| *name == word.as_ref());
    words.iter().filter_map(named).map(|(name, _, time)| format!("{name} takes about {time}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_sizes_and_reaches() {
        let of = |name: &str| -> Vec<(Class, String)> {
            Case::all(&[name]).unwrap().iter().map(|case| (case.class, case.to_string())).collect()
        };
        for (name, number, ends, reach) in [
            ("series", 9, ["64", "16384"], Some((0.97, 1.1))),
            ("series-middle", 2, ["65536", "262144"], Some((1.05, 1.2))),
            ("series-mixed", 24, ["81", "100000"], Some((0.9, 1.2))),
            ("series-prime", 12, ["67", "99991"], Some((0.9, 1.2))),
            ("series-long", 5, ["1048576", "16777216"], Some((1.3, 1.5))),
            ("matrices-small", 3, ["256 x 256", "768 x 768"], Some((1.25, 1.5))),
            ("matrices-middle", 7, ["1000 x 1000", "2560 x 2560"], Some((1.25, 1.5))),
            ("matrices-large", 10, ["3072 x 3072", "10000 x 10000"], Some((1.25, 1.5))),
            ("cubes", 5, ["128 x 128 x 128", "512 x 512 x 512"], Some((1.25, 1.5))),
            ("batches", 10, ["100000 of 16", "2000 of 1024"], Some((0.95, 1.2))),
            ("cold", 16, ["1024", "160 x 160 x 160"], Some((0.95, 1.2))),
            ("growth", 21, ["64", "67108864"], None),
        ] {
            let cases = of(name);
            assert_eq!((cases.len(), [&*cases[0].1, &*cases[number - 1].1]), (number, ends), "{name}");
            let class = cases[0].0;
            assert!(cases.iter().all(|case| case.0 == class) && class.name() == name);
            assert_eq!(class.reach("avx2").map(|reach| (reach.each, reach.mean)), reach, "{name}");
            let wider = class.reach("avx512");
            assert!(wider.is_none_or(|wider| (wider.each, wider.mean) > reach.unwrap()), "{name}");
            assert_eq!(class.reach("portable"), None);
            assert_eq!(class.is_by_one_thread(), name == "series");
        }
        assert_eq!(of("short").len(), SHORT.len());
        let told = durations(&["growth", "64", "short"]);
        assert_eq!(told, ["growth takes about half an hour", "short takes about a minute"]);
        assert_eq!(Case::all::<&str>(&[]), Case::all(&["short"]));
    }

    #[test]
    fn sizes_are_read_as_they_are_written_and_counted_once() {
        let cases = Case::all(&["3x4", "12", "3x4", "2x3x4"]).unwrap();
        let told: Vec<_> = cases.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["3 x 4", "12", "2 x 3 x 4"]);
        assert_eq!(cases.iter().map(Case::sides).collect::<Vec<_>>(), [[3, 4], [1, 12], [6, 4]]);
        assert!(cases.iter().all(|case| case.class == Class::Named));
        let batches = Case::all(&["1000*64"]).unwrap();
        assert_eq!((batches[0].batch, batches[0].sides(), batches[0].points()), (1000, [1000, 64], 64_000));
        let cold = Case::all(&["cold:3x4"]).unwrap();
        assert_eq!((cold[0].class, cold[0].to_string()), (Class::Cold, "3 x 4".to_owned()));
        let refused = |word: &str| Case::all(&[word]).unwrap_err().to_string();
        for word in ["fast", "cold:", "2*3x4", "3x4x5x6", "3 x 4", "x4", "-1", ""] {
            assert_eq!(
                refused(word),
                format!(
                    "no class or size is called {word:?}: classes are short, series, series-middle, series-mixed, \
                     series-prime, series-long, matrices-small, matrices-middle, matrices-large, cubes, batches, cold, growth, a size is like 4096, \
                     1000x1024, 64x64x64 or 1000*64"
                )
            );
        }
        for word in ["0", "1", "1x1", "0x7"] {
            assert_eq!(
                refused(word),
                format!(
                    "a size has 2 points at least, since a transform of one point takes no operations: {word}"
                )
            );
        }
        for word in ["281474976710656", "4294967296x4294967296"] {
            assert_eq!(refused(word), format!("{word} are more points than any memory holds"));
        }
    }
}
