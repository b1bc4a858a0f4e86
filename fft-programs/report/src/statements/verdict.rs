//! Verdicts, and the verdict of several.

use serde::Serialize;

/// Verdict on a statement, or on a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All parts hold.
    Holds,
    /// Some parts hold, and some do not or cannot be told.
    InPart,
    /// No part holds.
    DoesNotHold,
    /// Neither of these can be told here.
    CannotBeTold,
}

impl Verdict {
    /// All verdicts, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Holds, Self::InPart, Self::DoesNotHold, Self::CannotBeTold];

    /// Returns the verdict for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::DoesNotHold => "does not hold",
            Self::CannotBeTold => "cannot be told",
        }
    }

    /// Returns the verdict of checks.
    pub(super) fn of_checks([passed, all]: [usize; 2]) -> Self {
        match all {
            0 => Self::CannotBeTold,
            all if passed == all => Self::Holds,
            _ => Self::DoesNotHold,
        }
    }

    /// Returns the verdict of readings of one sentence: their common verdict, if they have one.
    pub(super) fn of_readings(readings: &[Self]) -> Self {
        match readings {
            [first, rest @ ..] if rest.iter().all(|verdict| verdict == first) => *first,
            _ => Self::CannotBeTold,
        }
    }

    /// Returns the verdict of independent parts. A part that does not hold decides over parts that cannot be
    /// told.
    pub(super) fn of_parts(parts: &[Self]) -> Self {
        let has = |verdict| parts.contains(&verdict);
        let is_all = |verdict| parts.iter().all(|part| *part == verdict);
        match () {
            () if parts.is_empty() || is_all(Self::CannotBeTold) => Self::CannotBeTold,
            () if is_all(Self::Holds) => Self::Holds,
            () if has(Self::Holds) || has(Self::InPart) => Self::InPart,
            () => Self::DoesNotHold,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{self, CannotBeTold, DoesNotHold, Holds, InPart};

    #[test]
    fn checks_hold_together_or_not_at_all() {
        assert_eq!(
            [[0, 0], [2, 2], [1, 2], [0, 2]].map(Verdict::of_checks),
            [CannotBeTold, Holds, DoesNotHold, DoesNotHold]
        );
    }

    #[test]
    fn readings_that_disagree_cannot_be_told() {
        assert_eq!(Verdict::of_readings(&[Holds, Holds]), Holds);
        assert_eq!(Verdict::of_readings(&[DoesNotHold]), DoesNotHold);
        for readings in [&[Holds, DoesNotHold][..], &[Holds, CannotBeTold], &[]] {
            assert_eq!(Verdict::of_readings(readings), CannotBeTold);
        }
    }

    #[test]
    fn parts_that_hold_and_others_are_in_part() {
        for (parts, verdict) in [
            (&[][..], CannotBeTold),
            (&[CannotBeTold, CannotBeTold], CannotBeTold),
            (&[Holds, Holds], Holds),
            (&[Holds, CannotBeTold], InPart),
            (&[Holds, DoesNotHold], InPart),
            (&[DoesNotHold, CannotBeTold], DoesNotHold),
        ] {
            assert_eq!(Verdict::of_parts(parts), verdict, "{parts:?}");
        }
    }
}
