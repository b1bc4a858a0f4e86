//! Measured sizes by name.

use std::fmt;

use earth_console::failure::sizes;

use super::class::{Class, NAMES};

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
    /// Sizes of real numbers and sizes of points would be in one report.
    #[error("{0} have real numbers, and {1} has points: measure it in another run, or all with --real")]
    Mixed(Class, String),
    /// Rows of real numbers have no gap.
    #[error("{0} have real numbers, whose rows have no --gap")]
    Gap(Class),
}

/// Some quick sizes of points, and a long series.
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

/// Bits of the largest number of points.
const BITS: u32 = 48;

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

    /// Returns whether the numbers of all cases are real: by the option, or by their classes.
    ///
    /// # Errors
    ///
    /// [`NoCase::Mixed`] if only some are real, and [`NoCase::Gap`] if their rows would have a gap.
    pub(crate) fn are_real(cases: &[Self], option: bool, has_gap: bool) -> Result<bool, NoCase> {
        let Some(real) = cases.iter().map(|case| case.class).find(|class| class.is_real()) else {
            return Ok(option);
        };
        match cases.iter().find(|case| !case.class.is_real()) {
            _ if has_gap => Err(NoCase::Gap(real)),
            Some(other) if !option => Err(NoCase::Mixed(real, other.to_string())),
            _ => Ok(true),
        }
    }

    /// Returns the cases of a class.
    fn of(class: Class) -> Vec<Self> {
        if class == Class::Batches {
            let sizes = [(100_000, 16), (100_000, 32), (100_000, 64), (100_000, 100), (20_000, 128)];
            let longer = [(10_000, 243), (10_000, 256), (5000, 500), (4000, 512), (2000, 1024)];
            let case = |(batch, n)| Self { class, lengths: vec![n], batch };
            return sizes.into_iter().chain(longer).map(case).collect();
        }
        class.sizes().into_iter().map(|lengths| Self { class, lengths, batch: 1 }).collect()
    }

    fn named(word: &str) -> Result<Vec<Self>, NoCase> {
        let of = |class: Class, lengths: Vec<usize>| Self { class, lengths, batch: 1 };
        if word == "short" {
            return Ok(SHORT.into_iter().map(|(class, lengths)| of(class, lengths.to_vec())).collect());
        }
        if let Some((_, classes, _)) = NAMES.into_iter().find(|(name, ..)| *name == word) {
            return Ok(classes.iter().flat_map(|class| Self::of(*class)).collect());
        }
        let (class, size) = match word.split_once(':') {
            Some((name, size)) => {
                (Class::of_any_size(name).ok_or_else(|| NoCase::Unknown(word.to_owned()))?, size)
            }
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

/// Writes `4096`, `1000 x 1024`, `64 x 64 x 64`, `1000 of 64` or `512 x 512 filtered`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&size(self.class, self.batch, &self.lengths))
    }
}

/// Returns the size of a number of transforms or filters, for people.
pub(super) fn size(class: Class, batch: usize, lengths: &[usize]) -> String {
    let of = if batch == 1 { String::new() } else { format!("{batch} of ") };
    let filtered = if class.is_filter() { " filtered" } else { "" };
    format!("{of}{}{filtered}", sizes(lengths))
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
            ("images", 9, ["321 x 481", "2000 x 3008"], Some((0.95, 1.2))),
            ("filters", 5, ["375 x 500 filtered", "1080 x 1920 filtered"], Some((0.95, 1.2))),
            ("convolutions", 6, ["1000 filtered", "1048576 filtered"], Some((0.95, 1.2))),
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
            assert_eq!(class.is_real(), ["images", "filters", "convolutions"].contains(&name));
            assert_eq!(class.is_filter(), class.is_real() && name != "images");
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
        let filters = Case::all(&["filters:3x4", "convolutions:5*12", "images:7"]).unwrap();
        let told: Vec<_> = filters.iter().map(|case| (case.class, case.to_string())).collect();
        let expected = [
            (Class::Filters, "3 x 4 filtered"),
            (Class::Convolutions, "5 of 12 filtered"),
            (Class::Images, "7"),
        ];
        assert_eq!(told, expected.map(|(class, size)| (class, size.to_owned())));
        let refused = |word: &str| Case::all(&[word]).unwrap_err().to_string();
        for word in ["fast", "cold:", "filters:", "series:64", "2*3x4", "3x4x5x6", "3 x 4", "x4", "-1", ""] {
            assert_eq!(
                refused(word),
                format!(
                    "no class or size is called {word:?}: classes are short, series, series-middle, series-mixed, \
                     series-prime, series-long, matrices-small, matrices-middle, matrices-large, cubes, batches, images, filters, convolutions, cold, growth, a size is like 4096, \
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

    #[test]
    fn real_classes_are_measured_apart_from_points() {
        let real = |words: &[&str], option, has_gap| {
            Case::are_real(&Case::all(words).unwrap(), option, has_gap).map_err(|error| error.to_string())
        };
        assert_eq!(real(&["64", "cubes"], false, true), Ok(false));
        assert_eq!(real(&["64", "cubes"], true, false), Ok(true));
        assert_eq!(real(&["filters", "images", "convolutions:9"], false, false), Ok(true));
        assert_eq!(real(&["64", "images"], true, false), Ok(true));
        let mixed =
            "images have real numbers, and 64 has points: measure it in another run, or all with --real";
        assert_eq!(real(&["images", "64"], false, false), Err(mixed.to_owned()));
        let gap = "convolutions have real numbers, whose rows have no --gap";
        assert_eq!(real(&["convolutions"], false, true), Err(gap.to_owned()));
    }
}
