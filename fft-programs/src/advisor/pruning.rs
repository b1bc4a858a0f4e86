//! Which candidates are worth a run.

use super::forecast::Forecast;

/// A candidate that is predicted to take so many times as long as the best prediction is not run. The errors of two
/// predictions rarely add up to that.
pub(crate) const FAR_SLOWER: f64 = 2.0;

/// The best prediction of the candidates so far, and how many were left out.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Pruning {
    best: Option<f64>,
    pruned: usize,
}

impl Pruning {
    /// Whether the next candidate, of which this is predicted, is to be run: one of which nothing is predicted always.
    pub(crate) fn keeps(&mut self, forecast: Option<&Forecast>) -> bool {
        self.keeps_time(forecast.map(Forecast::nanoseconds))
    }

    fn keeps_time(&mut self, predicted: Option<f64>) -> bool {
        let Some(predicted) = predicted else { return true };
        if self.best.is_some_and(|best| predicted > FAR_SLOWER * best) {
            self.pruned += 1;
            return false;
        }
        self.best = Some(self.best.map_or(predicted, |best| best.min(predicted)));
        true
    }

    /// How many were left out.
    pub(crate) fn pruned(&self) -> usize {
        self.pruned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the order, the best prediction is run, and what takes twice as long after it is not.
    #[test]
    fn the_best_prediction_is_never_left_out() {
        let mut state = 1_u64;
        for _ in 0..200 {
            let mut pruning = Pruning::default();
            let predicted: Vec<f64> = (0..9)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    1.0 + (state >> 33) as f64 / f64::from(1 << 28)
                })
                .collect();
            let kept: Vec<_> = predicted.iter().map(|&time| pruning.keeps_time(Some(time))).collect();
            let best = predicted.iter().copied().fold(f64::INFINITY, f64::min);
            for (at, (&time, &kept)) in predicted.iter().zip(&kept).enumerate() {
                let before = predicted[..at].iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(kept, time <= FAR_SLOWER * before, "{predicted:?}");
                assert!(kept || time > FAR_SLOWER * best, "{predicted:?}");
            }
            assert_eq!(pruning.pruned(), kept.iter().filter(|kept| !**kept).count());
        }
    }

    #[test]
    fn what_nobody_can_predict_is_run() {
        let mut pruning = Pruning::default();
        assert!(pruning.keeps_time(None) && pruning.keeps_time(Some(1.0)) && pruning.keeps_time(None));
        assert!(!pruning.keeps_time(Some(2.1)) && pruning.keeps_time(Some(2.0)));
        assert_eq!(pruning.pruned(), 1);
    }
}
