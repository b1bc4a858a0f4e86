//! How many frames a node has made and ended, and the most that have lived at once.
//!
//! What is counted is made, and by how many more frames could live before there are more than ever: so the end of a frame is one
//! addition and the making of one is two, with no comparison of levels. How many have ended is worked out when somebody asks.

/// The frames of a node since the run began.
#[derive(Default)]
pub(crate) struct FrameCounts {
    made: u64,
    /// The most that have lived at once, and how many fewer live now.
    high: u64,
    spare: u64,
}

impl FrameCounts {
    /// Counts a frame that is made.
    #[inline(always)]
    pub(super) fn make(&mut self) {
        self.made += 1;
        if self.spare == 0 {
            self.high += 1;
        } else {
            self.spare -= 1;
        }
    }

    /// Counts a frame that ends.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.spare += 1;
    }

    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    pub(crate) fn ended(&self) -> u64 {
        self.made + self.spare - self.high
    }

    /// The most that have lived at once.
    pub(crate) fn high(&self) -> u64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn levels_are_those_of_plain_counts(makes in prop::collection::vec(any::<bool>(), 0..100)) {
            let (mut counts, mut made, mut ended, mut high) = (FrameCounts::default(), 0, 0, 0);
            for makes in makes {
                if makes || made == ended {
                    counts.make();
                    made += 1;
                } else {
                    counts.end();
                    ended += 1;
                }
                high = high.max(made - ended);
                prop_assert_eq!((counts.made(), counts.ended(), counts.high()), (made, ended, high));
            }
        }
    }
}
