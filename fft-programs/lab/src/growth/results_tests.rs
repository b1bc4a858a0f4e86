use earth::Config;

use super::*;
use crate::growth::cases::{CONFIGS, Change, ORDERS};
use crate::growth::profile;

/// Greatest relative errors of the closed form with overlap, in SPN and DUAL: on the profile's machine, and
/// with ranks that compute 16 times as fast. There an exchange takes a considerable part of the time.
const BOUNDS: [(Change, [f64; 2]); 2] =
    [(Change::Nothing, [0.04, 0.04]), (Change::Computing(16), [0.15, 0.18])];

/// Returns runs of slabs, pencils and series on a machine.
fn runs(change: Change) -> impl Iterator<Item = Run> {
    let all: [(&[usize], usize); 6] = [
        (&[1 << 12, 1 << 12], 4),
        (&[1 << 12, 1 << 12], 32),
        (&[256, 256, 256], 16),
        (&[32, 32, 1 << 14], 64),
        (&[1 << 22], 8),
        (&[1 << 24], 32),
    ];
    all.into_iter().flat_map(move |(lengths, ranks)| {
        ORDERS.into_iter().flat_map(move |is_natural| {
            CONFIGS.map(|config| Run::new(lengths, is_natural, ranks, config).with(change))
        })
    })
}

#[test]
fn the_closed_form_is_close_to_the_simulation_and_not_without_an_exchange() {
    let profile = profile().unwrap();
    for (change, bounds) in BOUNDS {
        for run in runs(change) {
            let bound = bounds[usize::from(run.config() == Config::Dual)];
            let seconds = run.simulated(&profile, &CancelToken::new()).unwrap();
            let error = run.closed(&profile).overlapped / seconds - 1.0;
            assert!(error.abs() < bound, "{run:?}: {:+.1}% of {seconds} s", 100.0 * error);
            if change == Change::Nothing {
                continue;
            }
            let rates = Rates::of(&change.of(&profile), run.config(), run.transform.ranks);
            let stages = run.transform.stages();
            for forgotten in 0..stages.len() - 1 {
                let mut stages = stages.clone();
                stages[forgotten] = stages[forgotten].without_exchange();
                let error = run.transform.time_of(&stages, &rates).overlapped / seconds - 1.0;
                assert!(error < -bound, "{run:?} without exchange {forgotten}: {:+.1}%", 100.0 * error);
            }
        }
    }
}
